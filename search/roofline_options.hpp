// What the roofline policy is made of. The defaults are the policy; tests and ablations take parts
// out.
#pragma once

#include <cstddef>

namespace rooftune::search {

struct RooflineOptions {
  bool roofline_mean = true;   ///< the roofline as the mean of two of the three members
  bool roofline_start = true;  ///< start where the roofline is lowest
  bool diagnosis = true;       ///< weigh proposals by the bound that binds the best points

  std::size_t model_start = 6;         ///< points where the roofline is lowest
  std::size_t spread_start = 2;        ///< points far from everything
  std::size_t prior_start = 1;         ///< with a prior: its fastest ...
  std::size_t start_beside_prior = 2;  ///< ... and so many others are all of the start ...
  double agreement = 0.3;              ///< ... if the prior has so many pairs of points in order
  /// The farthest of so many: extremes beside the points of the roofline, milder ones where all of
  /// the start is spread.
  std::size_t spread_of = 200;
  std::size_t spread_alone_of = 8;

  double margin = 0.005;  ///< of improvement, in spreads of the member's residual
  /// Log seconds above the best over which a point's say in the efficiencies and in the members'
  /// weights falls.
  double focus = 0.7;
  double compress_after = 0.7;  ///< log seconds above the best from which slow times are compressed
  double compress_slope = 0.3;
  /// Multiples of the fitted length scales: the two roofline members, and the guard.
  double stretch_first = 1, stretch_drawn = 2, stretch_guard = 0.5;
  double works_stretch = 0.5;  ///< the same for what works and what fails
  /// A member's weight is its predictive likelihood for a point, to this power...
  double trust = 6;
  double least_weight = 0.1;  ///< ... and at least this
  /// Evaluations without improvement before the lengths shrink, how fast, and how far: a model that
  /// has nothing better to offer is too sure of itself.
  double patience = 5;
  double haste = 10;
  double shrink = 0.3;
  std::size_t training = 200;    ///< points that the model learns from at most
  double diagnosis_power = 0.5;  ///< weight = (bound's time over that of the point before)^-power

  std::size_t around = 5;               ///< best points whose neighbours are candidates
  std::size_t pairs_around = 2;         ///< ... and those two parameters away
  std::size_t random_candidates = 800;  ///< besides
};

}  // namespace rooftune::search
