// Where the roofline policy looks: around the best points, and at random.
#pragma once

#include <random>
#include <vector>

#include "search/history.hpp"
#include "search/model_space.hpp"
#include "search/roofline_options.hpp"
#include "search/unseen.hpp"

namespace rooftune::search {

class Candidates {
 public:
  Candidates(const Space& configurations, ModelSpace& space, const Unseen& unseen,
             std::mt19937_64& random);

  /// The launchable, unseen configuration whose time by the roofline alone is shortest, of a sample
  /// and downhill from there; nullopt where there is none. What is more like a point that failed
  /// than like any that succeeded is left out.
  std::optional<Configuration> lowest(const MeanFunction& mean,
                                      const MeanFunction::Parameters& parameters,
                                      const std::vector<Measured>& measured);
  /// Of `among` of the sample, the one farthest from everything measured.
  std::optional<Configuration> farthest(const std::vector<Measured>& measured, std::size_t among);
  /// Neighbours of the best points, points two parameters away from the very best, and random ones:
  /// unseen, launchable, each once. `best` is fastest first.
  std::vector<Eigen::Index> gather(const std::vector<const Measured*>& best,
                                   const RooflineOptions& options);

 private:
  double nearest(Eigen::Index number, const std::vector<Eigen::Index>& points) const;
  std::optional<Eigen::Index> usable(const Configuration& configuration);
  void add(const Configuration& configuration, std::vector<Eigen::Index>& numbers);
  void add_pairs(const Configuration& centre, std::vector<Eigen::Index>& numbers);
  void renew_sample();

  const Space& configurations_;
  ModelSpace& space_;
  const Unseen& unseen_;
  std::mt19937_64& random_;
  std::vector<Configuration> sample_;  ///< the whole space where that is small
  std::vector<char> taken_;            ///< by number, while gathering
};

}  // namespace rooftune::search
