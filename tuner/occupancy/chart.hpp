// Occupancy charts: sweeps and heat maps as text for a terminal, CSV and SVG. Pure.
#pragma once

#include <string>

#include "tuner/occupancy/explore.hpp"

namespace rooftune {

/// "compute capability 8.6, 256 threads, 72 registers, 8192 B shared memory", without what the
/// axes vary.
std::string describe(const OccupancyRequest& request, const std::vector<Axis>& varied = {});
/// "registers, shared".
std::string names_of(const std::vector<Resource>& resources);

/// A line for each run of values with the same answer, a bar, and `*` at the current one.
std::string sweep_text(const Sweep& sweep);
/// One character a cell: tenths of the occupancy, `#` for all of it, `.` where it cannot launch;
/// the current cell in brackets.
std::string heat_map_text(const HeatMap& map);

/// A line for each value; `current` is 1 in one of them.
std::string sweep_csv(const Sweep& sweep);
std::string heat_map_csv(const HeatMap& map);

/// Complete SVG documents, with the current point marked.
std::string sweep_svg(const Sweep& sweep);
std::string heat_map_svg(const HeatMap& map);

}  // namespace rooftune
