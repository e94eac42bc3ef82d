// Occupancy charts of a run's best configuration, for the report.
#pragma once

#include <string>

#include "tuner/session/results.hpp"

namespace rooftune {

/// HTML: what other registers, blocks and shared memory would give, with the best marked. Empty for
/// a run on the host, and where the best configuration's resources are not known.
std::string occupancy_figures(const Results& results);

}  // namespace rooftune
