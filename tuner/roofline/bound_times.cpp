#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tuner/roofline/model.hpp"

namespace rooftune {
namespace {

constexpr std::array all_levels = {Level::dram, Level::l2, Level::l1, Level::shared};

/// A warp moves at most 16 bytes a lane with one instruction.
constexpr double bytes_per_warp_instruction = 16 * model::warp_lanes;
/// Clocks of one read of DRAM with nothing else under way: 400 or more from Volta on
/// (microbenchmarks), so this is a floor.
constexpr double dram_latency_clocks = 400;

/// Lanes of the special-function pipe of a multiprocessor, compute capability 5.0 to 12.x (CUDA C++
/// Programming Guide, throughput of arithmetic instructions).
constexpr double special_lanes = 16;
/// What of the instruction cache code may fill before warps wait for instructions. The caches are
/// 128 KiB (Volta and later, microbenchmarks), and warps at different places share them.
constexpr double instruction_cache_bytes = 64.0 * 1024;

/// Collects the times of one configuration.
class Collector {
 public:
  Collector(const ModelInput& input, const DeviceProfile& device)
      : input_(input), device_(device), grid_(model::grid_shape(input, device)) {}

  BoundTimes collect() {
    for (const Level level : all_levels) {
      add_level(level);
    }
    add_pipe(Bound::fp, model::pipe_time(input_.work, device_, false));
    add_pipe(Bound::tensor, model::pipe_time(input_.work, device_, true));
    add_issue();
    if (grid_) {
      add_warp_pipes(*grid_);
      add_idle_schedulers(*grid_);
      add_tail(*grid_);
      add_latency(*grid_);
      add_warp_clocks(*grid_);
    }
    if (const Roof* launch = device_.roof(RoofKind::latency, "launch")) {
      add(Bound::launch, launch->value, false, "one launch: " + model::roof_text(*launch));
    }
    std::stable_sort(times_.begin(), times_.end(),
                     [](const auto& a, const auto& b) { return a.seconds > b.seconds; });
    return std::move(times_);
  }

 private:
  void add(Bound bound, double seconds, bool provable, std::string basis) {
    if (seconds > 0) {
      times_.push_back({bound, seconds, provable, std::move(basis)});
    }
  }

  /// One entry where the two times agree, else the provable one beside the roof's.
  void add_with_proof(Bound bound, double seconds, double provable, const std::string& basis,
                      const std::string& proof) {
    const bool same = provable >= seconds * (1 - 1e-9);
    add(bound, seconds, same, basis);
    if (!same) {
      add(bound, provable, true, proof);
    }
  }

  void add_level(Level level) {
    const std::string name(to_string(level));
    const Roof* roof = device_.roof(RoofKind::bandwidth, name);
    const double moved = model::moved_bytes(input_.work, level);
    if (roof == nullptr || moved <= 0) {
      return;
    }
    const double certain = certain_bytes(level);
    const double peak = device_.theoretical(RoofKind::bandwidth, name);
    add_with_proof(
        model::bound_of(level), moved / roof->value, peak > 0 ? certain / peak : 0,
        fmt::format("{} at {}", model::bytes_text(moved), model::roof_text(*roof)),
        fmt::format("{} at no more than {}", model::bytes_text(certain), format_bandwidth(peak)));
  }

  /// Bytes that no implementation of this configuration can avoid moving at the level: the
  /// compulsory ones. Traffic is a model, of shared memory too: compilers keep in registers what an
  /// author counts as read again.
  double certain_bytes(Level level) const {
    const auto found = input_.work.bytes.find(level);
    const double compulsory = found == input_.work.bytes.end() ? 0 : found->second;
    // As much as the L2 holds may be there before, or stay there after.
    const double kept = level == Level::dram ? static_cast<double>(device_.l2_bytes) : 0;
    return std::max(0.0, compulsory - kept);
  }

  void add_pipe(Bound bound, const std::optional<model::PipeTime>& pipe) {
    if (!pipe) {
      return;
    }
    add_with_proof(bound, pipe->seconds, pipe->provable_seconds, pipe->basis,
                   fmt::format("{} at theoretical peaks", pipe->name));
    pipe_seconds_ = std::max(pipe_seconds_, pipe->seconds);
    pipe_provable_ = std::max(pipe_provable_, pipe->provable_seconds);
  }

  /// A floor of the instructions: FMAs with full lanes, and the widest loads of shared memory and
  /// L1. What the compiler adds is not in it.
  void add_issue() {
    const Roof* roof = device_.roof(RoofKind::issue, "issue");
    if (roof == nullptr) {
      return;
    }
    if (input_.work.warp.instructions > 0 && grid_) {
      const double issued = grid_->warps * input_.work.warp.instructions;
      add(Bound::issue, issued / roof->value, false,
          fmt::format("{:.3g} warp instructions at {}", issued, model::roof_text(*roof)));
      return;
    }
    double instructions = 0;
    for (const auto& [unit, flops] : input_.work.flops) {
      const bool packed = unit.precision == Precision::fp16 || unit.precision == Precision::bf16;
      const double per_lane = unit.precision == Precision::int8 ? 8 : packed ? 4 : 2;
      instructions += unit.tensor ? 0 : flops / (per_lane * model::warp_lanes);
    }
    for (const Level level : {Level::l1, Level::shared}) {
      instructions += model::moved_bytes(input_.work, level) / bytes_per_warp_instruction;
    }
    add(Bound::issue, instructions / roof->value, false,
        fmt::format("{:.3g} warp instructions at least, at {}", instructions,
                    model::roof_text(*roof)));
  }

  /// The clock behind the roofs, which is below the maximum: one instruction a scheduler and clock.
  double clock(const model::GridShape& grid) const {
    const Roof* issue = device_.roof(RoofKind::issue, "issue");
    const double schedulers = device_.schedulers() * grid.multiprocessors;
    return issue == nullptr ? device_.clock_hz : issue->value / schedulers;
  }

  /// What the spec counts of each warp, on the pipes of a multiprocessor.
  void add_warp_pipes(const model::GridShape& grid) {
    const WarpWork& warp = input_.work.warp;
    if (device_.kind == DeviceKind::host) {
      return;
    }
    const Roof* fp32 = device_.roof(RoofKind::compute, "fp32");
    if (warp.fp > 0 && fp32 != nullptr) {
      const double issued = grid.warps * warp.fp;
      add(Bound::fp, issued * 2 * model::warp_lanes / fp32->value, false,
          fmt::format("{:.3g} warp instructions on the fp32 pipe at {}", issued,
                      model::roof_text(*fp32)));
    }
    const double rate = special_lanes * grid.multiprocessors * clock(grid);
    if (warp.special > 0 && rate > 0) {
      const double lanes = grid.warps * warp.special * model::warp_lanes;
      add(Bound::special, lanes / rate, false,
          fmt::format("{:.3g} special functions at {:.3g}/s", lanes, rate));
    }
  }

  /// Clocks that a warp or a block takes by itself, one set of resident ones after the other.
  void add_warp_clocks(const model::GridShape& grid) {
    const WarpWork& warp = input_.work.warp;
    if (grid.resident_blocks <= 0 || clock(grid) <= 0) {
      return;
    }
    const double sets = grid.warps / (grid.resident_warps * grid.multiprocessors);
    const double chain = std::max(sets, 1.0) * warp.chain / clock(grid);
    add(Bound::latency, chain, false,
        fmt::format("{:.0f} clocks a warp, {:.0f} warps at once a multiprocessor", warp.chain,
                    grid.resident_warps));
    const double fits = std::pow(instruction_cache_bytes / std::max(warp.code, 1.0), 3);
    add(Bound::fetch, warp.code > 0 ? chain / (1 + fits) : 0, false,
        fmt::format("{} of code", format_bytes(warp.code)));
    const double waves = std::ceil(grid.waves());
    add(Bound::barriers, waves * warp.wait / clock(grid), false,
        fmt::format("{:.0f} waves, {:.0f} clocks of waiting a block", waves, warp.wait));
  }

  /// Schedulers without a warp do nothing: holds whatever the kernel does.
  void add_idle_schedulers(const model::GridShape& grid) {
    const double factor = grid.idle_factor(device_);
    if (factor <= 1 || pipe_seconds_ <= 0) {
      return;
    }
    const bool by_grid = grid.blocks < grid.multiprocessors ||
                         grid.warps < grid.multiprocessors * device_.schedulers();
    const Bound bound = by_grid ? Bound::grid_size : Bound::occupancy;
    const std::string basis =
        fmt::format("{:.0f} blocks, {:.0f} warps: {} of the schedulers have work", grid.blocks,
                    grid.warps, format_percent(1 / factor));
    const double proven = by_grid || !input_.is_expected ? pipe_provable_ * factor : 0;
    add_with_proof(bound, pipe_seconds_ * factor, proven, basis, basis);
  }

  /// The fullest multiprocessor against the mean. Blocks at the rim may do less, so it proves
  /// nothing.
  void add_tail(const model::GridShape& grid) {
    const double factor = grid.imbalance();
    if (factor <= 1 || grid.blocks <= grid.multiprocessors) {
      return;
    }
    double local = 0;  // what each multiprocessor does by itself
    for (const BoundTime& time : times_) {
      const bool shared_by_all = time.bound == Bound::dram || time.bound == Bound::l2 ||
                                 time.bound == Bound::grid_size || time.bound == Bound::occupancy;
      local = shared_by_all ? local : std::max(local, time.seconds);
    }
    add(Bound::tail, local * factor, false,
        fmt::format("{:.0f} blocks on {:.0f} multiprocessors: {:.0f} rounds for {:.2f} of work",
                    grid.blocks, grid.multiprocessors,
                    std::ceil(grid.blocks / grid.multiprocessors),
                    grid.blocks / grid.multiprocessors));
  }

  /// Each wave waits for DRAM at least once, and bytes in flight over the latency cap the bandwidth
  /// (Little's law), 16 bytes a thread at a time.
  void add_latency(const model::GridShape& grid) {
    const double bytes = model::moved_bytes(input_.work, Level::dram);
    if (device_.kind == DeviceKind::host || device_.clock_hz <= 0 || bytes <= 0) {
      return;
    }
    const double latency = dram_latency_clocks / device_.clock_hz;
    const double waves = grid.resident_blocks > 0 ? std::ceil(grid.waves()) : 1;
    double resident = grid.warps;
    if (grid.resident_warps > 0) {
      resident = std::min(resident, grid.resident_warps * grid.multiprocessors);
    }
    const double round_trips = waves * latency;
    const double in_flight = resident * bytes_per_warp_instruction;
    const double little = bytes * latency / in_flight;
    add(Bound::latency, std::max(round_trips, little), false,
        little > round_trips
            ? fmt::format("{} in flight with 16 bytes a thread, {} a round trip to DRAM",
                          model::bytes_text(in_flight), format_seconds(latency))
            : fmt::format("{:.0f} waves, {} a round trip to DRAM", waves, format_seconds(latency)));
  }

  const ModelInput& input_;
  const DeviceProfile& device_;
  std::optional<model::GridShape> grid_;
  BoundTimes times_;
  double pipe_seconds_ = 0;
  double pipe_provable_ = 0;
};

}  // namespace

BoundTimes bound_times(const ModelInput& input, const DeviceProfile& device) {
  return Collector(input, device).collect();
}

double seconds_of(const BoundTimes& times, Bound bound) {
  double longest = 0;
  for (const BoundTime& time : times) {
    longest = time.bound == bound ? std::max(longest, time.seconds) : longest;
  }
  return longest;
}

double lower_bound_seconds(const BoundTimes& times) {
  double longest = 0;
  for (const BoundTime& time : times) {
    longest = time.provable ? std::max(longest, time.seconds) : longest;
  }
  return longest;
}

}  // namespace rooftune
