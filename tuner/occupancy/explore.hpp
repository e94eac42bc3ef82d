// Exploring occupancy: what a change of the block, the registers or the shared memory would give.
// Pure.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "tuner/occupancy/occupancy.hpp"

namespace rooftune {

/// What may be varied: threads a block, registers a thread, shared bytes a block (static and
/// dynamic together).
enum class Axis { block, registers, shared };
/// "block", "regs", "shared": as the command line spells them.
std::string_view to_string(Axis axis);
std::optional<Axis> axis_from(std::string_view name);

/// Where a request stands on an axis.
std::int64_t value_on(const OccupancyRequest& request, Axis axis);
/// The same request elsewhere on an axis. A block becomes one-dimensional; of shared memory the
/// dynamic part changes, and the static one where even that is too much.
OccupancyRequest moved(OccupancyRequest request, Axis axis, std::int64_t value);

/// The last value of every allocation step, ascending: whole warps, multiples of 8 registers,
/// granules of shared memory. Values within a step have the same answer.
std::vector<std::int64_t> steps_of(Axis axis, const MultiprocessorLimits& limits);

struct Sweep {
  OccupancyRequest base;
  Axis axis = Axis::block;
  std::vector<std::int64_t> values;
  std::vector<Occupancy> answers;      ///< one for each value
  std::optional<std::size_t> current;  ///< the value whose step the base lies in
};
/// `marked`: whether the base is a point of its own, to be shown.
Sweep sweep(const OccupancyRequest& base, Axis axis, std::vector<std::int64_t> values,
            bool marked = true);

struct HeatMap {
  struct Cell {
    int active_blocks = 0;
    int active_warps = 0;
  };
  OccupancyRequest base;
  Axis x = Axis::block;
  Axis y = Axis::registers;
  std::vector<std::int64_t> xs;
  std::vector<std::int64_t> ys;
  std::vector<Cell> cells;  ///< row by row: cells[iy * xs.size() + ix]
  std::optional<std::size_t> current_x, current_y;

  const Cell& at(std::size_t ix, std::size_t iy) const { return cells[iy * xs.size() + ix]; }
};
HeatMap heat_map(const OccupancyRequest& base, Axis x, std::vector<std::int64_t> xs, Axis y,
                 std::vector<std::int64_t> ys, bool marked = true);

/// One change of a suggestion. `to` is the last value of an allocation step.
struct Change {
  Axis axis = Axis::registers;
  std::int64_t from = 0;
  std::int64_t to = 0;
};
/// Changes that together raise the occupancy.
struct Suggestion {
  std::vector<Change> changes;
  Occupancy result;
};

/// Shared bytes a block as a function of its threads; empty where they do not depend on them.
using SharedOfThreads = std::function<std::int64_t(std::int64_t)>;

/// Steps that raise the occupancy, least change first: the next block that fits with fewer
/// registers or less shared memory (both, where both limit), all that fit, and the nearest smaller
/// and larger blocks that are better. Equal for requests that the hardware cannot tell apart.
std::vector<Suggestion> suggestions(const OccupancyRequest& request,
                                    const SharedOfThreads& shared = {});

/// The largest block (a multiple of a warp) among those of the highest occupancy; nullopt where
/// none can launch. What cudaOccMaxPotentialOccupancyBlockSize answers.
struct BestBlock {
  std::int64_t threads = 0;
  std::int64_t shared_bytes = 0;
  Occupancy result;
};
std::optional<BestBlock> best_block(const OccupancyRequest& request,
                                    const SharedOfThreads& shared = {});

/// How a grid of blocks fills a device.
struct Waves {
  double waves = 0;               ///< blocks over what the device holds at once
  std::uint64_t full = 0;         ///< waves that fill the device
  std::uint64_t tail_blocks = 0;  ///< blocks of the last wave, where it does not
  double tail_share = 0;          ///< of the device that the last wave keeps busy; 0 without a tail
  double lost = 0;                ///< share of all slots in all waves that stay empty
};
/// nullopt where no block fits.
std::optional<Waves> waves_of(std::uint64_t blocks, int active_blocks, int multiprocessors);

}  // namespace rooftune
