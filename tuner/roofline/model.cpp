#include "tuner/roofline/model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace rooftune::model {
namespace {

double amount_at(const std::map<Level, double>& amounts, Level level) {
  const auto found = amounts.find(level);
  return found == amounts.end() ? 0 : found->second;
}

std::string without_per_second(const std::string& text) {
  return text.substr(0, text.size() - 2);
}

}  // namespace

double moved_bytes(const Work& work, Level level) {
  const double traffic = amount_at(work.traffic, level);
  return traffic > 0 ? traffic : amount_at(work.bytes, level);
}

double compulsory_bytes(const Work& work, Level level) {
  const double bytes = amount_at(work.bytes, level);
  return bytes > 0 ? bytes : amount_at(work.traffic, level);
}

std::string compute_roof_name(const DeviceProfile& device, ComputeUnit unit) {
  const bool short_float = unit.precision != Precision::fp64 && unit.precision != Precision::int8;
  return device.kind == DeviceKind::host && short_float ? "fp32" : to_string(unit);
}

const Roof* compute_roof(const DeviceProfile& device, ComputeUnit unit) {
  return device.roof(RoofKind::compute, compute_roof_name(device, unit));
}

std::optional<PipeTime> pipe_time(const Work& work, const DeviceProfile& device, bool tensor) {
  PipeTime pipe;
  for (const auto& [unit, flops] : work.flops) {
    const Roof* roof = compute_roof(device, unit);
    if (unit.tensor != tensor || flops <= 0 || roof == nullptr) {
      continue;
    }
    const std::string separator = pipe.name.empty() ? "" : " + ";
    pipe.seconds += flops / roof->value;
    pipe.name += separator + to_string(unit);
    pipe.basis += fmt::format("{}{} {} at {}", separator, flop_text(flops), to_string(unit),
                              roof_text(*roof));
    const double peak = device.theoretical(RoofKind::compute, compute_roof_name(device, unit));
    if (peak > 0) {
      pipe.provable_seconds = std::max(pipe.provable_seconds, flops / peak);
    }
  }
  return pipe.name.empty() ? std::nullopt : std::optional(pipe);
}

std::string bytes_text(double bytes) {
  return without_per_second(format_bandwidth(bytes));
}

std::string flop_text(double flops) {
  return without_per_second(format_flops(flops));
}

std::string roof_text(const Roof& roof) {
  switch (roof.kind) {
    case RoofKind::compute:
      return fmt::format("{} ({})", format_flops(roof.value), to_string(roof.source));
    case RoofKind::bandwidth:
      return fmt::format("{} ({})", format_bandwidth(roof.value), to_string(roof.source));
    case RoofKind::issue:
      return fmt::format("{:.3g} warp instructions/s ({})", roof.value, to_string(roof.source));
    case RoofKind::latency:
      break;
  }
  return format_seconds(roof.value);
}

Bound bound_of(Level level) {
  switch (level) {
    case Level::dram:
      return Bound::dram;
    case Level::l2:
      return Bound::l2;
    case Level::l1:
      return Bound::l1;
    case Level::shared:
      break;
  }
  return Bound::shared;
}

double GridShape::idle_factor(const DeviceProfile& device) const {
  const double per_multiprocessor = device.schedulers();
  const double all = per_multiprocessor * multiprocessors;
  double used = std::min({all, warps, blocks * per_multiprocessor});
  if (resident_warps > 0) {
    used = std::min(used, resident_warps * multiprocessors);
  }
  return all / used;
}

double GridShape::imbalance() const {
  return std::ceil(blocks / multiprocessors) * multiprocessors / blocks;
}

double GridShape::waves() const {
  return blocks / (multiprocessors * std::max(1.0, resident_blocks));
}

std::optional<GridShape> grid_shape(const ModelInput& input, const DeviceProfile& device) {
  if (!input.launch || device.multiprocessors <= 0) {
    return std::nullopt;
  }
  GridShape shape;
  shape.blocks = static_cast<double>(input.launch->grid.count());
  shape.multiprocessors = device.multiprocessors;
  // A worker of the host runs one block at a time: a block is its warp.
  const double warps_per_block =
      device.kind == DeviceKind::host
          ? 1
          : std::ceil(static_cast<double>(input.launch->block.count()) / warp_lanes);
  shape.warps = shape.blocks * warps_per_block;
  if (input.occupancy && input.occupancy->launchable) {
    shape.resident_warps = input.occupancy->active_warps;
    shape.resident_blocks = input.occupancy->active_blocks;
  }
  return shape;
}

bool knows_limits(const DeviceProfile& device) {
  const std::vector<MultiprocessorLimits>& known = all_limits();
  return device.kind == DeviceKind::cuda &&
         std::any_of(known.begin(), known.end(),
                     [&](const MultiprocessorLimits& limits) { return limits.cc == device.cc; });
}

}  // namespace rooftune::model

namespace rooftune {

ModelInput model_input(const Geometry& geometry, const DeviceProfile& device,
                       const std::optional<Resources>& compiled) {
  ModelInput input;
  input.work = geometry.work;
  input.launch = geometry.launch;
  input.resources = compiled;
  input.is_expected = !compiled;
  if (!compiled && (geometry.registers || geometry.shared_bytes)) {
    Resources expected;
    expected.registers = geometry.registers.value_or(0);
    expected.static_shared = geometry.shared_bytes.value_or(0);
    input.resources = expected;
  }
  if (geometry.launch && model::knows_limits(device)) {
    const Resources resources = input.resources.value_or(Resources{});
    OccupancyRequest request;
    request.cc = device.cc;
    request.block = geometry.launch->block;
    request.registers = resources.registers;
    request.static_shared = resources.static_shared;
    request.dynamic_shared = static_cast<std::int64_t>(geometry.launch->shared_bytes);
    input.occupancy = occupancy(request);
  }
  return input;
}

}  // namespace rooftune
