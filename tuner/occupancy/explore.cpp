#include "tuner/occupancy/explore.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

namespace rooftune {
namespace {

constexpr std::array<std::pair<Axis, std::string_view>, 3> axis_names = {
    {{Axis::block, "block"}, {Axis::registers, "regs"}, {Axis::shared, "shared"}}};

/// The first value that is not below `value`: the end of its step.
std::optional<std::size_t> step_holding(const std::vector<std::int64_t>& values,
                                        std::int64_t value) {
  const auto found = std::lower_bound(values.begin(), values.end(), value);
  return found == values.end() ? std::nullopt
                               : std::optional(static_cast<std::size_t>(found - values.begin()));
}

/// Most registers a thread, at the end of a step, with which `blocks` fit if nothing else is short.
std::optional<std::int64_t> most_registers(OccupancyRequest request, int blocks) {
  request = moved(request, Axis::shared, 0);
  const std::vector<std::int64_t> steps = steps_of(Axis::registers, limits_of(request.cc));
  const auto found = std::find_if(steps.rbegin(), steps.rend(), [&](std::int64_t step) {
    return occupancy(moved(request, Axis::registers, step)).active_blocks >= blocks;
  });
  return found == steps.rend() ? std::nullopt : std::optional(*found);
}

/// Most shared bytes a block with which `blocks` fit if nothing else is short.
std::optional<std::int64_t> most_shared(OccupancyRequest request, int blocks) {
  request = moved(request, Axis::shared, 0);
  request.registers = 0;
  return available_dynamic_shared(request, blocks);
}

/// What must change for `blocks` of the same size to fit; nullopt where nothing helps.
std::optional<Suggestion> fitting(const OccupancyRequest& request, int blocks) {
  const auto registers = most_registers(request, blocks);
  const auto shared = most_shared(request, blocks);
  if (!registers || !shared) {
    return std::nullopt;
  }
  Suggestion suggestion;
  OccupancyRequest changed = request;
  const auto lower = [&](Axis axis, std::int64_t most) {
    const std::int64_t now = value_on(request, axis);
    if (now > most) {
      suggestion.changes.push_back({axis, now, most});
      changed = moved(changed, axis, most);
    }
  };
  lower(Axis::registers, *registers);
  lower(Axis::shared, *shared);
  if (suggestion.changes.empty()) {
    return std::nullopt;  // something else forbids the launch: the block's shape
  }
  suggestion.result = occupancy(changed);
  return suggestion;
}

OccupancyRequest with_block(const OccupancyRequest& request, std::int64_t threads,
                            const SharedOfThreads& shared) {
  OccupancyRequest changed = moved(request, Axis::block, threads);
  return shared ? moved(changed, Axis::shared, shared(threads)) : changed;
}

/// The nearest better block below, or above, the request's own.
std::optional<Suggestion> better_block(const OccupancyRequest& request, int now,
                                       const SharedOfThreads& shared, bool above) {
  const std::int64_t threads = value_on(request, Axis::block);
  std::vector<std::int64_t> sizes = steps_of(Axis::block, limits_of(request.cc));
  if (!above) {
    std::reverse(sizes.begin(), sizes.end());
  }
  for (const std::int64_t size : sizes) {
    if (above ? size <= threads : size >= threads) {
      continue;
    }
    Occupancy answer = occupancy(with_block(request, size, shared));
    if (answer.active_warps > now) {
      return Suggestion{{{Axis::block, threads, size}}, std::move(answer)};
    }
  }
  return std::nullopt;
}

}  // namespace

std::string_view to_string(Axis axis) {
  return std::find_if(axis_names.begin(), axis_names.end(),
                      [&](const auto& entry) { return entry.first == axis; })
      ->second;
}

std::optional<Axis> axis_from(std::string_view name) {
  const auto found = std::find_if(axis_names.begin(), axis_names.end(),
                                  [&](const auto& entry) { return entry.second == name; });
  return found == axis_names.end() ? std::nullopt : std::optional(found->first);
}

std::int64_t value_on(const OccupancyRequest& request, Axis axis) {
  switch (axis) {
    case Axis::block:
      return static_cast<std::int64_t>(request.block.count());
    case Axis::registers:
      return request.registers;
    case Axis::shared:
      break;
  }
  return request.static_shared + request.dynamic_shared;
}

OccupancyRequest moved(OccupancyRequest request, Axis axis, std::int64_t value) {
  switch (axis) {
    case Axis::block:
      request.block = {static_cast<std::uint64_t>(value), 1, 1};
      break;
    case Axis::registers:
      request.registers = static_cast<int>(value);
      break;
    case Axis::shared:
      request.static_shared = std::min(request.static_shared, value);
      request.dynamic_shared = value - request.static_shared;
      break;
  }
  return request;
}

std::vector<std::int64_t> steps_of(Axis axis, const MultiprocessorLimits& limits) {
  std::int64_t first = warp_size;
  std::int64_t step = warp_size;
  std::int64_t last = limits.threads_per_block;
  if (axis == Axis::registers) {
    first = step = limits.register_granule / warp_size;
    last = limits.registers_per_thread;
  } else if (axis == Axis::shared) {
    first = 0;
    step = limits.shared_granule;
    last = limits.shared_opt_in;
  }
  std::vector<std::int64_t> values;
  for (std::int64_t value = first; value <= last; value += step) {
    values.push_back(value);
  }
  if (values.back() != last) {
    values.push_back(last);  // 255 registers: the last step is cut short
  }
  return values;
}

Sweep sweep(const OccupancyRequest& base, Axis axis, std::vector<std::int64_t> values,
            bool marked) {
  Sweep result;
  result.base = base;
  result.axis = axis;
  result.current = marked ? step_holding(values, value_on(base, axis)) : std::nullopt;
  result.answers.reserve(values.size());
  for (const std::int64_t value : values) {
    result.answers.push_back(occupancy(moved(base, axis, value)));
  }
  result.values = std::move(values);
  return result;
}

HeatMap heat_map(const OccupancyRequest& base, Axis x, std::vector<std::int64_t> xs, Axis y,
                 std::vector<std::int64_t> ys, bool marked) {
  HeatMap map;
  map.base = base;
  map.x = x;
  map.y = y;
  if (marked) {
    map.current_x = step_holding(xs, value_on(base, x));
    map.current_y = step_holding(ys, value_on(base, y));
  }
  map.cells.reserve(xs.size() * ys.size());
  for (const std::int64_t row : ys) {
    const OccupancyRequest request = moved(base, y, row);
    for (const std::int64_t column : xs) {
      const Occupancy answer = occupancy(moved(request, x, column));
      map.cells.push_back({answer.active_blocks, answer.active_warps});
    }
  }
  map.xs = std::move(xs);
  map.ys = std::move(ys);
  return map;
}

std::vector<Suggestion> suggestions(const OccupancyRequest& request,
                                    const SharedOfThreads& shared) {
  const Occupancy now = occupancy(request);
  std::vector<Suggestion> found;
  const auto add = [&](std::optional<Suggestion> suggestion) {
    const bool known = suggestion && !found.empty() &&
                       found.back().result.active_blocks == suggestion->result.active_blocks &&
                       found.back().changes.front().axis == suggestion->changes.front().axis;
    if (suggestion && !known) {
      found.push_back(std::move(*suggestion));
    }
  };
  const int most = std::min(now.by_blocks.value_or(0), now.by_warps.value_or(0));
  if (now.active_blocks < most) {
    add(fitting(request, now.active_blocks + 1));
    add(fitting(request, most));
  }
  add(better_block(request, now.active_warps, shared, false));
  add(better_block(request, now.active_warps, shared, true));
  return found;
}

std::optional<BestBlock> best_block(const OccupancyRequest& request,
                                    const SharedOfThreads& shared) {
  std::optional<BestBlock> best;
  for (const std::int64_t threads : steps_of(Axis::block, limits_of(request.cc))) {
    const OccupancyRequest here = with_block(request, threads, shared);
    Occupancy answer = occupancy(here);
    if (answer.launchable && (!best || answer.active_warps >= best->result.active_warps)) {
      best = BestBlock{threads, value_on(here, Axis::shared), std::move(answer)};
    }
  }
  return best;
}

std::optional<Waves> waves_of(std::uint64_t blocks, int active_blocks, int multiprocessors) {
  if (active_blocks < 1 || multiprocessors < 1) {
    return std::nullopt;
  }
  const auto at_once =
      static_cast<std::uint64_t>(active_blocks) * static_cast<std::uint64_t>(multiprocessors);
  Waves waves;
  waves.waves = static_cast<double>(blocks) / static_cast<double>(at_once);
  waves.full = blocks / at_once;
  waves.tail_blocks = blocks % at_once;
  waves.tail_share = static_cast<double>(waves.tail_blocks) / static_cast<double>(at_once);
  waves.lost = blocks == 0 ? 0 : 1 - waves.waves / std::ceil(waves.waves);
  return waves;
}

}  // namespace rooftune
