// A model carried over from times of the same space on another device or at another size.
#pragma once

#include <optional>
#include <random>
#include <unordered_map>
#include <vector>

#include "search/gaussian_process.hpp"
#include "search/history.hpp"
#include "search/mean_function.hpp"
#include "search/model_space.hpp"
#include "search/unseen.hpp"

namespace rooftune::search {

class PriorModel {
 public:
  /// `prior` must have a point that succeeded, and outlive the model.
  PriorModel(const Prior& prior, ModelSpace& space, const MeanFunction& mean,
             std::mt19937_64& random);

  /// Log seconds over the prior's best, slow ones compressed: as it was measured, else as the
  /// roofline and a Gaussian process, fitted to what was, predict it.
  double log_excess(Eigen::Index number);

  /// The prior's points that succeeded, fastest first.
  struct Ranked {
    const Configuration* configuration = nullptr;
    double seconds = 0;
    std::size_t rank = 0;  ///< 0 for the fastest
  };
  /// The first that was not seen and can be launched here; nullopt where none is left.
  std::optional<Ranked> next(const Unseen& unseen);
  /// Of the pairs of points that succeeded, the share that the prior has in the right order.
  double agreement(const std::vector<Measured>& measured);
  std::size_t size() const { return fastest_.size(); }

 private:
  double compress(double excess) const;
  void fit(std::mt19937_64& random);

  ModelSpace& space_;
  const MeanFunction& mean_;
  std::vector<Ranked> fastest_;
  double best_ = 0;  ///< log seconds
  MeanFunction::Parameters roofline_;
  double centre_ = 0;
  double scale_ = 1;
  std::optional<GaussianProcess> process_;
  using ByConfiguration = std::unordered_map<Configuration, double, ConfigurationHash>;
  ByConfiguration measured_;   ///< log_excess
  ByConfiguration predicted_;  ///< the same, forgotten now and then
};

}  // namespace rooftune::search
