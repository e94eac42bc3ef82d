// The worker of a GPU, from outside: started, given jobs, watched, killed when it hangs.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <variant>

#include "tuner/device/cuda/job.hpp"

namespace rooftune::cuda {

/// The worker is gone without an answer.
struct WorkerEnd {
  bool hung = false;  ///< it was killed: no word came within a step's limit
  Step at;            ///< what it was doing
  std::string how;    ///< "killed by signal 9"
  std::string said;   ///< what it left on stderr, its end
};

class WorkerProcess {
 public:
  /// Starts it and waits until it is ready. Throws std::runtime_error, with the reason that the
  /// worker gave, where it does not get ready.
  WorkerProcess(int gpu, const std::filesystem::path& log);
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  /// After a WorkerEnd, or an Answer that says so, this worker is of no more use.
  std::variant<Answer, WorkerEnd> run(const Job& job);

 private:
  struct Process;
  std::variant<Message, WorkerEnd> next_message(const Step& step);

  std::unique_ptr<Process> process_;
};

}  // namespace rooftune::cuda
