#include "search/gaussian_process.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

namespace rooftune::search {
namespace {

// Priors of the hyperparameters: mean and sd of the logarithms. The lengths grow with the root of
// the number of features, as distances between random points do (Hvarfner et al., 2024).
constexpr double length_sd = 0.7;
constexpr double amplitude_mean = 0;
constexpr double amplitude_sd = 0.7;
constexpr double linear_mean = -1.2;
constexpr double linear_sd = 1;
constexpr double noise_mean = -3.5;
constexpr double noise_sd = 1;
constexpr double constant_variance = 1;
constexpr double smallest_noise = -6;  // logarithm
constexpr float smallest_variance = 1e-6F;

const double root5 = std::sqrt(5.0);

template <typename Matrix>
Matrix squared_distances(const Matrix& a, const Matrix& b) {
  Matrix distances = -2 * (a.transpose() * b);
  distances.colwise() += a.colwise().squaredNorm().transpose();
  distances.rowwise() += b.colwise().squaredNorm();
  return distances.cwiseMax(0);
}

double square(double value) {
  return value * value;
}

/// By squared distance.
template <typename Array>
Array matern(const Array& r2) {
  using Scalar = typename Array::Scalar;
  const Array r = static_cast<Scalar>(root5) * r2.sqrt();
  return (1 + r + static_cast<Scalar>(5.0 / 3) * r2) * (-r).exp();
}

struct Density {
  double value = 0;
  Eigen::VectorXd gradient;  ///< lengths, amplitude, linear, noise
};

/// Log marginal likelihood plus log prior.
Density density(const Eigen::MatrixXd& points, const Eigen::VectorXd& targets,
                const Hyperparameters& hyper) {
  const Eigen::Index features = points.rows();
  const Eigen::Index count = points.cols();
  const Eigen::ArrayXd inverse = (-hyper.log_lengths.array()).exp();
  const Eigen::MatrixXd scaled = inverse.matrix().asDiagonal() * points;
  const double amplitude = std::exp(2 * hyper.log_amplitude);
  const double linear = std::exp(2 * hyper.log_linear) / static_cast<double>(features);
  const double noise = std::exp(2 * hyper.log_noise);

  const Eigen::ArrayXXd r2 = squared_distances(scaled, scaled).array();
  const Eigen::ArrayXXd r = root5 * r2.sqrt();
  const Eigen::ArrayXXd decay = (-r).exp();
  const Eigen::MatrixXd shape = (1 + r + (5.0 / 3) * r2) * decay;
  const Eigen::MatrixXd products = points.transpose() * points;
  Eigen::MatrixXd covariance = amplitude * shape + linear * products;
  covariance.array() += constant_variance;
  covariance.diagonal().array() += noise;

  const Eigen::LLT<Eigen::MatrixXd> factor(covariance);
  const Eigen::VectorXd weights = factor.solve(targets);
  Density result;
  result.value = -targets.dot(weights) / 2 - factor.matrixLLT().diagonal().array().log().sum();
  Eigen::MatrixXd slope = weights * weights.transpose();
  slope -= factor.solve(Eigen::MatrixXd::Identity(count, count));

  result.gradient.resize(features + 3);
  // Sum over pairs of g_ij (x_i - x_j)^2 = 2 (sum_i x_i^2 g_i. - x^T g x), for all features at
  // once.
  const Eigen::MatrixXd g = (slope.array() * (amplitude * 5.0 / 3) * (1 + r) * decay).matrix();
  const Eigen::VectorXd row_sums = g.rowwise().sum();
  const Eigen::MatrixXd product = scaled * g;
  result.gradient.head(features) = scaled.array().square().matrix() * row_sums -
                                   (product.array() * scaled.array()).rowwise().sum().matrix();
  result.gradient[features] = amplitude * slope.cwiseProduct(shape).sum();
  result.gradient[features + 1] = linear * slope.cwiseProduct(products).sum();
  result.gradient[features + 2] = noise * slope.trace();

  const auto prior = [&](double value, double mean, double sd, double& gradient) {
    result.value -= square((value - mean) / sd) / 2;
    gradient -= (value - mean) / square(sd);
  };
  const double length_mean = std::log(static_cast<double>(features)) / 2;
  for (Eigen::Index i = 0; i < features; ++i) {
    prior(hyper.log_lengths[i], length_mean, length_sd, result.gradient[i]);
  }
  prior(hyper.log_amplitude, amplitude_mean, amplitude_sd, result.gradient[features]);
  prior(hyper.log_linear, linear_mean, linear_sd, result.gradient[features + 1]);
  prior(hyper.log_noise, noise_mean, noise_sd, result.gradient[features + 2]);
  return result;
}

Eigen::VectorXd pack(const Hyperparameters& hyper) {
  Eigen::VectorXd packed(hyper.log_lengths.size() + 3);
  packed << hyper.log_lengths, hyper.log_amplitude, hyper.log_linear, hyper.log_noise;
  return packed;
}

Hyperparameters unpack(const Eigen::VectorXd& packed) {
  const Eigen::Index features = packed.size() - 3;
  return {packed.head(features), packed[features], packed[features + 1],
          std::max(packed[features + 2], smallest_noise)};
}

}  // namespace

Hyperparameters Hyperparameters::prior(Eigen::Index features) {
  return {Eigen::VectorXd::Constant(features, std::log(static_cast<double>(features)) / 2),
          amplitude_mean, linear_mean, noise_mean};
}

void fit_hyperparameters(const Eigen::MatrixXd& points, const Eigen::VectorXd& targets, int steps,
                         Hyperparameters& hyper) {
  // Rprop (Riedmiller and Braun, 1993): only signs of the gradient matter, no line search.
  Eigen::VectorXd at = pack(hyper);
  Eigen::VectorXd step = Eigen::VectorXd::Constant(at.size(), 0.1);
  Eigen::VectorXd last = Eigen::VectorXd::Zero(at.size());
  double best = -INFINITY;
  for (int i = 0; i <= steps; ++i) {
    const Hyperparameters here = unpack(at);
    const Density found = density(points, targets, here);
    if (std::isfinite(found.value) && found.value > best) {
      best = found.value;
      hyper = here;
    }
    if (!std::isfinite(found.value) || i == steps) break;
    for (Eigen::Index k = 0; k < at.size(); ++k) {
      const double turn = last[k] * found.gradient[k];
      if (turn > 0) step[k] = std::min(step[k] * 1.2, 0.5);
      if (turn < 0) step[k] = std::max(step[k] * 0.5, 1e-3);
      last[k] = turn < 0 ? 0 : found.gradient[k];
      if (last[k] > 0) at[k] += step[k];
      if (last[k] < 0) at[k] -= step[k];
    }
  }
}

GaussianProcess::GaussianProcess(const Eigen::MatrixXd& points, const Eigen::VectorXd& targets,
                                 const Hyperparameters& hyper, double stretch)
    : points_(points.cast<float>()),
      inverse_lengths_(((-hyper.log_lengths.array()).exp() / stretch).cast<float>()),
      amplitude_variance_(static_cast<float>(std::exp(2 * hyper.log_amplitude))),
      linear_variance_(
          static_cast<float>(std::exp(2 * hyper.log_linear) / static_cast<double>(points.rows()))) {
  scaled_ = inverse_lengths_.matrix().asDiagonal() * points_;
  const Eigen::ArrayXd inverse = (-hyper.log_lengths.array()).exp() / stretch;
  const Eigen::MatrixXd scaled = inverse.matrix().asDiagonal() * points;
  const Eigen::ArrayXXd r2 = squared_distances(scaled, scaled).array();
  Eigen::MatrixXd covariance = std::exp(2 * hyper.log_amplitude) * matern(r2) +
                               std::exp(2 * hyper.log_linear) / static_cast<double>(points.rows()) *
                                   (points.transpose() * points).array() +
                               constant_variance;
  covariance.diagonal().array() += std::exp(2 * hyper.log_noise);
  const Eigen::LLT<Eigen::MatrixXd> factor(covariance);
  factor_ = Eigen::MatrixXd(factor.matrixL()).cast<float>();
  point_variance_ = covariance.diagonal().cast<float>();
  weights_ = factor.solve(targets).cast<float>();
}

Eigen::VectorXd GaussianProcess::left_out() const {
  // Rasmussen and Williams, 2006, section 5.4.2: with K^-1 at hand no point needs a fit of its own.
  Eigen::MatrixXf root = Eigen::MatrixXf::Identity(factor_.rows(), factor_.cols());
  factor_.triangularView<Eigen::Lower>().solveInPlace(root);
  const Eigen::ArrayXd precision = root.colwise().squaredNorm().transpose().cast<double>();
  const Eigen::ArrayXd error = weights_.cast<double>().array() / precision;
  return (precision.log() - precision * error.square() - std::log(2 * M_PI)) / 2;
}

GaussianProcess::Prediction GaussianProcess::predict(const Eigen::MatrixXf& queries) const {
  const Eigen::MatrixXf scaled = inverse_lengths_.matrix().asDiagonal() * queries;
  const Eigen::ArrayXXf r2 = squared_distances(scaled_, scaled).array();
  Prediction prediction;
  prediction.covariances =
      (amplitude_variance_ * matern(r2) + static_cast<float>(constant_variance)).matrix();
  prediction.covariances.noalias() += linear_variance_ * (points_.transpose() * queries);
  prediction.mean = prediction.covariances.transpose() * weights_;
  prediction.prior = (amplitude_variance_ + static_cast<float>(constant_variance) +
                      linear_variance_ * queries.colwise().squaredNorm().array())
                         .transpose();
  const Eigen::VectorXf explained =
      (point_variance_.cwiseInverse().asDiagonal() * prediction.covariances.cwiseAbs2())
          .colwise()
          .maxCoeff()
          .transpose();
  prediction.variance_bound = (prediction.prior - explained).cwiseMax(smallest_variance);
  return prediction;
}

Eigen::VectorXf GaussianProcess::variance(const Prediction& prediction,
                                          const std::vector<Eigen::Index>& queries) const {
  Eigen::MatrixXf chosen(prediction.covariances.rows(), static_cast<Eigen::Index>(queries.size()));
  Eigen::VectorXf result(chosen.cols());
  for (Eigen::Index i = 0; i < chosen.cols(); ++i) {
    chosen.col(i) = prediction.covariances.col(queries[static_cast<std::size_t>(i)]);
    result[i] = prediction.prior[queries[static_cast<std::size_t>(i)]];
  }
  factor_.triangularView<Eigen::Lower>().solveInPlace(chosen);
  result -= chosen.colwise().squaredNorm().transpose();
  return result.cwiseMax(smallest_variance);
}

}  // namespace rooftune::search
