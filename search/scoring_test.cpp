#include "search/scoring.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "tuner/core/error.hpp"

namespace rooftune {
namespace {

/// The expectation by listing all subsets: the definition, for small spaces.
double expected_best_by_listing(const std::vector<double>& times, std::size_t k) {
  std::vector<int> chosen(times.size());
  std::fill(chosen.begin(), chosen.begin() + static_cast<std::ptrdiff_t>(k), 1);
  double sum = 0;
  int subsets = 0;
  do {
    double best = 1e300;
    for (std::size_t i = 0; i < times.size(); ++i) {
      best = chosen[i] == 1 ? std::min(best, times[i]) : best;
    }
    sum += best;
    ++subsets;
  } while (std::prev_permutation(chosen.begin(), chosen.end()));
  return sum / subsets;
}

TEST(ScoreBasis, ExpectedRandomSearchIsTheMeanOverAllSubsets) {
  const std::vector<double> times = {9, 2, 7, 3, 11, 5, 8};
  const ScoreBasis basis = score_basis(times);
  for (std::size_t k = 1; k <= basis.random_best.size(); ++k) {
    EXPECT_NEAR(basis.random_best[k - 1], expected_best_by_listing(times, k), 1e-12) << k;
  }
  EXPECT_EQ(basis.optimum, 2);
  EXPECT_EQ(basis.median, 7);
  // 2 + 0.05 * 5 = 2.25: six draws of seven miss the best one time in seven, 2 + 1/7.
  EXPECT_EQ(basis.budget, 6U);
}

TEST(ScoreBasis, RefusesASpaceWithoutTimes) {
  EXPECT_THROW(score_basis({}), ValueError);
}

TEST(Score, OptimumAtOnceIsOneExpectedRandomIsZero) {
  const ScoreBasis basis = score_basis({9, 2, 7, 3, 11, 5, 8});
  EXPECT_DOUBLE_EQ(score_of({{2}}, basis), 1);
  EXPECT_NEAR(score_of({basis.random_best}, basis), 0, 1e-12);
  EXPECT_LT(score_of({{11, 11, 11, 11, 11, 11}}, basis), 0);
}

class Listed : public Policy {
 public:
  explicit Listed(std::vector<std::uint16_t> order) : order_(std::move(order)) {}
  std::optional<Proposal> ask() override {
    if (next_ == order_.size()) {
      return std::nullopt;
    }
    Proposal proposal;
    proposal.configuration.choice = {order_[next_++]};
    return proposal;
  }
  void tell(const Observation&) override {}

 private:
  std::vector<std::uint16_t> order_;
  std::size_t next_ = 0;
};

TEST(Replay, AFailureCostsAnEvaluationAndKeepsTheBest) {
  const std::vector<double> times = {9, 2, 7, 3, 11, 5, 8};
  const ScoreBasis basis = score_basis(times);
  const auto answer = [&](const Configuration& configuration) {
    Observation observation;
    observation.configuration = configuration;
    observation.seconds = times[configuration.choice[0]];
    observation.outcome = configuration.choice[0] == 0 ? Outcome::crashed : Outcome::ok;
    return observation;
  };
  Listed policy({0, 2, 4, 1});
  const ReplayRun run = replay_policy(policy, basis, answer);
  EXPECT_EQ(run.best_after, (std::vector<double>{basis.random_best[0], 7, 7, 2}));
  EXPECT_EQ(evaluations_to(run, basis, 1.05), std::optional<std::uint64_t>(4));

  Listed short_policy({2});
  const ReplayRun stuck = replay_policy(short_policy, basis, answer);
  const PolicyScore score = summarise("listed", {run, stuck}, basis);
  EXPECT_DOUBLE_EQ(score.to.at("1.05").reached, 0.5);
  EXPECT_DOUBLE_EQ(score.to.at("1.05").mean, (4 + 12) / 2.0);
  EXPECT_LE(score.score_low, score.score);
  EXPECT_GE(score.score_high, score.score);
  EXPECT_EQ(score.curve.size(), 12U);
  EXPECT_DOUBLE_EQ(score.curve.back(), (2 / 2.0 + 7 / 2.0) / 2);
}

}  // namespace
}  // namespace rooftune
