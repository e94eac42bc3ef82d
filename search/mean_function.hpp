// The roofline as a function: a time from the times per bound, with an efficiency for each roof
// that is learnt from what was measured.
#pragma once

#include <Eigen/Core>
#include <random>
#include <vector>

#include "tuner/roofline/roofline.hpp"

namespace rooftune::search {

/// The analytic amounts of one configuration.
struct Amounts {
  Eigen::VectorXd log_seconds;  ///< per bound of the model, at 100% of its roof
  double log_tail = 0;          ///< whole waves over waves, as a logarithm
};

/// log t = log (sum_b (t_b / efficiency_b)^p)^(1/p) + tail exponent * log tail.
/// The p-norm is a maximum whose corners are round: near a corner two roofs hold each other up.
class MeanFunction {
 public:
  /// Parameters: log efficiency per bound, log p, tail exponent.
  using Parameters = Eigen::VectorXd;

  explicit MeanFunction(std::vector<Bound> bounds);

  const std::vector<Bound>& bounds() const { return bounds_; }
  /// The median before anything is measured.
  const Parameters& prior() const { return prior_mean_; }
  /// A draw from the prior.
  Parameters draw_prior(std::mt19937_64& random) const;

  /// Log seconds; the gradient by the parameters where it is asked for.
  double evaluate(const Amounts& amounts, const Parameters& parameters,
                  Eigen::VectorXd* gradient = nullptr) const;

  /// What the measured points say of the parameters.
  struct Posterior {
    Parameters mode;
    Eigen::MatrixXd root;  ///< covariance = root * root^T (Laplace)
    double residual_sd = 0;
    Parameters draw(std::mt19937_64& random) const;
  };
  /// Maximum a posteriori under Student-t errors, each point weighed by its importance (0 to 1);
  /// `start` makes the next fit cheap.
  Posterior fit(const std::vector<Amounts>& amounts, const Eigen::VectorXd& log_seconds,
                const Eigen::ArrayXd& importance, const Parameters& start) const;

 private:
  std::vector<Bound> bounds_;
  Parameters prior_mean_;
  Parameters prior_sd_;
};

}  // namespace rooftune::search
