// The roofline policy beyond what every policy must do: that it is better than random, that the
// roofline leads it, that wrong formulas do not undo it, and that it says what it did.
#include "search/roofline_policy.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "search/model_space.hpp"
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

/// Points of the start that the roofline chose.
int model_starts(const Kernel& kernel) {
  SearchContext context = kernel.context;
  context.seed = 1;
  const auto policy = roofline(context);
  int count = 0;
  for (int i = 0; i < 8; ++i) {
    const Proposal proposal = *policy->ask();
    count += proposal.reason.summary.find("shortest by the roofline") != std::string::npos ? 1 : 0;
    policy->tell(kernel.run(proposal.configuration));
  }
  return count;
}

TEST(RooflinePolicy, FormulasThatMisleadLoseTheirSayInTheStart) {
  EXPECT_EQ(model_starts(Kernel(false)), 4);
  EXPECT_LT(model_starts(Kernel(true)), 4);
}

TEST(RooflinePolicy, ABoundThatNoParameterCanHelpIsNotTheReason) {
  const Kernel kernel;
  const auto mentions = [&](Role role) {
    SearchContext context = kernel.context;
    context.seed = 2;
    const auto policy = roofline(context);
    int count = 0;
    for (int i = 0; i < 16; ++i) {
      const Proposal proposal = *policy->ask();
      count += proposal.reason.summary.find("all on the CUDA cores") != std::string::npos ? 1 : 0;
      Observation observation = kernel.run(proposal.configuration);
      observation.diagnosis.emplace();
      observation.diagnosis->verdict = Diagnosis::Verdict::bound;
      observation.diagnosis->findings.emplace_back();
      observation.diagnosis->findings[0].evidence = "all on the CUDA cores";
      observation.diagnosis->findings[0].remedies = {{"use them", {role}}};
      policy->tell(observation);
    }
    return count;
  };
  EXPECT_EQ(mentions(Role::precision), 0);
  EXPECT_GT(mentions(Role::tile), 0);
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
