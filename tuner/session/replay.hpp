// A policy on a recording: many seeded runs against recorded times, and how good they were.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "search/scoring.hpp"
#include "tuner/device/replay/replay_device.hpp"

namespace rooftune {

struct ReplayOptions {
  std::vector<std::string> policies;
  std::uint64_t repeats = 30;
  std::uint64_t seed = 1;              ///< of the first repeat; the next ones count up
  unsigned jobs = 0;                   ///< threads; 0: all cores
  std::shared_ptr<const Prior> prior;  ///< for policies that use one; may be null
};

/// A recording prepared for any number of runs: what the model says of each configuration and what
/// the recording answers, computed once. Keeps references to its arguments.
class ReplayTable {
 public:
  /// Throws InputError where spec and recording do not match.
  ReplayTable(const Spec& spec, const Space& space, const Recording& recording,
              const DeviceProfile& device);

  SearchContext context(std::uint64_t seed) const;
  /// The recorded answer, diagnosed by the spec's model.
  const Observation& answer(const Configuration& configuration) const;
  const ScoreBasis& basis() const { return basis_; }
  /// Recorded configurations that the spec's rules exclude.
  std::uint64_t outside() const { return outside_; }
  /// The least time that the model proves possible anywhere in the space, over the best recorded
  /// one: how near to a proof a run can come. 0 where nothing is provable.
  double tightness() const { return tightness_; }
  /// Configurations recorded faster than the model proves possible; a proof that rests on such a
  /// bound would be wrong.
  std::uint64_t contradictions() const { return contradictions_; }

 private:
  std::uint64_t index_of(const Configuration& configuration) const;

  const Space& space_;
  const DeviceProfile& device_;
  std::vector<BoundTimes> bounds_;
  std::vector<Geometry> geometries_;
  std::vector<Observation> answers_;
  ScoreBasis basis_;
  std::uint64_t outside_ = 0;
  double tightness_ = 0;
  std::uint64_t contradictions_ = 0;
};

/// Called after each finished run, from any thread, one at a time.
using ReplayProgress = std::function<void(std::uint64_t done, std::uint64_t all)>;

/// A fresh policy for a seed.
using PolicyMaker = std::function<std::unique_ptr<Policy>(std::uint64_t seed)>;
/// For each maker its runs, one for each seed; options.policies is not used.
std::vector<std::vector<ReplayRun>> replay_runs(const ReplayTable& table,
                                                const std::vector<PolicyMaker>& makers,
                                                const ReplayOptions& options,
                                                const ReplayProgress& progress);

/// One score per policy, in order. The same seed gives the same scores whatever `jobs` is.
std::vector<PolicyScore> replay(const ReplayTable& table, const ReplayOptions& options,
                                const ReplayProgress& progress);

/// A recording and the spec that it is replayed with.
struct RecordedCase {
  std::filesystem::path spec;
  std::filesystem::path recording;
  /// Without ".json" and what follows.
  std::string name() const;
};
/// The recordings below a folder that have a spec in configs/recorded, sorted:
/// "FOLDER/convolution_milo-A100.json.gz" goes with "FOLDER/convolution_milo.yaml". T4 files are
/// the same recordings in another format, T1 files are no recordings.
std::vector<RecordedCase> recorded_cases(const std::filesystem::path& folder);
/// The profile of the recorded device. Throws InputError for one that is not known.
DeviceProfile recorded_device(const Recording& recording);

}  // namespace rooftune
