// The model of log seconds over the space: three Gaussian processes, two of them on the residual of
// the roofline, one on the parameters alone as a guard against formulas that mislead.
#pragma once

#include <optional>
#include <random>
#include <vector>

#include "search/gaussian_process.hpp"
#include "search/history.hpp"
#include "search/mean_function.hpp"
#include "search/model_space.hpp"
#include "search/prior.hpp"
#include "search/roofline_options.hpp"

namespace rooftune::search {

class Surrogate {
 public:
  Surrogate(ModelSpace& space, const RooflineOptions& options);

  /// From now on a fourth member has the prior as its mean. Its weight, like the others', is its
  /// predictive likelihood: a prior that misleads loses its say.
  void carry_over(PriorModel* prior) { prior_ = prior; }

  /// Fits the efficiencies alone, for a start that learns. At least one point must have succeeded.
  const MeanFunction::Posterior& fit_roofline(const std::vector<Measured>& measured);

  /// At least one point must have succeeded. `idle` is the number of evaluations since the last
  /// improvement: the longer, the less the model trusts what it knows of far points.
  void update(const std::vector<Measured>& measured, std::size_t idle, std::mt19937_64& random);

  /// Expected improvement of log seconds over the best, averaged over the members by their weights,
  /// times the probability that the configuration works.
  Eigen::VectorXd expected_improvement(const std::vector<Eigen::Index>& numbers) const;
  /// Log seconds, averaged over the members.
  double predict(Eigen::Index number) const;
  const MeanFunction& mean_function() const { return mean_; }

 private:
  struct Member {
    std::optional<MeanFunction::Parameters> roofline;
    std::optional<double> prior_slope;  ///< log seconds here for one of the prior's
    double centre = 0;
    double scale = 1;
    double weight = 1;  ///< of all members 1
    std::optional<GaussianProcess> process;
  };
  /// The points that succeeded.
  struct Timed {
    std::vector<Eigen::Index> numbers;
    std::vector<Amounts> amounts;
    Eigen::VectorXd log_seconds;
    Eigen::ArrayXd importance;  ///< falls with the distance from the best
  };
  Timed timed(const std::vector<Measured>& measured, const std::vector<std::size_t>& chosen);
  std::vector<std::size_t> choose(const std::vector<Measured>& measured, std::mt19937_64& random);
  void learn_failures(const std::vector<Measured>& measured,
                      const std::vector<std::size_t>& chosen);
  void weigh_members(const Eigen::ArrayXd& importance);
  double compress(double log_seconds) const;
  double member_mean(const Member& member, Eigen::Index number) const;
  void fit_member(Member& member, double stretch, const Eigen::MatrixXd& points,
                  const std::vector<Eigen::Index>& numbers, const Eigen::VectorXd& targets,
                  Hyperparameters& hyper, bool refit);
  Eigen::VectorXd member_improvement(const Member& member,
                                     const GaussianProcess::Prediction& prediction,
                                     const Eigen::VectorXd& centres,
                                     const Eigen::VectorXf& variances,
                                     const std::vector<Eigen::Index>& queries) const;

  double prior_slope(const std::vector<Eigen::Index>& numbers, const Eigen::VectorXd& targets,
                     const Eigen::ArrayXd& importance) const;

  ModelSpace& space_;
  const RooflineOptions options_;
  PriorModel* prior_ = nullptr;
  MeanFunction mean_;
  MeanFunction::Posterior posterior_;
  std::vector<Member> members_;
  /// Least squares on 1 for what worked and 0 for what failed; empty while all worked.
  std::optional<GaussianProcess> works_;
  Hyperparameters residual_hyper_, guard_hyper_, prior_hyper_;
  double best_ = 0;
  std::size_t updates_ = 0;
};

}  // namespace rooftune::search
