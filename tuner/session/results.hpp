// What a run leaves: records of every configuration tried, and the verdict. Plain values, read and
// written as results.json (T4-compatible) and journal.jsonl.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "search/policy.hpp"
#include "tuner/device/device.hpp"

namespace rooftune {

/// One configuration at one problem size.
struct ProblemResult {
  Problem problem;
  Launch launch;
  std::optional<Measurement> measurement;
  std::optional<Placement> placement;
  BoundTimes bounds;
};

struct Record {
  std::uint64_t number = 0;  ///< 1 for the first evaluation
  NamedValues parameters;
  Outcome outcome = Outcome::ok;
  std::string reason;  ///< why it is not ok
  std::string log;     ///< compiler log or sanitizer report, where there is one
  Reason proposal;     ///< why it was tried
  std::optional<Resources> resources;
  std::optional<Occupancy> occupancy;
  std::vector<ProblemResult> problems;
  /// Geometric mean over the problems; 0 where outcome is not ok.
  double seconds = 0;
  std::optional<Diagnosis> diagnosis;  ///< of the slowest problem relative to its roof
  double compile_seconds = 0;
  double elapsed_seconds = 0;  ///< since the run began
  std::string timestamp;       ///< ISO 8601, UTC
};

enum class StopReason {
  ceiling,
  proof,
  evaluations,
  seconds,
  space_used_up,
  interrupted,
  device_lost,
};
std::string_view to_string(StopReason reason);
std::optional<StopReason> stop_reason_from(std::string_view name);

struct Results {
  int schema_version = 1;
  std::string tool_version;
  std::string spec_name;
  std::filesystem::path spec_file;
  std::string spec_text;
  std::string spec_hash;
  std::vector<std::string> overrides;  ///< NAME=VALUE
  std::string command;                 ///< that makes it again
  std::string policy;
  std::uint64_t seed = 0;
  DeviceProfile device;
  std::string environment;  ///< compiler, driver, NVRTC, operating system
  std::vector<Parameter> parameters;
  std::vector<Problem> problems;
  std::uint64_t raw_size = 0;
  std::uint64_t space_size = 0;
  std::vector<RuleCount> removed;
  std::vector<Record> records;
  NamedValues baseline;
  StopReason stop = StopReason::space_used_up;
  std::string stop_text;  ///< the reason in words, with figures
  double elapsed_seconds = 0;

  /// nullptr where no configuration succeeded.
  const Record* best() const;
  const Record* baseline_record() const;
};

/// "best: BM=64 ...; bound by ...; 71% of its ceiling; 43 evaluations of 1,152".
std::string verdict(const Results& results);

void write_results(const Results& results, const std::filesystem::path& file);
/// Throws InputError: unreadable, truncated, foreign, or of a newer schema.
Results read_results(const std::filesystem::path& file);

}  // namespace rooftune
