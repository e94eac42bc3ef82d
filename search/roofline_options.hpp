// What the roofline policy is made of. The defaults are the policy; tests and ablations take parts
// out.
#pragma once

#include <cstddef>

namespace rooftune::search {

struct RooflineOptions {
  bool roofline_mean = true;   ///< the roofline as the mean of two of the three members
  bool roofline_start = true;  ///< start where the roofline is lowest
  bool diagnosis = true;       ///< weigh proposals by the bound that binds the best points

  std::size_t model_start = 4;   ///< points where the roofline is lowest
  std::size_t spread_start = 4;  ///< points far from everything

  double margin = 0.003;        ///< of improvement, log seconds
  double compress_after = 2.0;  ///< log seconds above the best from which slow times are compressed
  double compress_slope = 0.3;
  /// Multiples of the fitted length scales: the two roofline members, and the plain one.
  double stretch_a = 1, stretch_b = 2, stretch_c = 0.5;
  double works_stretch = 0.5;    ///< the same for what works and what fails
  std::size_t training = 200;    ///< points that the model learns from at most
  double diagnosis_power = 0.5;  ///< weight = (bound's time over that of the point before)^-power

  std::size_t around = 5;               ///< best points whose neighbours are candidates
  std::size_t pairs_around = 2;         ///< ... and those two parameters away
  std::size_t random_candidates = 800;  ///< besides
};

}  // namespace rooftune::search
