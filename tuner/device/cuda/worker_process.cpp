#include "tuner/device/cuda/worker_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>

#include <boost/process/args.hpp>
#include <boost/process/child.hpp>
#include <boost/process/io.hpp>
#include <boost/process/pipe.hpp>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "tuner/core/error.hpp"
#include "tuner/device/cuda/channel.hpp"
#include "tuner/device/installation.hpp"

namespace rooftune::cuda {
namespace {

namespace fs = std::filesystem;
namespace process = boost::process;

/// Starting the driver and making a context takes a second or two; on a machine with many GPUs,
/// without the driver's persistence mode, some more.
constexpr double start_limit = 60;

fs::path worker_program() {
  std::string tried;
  for (const fs::path& folder : library_folders()) {
    const fs::path program = folder / "gpu-worker";
    std::error_code ignored;
    if (fs::exists(program, ignored)) {
      return program;
    }
    tried += (tried.empty() ? "" : ", ") + program.string();
  }
  throw InputError("the program that runs kernels on GPUs is not here; looked for " + tried,
                   "install rooftune with `cmake --install`");
}

std::string end_of(const fs::path& file) {
  constexpr std::size_t most = 4096;
  std::ifstream in(file, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  while (!text.empty() && text.back() == '\n') {
    text.pop_back();
  }
  return text.size() > most ? text.substr(text.size() - most) : text;
}

/// No other child may keep an end open: a worker would not see that this process is gone.
void keep_to_ourselves(process::pipe& pipe) {
  for (const int descriptor : {pipe.native_source(), pipe.native_sink()}) {
    fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  }
}

std::string how_it_ended(int status) {
  if (WIFSIGNALED(status)) {
    const int number = WTERMSIG(status);
    return fmt::format("ended by signal {}{}", number,
                       number == SIGKILL ? " (killed; for want of host memory?)" : "");
  }
  return fmt::format("ended with status {}", WEXITSTATUS(status));
}

}  // namespace

struct WorkerProcess::Process {
  Process(int gpu, fs::path log_file) : log(std::move(log_file)) {
    keep_to_ourselves(to_worker);
    keep_to_ourselves(from_worker);
    std::error_code error;
    fs::remove(log, error);  // Boost would write over what the last worker left
    child = process::child(worker_program().string(), process::args = {std::to_string(gpu)},
                           process::std_in<to_worker, process::std_out> from_worker,
                           process::std_err > log.string(), error);
    if (error) {
      throw std::runtime_error("cannot start the GPU's worker: " + error.message());
    }
    // Boost has closed the worker's ends here, so that the end of one is seen by the other.
    channel.emplace(from_worker.native_source(), to_worker.native_sink());
  }

  ~Process() {
    // The end of its input ends a worker that waits for a job; one that hangs has to be killed.
    std::error_code ignored;
    child.terminate(ignored);
    child.wait(ignored);
  }

  process::pipe to_worker;
  process::pipe from_worker;
  fs::path log;
  process::child child;
  std::optional<Channel> channel;
};

WorkerProcess::WorkerProcess(int gpu, const fs::path& log)
    : process_(std::make_unique<Process>(gpu, log)) {
  const auto first = next_message({"starting", start_limit, false, false});
  if (const auto* end = std::get_if<WorkerEnd>(&first)) {
    throw std::runtime_error(end->hung           ? "it does not get ready"
                             : end->said.empty() ? end->how
                                                 : end->said);
  }
}

WorkerProcess::~WorkerProcess() = default;

std::variant<Message, WorkerEnd> WorkerProcess::next_message(const Step& step) {
  const auto text = process_->channel->read(step.limit);
  if (const auto* message = std::get_if<std::string>(&text)) {
    try {
      return message_from(*message);
    } catch (const std::exception&) {
      return WorkerEnd{false, step, "said what cannot be read", end_of(process_->log)};
    }
  }
  if (std::get<ReadEnd>(text) == ReadEnd::timed_out) {
    return WorkerEnd{true, step, "killed", end_of(process_->log)};
  }
  std::error_code ignored;
  process_->child.wait(ignored);
  return WorkerEnd{false, step, how_it_ended(process_->child.native_exit_code()),
                   end_of(process_->log)};
}

std::variant<Answer, WorkerEnd> WorkerProcess::run(const Job& job) {
  Step step{"taking the job", start_limit, false, false};
  process_->channel->write(to_text(job));  // whether it is gone, the answer tells
  while (true) {
    auto message = next_message(step);
    if (auto* end = std::get_if<WorkerEnd>(&message)) {
      return std::move(*end);
    }
    auto& said = std::get<Message>(message);
    if (auto* answer = std::get_if<Answer>(&said)) {
      return std::move(*answer);
    }
    if (auto* next = std::get_if<Step>(&said)) {
      step = std::move(*next);
    }
  }
}

}  // namespace rooftune::cuda
