#include "tuner/cli/occupancy/json.hpp"

namespace rooftune::cli {
namespace {

Json or_null(const std::optional<int>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json names(const std::vector<Resource>& resources) {
  Json list = Json::array();
  for (const Resource resource : resources) {
    list.push_back(to_string(resource));
  }
  return list;
}

Json axis_json(Axis axis, const std::vector<std::int64_t>& values,
               const std::optional<std::size_t>& current) {
  return {{"axis", to_string(axis)},
          {"values", values},
          {"current", current ? Json(values[*current]) : Json(nullptr)}};
}

}  // namespace

void add_answer(Json& json, const Occupancy& answer) {
  json["active_blocks"] = answer.active_blocks;
  json["active_warps"] = answer.active_warps;
  json["occupancy"] = answer.fraction;
  json["limited_by"] = names(answer.limited_by);
  json["launchable"] = answer.launchable;
}

Json occupancy_json(const OccupancyRequest& request, const Occupancy& answer) {
  OccupancyRequest plain = request;
  plain.opt_in = false;
  const Dim3& block = request.block;
  Json json;
  json["compute_capability"] = to_string(request.cc);
  json["block"] = {block.x, block.y, block.z};
  json["registers"] = request.registers;
  json["static_shared"] = request.static_shared;
  json["dynamic_shared"] = request.dynamic_shared;
  json["carveout"] = carveout_in_force(request);
  add_answer(json, answer);
  json["limits"] = {{"blocks", or_null(answer.by_blocks)},
                    {"warps", or_null(answer.by_warps)},
                    {"registers", or_null(answer.by_registers)},
                    {"shared", or_null(answer.by_shared)}};
  json["reason"] = answer.reason;
  json["active_blocks_without_opt_in"] = occupancy(plain).active_blocks;
  const auto available = available_dynamic_shared(request, std::max(1, answer.active_blocks));
  json["available_dynamic_shared"] = available ? Json(*available) : Json(nullptr);
  return json;
}

Json suggestions_json(const std::vector<Suggestion>& suggestions) {
  Json list = Json::array();
  for (const Suggestion& suggestion : suggestions) {
    Json changes = Json::array();
    for (const Change& change : suggestion.changes) {
      changes.push_back(
          {{"axis", to_string(change.axis)}, {"from", change.from}, {"to", change.to}});
    }
    Json json = {{"changes", std::move(changes)}};
    add_answer(json, suggestion.result);
    list.push_back(std::move(json));
  }
  return list;
}

Json best_block_json(const BestBlock& best) {
  Json json = {{"threads", best.threads}, {"shared", best.shared_bytes}};
  add_answer(json, best.result);
  return json;
}

Json sweep_json(const Sweep& sweep) {
  Json points = Json::array();
  for (std::size_t i = 0; i < sweep.values.size(); ++i) {
    Json point = {{"value", sweep.values[i]}};
    add_answer(point, sweep.answers[i]);
    point["current"] = sweep.current == i;
    points.push_back(std::move(point));
  }
  return {{"compute_capability", to_string(sweep.base.cc)},
          {"axis", to_string(sweep.axis)},
          {"points", std::move(points)}};
}

Json heat_map_json(const HeatMap& map) {
  Json blocks = Json::array();
  Json warps = Json::array();
  for (std::size_t iy = 0; iy < map.ys.size(); ++iy) {
    Json block_row = Json::array();
    Json warp_row = Json::array();
    for (std::size_t ix = 0; ix < map.xs.size(); ++ix) {
      block_row.push_back(map.at(ix, iy).active_blocks);
      warp_row.push_back(map.at(ix, iy).active_warps);
    }
    blocks.push_back(std::move(block_row));
    warps.push_back(std::move(warp_row));
  }
  return {{"compute_capability", to_string(map.base.cc)},
          {"warps", limits_of(map.base.cc).warps},
          {"x", axis_json(map.x, map.xs, map.current_x)},
          {"y", axis_json(map.y, map.ys, map.current_y)},
          {"active_blocks", std::move(blocks)},
          {"active_warps", std::move(warps)}};
}

}  // namespace rooftune::cli
