// The baselines beyond what every policy must do: they search.
#include <gtest/gtest.h>

#include "search/test_kernel.hpp"

namespace rooftune {
namespace {

using test::best_after;
using test::Kernel;

class Baseline : public ::testing::TestWithParam<const char*> {};

TEST_P(Baseline, FindsFasterPointsThanRandomSearch) {
  const Kernel kernel;
  const auto named = [](const char* name) {
    return [name](const SearchContext& context) { return make_policy(name, context); };
  };
  EXPECT_LT(best_after(named(GetParam()), kernel, 120), best_after(named("random"), kernel, 120));
}

INSTANTIATE_TEST_SUITE_P(Search, Baseline, ::testing::Values("genetic", "annealing", "local"),
                         [](const auto& info) { return std::string(info.param); });

/// A space of one parameter, where neighbours are all other points: local search must end, restart,
/// and see everything.
TEST(Local, RestartsWhereNoNeighbourIsFaster) {
  const Space space(
      parse_spec("parameters: {A: {values: [1, 2, 3]}, B: {values: [1, 2, 3]}}", "two.yaml"));
  SearchContext context;
  context.space = &space;
  context.seed = 4;
  const auto policy = make_policy("local", context);
  int restarts = 0;
  for (int i = 0; i < 9; ++i) {
    const Proposal proposal = *policy->ask();
    restarts += proposal.reason.summary.find("restart") == 0 ? 1 : 0;
    Observation observation;
    observation.configuration = proposal.configuration;
    observation.seconds = 1;  // no point is faster than another
    policy->tell(observation);
  }
  EXPECT_GT(restarts, 0);
  EXPECT_FALSE(policy->ask());
}

TEST(Local, MovesToTheFirstFasterNeighbour) {
  const Space space(parse_spec(
      "parameters: {A: {values: [1, 2, 3, 4, 5, 6, 7, 8]}, B: {values: [1, 2, 3, 4, 5, 6, 7, 8]}}",
      "two.yaml"));
  SearchContext context;
  context.space = &space;
  context.seed = 4;
  const auto policy = make_policy("local", context);
  std::optional<Configuration> current;
  double best = 1e9;
  for (int i = 0; i < 12; ++i) {
    const Configuration next = policy->ask()->configuration;
    if (current) {
      const int differing = (next.choice[0] != current->choice[0] ? 1 : 0) +
                            (next.choice[1] != current->choice[1] ? 1 : 0);
      EXPECT_EQ(differing, 1) << i;
    }
    Observation observation;
    observation.configuration = next;
    observation.seconds = 100.0 - next.choice[0] - 10 * next.choice[1];
    if (observation.seconds < best) {
      best = observation.seconds;
      current = next;
    }
    policy->tell(observation);
    if (best <= 100 - 77) {
      break;  // the optimum has no faster neighbour
    }
  }
}

}  // namespace
}  // namespace rooftune
