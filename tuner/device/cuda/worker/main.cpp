// The process that launches kernels on one GPU, so that whatever they do to it or to the driver
// ends here. Jobs come on stdin, answers go to stdout; started by the CUDA device alone.

#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <thread>

#include "tuner/device/cuda/channel.hpp"
#include "tuner/device/cuda/job.hpp"
#include "tuner/device/cuda/nvml.hpp"
#include "tuner/device/cuda/worker/runner.hpp"

namespace rooftune::cuda {
namespace {

/// A launch that hangs cannot be waited out: with whoever started this process, it ends at once.
void end_with_parent() {
  std::thread([] {
    pollfd input{STDIN_FILENO, 0, 0};
    while (poll(&input, 1, -1) <= 0 || (input.revents & (POLLHUP | POLLERR)) == 0) {
    }
    std::_Exit(0);
  }).detach();
}

int serve(int index, Channel& channel) {
  const auto say = [&](const Message& message) { channel.write(to_text(message)); };
  std::string why;
  const auto driver = load_driver(why);
  if (!driver) {
    std::fprintf(stderr, "%s\n", why.c_str());
    return 1;
  }
  const Gpu gpu(driver, index);
  std::array<char, 64> bus{};
  driver->device_bus_id(bus.data(), static_cast<int>(bus.size()), gpu.device());
  Runner runner(gpu, open_nvml(bus.data()), [&](const Step& step) { say(step); });
  say(Ready{});
  while (true) {
    const auto text = channel.read(std::nullopt);
    if (!std::holds_alternative<std::string>(text)) {
      return 0;
    }
    const Answer answer = runner.run(job_from(std::get<std::string>(text)));
    say(answer);
    if (answer.worker_ends) {
      // Giving back what a spoilt context holds may hang.
      std::_Exit(0);
    }
  }
}

}  // namespace
}  // namespace rooftune::cuda

int main(int argc, char** argv) {
  using namespace rooftune::cuda;
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  signal(SIGINT, SIG_IGN);  // Ctrl-C ends the run, which ends this
  // Kernels are loaded when their binary is, not at their first launch, which would wait for a
  // stream that is held.
  setenv("CUDA_MODULE_LOADING", "EAGER", 1);
  // What kernels print goes to stdout; the answers get a descriptor of their own.
  const int answers = dup(STDOUT_FILENO);
  dup2(STDERR_FILENO, STDOUT_FILENO);
  if (argc != 2 || answers < 0) {
    std::fprintf(stderr, "usage: gpu-worker INDEX (started by rooftune itself)\n");
    return 2;
  }
  end_with_parent();
  try {
    Channel channel(STDIN_FILENO, answers);
    return serve(std::atoi(argv[1]), channel);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
