// The roofline alone, with no measurement: which configurations should be fast.
#pragma once

#include <vector>

#include "search/policy.hpp"

namespace rooftune {

struct Ranked {
  Configuration configuration;
  double seconds = 0;  ///< predicted, with efficiencies that are usual
};

/// Fastest first by the spec's formulas, ties in the order given. What by launch and resources
/// cannot run is left out. Empty where the context has no bounds.
std::vector<Ranked> rank_by_roofline(const SearchContext& context,
                                     const std::vector<Configuration>& configurations);

}  // namespace rooftune
