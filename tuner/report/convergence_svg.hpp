// How fast policies converge on a recording, as a drawing.
#pragma once

#include <string>
#include <vector>

#include "search/scoring.hpp"

namespace rooftune {

/// A complete SVG document: mean best time over optimum against evaluations, a line per policy.
std::string convergence_svg(const std::vector<PolicyScore>& scores, const std::string& title);

}  // namespace rooftune
