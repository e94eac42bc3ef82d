// Occupancy answers as JSON. Bytes, unless a name says otherwise.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "tuner/occupancy/explore.hpp"

namespace rooftune::cli {

using Json = nlohmann::ordered_json;

/// active_blocks, active_warps, occupancy (0 to 1), limits {blocks, warps, registers, shared} (null
/// where unused), limited_by, launchable, reason, active_blocks_without_opt_in, and the question.
Json occupancy_json(const OccupancyRequest& request, const Occupancy& answer);
/// Adds active_blocks, active_warps, occupancy, limited_by and launchable.
void add_answer(Json& json, const Occupancy& answer);
Json suggestions_json(const std::vector<Suggestion>& suggestions);
Json best_block_json(const BestBlock& best);
Json sweep_json(const Sweep& sweep);
Json heat_map_json(const HeatMap& map);

}  // namespace rooftune::cli
