// What the spec's formulas say about configurations without running them, over all problem sizes;
// and the proof that nothing better is left. Pure.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "search/policy.hpp"
#include "tuner/session/stopping.hpp"

namespace rooftune {

/// Keeps references to its arguments.
class Model {
 public:
  Model(const Spec& spec, const Space& space, const DeviceProfile& device)
      : spec_(spec), space_(space), device_(device) {}

  /// Seconds per bound: the geometric mean over the problems, of the bounds that all of them have.
  /// Empty for a configuration whose formulas cannot be evaluated: the error is told when it is
  /// tried.
  BoundTimes bounds(const Configuration& configuration) const;
  /// At the first problem size. Throws InputError.
  Geometry geometry(const Configuration& configuration) const;
  /// No implementation of the configuration is faster (geometric mean); 0 where nothing is
  /// provable.
  double lower_bound_seconds(const Configuration& configuration) const;

 private:
  std::vector<BoundTimes> bounds_by_problem(const Configuration& configuration) const;

  const Spec& spec_;
  const Space& space_;
  const DeviceProfile& device_;
};

/// Walks the space once, over the whole run: a configuration that cannot beat the best by enough
/// never will, as the best only gets better. The walk rests at the first that can.
class ProofSearch {
 public:
  using Bound = std::function<double(const Configuration&)>;
  using Seen = std::function<bool(const Configuration&)>;

  ProofSearch(const Space& space, Bound lower_bound)
      : space_(space), lower_bound_(std::move(lower_bound)) {}

  /// Goes on for at most `steps` configurations. True when the end is reached: no configuration
  /// that was not seen takes less than least_seconds(), nor than best / (1 + improvement).
  bool advance(double best_seconds, double improvement, const Seen& seen, std::uint64_t steps);
  /// The least lower bound of the configurations passed; infinite before the first.
  double least_seconds() const { return least_seconds_; }

 private:
  const Space& space_;
  Bound lower_bound_;
  std::uint64_t next_ = 0;
  double least_seconds_ = std::numeric_limits<double>::infinity();
};

}  // namespace rooftune
