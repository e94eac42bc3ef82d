#include "search/gaussian_process.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace rooftune::search {
namespace {

struct Data {
  Eigen::MatrixXd points;
  Eigen::VectorXd targets;
};

/// Depends on the first of `features` features alone.
Data one_feature_matters(Eigen::Index features, Eigen::Index count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  Data data{Eigen::MatrixXd(features, count), Eigen::VectorXd(count)};
  for (Eigen::Index i = 0; i < count; ++i) {
    for (Eigen::Index k = 0; k < features; ++k) {
      data.points(k, i) = normal(random);
    }
    data.targets[i] = 1.4 * std::sin(2 * data.points(0, i));
  }
  return data;
}

TEST(GaussianProcess, GoesThroughItsPointsAndIsSureThere) {
  const Data data = one_feature_matters(3, 20, 1);
  const GaussianProcess process(data.points, data.targets, Hyperparameters::prior(3), 0.5);
  const auto prediction = process.predict(data.points.cast<float>());
  for (Eigen::Index i = 0; i < 20; ++i) {
    EXPECT_NEAR(prediction.mean[i], data.targets[i], 0.1) << i;
  }
  EXPECT_LT(process.variance(prediction, {0, 7}).maxCoeff(), 0.01);
}

TEST(GaussianProcess, LeavesAPointOutAsIfItHadNotBeenMeasured) {
  const Data data = one_feature_matters(2, 12, 3);
  const Hyperparameters hyper = Hyperparameters::prior(2);
  const Eigen::VectorXd found = GaussianProcess(data.points, data.targets, hyper, 1).left_out();
  const GaussianProcess others(data.points.rightCols(11), data.targets.tail(11), hyper, 1);
  const auto prediction = others.predict(data.points.leftCols(1).cast<float>());
  const double variance = others.variance(prediction, {0})[0] + std::exp(2 * hyper.log_noise);
  const double error = data.targets[0] - prediction.mean[0];
  EXPECT_NEAR(found[0], -(std::log(2 * M_PI * variance) + error * error / variance) / 2, 0.05);
}

TEST(GaussianProcess, IsUnsureFarAway) {
  const Data data = one_feature_matters(3, 20, 1);
  const GaussianProcess process(data.points, data.targets, Hyperparameters::prior(3), 1);
  const Eigen::MatrixXf far = Eigen::MatrixXf::Constant(3, 1, 30);
  const auto prediction = process.predict(far);
  EXPECT_GT(process.variance(prediction, {0})[0], 1);
}

TEST(GaussianProcess, TheVarianceBoundIsABound) {
  const Data data = one_feature_matters(4, 40, 2);
  const Data queries = one_feature_matters(4, 100, 3);
  const GaussianProcess process(data.points, data.targets, Hyperparameters::prior(4), 1);
  const auto prediction = process.predict(queries.points.cast<float>());
  std::vector<Eigen::Index> all(100);
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i] = static_cast<Eigen::Index>(i);
  }
  const Eigen::VectorXf variance = process.variance(prediction, all);
  for (Eigen::Index i = 0; i < 100; ++i) {
    EXPECT_LE(variance[i], prediction.variance_bound[i] + 1e-4F) << i;
  }
}

TEST(GaussianProcess, FittingFindsTheFeatureThatMattersAndPredictsBetter) {
  const Data data = one_feature_matters(6, 60, 4);
  const Data test = one_feature_matters(6, 200, 5);
  Hyperparameters hyper = Hyperparameters::prior(6);
  const auto error = [&](const Hyperparameters& with) {
    const GaussianProcess process(data.points, data.targets, with, 1);
    const auto prediction = process.predict(test.points.cast<float>());
    return (prediction.mean.cast<double>() - test.targets).norm();
  };
  const double before = error(hyper);
  fit_hyperparameters(data.points, data.targets, 40, hyper);
  EXPECT_LT(error(hyper), before / 2);
  for (Eigen::Index k = 1; k < 6; ++k) {
    EXPECT_LT(hyper.log_lengths[0], hyper.log_lengths[k]) << k;
  }
}

}  // namespace
}  // namespace rooftune::search
