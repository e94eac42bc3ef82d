#include "tuner/session/model.hpp"

#include <algorithm>
#include <cmath>

namespace rooftune {
namespace {

/// The time of the same bound and the same standing: a bound may come twice, once as a proof.
const BoundTime* find_bound(const BoundTimes& times, const BoundTime& like) {
  const auto found = std::find_if(times.begin(), times.end(), [&](const BoundTime& time) {
    return time.bound == like.bound && time.provable == like.provable;
  });
  return found == times.end() ? nullptr : &*found;
}

/// The bound over all problems; nullopt where one lacks it.
std::optional<BoundTime> mean_bound(const std::vector<BoundTimes>& problems,
                                    const BoundTime& first) {
  BoundTime mean = first;
  double logarithms = 0;
  for (const BoundTimes& times : problems) {
    const BoundTime* time = find_bound(times, first);
    if (time == nullptr || time->seconds <= 0) {
      return std::nullopt;
    }
    logarithms += std::log(time->seconds);
  }
  mean.seconds = std::exp(logarithms / static_cast<double>(problems.size()));
  return mean;
}

}  // namespace

std::vector<BoundTimes> Model::bounds_by_problem(const Configuration& configuration) const {
  const NamedValues values = space_.values(configuration);
  std::vector<BoundTimes> all;
  try {
    for (const Problem& problem : spec_.problems) {
      const Geometry geometry = evaluate_geometry(spec_, values, problem);
      all.push_back(bound_times(model_input(geometry, device_), device_));
    }
  } catch (const InputError&) {
    all.clear();
  }
  return all;
}

BoundTimes Model::bounds(const Configuration& configuration) const {
  const std::vector<BoundTimes> problems = bounds_by_problem(configuration);
  if (problems.size() <= 1) {
    return problems.empty() ? BoundTimes{} : problems.front();
  }
  BoundTimes means;
  for (const BoundTime& first : problems.front()) {
    if (const auto mean = mean_bound(problems, first)) {
      means.push_back(*mean);
    }
  }
  std::stable_sort(means.begin(), means.end(),
                   [](const BoundTime& a, const BoundTime& b) { return a.seconds > b.seconds; });
  return means;
}

Geometry Model::geometry(const Configuration& configuration) const {
  return evaluate_geometry(spec_, space_.values(configuration), spec_.problems.front());
}

double Model::lower_bound_seconds(const Configuration& configuration) const {
  double logarithms = 0;
  const std::vector<BoundTimes> problems = bounds_by_problem(configuration);
  for (const BoundTimes& times : problems) {
    const double seconds = rooftune::lower_bound_seconds(times);
    if (seconds <= 0) {
      return 0;
    }
    logarithms += std::log(seconds);
  }
  return problems.empty() ? 0 : std::exp(logarithms / static_cast<double>(problems.size()));
}

bool ProofSearch::advance(double best_seconds, double improvement, const Seen& seen,
                          std::uint64_t steps) {
  const double enough = best_seconds / (1 + improvement);
  for (; next_ < space_.size(); ++next_, --steps) {
    if (steps == 0) {
      return false;
    }
    const Configuration configuration = space_.at(next_);
    if (seen(configuration)) {
      continue;
    }
    const double seconds = lower_bound_(configuration);
    if (seconds < enough) {
      return false;
    }
    least_seconds_ = std::min(least_seconds_, seconds);
  }
  return true;
}

}  // namespace rooftune
