// A made-up kernel for the tests of the policies: 2,160 configurations, some of which fail.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>

#include "search/policy.hpp"
#include "tuner/spec/spec.hpp"

namespace rooftune::test {

inline constexpr const char* spec_text = R"(
parameters:
  BX: {values: [8, 16, 32, 64, 128, 256], role: block}
  BY: {values: [1, 2, 4, 8, 16], role: block}
  TX: {values: [1, 2, 3, 4], role: tile}
  TY: {values: [1, 2, 3, 4, 6, 8], role: tile}
  VEC: {values: [1, 2, 4], role: vector}
  PAD: {values: [0, 1], role: padding}
constraints:
  - BX * BY <= 1024 and BX * BY >= 32
  - TX % VEC == 0 or VEC == 1
)";

inline double number(const NamedValues& values, std::string_view name) {
  return find_value(values, name)->as_real();
}

/// Two bounds that pull in different directions, and effects that they know nothing of.
struct Kernel {
  static constexpr double efficiency = 0.7;  ///< of both roofs

  explicit Kernel(bool wrong_formulas = false)
      : space(parse_spec(spec_text, "kernel.yaml")), wrong(wrong_formulas) {
    context.space = &space;
    context.bounds = [this](const Configuration& c) { return bounds(c); };
    context.geometry = [this](const Configuration& c) {
      const NamedValues values = space.values(c);
      Geometry geometry;
      geometry.derived = {{"outputs", Value(number(values, "TX") * number(values, "TY"))}};
      return geometry;
    };
  }

  BoundTimes bounds(const Configuration& configuration) const {
    return bounds(configuration, wrong);
  }

  BoundTimes bounds(const Configuration& configuration, bool inverted) const {
    const NamedValues values = space.values(configuration);
    const double outputs = number(values, "TX") * number(values, "TY");
    const double tile_x = number(values, "BX") * number(values, "TX");
    const double tile_y = number(values, "BY") * number(values, "TY");
    const double shared = 1e-3 * (0.2 + 1 / outputs) / std::sqrt(number(values, "VEC")) *
                          (number(values, "BX") < 32 && number(values, "PAD") == 0 ? 3 : 1);
    const double l2 = 4e-3 * (1 / tile_x + 1 / tile_y);
    return {{Bound::shared, inverted ? 1e-7 / shared : shared, false, "words"},
            {Bound::l2, inverted ? 1e-7 / l2 : l2, false, "bytes"}};
  }

  Observation run(const Configuration& configuration) const {
    const NamedValues values = space.values(configuration);
    Observation observation;
    observation.configuration = configuration;
    const double outputs = number(values, "TX") * number(values, "TY");
    if (outputs * number(values, "BX") * number(values, "BY") > 8192) {
      observation.outcome = Outcome::cannot_launch;
      return observation;
    }
    double longest = 0;
    for (const BoundTime& time : bounds(configuration, false)) {
      longest += std::pow(time.seconds / efficiency, 3);
    }
    const double spill = outputs > 12 ? 1.4 : 1;
    const double odd = number(values, "TY") == 3 ? 1.1 : 1;
    observation.seconds = std::cbrt(longest) * spill * odd;
    return observation;
  }

  double optimum() const {
    double best = INFINITY;
    for (std::uint64_t i = 0; i < space.size(); ++i) {
      const Observation observation = run(space.at(i));
      if (observation.outcome == Outcome::ok) {
        best = std::min(best, observation.seconds);
      }
    }
    return best;
  }

  Space space;
  SearchContext context;
  bool wrong;
};

/// Best over optimum after `evaluations`, geometric mean over seeds.
inline double best_after(const std::function<std::unique_ptr<Policy>(const SearchContext&)>& make,
                         const Kernel& kernel, int evaluations) {
  const double optimum = kernel.optimum();
  double sum = 0;
  constexpr int seeds = 3;
  for (int seed = 1; seed <= seeds; ++seed) {
    SearchContext context = kernel.context;
    context.seed = static_cast<std::uint64_t>(seed);
    const auto policy = make(context);
    double best = 100 * optimum;
    for (int i = 0; i < evaluations; ++i) {
      const Observation observation = kernel.run(policy->ask()->configuration);
      policy->tell(observation);
      if (observation.outcome == Outcome::ok) {
        best = std::min(best, observation.seconds);
      }
    }
    sum += std::log(best / optimum);
  }
  return std::exp(sum / seeds);
}

}  // namespace rooftune::test
