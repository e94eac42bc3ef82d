#include "search/mean_function.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

namespace rooftune::search {
namespace {

struct EfficiencyPrior {
  double median;
  double log_sd;
};

/// How much of a roof a kernel that is bound by it tends to reach. Broad on purpose: the amounts
/// are models, and what they miss shows up here.
EfficiencyPrior efficiency_prior(Bound bound) {
  switch (bound) {
    case Bound::dram:
      return {0.75, 0.4};
    case Bound::l2:
      return {0.5, 0.7};
    case Bound::l1:
      return {0.6, 0.6};
    case Bound::shared:
      return {0.8, 0.4};
    case Bound::fp:
    case Bound::tensor:
      return {0.85, 0.3};
    case Bound::issue:
      return {0.75, 0.4};
    case Bound::latency:
      return {1.0, 0.7};
    default:
      return {0.6, 0.7};
  }
}

// The search widens the priors: a kernel whose amounts are wrong must be able to say so.
constexpr double widening = 2;
constexpr double p_median = 2.5;
constexpr double p_log_sd = 0.4;
constexpr double tail_mean = 0.7;
constexpr double tail_sd = 0.3;
constexpr double degrees_of_freedom = 4;
constexpr double residual_floor = 0.2;  // log units
constexpr int maximum_steps = 25;

Eigen::VectorXd normals(Eigen::Index count, std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  Eigen::VectorXd draw(count);
  for (double& value : draw) value = normal(random);
  return draw;
}

}  // namespace

MeanFunction::MeanFunction(std::vector<Bound> bounds) : bounds_(std::move(bounds)) {
  const auto count = static_cast<Eigen::Index>(bounds_.size());
  prior_mean_.resize(count + 2);
  prior_sd_.resize(count + 2);
  for (Eigen::Index i = 0; i < count; ++i) {
    const EfficiencyPrior prior = efficiency_prior(bounds_[static_cast<std::size_t>(i)]);
    prior_mean_[i] = std::log(prior.median);
    prior_sd_[i] = widening * prior.log_sd;
  }
  prior_mean_[count] = std::log(p_median);
  prior_sd_[count] = p_log_sd;
  prior_mean_[count + 1] = tail_mean;
  prior_sd_[count + 1] = tail_sd;
}

MeanFunction::Parameters MeanFunction::draw_prior(std::mt19937_64& random) const {
  // Efficiencies as the literature has them, without the widening.
  Parameters sd = prior_sd_;
  sd.head(static_cast<Eigen::Index>(bounds_.size())) /= widening;
  return prior_mean_ + normals(prior_mean_.size(), random).cwiseProduct(sd);
}

double MeanFunction::evaluate(const Amounts& amounts, const Parameters& parameters,
                              Eigen::VectorXd* gradient) const {
  const auto count = static_cast<Eigen::Index>(bounds_.size());
  const double p = std::exp(parameters[count]);
  const double exponent = parameters[count + 1];
  const Eigen::ArrayXd reached = amounts.log_seconds.array() - parameters.head(count).array();
  const double longest = reached.maxCoeff();
  const Eigen::ArrayXd powers = ((reached - longest) * p).exp();
  const double sum = powers.sum();
  const double norm = longest + std::log(sum) / p;
  if (gradient != nullptr) {
    const Eigen::ArrayXd weights = powers / sum;
    // A bound of which the configuration has nothing weighs nothing.
    const Eigen::ArrayXd finite = (weights > 0).select(reached, longest);
    gradient->resize(count + 2);
    gradient->head(count) = -weights;
    (*gradient)[count] = (weights * finite).sum() - norm;
    (*gradient)[count + 1] = amounts.log_tail;
  }
  return norm + exponent * amounts.log_tail;
}

MeanFunction::Parameters MeanFunction::Posterior::draw(std::mt19937_64& random) const {
  return mode + root * normals(mode.size(), random);
}

MeanFunction::Posterior MeanFunction::fit(const std::vector<Amounts>& amounts,
                                          const Eigen::VectorXd& log_seconds,
                                          const Eigen::ArrayXd& importance,
                                          const Parameters& start) const {
  const Eigen::Index points = log_seconds.size();
  const Eigen::VectorXd precision = prior_sd_.array().square().inverse();
  Eigen::MatrixXd jacobian(points, start.size());
  Eigen::VectorXd residual(points);
  Eigen::VectorXd gradient;

  double scale = residual_floor;
  const auto residuals_at = [&](const Parameters& at, bool with_jacobian) {
    for (Eigen::Index i = 0; i < points; ++i) {
      const double value =
          evaluate(amounts[static_cast<std::size_t>(i)], at, with_jacobian ? &gradient : nullptr);
      residual[i] = log_seconds[i] - value;
      if (with_jacobian) jacobian.row(i) = gradient;
    }
  };
  const auto loss = [&](const Parameters& at) {
    residuals_at(at, false);
    const Eigen::ArrayXd fit =
        (1 + residual.array().square() / (degrees_of_freedom * scale * scale)).log();
    return (fit * importance).sum() * (degrees_of_freedom + 1) / 2 +
           (at - prior_mean_).array().square().matrix().dot(precision) / 2;
  };

  // Levenberg-Marquardt on the reweighted least squares of the Student-t.
  Posterior posterior;
  posterior.mode = start;
  Eigen::MatrixXd hessian;
  double damping = 1e-3;
  double current = INFINITY;
  for (int step = 0; step < maximum_steps; ++step) {
    residuals_at(posterior.mode, true);
    const double spread = (residual.array().square() * importance).sum();
    scale = std::max(residual_floor, std::sqrt(spread / (importance.sum() + 1)));
    const Eigen::VectorXd weights =
        importance * (degrees_of_freedom + 1) /
        (degrees_of_freedom + residual.array().square() / (scale * scale)) / (scale * scale);
    hessian = jacobian.transpose() * weights.asDiagonal() * jacobian;
    hessian.diagonal() += precision;
    const Eigen::VectorXd slope = jacobian.transpose() * weights.cwiseProduct(residual) -
                                  precision.cwiseProduct(posterior.mode - prior_mean_);
    current = loss(posterior.mode);
    bool improved = false;
    double moved = 0;
    for (int attempt = 0; attempt < 6 && !improved; ++attempt) {
      Eigen::MatrixXd damped = hessian;
      damped.diagonal() *= 1 + damping;
      const Eigen::VectorXd change = damped.ldlt().solve(slope);
      if (const Parameters next = posterior.mode + change; loss(next) < current) {
        posterior.mode = next;
        moved = change.cwiseAbs().maxCoeff();
        improved = true;
        damping = std::max(damping / 5, 1e-6);
      } else {
        damping *= 10;
      }
    }
    if (!improved || moved < 1e-3) break;
  }
  posterior.residual_sd = scale;
  // H = L L^T, so L^-T is a root of the covariance.
  const Eigen::LLT<Eigen::MatrixXd> factor(hessian);
  posterior.root = factor.matrixU().solve(Eigen::MatrixXd::Identity(start.size(), start.size()));
  return posterior;
}

}  // namespace rooftune::search
