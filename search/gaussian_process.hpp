// A Gaussian process over standardised features: constant + linear + Matern-5/2 with a length per
// feature, fitted by maximum a posteriori.
#pragma once

#include <Eigen/Core>
#include <vector>

namespace rooftune::search {

/// Natural logarithms, for targets of unit scale and features of unit variance.
struct Hyperparameters {
  Eigen::VectorXd log_lengths;
  double log_amplitude = 0;  ///< sd of the Matern part
  double log_linear = -1.2;  ///< sd of the linear part, all features together
  double log_noise = -3.5;   ///< sd

  static Hyperparameters prior(Eigen::Index features);
};

/// Improves `hyper` on the points (a column each) by `steps` of Rprop on the posterior density.
void fit_hyperparameters(const Eigen::MatrixXd& points, const Eigen::VectorXd& targets, int steps,
                         Hyperparameters& hyper);

/// Trained in double, queried in single precision: a query is a column of features.
class GaussianProcess {
 public:
  /// `stretch` multiplies all lengths.
  GaussianProcess(const Eigen::MatrixXd& points, const Eigen::VectorXd& targets,
                  const Hyperparameters& hyper, double stretch);

  Eigen::Index features() const { return points_.rows(); }
  /// Log density of each point when the others predict it, noise included.
  Eigen::VectorXd left_out() const;

  struct Prediction {
    Eigen::VectorXf mean;
    /// No variance is larger than this: what the best single point alone would leave.
    Eigen::VectorXf variance_bound;
    Eigen::MatrixXf covariances;  ///< with the points, a column a query
    Eigen::VectorXf prior;        ///< variances before any observation
  };
  Prediction predict(const Eigen::MatrixXf& queries) const;
  /// Variances of some of the queries, noise not included.
  Eigen::VectorXf variance(const Prediction& prediction,
                           const std::vector<Eigen::Index>& queries) const;

 private:
  Eigen::MatrixXf points_;
  Eigen::MatrixXf scaled_;  ///< points over lengths
  Eigen::ArrayXf inverse_lengths_;
  float amplitude_variance_;
  float linear_variance_;
  Eigen::MatrixXf factor_;          ///< lower Cholesky factor of the covariance with noise
  Eigen::VectorXf point_variance_;  ///< diagonal of that covariance
  Eigen::VectorXf weights_;         ///< K^-1 targets
};

}  // namespace rooftune::search
