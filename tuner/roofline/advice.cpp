// Whether a step follows from a diagnosis.
#include <algorithm>
#include <array>
#include <cmath>

#include "tuner/roofline/roofline.hpp"

namespace rooftune {
namespace {

/// What a step must take off the bound's time, to be against this bound.
constexpr double noticeable = 0.02;
/// And off all bounds together: twice what good formulas err by against counters (7% in the
/// median).
constexpr double worthwhile = 0.15;
/// Bounds that are near each other hold each other up: a maximum with round corners.
constexpr double roundness = 2.5;

bool is_remedy(Bound bound, Role role) {
  const std::vector<Remedy>& remedies = remedies_of(bound);
  return std::any_of(remedies.begin(), remedies.end(), [&](const Remedy& remedy) {
    return std::find(remedy.roles.begin(), remedy.roles.end(), role) != remedy.roles.end();
  });
}

/// Of all bounds.
double together(const BoundTimes& times) {
  std::array<double, static_cast<std::size_t>(Bound::launch) + 1> longest{};
  for (const BoundTime& time : times) {
    double& of_bound = longest[static_cast<std::size_t>(time.bound)];
    of_bound = std::max(of_bound, time.seconds);
  }
  double sum = 0;
  for (const double seconds : longest) {
    sum += std::pow(seconds, roundness);
  }
  return std::pow(sum, 1 / roundness);
}

}  // namespace

bool recommends(const Diagnosis& diagnosis, double seconds, const BoundTimes& from,
                const BoundTimes& to, Role changed) {
  if (diagnosis.verdict != Diagnosis::Verdict::bound) {
    return false;
  }
  if (!from.empty() && together(to) > together(from) * (1 - worthwhile)) {
    return false;
  }
  const Finding& first = diagnosis.findings.front();
  const double before = seconds_of(from, first.bound);
  constexpr double half = 0.5;
  // A model that sees less than half of what was counted does not know what moves it.
  const bool modelled = before > 0 && before > first.utilisation * seconds * half;
  return modelled ? seconds_of(to, first.bound) < before * (1 - noticeable)
                  : is_remedy(first.bound, changed);
}

}  // namespace rooftune
