// The space as the models see it: for each configuration its features, standardised over the space,
// and the amounts that the roofline turns into a time.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <random>
#include <unordered_map>
#include <vector>

#include "search/mean_function.hpp"
#include "search/policy.hpp"

namespace rooftune::search {

class ModelSpace {
 public:
  /// What the features are standardised over, and which bounds there are, is learnt from a sample.
  ModelSpace(const SearchContext& context, std::mt19937_64& random);

  /// The number under which a configuration is kept. Valid until forget() is called.
  Eigen::Index number(const Configuration& configuration);

  Eigen::Index features() const { return features_.rows(); }
  /// The first so many features are those of the parameters alone.
  Eigen::Index parameter_features() const { return parameter_features_; }
  auto features(Eigen::Index number) const { return features_.col(number); }
  /// A column for each number.
  Eigen::MatrixXf features(const std::vector<Eigen::Index>& numbers) const;
  const Amounts& amounts(Eigen::Index number) const {
    return amounts_[static_cast<std::size_t>(number)];
  }
  const Configuration& configuration(Eigen::Index number) const {
    return configurations_[static_cast<std::size_t>(number)];
  }
  /// False where launch and resources are known to be too large for the device.
  bool launchable(Eigen::Index number) const {
    return launchable_[static_cast<std::size_t>(number)] != 0;
  }
  /// The bounds in the order of Amounts; empty where the spec has no formulas.
  const std::vector<Bound>& bounds() const { return bounds_; }
  const std::vector<std::string>& feature_names() const { return names_; }

  /// Whether so much is kept that forget() is due.
  bool full() const;
  void forget();

 private:
  struct Raw {
    std::vector<double> features;
    Amounts amounts;
    bool launchable = true;
  };
  Raw describe(const Configuration& configuration) const;
  void describe_parameters(const Configuration& configuration, std::vector<double>& features) const;
  void describe_launch(const Geometry& geometry, Raw& raw) const;
  void learn_scales(const std::vector<Raw>& sample);
  void name_features();

  const SearchContext& context_;
  std::vector<Bound> bounds_;
  std::vector<std::string> names_;     ///< of the raw features
  std::size_t raw_of_parameters_ = 0;  ///< so many of the raw features, the first ones
  Eigen::Index parameter_features_ = 0;
  std::vector<std::size_t> kept_;          ///< raw features that vary, and not as another does
  Eigen::ArrayXd centre_, inverse_scale_;  ///< by kept feature
  bool has_geometry_ = false;
  std::vector<std::string> derived_names_;

  std::unordered_map<Configuration, Eigen::Index, ConfigurationHash> numbers_;
  std::vector<Configuration> configurations_;
  Eigen::MatrixXf features_;
  Eigen::Index used_ = 0;
  std::vector<Amounts> amounts_;
  std::vector<char> launchable_;
};

}  // namespace rooftune::search
