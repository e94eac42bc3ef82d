// What became of a variant's process, from the lines it left and what the sanitizers said.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tuner/core/outcome.hpp"
#include "tuner/device/compare.hpp"
#include "tuner/device/host/process.hpp"

namespace rooftune::host {

/// Of one of a reference's outputs.
struct OutputCensus {
  std::string name;
  Census census;
  std::uint64_t count = 0;  ///< elements
};

/// The result file, read. See child/findings.hpp for its lines.
struct Findings {
  bool launched = false;
  bool done = false;
  std::optional<Failure> failure;  ///< that the process itself found
  double max_error = 0;
  std::string max_error_where;
  bool verified = false;
  double verification_seconds = 0;
  std::vector<double> seconds;       ///< per launch and worker
  std::vector<double> wall_seconds;  ///< per launch
  std::string note;
  std::vector<OutputCensus> census;
  std::map<std::string, double> counts;
  std::string crash;  ///< "SIGNAL PC ADDRESS TEXT"
};
Findings read_findings(const std::string& text);

struct RunContext {
  std::filesystem::path program;
  std::filesystem::path runtime;  ///< whose frames are not the user's
  double timeout_seconds = 0;
};
/// Why the run is a failure, with file and line where they can be known; nullopt where it is none.
std::optional<Failure> failure_of_run(const Findings& findings, const ProcessResult& process,
                                      const RunContext& context);

/// What AddressSanitizer or UBSan reported, in one line; nullopt where the text has no report.
/// (What ThreadSanitizer finds comes as a fault of the runtime.)
std::optional<std::string> read_sanitizer_report(const std::string& text,
                                                 const std::filesystem::path& runtime);

}  // namespace rooftune::host
