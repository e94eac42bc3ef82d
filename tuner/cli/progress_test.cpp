#include "tuner/cli/progress.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rooftune::cli {
namespace {

Results after(std::size_t evaluations, double seconds) {
  Results results;
  results.space_size = 1000;
  results.elapsed_seconds = seconds;
  results.records.resize(evaluations);
  for (std::size_t i = 0; i < evaluations; ++i) {
    results.records[i].seconds = 1e-3;
  }
  return results;
}

TEST(Progress, TimeLeftIsThatOfTheBudgetThatEndsFirst) {
  EXPECT_EQ(seconds_left(after(10, 5), {}), std::nullopt);
  EXPECT_EQ(seconds_left(after(0, 0), {false, false, 40, {}}), std::nullopt);
  EXPECT_DOUBLE_EQ(*seconds_left(after(10, 5), {false, false, 40, {}}), 15);
  EXPECT_DOUBLE_EQ(*seconds_left(after(10, 5), {false, false, 40, 12.0}), 7);
  EXPECT_DOUBLE_EQ(*seconds_left(after(10, 5), {false, false, 5000, {}}), 495)
      << "no more than the space holds";
  EXPECT_DOUBLE_EQ(*seconds_left(after(10, 5), {false, false, {}, 3.0}), 0);
}

TEST(Progress, LineSaysWhatIsKnown) {
  Results results = after(3, 6);
  EXPECT_EQ(progress_line(after(0, 0), {}), "0/1,000");
  results.records[1].outcome = Outcome::crashed;
  results.records[0].seconds = 5e-4;
  ProblemResult problem;
  problem.placement.emplace().fraction = 0.25;
  results.records[0].problems = {problem};
  Diagnosis& diagnosis = results.records[0].diagnosis.emplace();
  diagnosis.verdict = Diagnosis::Verdict::bound;
  diagnosis.findings.emplace_back().bound = Bound::bank_conflicts;
  EXPECT_EQ(progress_line(results, {true, false, 40, {}}),
            "3/40  best 500 us (25% of its roof)  bound by bank_conflicts  1 failed  74.0 s left");
  results.objective = Objective::energy;
  results.records[0].problems[0].measurement.emplace().joules = 0.125;
  EXPECT_THAT(progress_line(results, {}), ::testing::HasSubstr("  best 125 mJ (25% of its roof)"));
}

TEST(Progress, FailuresAreCountedByOutcome) {
  Results results = after(4, 1);
  EXPECT_EQ(failures_text(results), "");
  for (const std::size_t i : {1, 3}) {
    results.records[i].outcome = Outcome::crashed;
    results.records[i].parameters = {{"BM", i}};
    results.records[i].reason = "signal 11";
  }
  results.dropped = {{Outcome::cannot_launch, "2048 threads a block, at most 1024", 1200}};
  EXPECT_EQ(failures_text(results),
            "2 crashed, the first BM=1: signal 11\n"
            "1,200 cannot_launch without a trial, the first: 2048 threads a block, at most 1024\n");
}

TEST(Progress, OutcomesInWords) {
  Record record;
  record.outcome = Outcome::compile_failed;
  record.reason = "k.cu:3: error";
  EXPECT_EQ(outcome_text(record), "compile_failed: k.cu:3: error");
  record.outcome = Outcome::ok;
  record.seconds = 0.5;
  EXPECT_EQ(outcome_text(record), "500 ms");
}

}  // namespace
}  // namespace rooftune::cli
