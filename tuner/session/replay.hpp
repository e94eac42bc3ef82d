// A policy on a recording: many seeded runs against recorded times, and how good they were.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "search/scoring.hpp"
#include "tuner/device/replay/replay_device.hpp"

namespace rooftune {

struct ReplayOptions {
  std::vector<std::string> policies;
  std::uint64_t repeats = 30;
  std::uint64_t seed = 1;  ///< of the first repeat; the next ones count up
  unsigned jobs = 0;       ///< threads; 0: all cores
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

 private:
  std::uint64_t index_of(const Configuration& configuration) const;

  const Space& space_;
  const DeviceProfile& device_;
  std::vector<BoundTimes> bounds_;
  std::vector<Geometry> geometries_;
  std::vector<Observation> answers_;
  ScoreBasis basis_;
  std::uint64_t outside_ = 0;
};

/// Called after each finished run, from any thread, one at a time.
using ReplayProgress = std::function<void(std::uint64_t done, std::uint64_t all)>;

/// One score per policy, in order. The same seed gives the same scores whatever `jobs` is.
std::vector<PolicyScore> replay(const ReplayTable& table, const ReplayOptions& options,
                                const ReplayProgress& progress);

}  // namespace rooftune
