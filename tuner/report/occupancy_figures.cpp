#include "tuner/report/occupancy_figures.hpp"

#include <algorithm>

#include "tuner/occupancy/chart.hpp"

namespace rooftune {
namespace {

std::string figure(const std::string& svg, const std::string& caption) {
  return "<figure class=\"occupancy\">" + svg + "<figcaption>" + caption +
         "</figcaption></figure>\n";
}

bool has_limits(ComputeCapability cc) {
  const auto& all = all_limits();
  return std::any_of(all.begin(), all.end(), [cc](const auto& limits) { return limits.cc == cc; });
}

}  // namespace

std::string occupancy_figures(const Results& results) {
  const Record* best = results.best();
  if (results.device.kind != DeviceKind::cuda || !has_limits(results.device.cc) ||
      best == nullptr || !best->resources || best->problems.empty()) {
    return "";
  }
  const Launch& launch = best->problems.front().launch;
  OccupancyRequest request;
  request.cc = results.device.cc;
  request.block = launch.block;
  request.registers = best->resources->registers;
  request.static_shared = best->resources->static_shared;
  request.dynamic_shared = static_cast<std::int64_t>(launch.shared_bytes);
  const MultiprocessorLimits& limits = limits_of(request.cc);
  const auto steps = [&](Axis axis) { return steps_of(axis, limits); };
  const HeatMap map =
      heat_map(request, Axis::block, steps(Axis::block), Axis::registers, steps(Axis::registers));
  return figure(heat_map_svg(map),
                "Other blocks and registers; the best configuration is framed.") +
         figure(sweep_svg(sweep(request, Axis::shared, steps(Axis::shared))),
                "Other amounts of shared memory, all else the same.");
}

}  // namespace rooftune
