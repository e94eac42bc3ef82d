#include "search/mean_function.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace rooftune::search {
namespace {

Amounts amounts(double dram, double shared, double log_tail = 0) {
  Amounts result;
  result.log_seconds = Eigen::Vector2d(std::log(dram), std::log(shared));
  result.log_tail = log_tail;
  return result;
}

TEST(MeanFunction, IsTheLongestBoundOverItsEfficiencyWhereOneDominates) {
  const MeanFunction mean({Bound::dram, Bound::shared});
  MeanFunction::Parameters parameters = mean.prior();
  parameters[0] = std::log(0.5);
  EXPECT_NEAR(mean.evaluate(amounts(1, 1e-9), parameters), std::log(2.0), 1e-9);
}

TEST(MeanFunction, TwoEqualBoundsHoldEachOtherUp) {
  const MeanFunction mean({Bound::dram, Bound::shared});
  MeanFunction::Parameters parameters = mean.prior();
  parameters << 0, 0, std::log(2.0), 0.5;
  EXPECT_NEAR(mean.evaluate(amounts(3, 3), parameters), std::log(3 * std::sqrt(2.0)), 1e-12);
  EXPECT_NEAR(
      mean.evaluate(amounts(3, 3, 0.4), parameters) - mean.evaluate(amounts(3, 3), parameters), 0.2,
      1e-12);
}

TEST(MeanFunction, GradientIsTheSlope) {
  const MeanFunction mean({Bound::dram, Bound::shared});
  const Amounts point = amounts(2, 3, 0.3);
  const MeanFunction::Parameters at = mean.prior();
  Eigen::VectorXd gradient;
  mean.evaluate(point, at, &gradient);
  for (Eigen::Index i = 0; i < at.size(); ++i) {
    MeanFunction::Parameters above = at;
    MeanFunction::Parameters below = at;
    above[i] += 1e-5;
    below[i] -= 1e-5;
    EXPECT_NEAR(gradient[i], (mean.evaluate(point, above) - mean.evaluate(point, below)) / 2e-5,
                1e-6)
        << i;
  }
}

TEST(MeanFunction, FitFindsTheEfficiencyOfTheBoundThatBinds) {
  const MeanFunction mean({Bound::dram, Bound::shared});
  std::vector<Amounts> points;
  Eigen::VectorXd log_seconds(40);
  for (int i = 0; i < 40; ++i) {
    const double dram = std::exp(0.1 * i);
    points.push_back(amounts(dram, 1e-3));
    log_seconds[i] = std::log(dram / 0.3);
  }
  const Eigen::ArrayXd all = Eigen::ArrayXd::Ones(40);
  const auto posterior = mean.fit(points, log_seconds, all, mean.prior());
  EXPECT_NEAR(std::exp(posterior.mode[0]), 0.3, 0.02);
  // Nothing was learnt of a bound that never binds.
  EXPECT_NEAR(posterior.mode[1], mean.prior()[1], 0.01);
  const Eigen::MatrixXd covariance = posterior.root * posterior.root.transpose();
  EXPECT_LT(covariance(0, 0), covariance(1, 1) / 20);
}

TEST(MeanFunction, OneAbsurdPointDoesNotMoveTheFit) {
  const MeanFunction mean({Bound::dram, Bound::shared});
  std::vector<Amounts> points;
  Eigen::VectorXd log_seconds(20);
  for (int i = 0; i < 20; ++i) {
    const double dram = std::exp(0.1 * i);
    points.push_back(amounts(dram, 1e-3));
    log_seconds[i] = std::log(dram / 0.6);
  }
  const Eigen::ArrayXd all = Eigen::ArrayXd::Ones(20);
  const double without = mean.fit(points, log_seconds, all, mean.prior()).mode[0];
  log_seconds[10] += 5;
  EXPECT_NEAR(mean.fit(points, log_seconds, all, mean.prior()).mode[0], without, 0.15);
}

TEST(MeanFunction, FollowsThePointsThatMatter) {
  const MeanFunction mean({Bound::dram, Bound::shared});
  std::vector<Amounts> points;
  Eigen::VectorXd log_seconds(40);
  Eigen::ArrayXd importance(40);
  for (int i = 0; i < 40; ++i) {
    const double dram = std::exp(0.05 * i);
    points.push_back(amounts(dram, 1e-3));
    log_seconds[i] = std::log(dram / (i < 20 ? 0.3 : 0.9));
    importance[i] = i < 20 ? 1 : 0.02;
  }
  EXPECT_NEAR(std::exp(mean.fit(points, log_seconds, importance, mean.prior()).mode[0]), 0.3, 0.05);
}

}  // namespace
}  // namespace rooftune::search
