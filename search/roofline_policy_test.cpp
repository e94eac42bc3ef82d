// The roofline policy beyond what every policy must do: that it is better than random, that the
// roofline leads it, that wrong formulas do not undo it, and that it says what it did.
#include "search/roofline_policy.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include "search/model_space.hpp"
#include "search/surrogate.hpp"
#include "search/test_kernel.hpp"

namespace rooftune {
namespace {

using test::best_after;
using test::Kernel;
using ::testing::AnyOf;
using ::testing::HasSubstr;

std::unique_ptr<Policy> roofline(const SearchContext& context) {
  return make_policy("roofline", context);
}

TEST(RooflinePolicy, FindsTheOptimumOfASmoothKernelSoon) {
  const Kernel kernel;
  EXPECT_LT(best_after(roofline, kernel, 20), 1.1);
  EXPECT_GT(best_after([](const auto& c) { return make_policy("random", c); }, kernel, 20), 1.2);
}

TEST(RooflinePolicy, WrongFormulasCostLittle) {
  const Kernel kernel(true);
  EXPECT_LT(best_after(roofline, kernel, 32), 1.2);
}

using Answer = std::function<Observation(const Configuration&)>;

/// Of the first proposals, how many say `words`.
int proposals_that_say(const std::string& words, const Kernel& kernel, int proposals,
                       std::uint64_t seed, const Answer& answer) {
  SearchContext context = kernel.context;
  context.seed = seed;
  const auto policy = roofline(context);
  int count = 0;
  for (int i = 0; i < proposals; ++i) {
    const Proposal proposal = *policy->ask();
    count += proposal.reason.summary.find(words) != std::string::npos ? 1 : 0;
    policy->tell(answer(proposal.configuration));
  }
  return count;
}

TEST(RooflinePolicy, FormulasThatMisleadLoseTheirSayInTheStart) {
  const auto model_starts = [](const Kernel& kernel) {
    return proposals_that_say("shortest by the roofline", kernel, 8, 1,
                              [&](const Configuration& c) { return kernel.run(c); });
  };
  const int all = static_cast<int>(search::RooflineOptions{}.model_start);
  EXPECT_EQ(model_starts(Kernel(false)), all);
  EXPECT_LT(model_starts(Kernel(true)), all);
}

TEST(RooflinePolicy, TheStartGoesOnWithTheEfficienciesMeasuredSoFar) {
  const Kernel kernel;
  const Answer answer = [&](const Configuration& c) { return kernel.run(c); };
  EXPECT_EQ(proposals_that_say("measured so far", kernel, 2, 1, answer), 0);
  EXPECT_GT(proposals_that_say("measured so far", kernel, 8, 1, answer), 0);
}

/// L2 is far slower than the prior has it; a few points tell.
TEST(Surrogate, LearnsEfficienciesFromTheStart) {
  const Kernel kernel;
  SearchContext context = kernel.context;
  constexpr double overstated = 8;
  context.bounds = [&](const Configuration& configuration) {
    BoundTimes times = kernel.bounds(configuration);
    times[1].seconds /= overstated;
    return times;
  };
  std::mt19937_64 random(1);
  search::ModelSpace space(context, random);
  search::Surrogate surrogate(space, search::RooflineOptions{});
  std::vector<search::Measured> measured;
  for (const Configuration& configuration : kernel.space.sample(16, random)) {
    const Observation observation = kernel.run(configuration);
    if (observation.outcome == Outcome::ok) {
      measured.emplace_back();
      measured.back().configuration = configuration;
      measured.back().log_seconds = std::log(observation.seconds);
    }
  }
  const auto& bounds = space.bounds();
  const auto l2 = std::find(bounds.begin(), bounds.end(), Bound::l2) - bounds.begin();
  EXPECT_NEAR(surrogate.fit_roofline(measured).mode[l2], std::log(Kernel::efficiency / overstated),
              0.5);
}

/// Values that have nothing to do with the time; one member sees the parameters alone.
TEST(RooflinePolicy, DerivedValuesThatMisleadCostLittle) {
  Kernel kernel;
  kernel.context.bounds = nullptr;
  kernel.context.geometry = [&](const Configuration& configuration) {
    Geometry geometry;
    std::mt19937_64 noise(*kernel.space.index_of(configuration));
    for (const char* name : {"a", "b", "c", "d", "e", "f"}) {
      geometry.derived.push_back({name, Value(1.0 + static_cast<double>(noise() % 1000))});
    }
    return geometry;
  };
  EXPECT_LT(best_after(roofline, kernel, 20), 1.3);
}

TEST(RooflinePolicy, ABoundThatNoParameterCanHelpIsNotTheReason) {
  const Kernel kernel;
  const auto mentions = [&](Role role) {
    return proposals_that_say(
        "all on the CUDA cores", kernel, 16, 2, [&](const Configuration& configuration) {
          Observation observation = kernel.run(configuration);
          observation.diagnosis.emplace();
          observation.diagnosis->verdict = Diagnosis::Verdict::bound;
          observation.diagnosis->findings.emplace_back();
          observation.diagnosis->findings[0].evidence = "all on the CUDA cores";
          observation.diagnosis->findings[0].remedies = {{"use them", {role}}};
          return observation;
        });
  };
  EXPECT_EQ(mentions(Role::precision), 0);
  EXPECT_GT(mentions(Role::tile), 0);
}

TEST(ModelSpace, KnowsWhichFeaturesAreOfTheParameters) {
  const Kernel kernel;
  std::mt19937_64 random(1);
  const search::ModelSpace model(kernel.context, random);
  EXPECT_LT(model.parameter_features(), model.features());
  SearchContext bare = kernel.context;
  bare.geometry = nullptr;
  const search::ModelSpace alone(bare, random);
  EXPECT_EQ(alone.parameter_features(), alone.features());
  EXPECT_EQ(alone.features(), model.parameter_features());
}

/// Widths that are no powers of two differ in what they divide; small factors do not.
TEST(ModelSpace, KnowsWhatABlockWidthDivides) {
  const Space space(parse_spec(
      "parameters: {BX: {values: [16, 32, 48, 64, 80]}, TX: {values: [1, 2, 3, 4]}}", "two.yaml"));
  SearchContext context;
  context.space = &space;
  std::mt19937_64 random(1);
  const search::ModelSpace model(context, random);
  EXPECT_THAT(model.feature_names(), ::testing::ElementsAre("BX", "twos in BX", "TX"));
}

TEST(RooflinePolicy, WorksWithoutFormulasOrGeometry) {
  Kernel kernel;
  kernel.context.bounds = nullptr;
  kernel.context.geometry = nullptr;
  EXPECT_LT(best_after(roofline, kernel, 32), 1.2);
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
