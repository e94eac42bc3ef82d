// Child processes with a time limit. A process runs in a group of its own, and whatever is left of
// the group is killed when it ends.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace rooftune::host {

struct ProcessRequest {
  std::vector<std::string> argv;  ///< the program is looked for on PATH
  std::vector<std::pair<std::string, std::string>> environment;  ///< added to this process's own
  double timeout_seconds = 60;
  /// The process writes to file descriptor 3 when it gets ahead; the limit counts from there.
  bool heartbeat = false;
};

struct ProcessResult {
  int exit_status = -1;  ///< -1 where it did not exit by itself
  int signal = 0;        ///< that ended it
  bool timed_out = false;
  /// Where the threads of a process that timed out were in its code; those that waited are left
  /// out.
  std::vector<std::uint64_t> stuck_at;
  std::string output;  ///< stdout and stderr, the first 4 MiB
  double seconds = 0;

  bool succeeded() const { return exit_status == 0; }
};

/// Throws InputError where the program cannot be started.
ProcessResult run_process(const ProcessRequest& request);

}  // namespace rooftune::host
