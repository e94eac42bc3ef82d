#include "tuner/device/host/process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>

#include "tuner/core/error.hpp"

extern char** environ;

namespace rooftune::host {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t output_limit = std::size_t{4} << 20;
constexpr int heartbeat_descriptor = 3;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

[[noreturn]] void fail(const std::string& what, int error) {
  throw InputError(fmt::format("{}: {}", what, std::strerror(error)));
}

/// A pipe whose ends no other child inherits.
struct Pipe {
  Pipe() {
    if (pipe2(ends.data(), O_CLOEXEC) != 0) {
      fail("cannot make a pipe", errno);
    }
  }
  ~Pipe() {
    close_end(0);
    close_end(1);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  void close_end(std::size_t end) {
    if (ends[end] >= 0) {
      close(ends[end]);
      ends[end] = -1;
    }
  }
  /// Reads what is there; false at the end of the file.
  bool drain(std::string* into) {
    std::array<char, 65536> buffer;
    const ssize_t count = read(ends[0], buffer.data(), buffer.size());
    if (count > 0 && into != nullptr && into->size() < output_limit) {
      into->append(buffer.data(), static_cast<std::size_t>(count));
    }
    return count > 0 || (count < 0 && (errno == EAGAIN || errno == EINTR));
  }

  std::array<int, 2> ends{};
};

std::vector<std::string> environment_with(
    const std::vector<std::pair<std::string, std::string>>& added) {
  std::vector<std::string> variables;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    const bool replaced = std::any_of(added.begin(), added.end(), [&](const auto& pair) {
      return text.substr(0, text.find('=')) == pair.first;
    });
    if (!replaced) {
      variables.emplace_back(text);
    }
  }
  for (const auto& [name, value] : added) {
    variables.push_back(name + "=" + value);
  }
  return variables;
}

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (const std::string& text : texts) {
    out.push_back(const_cast<char*>(text.c_str()));
  }
  out.push_back(nullptr);
  return out;
}

pid_t spawn(const ProcessRequest& request, const Pipe& output, const Pipe& heartbeat) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, output.ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output.ends[1], STDERR_FILENO);
  if (request.heartbeat) {
    posix_spawn_file_actions_adddup2(&actions, heartbeat.ends[1], heartbeat_descriptor);
  }
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  // Default signals, none blocked: a caller may have changed either.
  sigset_t none;
  sigset_t all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  const std::vector<std::string> environment = environment_with(request.environment);
  pid_t pid = 0;
  const int error = posix_spawnp(&pid, request.argv.front().c_str(), &actions, &attributes,
                                 pointers(request.argv).data(), pointers(environment).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    fail(fmt::format("cannot start {}", request.argv.front()), error);
  }
  return pid;
}

/// Waits until the process has stopped or ended, for a second at most: a busy machine takes its
/// time.
void wait_until_stopped(pid_t pid) {
  for (int i = 0; i < 1000; ++i) {
    siginfo_t info{};
    if (waitid(P_PID, static_cast<id_t>(pid), &info, WSTOPPED | WEXITED | WNOHANG | WNOWAIT) != 0 ||
        info.si_pid == pid) {
      return;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

/// Stops the process and looks where its threads are. Linux tells that of a stopped thread which
/// is not in a system call: "-1 STACK_POINTER PROGRAM_COUNTER".
std::vector<std::uint64_t> program_counters(pid_t pid) {
  kill(pid, SIGSTOP);
  wait_until_stopped(pid);
  std::vector<std::uint64_t> counters;
  std::error_code unreadable;
  const std::filesystem::path tasks = fmt::format("/proc/{}/task", pid);
  for (const auto& task : std::filesystem::directory_iterator(tasks, unreadable)) {
    std::ifstream in(task.path() / "syscall");
    std::string call;
    std::string stack_pointer;
    std::string counter;
    if (in >> call >> stack_pointer >> counter && call == "-1") {
      counters.push_back(std::stoull(counter, nullptr, 16));
    }
  }
  return counters;
}

/// Waits for one child, reading what it says.
class Watch {
 public:
  Watch(const ProcessRequest& request, pid_t pid, Pipe& output, Pipe& heartbeat)
      : request_(request), pid_(pid), output_(output), heartbeat_(heartbeat) {}

  ProcessResult run() {
    while (!ended()) {
      if (seconds_since(alive_) > request_.timeout_seconds) {
        result_.timed_out = true;
        result_.stuck_at = program_counters(pid_);
        kill(-pid_, SIGKILL);
        waitpid(pid_, &status_, 0);
        break;
      }
      wait_for_news();
    }
    kill(-pid_, SIGKILL);  // what it may have started and left behind
    while (output_open_ && output_.drain(&result_.output)) {
      if (!readable(output_)) {
        break;
      }
    }
    result_.seconds = seconds_since(start_);
    if (WIFEXITED(status_)) {
      result_.exit_status = WEXITSTATUS(status_);
    } else if (WIFSIGNALED(status_)) {
      result_.signal = WTERMSIG(status_);
    }
    return std::move(result_);
  }

 private:
  bool ended() { return waitpid(pid_, &status_, WNOHANG) == pid_; }

  static bool readable(const Pipe& pipe) {
    pollfd descriptor{pipe.ends[0], POLLIN, 0};
    return poll(&descriptor, 1, 0) > 0;
  }

  /// Until the child says something, or for a moment. A child that ends closes its pipes, which
  /// wakes this up at once.
  void wait_for_news() {
    std::array<pollfd, 2> descriptors = {{{output_open_ ? output_.ends[0] : -1, POLLIN, 0},
                                          {heartbeat_open_ ? heartbeat_.ends[0] : -1, POLLIN, 0}}};
    const bool silent = !output_open_ && !heartbeat_open_;
    poll(descriptors.data(), descriptors.size(), silent ? 1 : 50);
    if (descriptors[0].revents != 0) {
      output_open_ = output_.drain(&result_.output);
    }
    if (descriptors[1].revents != 0) {
      heartbeat_open_ = heartbeat_.drain(nullptr);
      alive_ = Clock::now();
    }
  }

  const ProcessRequest& request_;
  pid_t pid_;
  Pipe& output_;
  Pipe& heartbeat_;
  ProcessResult result_;
  int status_ = 0;
  Clock::time_point start_ = Clock::now();
  Clock::time_point alive_ = start_;
  bool output_open_ = true;
  bool heartbeat_open_ = true;
};

}  // namespace

ProcessResult run_process(const ProcessRequest& request) {
  Pipe output;
  Pipe heartbeat;
  const pid_t pid = spawn(request, output, heartbeat);
  output.close_end(1);
  heartbeat.close_end(1);
  return Watch(request, pid, output, heartbeat).run();
}

}  // namespace rooftune::host
