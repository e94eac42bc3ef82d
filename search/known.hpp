// What the baselines remember: every configuration that was told of, with its time.
#pragma once

#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <unordered_map>

#include "search/policy.hpp"

namespace rooftune::search {

/// Failures count as infinitely slow; what was skipped is not remembered as measured.
class Known {
 public:
  void add(const Observation& observation) {
    const bool succeeded = observation.outcome == Outcome::ok;
    seconds_[observation.configuration] =
        succeeded ? observation.seconds : std::numeric_limits<double>::infinity();
  }
  /// nullopt where it was not told of.
  std::optional<double> seconds(const Configuration& configuration) const {
    const auto found = seconds_.find(configuration);
    return found == seconds_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  std::unordered_map<Configuration, double, ConfigurationHash> seconds_;
};

}  // namespace rooftune::search
