// The roofline policy beyond what every policy must do: that it is better than random, that the
// roofline leads it, that wrong formulas do not undo it, and that it says what it did.
#include "search/roofline_policy.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tuner/spec/spec.hpp"

namespace rooftune {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;

constexpr const char* spec_text = R"(
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

double number(const NamedValues& values, std::string_view name) {
  return find_value(values, name)->as_real();
}

/// Two bounds that pull in different directions, and effects that they know nothing of.
struct Kernel {
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
    const NamedValues values = space.values(configuration);
    const double outputs = number(values, "TX") * number(values, "TY");
    const double tile_x = number(values, "BX") * number(values, "TX");
    const double tile_y = number(values, "BY") * number(values, "TY");
    const double shared = 1e-3 * (0.2 + 1 / outputs) / std::sqrt(number(values, "VEC")) *
                          (number(values, "BX") < 32 && number(values, "PAD") == 0 ? 3 : 1);
    const double l2 = 4e-3 * (1 / tile_x + 1 / tile_y);
    return {{Bound::shared, wrong ? 1e-7 / shared : shared, false, "words"},
            {Bound::l2, wrong ? 1e-7 / l2 : l2, false, "bytes"}};
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
    const Kernel truth_of(false);
    double longest = 0;
    for (const BoundTime& time : truth_of.bounds(configuration)) {
      longest += std::pow(time.seconds / 0.7, 3);
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
double best_after(const std::function<std::unique_ptr<Policy>(const SearchContext&)>& make,
                  const Kernel& kernel, int evaluations) {
  const double optimum = kernel.optimum();
  double sum = 0;
  constexpr int seeds = 5;
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

std::unique_ptr<Policy> roofline(const SearchContext& context) {
  return make_policy("roofline", context);
}

TEST(RooflinePolicy, FindsTheOptimumOfASmoothKernelSoon) {
  const Kernel kernel;
  EXPECT_LT(best_after(roofline, kernel, 12), 1.05);
  EXPECT_GT(best_after([](const auto& c) { return make_policy("random", c); }, kernel, 12), 1.15);
}

TEST(RooflinePolicy, WrongFormulasCostLittle) {
  const Kernel kernel(true);
  EXPECT_LT(best_after(roofline, kernel, 40), 1.08);
}

TEST(RooflinePolicy, WorksWithoutFormulasOrGeometry) {
  Kernel kernel;
  kernel.context.bounds = nullptr;
  kernel.context.geometry = nullptr;
  EXPECT_LT(best_after(roofline, kernel, 40), 1.08);
}

TEST(RooflinePolicy, TheRooflineLeadsTheStart) {
  const Kernel kernel;
  search::RooflineOptions blind;
  blind.roofline_start = false;
  blind.roofline_mean = false;
  blind.diagnosis = false;
  const auto without = [&](const SearchContext& context) {
    return search::make_roofline(context, blind);
  };
  EXPECT_LT(best_after(roofline, kernel, 4), best_after(without, kernel, 4));
}

TEST(RooflinePolicy, SummariesNameTheBoundOrSayThatMeasurementsChose) {
  const Kernel kernel;
  SearchContext context = kernel.context;
  context.seed = 3;
  const auto policy = roofline(context);
  for (int i = 0; i < 40; ++i) {
    const Proposal proposal = *policy->ask();
    const std::string& summary = proposal.reason.summary;
    if (i < 8) {
      EXPECT_THAT(summary, HasSubstr("start: ")) << i;
    } else {
      EXPECT_THAT(summary, AnyOf(HasSubstr("off that bound"), HasSubstr("by what was measured")));
      ASSERT_TRUE(proposal.reason.expected_seconds);
    }
    policy->tell(kernel.run(proposal.configuration));
  }
}

/// A step that claims to take time off a bound does so by the formulas.
TEST(RooflinePolicy, WhatASummaryClaimsIsSo) {
  const Kernel kernel;
  SearchContext context = kernel.context;
  context.seed = 5;
  const auto policy = roofline(context);
  std::vector<Observation> seen;
  int claims = 0;
  for (int i = 0; i < 60; ++i) {
    const Proposal proposal = *policy->ask();
    if (proposal.reason.summary.find("the best point") == 0 &&
        proposal.reason.summary.find("off that bound") != std::string::npos) {
      ++claims;
      const auto best = std::min_element(seen.begin(), seen.end(),
                                         [](const Observation& a, const Observation& b) {
                                           const auto key = [](const Observation& o) {
                                             return o.outcome == Outcome::ok ? o.seconds : INFINITY;
                                           };
                                           return key(a) < key(b);
                                         });
      EXPECT_LT(seconds_of(kernel.bounds(proposal.configuration), *proposal.reason.bound),
                seconds_of(kernel.bounds(best->configuration), *proposal.reason.bound));
    }
    const Observation observation = kernel.run(proposal.configuration);
    policy->tell(observation);
    seen.push_back(observation);
  }
  EXPECT_GT(claims, 0);
}

TEST(RooflinePolicy, ASkippedConfigurationTeachesNothing) {
  const Kernel kernel;
  const auto skipping = [&](bool tell_skipped) {
    SearchContext context = kernel.context;
    context.seed = 1;
    const auto policy = roofline(context);
    if (tell_skipped) {
      Observation skipped;
      skipped.configuration = kernel.space.at(0);
      skipped.outcome = Outcome::skipped;
      policy->tell(skipped);
    }
    return policy->ask()->configuration;
  };
  // The start goes on with draws from the prior; the point itself is never proposed.
  EXPECT_NE(skipping(true), kernel.space.at(0));
}

TEST(RooflinePolicy, BatchesAreOfDifferentKinds) {
  const Kernel kernel;
  SearchContext context = kernel.context;
  context.seed = 1;
  const auto policy = roofline(context);
  for (int i = 0; i < 12; ++i) {
    const Proposal proposal = *policy->ask();
    policy->tell(kernel.run(proposal.configuration));
  }
  std::vector<Configuration> batch;
  for (int i = 0; i < 4; ++i) {
    batch.push_back(policy->ask()->configuration);
  }
  std::sort(batch.begin(), batch.end());
  EXPECT_EQ(std::unique(batch.begin(), batch.end()), batch.end());
}

}  // namespace
}  // namespace rooftune
