// What a run leaves: records of every configuration tried, and the verdict. Plain values, read and
// written as results.json (T4-compatible) and journal.jsonl.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
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
  /// False for a baseline that the rules or the values exclude: it is measured for comparison and
  /// never the best.
  bool in_space = true;
  Outcome outcome = Outcome::ok;
  std::string reason;  ///< why it is not ok
  std::string log;     ///< compiler log or sanitizer report, where there is one
  Reason proposal;     ///< why it was tried
  std::optional<Resources> resources;
  std::optional<Occupancy> occupancy;
  std::vector<ProblemResult> problems;
  /// Geometric mean over the problems; 0 where outcome is not ok.
  double seconds = 0;
  /// The same, measured again in turn with the other finalists at the end of the run.
  std::vector<double> finals;
  std::optional<Diagnosis> diagnosis;  ///< of the slowest problem relative to its roof
  double compile_seconds = 0;
  double elapsed_seconds = 0;  ///< since the run began
  std::string timestamp;       ///< ISO 8601, UTC

  /// What configurations are ranked by: the median of `finals` where there are any (the least of
  /// many noisy times is too good to be true), else `seconds`.
  double ranked_seconds() const;
  /// Of a launch: geometric mean over the problems; 0 where it was not read at each of them.
  double joules() const;
  /// Of what is attainable, at ranked_seconds(): geometric mean over the problems. nullopt where a
  /// problem has no roof to be held against.
  std::optional<double> roof_fraction() const;
};

/// Configurations that were not evaluated because it was known beforehand what would come of them.
struct Dropped {
  Outcome outcome = Outcome::skipped;
  std::string reason;  ///< of the first of them; the others differ in their figures
  std::uint64_t count = 0;
};
/// Counts one more, by its reason: reasons that differ in their figures alone are one.
void count_dropped(const Failure& failure, std::vector<Dropped>& dropped);

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

/// The spec's expressions that a program needs to launch the kernel, as canonical text.
struct LaunchText {
  std::vector<std::string> block;
  std::vector<std::string> grid;
  std::string shared_bytes;
  std::vector<std::pair<std::string, std::string>> derived;  ///< name, expression; in order of use
  std::string kernel;                                        ///< name with its {holes}
};

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
  Objective objective = Objective::time;
  DeviceProfile device;
  std::string environment;  ///< compiler, driver, NVRTC, operating system
  std::vector<Parameter> parameters;
  std::vector<Problem> problems;
  LaunchText launch;
  std::uint64_t raw_size = 0;
  std::uint64_t space_size = 0;
  std::vector<RuleCount> removed;
  std::vector<Dropped> dropped;
  std::vector<Record> records;  ///< one an evaluation
  NamedValues baseline;
  /// Absent while the run goes on.
  std::optional<StopReason> stop;
  std::string stop_text;  ///< the reason in words, with figures
  double elapsed_seconds = 0;

  /// The one with the least time, or energy, as the objective is. nullptr where no configuration
  /// succeeded.
  const Record* best() const;
  const Record* baseline_record() const;
  /// Time of the baseline over that of the best; nullopt where either has none.
  std::optional<double> speedup() const;
  /// Numbers of the records that the finals could not tell from the best, the best itself left out.
  std::vector<std::uint64_t> ties() const;
};

/// "0.1.0".
std::string tool_version();

/// "bound by shared", "near its ceiling, bound by dram", "not enough evidence for its bound"; empty
/// where there is no diagnosis.
std::string bound_in_words(const Record& record);

/// "best: BM=64 ...; bound by ...; 71% of its ceiling; 43 evaluations of 1,152".
std::string verdict(const Results& results);

/// The results file that stays when the power fails: written beside, synced, renamed. Packed with
/// gzip where the name ends in ".gz".
void write_results(const Results& results, const std::filesystem::path& file);
/// Plain or gzip. Throws InputError: unreadable, truncated, foreign, or of a newer schema.
Results read_results(const std::filesystem::path& file);

}  // namespace rooftune
