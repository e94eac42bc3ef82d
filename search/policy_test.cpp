#include "search/policy.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <set>

#include "tuner/core/error.hpp"
#include "tuner/spec/spec.hpp"

namespace rooftune {
namespace {

using ::testing::HasSubstr;

constexpr const char* small_spec = R"(
parameters:
  BM: {values: [16, 32, 64, 128], role: tile}
  BN: {values: [16, 32, 64, 128], role: tile}
  TM: {values: [1, 2, 4, 8], role: tile}
  PAD: {values: [0, 1], role: padding}
constraints:
  - BM % TM == 0 and BM * BN <= 4096
)";

using Objective = std::function<Observation(const NamedValues&)>;

Observation took(double seconds) {
  Observation observation;
  observation.seconds = seconds;
  return observation;
}

double number(const NamedValues& values, std::string_view name) {
  return find_value(values, name)->as_real();
}

Observation smooth(const NamedValues& values) {
  return took(1e-3 * (1 + std::abs(std::log2(number(values, "BM")) - 6) +
                      std::abs(std::log2(number(values, "BN")) - 5) +
                      std::abs(std::log2(number(values, "TM")) - 2) + number(values, "PAD")));
}

struct Trace {
  std::vector<Proposal> proposals;
  std::vector<double> seconds;
};

Trace run(Policy& policy, const Space& space, const Objective& objective, std::size_t evaluations) {
  Trace trace;
  while (trace.proposals.size() < evaluations) {
    std::optional<Proposal> proposal = policy.ask();
    if (!proposal) break;
    Observation observation = objective(space.values(proposal->configuration));
    observation.configuration = proposal->configuration;
    policy.tell(observation);
    trace.seconds.push_back(observation.seconds);
    trace.proposals.push_back(std::move(*proposal));
  }
  return trace;
}

class EveryPolicy : public ::testing::TestWithParam<std::string> {
 protected:
  EveryPolicy() : space_(parse_spec(small_spec, "small.yaml")) {
    context_.space = &space_;
    context_.seed = 7;
  }
  std::unique_ptr<Policy> make() const { return make_policy(GetParam(), context_); }

  Space space_;
  SearchContext context_;
};

TEST_P(EveryPolicy, ProposesEachValidConfigurationOnceAndThenStops) {
  const auto policy = make();
  const Trace all = run(*policy, space_, smooth, 10'000);
  std::set<Configuration> distinct;
  for (const Proposal& proposal : all.proposals) {
    EXPECT_TRUE(space_.contains(proposal.configuration));
    distinct.insert(proposal.configuration);
  }
  EXPECT_EQ(all.proposals.size(), space_.size());
  EXPECT_EQ(distinct.size(), space_.size());
  EXPECT_FALSE(policy->ask());
}

TEST_P(EveryPolicy, IsReproducibleWithASeed) {
  const Trace first = run(*make(), space_, smooth, 40);
  const Trace second = run(*make(), space_, smooth, 40);
  ASSERT_EQ(first.proposals.size(), second.proposals.size());
  for (std::size_t i = 0; i < first.proposals.size(); ++i) {
    EXPECT_EQ(first.proposals[i].configuration, second.proposals[i].configuration) << i;
    EXPECT_EQ(first.proposals[i].reason.summary, second.proposals[i].reason.summary) << i;
  }
}

TEST_P(EveryPolicy, SurvivesFailuresOfEveryConfiguration) {
  const auto failing = [](const NamedValues&) {
    Observation observation;
    observation.outcome = Outcome::compile_failed;
    return observation;
  };
  EXPECT_EQ(run(*make(), space_, failing, 10'000).proposals.size(), space_.size());
}

TEST_P(EveryPolicy, SurvivesFailuresOfMostConfigurations) {
  const auto mostly_failing = [](const NamedValues& values) {
    Observation observation = smooth(values);
    if (number(values, "BM") > 16) observation.outcome = Outcome::cannot_launch;
    return observation;
  };
  EXPECT_EQ(run(*make(), space_, mostly_failing, 10'000).proposals.size(), space_.size());
}

TEST_P(EveryPolicy, NeverProposesWhatItWasTold) {
  const auto policy = make();
  Observation baseline = smooth(space_.values(space_.at(5)));
  baseline.configuration = space_.at(5);
  policy->tell(baseline);
  const Trace all = run(*policy, space_, smooth, 10'000);
  EXPECT_EQ(all.proposals.size(), space_.size() - 1);
  for (const Proposal& proposal : all.proposals) EXPECT_NE(proposal.configuration, space_.at(5));
}

TEST_P(EveryPolicy, AnswersSeveralAsksBeforeATell) {
  const auto policy = make();
  std::set<Configuration> distinct;
  for (int i = 0; i < 20; ++i) distinct.insert(policy->ask()->configuration);
  EXPECT_EQ(distinct.size(), 20U);
}

TEST_P(EveryPolicy, GivesAReasonInOneLine) {
  for (const Proposal& proposal : run(*make(), space_, smooth, 60).proposals) {
    EXPECT_FALSE(proposal.reason.summary.empty());
    EXPECT_EQ(proposal.reason.summary.find('\n'), std::string::npos);
  }
}

TEST_P(EveryPolicy, CopesWithOneConfiguration) {
  const Space one(parse_spec("parameters: {BM: {values: [16]}}", "one.yaml"));
  SearchContext context;
  context.space = &one;
  const auto policy = make_policy(GetParam(), context);
  EXPECT_TRUE(policy->ask());
  EXPECT_FALSE(policy->ask());
}

INSTANTIATE_TEST_SUITE_P(Search, EveryPolicy, ::testing::ValuesIn(policy_names()),
                         [](const auto& info) { return info.param; });

TEST(PolicyNames, TheDefaultIsFirst) {
  EXPECT_EQ(policy_names().front(), "roofline");
}

TEST(PolicyNames, AnUnknownNameIsRefusedWithASuggestion) {
  const Space space(parse_spec(small_spec, "small.yaml"));
  SearchContext context;
  context.space = &space;
  try {
    make_policy("rofline", context);
    FAIL() << "no error";
  } catch (const InputError& error) {
    EXPECT_EQ(error.problem(), "unknown policy \"rofline\"");
    EXPECT_THAT(error.hint(), HasSubstr("roofline"));
  }
}

TEST(Random, IsUniform) {
  const Space space(parse_spec(small_spec, "small.yaml"));
  std::vector<int> first(space.size());
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    SearchContext context;
    context.space = &space;
    context.seed = seed;
    ++first[*space.index_of(make_policy("random", context)->ask()->configuration)];
  }
  const double expected = 3000.0 / static_cast<double>(space.size());
  double chi_squared = 0;
  for (const int count : first) chi_squared += (count - expected) * (count - expected) / expected;
  // Mean size-1, variance 2 (size-1): five standard deviations.
  const auto degrees = static_cast<double>(space.size() - 1);
  EXPECT_LT(chi_squared, degrees + 5 * std::sqrt(2 * degrees));
}

}  // namespace
}  // namespace rooftune
