// A prior from another device: a good one saves most of the search, a bad one costs little, and its
// part in a proposal is said.
#include "search/prior.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "search/test_kernel.hpp"

namespace rooftune {
namespace {

using test::Kernel;
using ::testing::HasSubstr;

/// The made-up kernel where all times are `elsewhere` of those here; `every` thins the points out.
std::shared_ptr<const Prior> prior_of(const Kernel& kernel,
                                      const std::function<double(double seconds)>& elsewhere,
                                      std::uint64_t every = 1) {
  auto prior = std::make_shared<Prior>();
  prior->name = "another device";
  for (std::uint64_t i = 0; i < kernel.space.size(); i += every) {
    const Observation here = kernel.run(kernel.space.at(i));
    prior->points.push_back({here.configuration, std::nullopt});
    if (here.outcome == Outcome::ok) {
      prior->points.back().seconds = elsewhere(here.seconds);
    }
  }
  return prior;
}

/// Evaluations to within 5% of the optimum, mean over three seeds; 60 where a run does not arrive.
double evaluations(const Kernel& kernel, std::shared_ptr<const Prior> prior) {
  const double enough = 1.05 * kernel.optimum();
  int sum = 0;
  for (const std::uint64_t seed : {1, 2, 3}) {
    SearchContext context = kernel.context;
    context.seed = seed;
    context.prior = prior;
    const auto policy = make_policy("roofline", context);
    for (int i = 0; i < 60; ++i) {
      ++sum;
      const Observation observation = kernel.run(policy->ask()->configuration);
      policy->tell(observation);
      if (observation.outcome == Outcome::ok && observation.seconds <= enough) {
        break;
      }
    }
  }
  return sum / 3.0;
}

TEST(Prior, AGoodOneSavesMostOfTheSearch) {
  const Kernel kernel;
  // Twice as fast, and better with what is slow here.
  const auto prior = prior_of(kernel, [](double seconds) { return std::pow(seconds, 0.9) / 2; });
  const double without = evaluations(kernel, nullptr);
  EXPECT_EQ(evaluations(kernel, prior), 1);
  EXPECT_GT(without, 3);
  // One in seven configurations is known, and none of them is that good.
  const auto part = prior_of(kernel, [](double seconds) { return seconds * 3; }, 7);
  EXPECT_LT(evaluations(kernel, part), 0.8 * without);
}

TEST(Prior, AReversedOneCostsAFewEvaluations) {
  const Kernel kernel;
  const auto reversed = prior_of(kernel, [](double seconds) { return 1e-6 / seconds; });
  EXPECT_LT(evaluations(kernel, reversed), evaluations(kernel, nullptr) + 6);
}

TEST(Prior, SaysWhereAStartComesFrom) {
  const Kernel kernel;
  SearchContext context = kernel.context;
  context.prior = prior_of(kernel, [](double seconds) { return seconds; });
  const Proposal first = *make_policy("roofline", context)->ask();
  EXPECT_THAT(first.reason.summary, HasSubstr("the fastest on another device with "));
  EXPECT_DOUBLE_EQ(kernel.run(first.configuration).seconds, kernel.optimum());
}

TEST(Prior, PredictsWhatItDoesNotHold) {
  const Kernel kernel;
  std::mt19937_64 random(1);
  search::ModelSpace space(kernel.context, random);
  const search::MeanFunction mean(space.bounds());
  const auto prior = prior_of(kernel, [](double seconds) { return 2 * seconds; }, 7);
  search::PriorModel model(*prior, space, mean, random);
  double before = 0, after = 0;
  for (std::uint64_t i = 3; i < kernel.space.size(); i += 70) {  // never one that it holds
    const Observation here = kernel.run(kernel.space.at(i));
    if (here.outcome == Outcome::ok) {
      const double excess = std::log(here.seconds / kernel.optimum());
      const double told = std::min(excess, 0.7 + 0.3 * (excess - 0.7));
      before += std::abs(told - 0.5);
      after += std::abs(told - model.log_excess(space.number(here.configuration)));
    }
  }
  EXPECT_LT(after, 0.5 * before);
}

}  // namespace
}  // namespace rooftune
