// What a policy knows of the points that were asked for: measured, failed, or still under way.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "tuner/roofline/roofline.hpp"
#include "tuner/space/space.hpp"

namespace rooftune::search {

struct Measured {
  Configuration configuration;
  std::optional<double> log_seconds;  ///< empty where it failed
  /// Of the session's diagnosis, where it names one.
  std::optional<Bound> bound;
  std::string evidence;
};

/// Parameters in which two configurations differ.
std::size_t distance(const Configuration& a, const Configuration& b);

/// The points that succeeded, fastest first, at most `count`.
std::vector<const Measured*> fastest(const std::vector<Measured>& measured, std::size_t count);

}  // namespace rooftune::search
