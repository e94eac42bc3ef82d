#include "tuner/session/stopping.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tuner/session/health.hpp"

namespace rooftune {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

Record at_fraction(double fraction) {
  Record record;
  record.seconds = 1e-3;
  ProblemResult problem;
  problem.placement.emplace();
  problem.placement->fraction = fraction;
  problem.placement->roof = "dram";
  record.problems = {problem};
  return record;
}

StopRules rules() {
  return {0.9, 0.05, 40, 60.0};
}

TEST(Stopping, GoesOnWhileNoRuleHolds) {
  const Record best = at_fraction(0.5);
  StopState state;
  EXPECT_EQ(should_stop(rules(), state), std::nullopt);
  state = {39, 59.9, 1000, &best, false, std::nullopt, std::nullopt, false};
  EXPECT_EQ(should_stop(rules(), state), std::nullopt);
}

TEST(Stopping, AtTheCeiling) {
  const Record best = at_fraction(0.93);
  StopState state;
  state.best = &best;
  const auto decision = should_stop(rules(), state);
  ASSERT_TRUE(decision);
  EXPECT_EQ(decision->reason, StopReason::ceiling);
  EXPECT_EQ(decision->text,
            "the ceiling is reached (90% was asked for): the best takes 1.00 ms and is at 93% of "
            "its dram roof: 1.08x remain to the ceiling");
}

TEST(Stopping, APointAboveItsRoofProvesNothing) {
  Record best = at_fraction(1.4);
  StopState state;
  state.best = &best;
  EXPECT_TRUE(should_stop(rules(), state));
  best.problems.front().placement->contradiction = "above the roof: the data may fit the L2";
  EXPECT_EQ(should_stop(rules(), state), std::nullopt);
}

TEST(Stopping, SeveralProblemsAreHeldAgainstTheirMean) {
  Record best = at_fraction(0.99);
  best.problems.push_back(at_fraction(0.5).problems.front());
  StopState state;
  state.best = &best;
  EXPECT_EQ(should_stop(rules(), state), std::nullopt);
  EXPECT_TRUE(should_stop({0.7, 0.05, {}, {}}, state));
}

TEST(Stopping, WhenNothingBetterIsLeft) {
  const Record best = at_fraction(0.6);
  StopState state;
  state.best = &best;
  state.proof = Proof{0.97e-3, 1109};
  const auto decision = should_stop(rules(), state);
  ASSERT_TRUE(decision);
  EXPECT_EQ(decision->reason, StopReason::proof);
  EXPECT_EQ(decision->text,
            "none of the 1,109 configurations that are left can be more than 5.0% faster: by the "
            "device's theoretical peaks each takes at least 970 us; the best takes 1.00 ms and is "
            "at 60% of its dram roof: 1.67x remain to the ceiling");
  state.proof->left = 0;  // then the space is used up, and the policy says so
  EXPECT_EQ(should_stop(rules(), state), std::nullopt);
}

TEST(Stopping, BudgetsAndTheSpace) {
  StopState state;
  state.evaluations = 40;
  EXPECT_EQ(should_stop(rules(), state)->reason, StopReason::evaluations);
  EXPECT_EQ(should_stop(rules(), state)->text,
            "the budget of 40 evaluations is used up: no configuration succeeded");
  state.evaluations = 3;
  state.elapsed_seconds = 60;
  EXPECT_EQ(should_stop(rules(), state)->reason, StopReason::seconds);
  EXPECT_THAT(should_stop(rules(), state)->text, StartsWith("the budget of 60.0 s is used up"));
  EXPECT_EQ(should_stop({0.9, 0.05, {}, {}}, state), std::nullopt);
  state.used_up = true;
  state.space_size = 12;
  EXPECT_EQ(should_stop(rules(), state)->reason, StopReason::space_used_up);
  EXPECT_THAT(should_stop(rules(), state)->text,
              HasSubstr("nothing is left to try of 12 configurations (3 were evaluated)"));
}

TEST(Stopping, AnInterruptComesFirst) {
  const Record best = at_fraction(0.95);
  StopState state;
  state.best = &best;
  state.interrupted = true;
  EXPECT_EQ(should_stop(rules(), state)->reason, StopReason::interrupted);
}

TEST(Health, FailuresInARowRaiseDoubt) {
  Health health;
  for (int i = 0; i < 4; ++i) {
    health.saw(Outcome::crashed, "gone");
  }
  EXPECT_FALSE(health.is_in_doubt(true));
  health.saw(Outcome::wrong_result, "");
  for (int i = 0; i < 5; ++i) {
    health.saw(i % 2 == 0 ? Outcome::crashed : Outcome::timed_out, "gone");
  }
  EXPECT_TRUE(health.is_in_doubt(true));
  EXPECT_FALSE(health.is_in_doubt(false)) << "nothing ran so far: that takes longer to tell";
  health.found_well();
  EXPECT_FALSE(health.is_in_doubt(true));
  EXPECT_EQ(health.lost(), std::nullopt);
}

TEST(Health, LossIsToldInWords) {
  Health health;
  for (int i = 0; i < 5; ++i) {
    health.saw(Outcome::crashed, "illegal address");
  }
  health.found_lost();
  EXPECT_THAT(*health.lost(), HasSubstr("5 configurations in a row crashed or hung (the last: "
                                        "illegal address) and the best one no longer runs"));
}

}  // namespace
}  // namespace rooftune
