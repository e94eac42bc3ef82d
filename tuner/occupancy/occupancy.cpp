#include "tuner/occupancy/occupancy.hpp"

#include <cuda_occupancy.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <climits>
#include <utility>

#include "tuner/core/error.hpp"

namespace rooftune {
namespace {

constexpr std::int64_t kib = 1024;

/// What cuda_occupancy.h asks from the device, as the driver reports it for each architecture.
struct Row {
  ComputeCapability cc;
  int warps;
  std::int64_t shared_kib;
  std::int64_t opt_in_kib;
  int registers_per_block = 65536;
};

// NVIDIA, CUDA C++ Programming Guide, technical specifications per compute capability. 6.2: the
// guide of CUDA 8 prints 4096 threads, the driver of a Jetson TX2 reports 2048. 10.1 is the name
// that 11.0 had before CUDA 13.
constexpr std::array rows = {
    Row{{6, 0}, 64, 64, 48},    Row{{6, 1}, 64, 96, 48},    Row{{6, 2}, 64, 64, 48, 32768},
    Row{{7, 0}, 64, 96, 96},    Row{{7, 2}, 64, 96, 96},    Row{{7, 5}, 32, 64, 64},
    Row{{8, 0}, 64, 164, 163},  Row{{8, 6}, 48, 100, 99},   Row{{8, 7}, 48, 164, 163},
    Row{{8, 8}, 48, 100, 99},   Row{{8, 9}, 48, 100, 99},   Row{{9, 0}, 64, 228, 227},
    Row{{10, 0}, 64, 228, 227}, Row{{10, 1}, 48, 228, 227}, Row{{10, 3}, 64, 228, 227},
    Row{{11, 0}, 48, 228, 227}, Row{{12, 0}, 48, 100, 99},  Row{{12, 1}, 48, 100, 99},
};

cudaOccDeviceProp device_of(const MultiprocessorLimits& limits) {
  cudaOccDeviceProp device;
  device.computeMajor = limits.cc.major;
  device.computeMinor = limits.cc.minor;
  device.maxThreadsPerBlock = limits.threads_per_block;
  device.maxThreadsPerMultiprocessor = limits.warps * warp_size;
  device.regsPerBlock = limits.registers_per_block;
  device.regsPerMultiprocessor = limits.registers;
  device.warpSize = warp_size;
  device.sharedMemPerBlock = static_cast<std::size_t>(limits.shared_per_block);
  device.sharedMemPerMultiprocessor = static_cast<std::size_t>(limits.shared);
  device.numSms = 1;  // plays no part in what one multiprocessor holds
  device.sharedMemPerBlockOptin = static_cast<std::size_t>(limits.shared_opt_in);
  device.reservedSharedMemPerBlock = static_cast<std::size_t>(limits.shared_reserved);
  return device;
}

/// The sizes to which the header rounds a carve-out, found by asking it for one byte more each
/// time. Before compute capability 7.0 there is nothing to choose.
std::vector<std::int64_t> carveouts_of(const MultiprocessorLimits& limits) {
  if (limits.cc.major < 7) {
    return {limits.shared};
  }
  const cudaOccDeviceProp device = device_of(limits);
  std::vector<std::int64_t> sizes;
  std::size_t size = 0;
  while (cudaOccAlignUpShmemSizeVoltaPlus(&size, &device) == CUDA_OCC_SUCCESS) {
    sizes.push_back(static_cast<std::int64_t>(size));
    ++size;
  }
  return sizes;
}

MultiprocessorLimits limits_from(const Row& row) {
  MultiprocessorLimits limits;
  limits.cc = row.cc;
  limits.warps = row.warps;
  limits.registers = 65536;
  limits.registers_per_block = row.registers_per_block;
  limits.shared = row.shared_kib * kib;
  limits.shared_per_block = 48 * kib;
  limits.shared_opt_in = row.opt_in_kib * kib;
  limits.shared_reserved = row.cc.major >= 8 ? kib : 0;
  const cudaOccDeviceProp device = device_of(limits);
  int shared_granule = 0;
  cudaOccMaxBlocksPerMultiprocessor(&limits.blocks, &device);
  cudaOccRegAllocationGranularity(&limits.register_granule, &device);
  cudaOccSubPartitionsPerMultiprocessor(&limits.sub_partitions, &device);
  cudaOccSMemAllocationGranularity(&shared_granule, &device);
  limits.shared_granule = shared_granule;
  limits.carveouts = carveouts_of(limits);
  return limits;
}

/// An int for the header, which multiplies what it is given: cut where nothing fits any more.
template <typename T>
int cut(T amount, int most) {
  return static_cast<int>(std::min<T>(amount, most));
}

constexpr int most_threads = 1 << 16;
constexpr int register_cut = 1 << 10;
constexpr int shared_cut = 1 << 22;

std::uint64_t threads_of(const Dim3& block) {
  // Each side is clamped first so that the product cannot wrap.
  constexpr std::uint64_t most = 1 << 20;
  return std::min(block.x, most) * std::min(block.y, most) * std::min(block.z, most);
}

void refuse_nonsense(const OccupancyRequest& request, const MultiprocessorLimits& limits) {
  if (request.block.x == 0 || request.block.y == 0 || request.block.z == 0) {
    throw InputError(fmt::format("a block of {} has no threads", to_string(request.block)),
                     "each dimension is at least 1");
  }
  const auto refuse_negative = [](std::string_view what, std::int64_t amount) {
    if (amount < 0) {
      throw InputError(fmt::format("{} cannot be negative: {}", what, amount));
    }
  };
  refuse_negative("registers", request.registers);
  refuse_negative("static shared memory", request.static_shared);
  refuse_negative("dynamic shared memory", request.dynamic_shared);
  if (request.carveout) {
    refuse_negative("a carve-out", *request.carveout);
    if (*request.carveout > limits.shared) {
      throw InputError(
          fmt::format("a carve-out of {} bytes is more than compute capability {} has",
                      *request.carveout, to_string(limits.cc)),
          fmt::format("bytes it can be set to: {}", fmt::join(limits.carveouts, ", ")));
    }
  }
}

/// The size that the hardware takes for a wanted carve-out.
std::int64_t effective_carveout(const OccupancyRequest& request,
                                const MultiprocessorLimits& limits) {
  const std::int64_t wanted = request.carveout.value_or(limits.shared);
  return *std::lower_bound(limits.carveouts.begin(), limits.carveouts.end(), wanted);
}

cudaOccResult ask_header(const OccupancyRequest& request, const MultiprocessorLimits& limits) {
  const cudaOccDeviceProp device = device_of(limits);
  cudaOccFuncAttributes function;
  function.maxThreadsPerBlock = INT_MAX;
  function.numRegs = cut(request.registers, register_cut);
  function.sharedSizeBytes = static_cast<std::size_t>(cut(request.static_shared, shared_cut));
  function.shmemLimitConfig = request.opt_in ? FUNC_SHMEM_LIMIT_OPTIN : FUNC_SHMEM_LIMIT_DEFAULT;
  function.maxDynamicSharedSizeBytes =
      static_cast<std::size_t>(cut(request.dynamic_shared, shared_cut));
  function.numBlockBarriers = 1;
  cudaOccDeviceState state;
  if (limits.cc.major >= 7) {
    // The header takes a percentage and rounds it up to a size that there is: less than 1% below
    // the wanted size is always above the next smaller one.
    state.carveoutConfig =
        static_cast<int>(effective_carveout(request, limits) * 100 / limits.shared);
  }
  cudaOccResult result{};
  const cudaOccError error = cudaOccMaxActiveBlocksPerMultiprocessor(
      &result, &device, &function, &state,
      cut<std::uint64_t>(threads_of(request.block), most_threads),
      static_cast<std::size_t>(cut(request.dynamic_shared, shared_cut)));
  if (error != CUDA_OCC_SUCCESS) {
    throw InputError(fmt::format("cuda_occupancy.h refuses compute capability {} (error {})",
                                 to_string(limits.cc), static_cast<int>(error)));
  }
  return result;
}

/// Reasons of a launch that fails, each with resource, need and limit.
class Refusals {
 public:
  Refusals(const OccupancyRequest& request, const MultiprocessorLimits& limits)
      : request_(request), limits_(limits) {}

  /// Checks that cuda_occupancy.h leaves out; a resource that refuses gets a limit of 0 blocks.
  void find(Occupancy& answer) {
    shape(answer);
    registers(answer);
    shared(answer);
    answer.reason = fmt::format("{}", fmt::join(reasons_, "; "));
  }

 private:
  void shape(Occupancy& answer) {
    side("x", request_.block.x, limits_.block_dims.x);
    side("y", request_.block.y, limits_.block_dims.y);
    side("z", request_.block.z, limits_.block_dims.z);
    const std::uint64_t threads = threads_of(request_.block);
    const auto most = static_cast<std::uint64_t>(limits_.threads_per_block);
    if (threads > most) {
      answer.by_warps = 0;
      if (reasons_.empty()) {  // a side that is too long says it already
        reasons_.push_back(
            fmt::format("threads a block: needs {}, the limit is {}", threads, most));
      }
    }
  }

  void side(std::string_view name, std::uint64_t need, std::uint64_t limit) {
    if (need > limit) {
      reasons_.push_back(fmt::format("block.{}: needs {}, the limit is {}", name, need, limit));
    }
  }

  void registers(Occupancy& answer) {
    if (request_.registers > limits_.registers_per_thread) {
      // The header allows 256 from compute capability 7.0 on; no instruction can name the last.
      answer.by_registers = 0;
      reasons_.push_back(fmt::format("registers a thread: needs {}, the limit is {}",
                                     request_.registers, limits_.registers_per_thread));
    } else if (answer.by_registers == 0) {
      const auto warps = (threads_of(request_.block) + warp_size - 1) / warp_size;
      const auto step = static_cast<std::uint64_t>(limits_.sub_partitions);
      const auto rounded = (warps + step - 1) / step * step;
      const auto a_warp =
          static_cast<std::uint64_t>(allocated_registers(limits_, request_.registers)) * warp_size;
      reasons_.push_back(
          fmt::format("registers a block: needs {} ({} warps of {}), the limit is {}",
                      rounded * a_warp, rounded, a_warp, limits_.registers_per_block));
    }
  }

  void shared(Occupancy& answer) {
    if (request_.static_shared > limits_.shared_per_block) {
      // Opting in raises the limit of dynamic shared memory alone; ptxas refuses a larger static
      // part.
      answer.by_shared = 0;
      reasons_.push_back(fmt::format("static shared memory: needs {} bytes, the limit is {}",
                                     request_.static_shared, limits_.shared_per_block));
      return;
    }
    const auto total = static_cast<std::uint64_t>(request_.static_shared) +
                       static_cast<std::uint64_t>(request_.dynamic_shared);
    if (answer.by_shared != 0) {
      return;
    }
    if (!request_.opt_in && total <= static_cast<std::uint64_t>(limits_.shared_opt_in)) {
      reasons_.push_back(
          fmt::format("shared memory a block: needs {} bytes, the limit is {} ({} with opt-in)",
                      total, limits_.shared_per_block, limits_.shared_opt_in));
    } else {
      reasons_.push_back(fmt::format("shared memory a block: needs {} bytes, the limit is {}",
                                     total, limits_.shared_opt_in));
    }
  }

  const OccupancyRequest& request_;
  const MultiprocessorLimits& limits_;
  std::vector<std::string> reasons_;
};

std::optional<int> used(int limit) {
  return limit == INT_MAX ? std::nullopt : std::optional(limit);
}

/// Sets the resources whose limit is the number of active blocks.
void find_limiters(Occupancy& answer) {
  const std::array<std::pair<Resource, std::optional<int>>, 4> limits = {
      {{Resource::blocks, answer.by_blocks},
       {Resource::warps, answer.by_warps},
       {Resource::registers, answer.by_registers},
       {Resource::shared, answer.by_shared}}};
  for (const auto& [resource, limit] : limits) {
    if (limit == answer.active_blocks) {
      answer.limited_by.push_back(resource);
    }
  }
}

std::optional<int> number(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc{} && end == text.data() + text.size();
  return whole && value >= 0 ? std::optional(value) : std::nullopt;
}

}  // namespace

std::string to_string(ComputeCapability cc) {
  return fmt::format("{}.{}", cc.major, cc.minor);
}

std::string architecture(ComputeCapability cc) {
  return fmt::format("sm_{}{}", cc.major, cc.minor);
}

std::optional<ComputeCapability> compute_capability_from(std::string_view text) {
  for (const std::string_view prefix : {"sm_", "compute_"}) {
    if (text.substr(0, prefix.size()) == prefix) {
      text.remove_prefix(prefix.size());
      // Variants with features of one architecture ("a") or one family ("f").
      if (!text.empty() && (text.back() == 'a' || text.back() == 'f')) {
        text.remove_suffix(1);
      }
      break;
    }
  }
  const std::size_t dot = text.find('.');
  const std::size_t split = dot != std::string_view::npos ? dot : text.size() - 1;
  if (text.size() < 2 || split == 0) {
    return std::nullopt;
  }
  const auto major = number(text.substr(0, split));
  const auto minor = number(text.substr(dot == std::string_view::npos ? split : split + 1));
  if (!major || !minor || *major == 0 || *minor > 9) {
    return std::nullopt;
  }
  return ComputeCapability{*major, *minor};
}

const std::vector<MultiprocessorLimits>& all_limits() {
  static const std::vector<MultiprocessorLimits> limits = [] {
    std::vector<MultiprocessorLimits> all;
    std::transform(rows.begin(), rows.end(), std::back_inserter(all), limits_from);
    return all;
  }();
  return limits;
}

const MultiprocessorLimits& limits_of(ComputeCapability cc) {
  const auto& all = all_limits();
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const MultiprocessorLimits& l) { return l.cc == cc; });
  if (found == all.end()) {
    std::vector<std::string> known;
    for (const MultiprocessorLimits& limits : all) {
      known.push_back(to_string(limits.cc));
    }
    throw InputError(fmt::format("compute capability {} is not known", to_string(cc)),
                     fmt::format("known: {}", fmt::join(known, ", ")));
  }
  return *found;
}

std::string_view to_string(Resource resource) {
  switch (resource) {
    case Resource::blocks:
      return "blocks";
    case Resource::warps:
      return "warps";
    case Resource::registers:
      return "registers";
    case Resource::shared:
      break;
  }
  return "shared";
}

Occupancy occupancy(const OccupancyRequest& request) {
  const MultiprocessorLimits& limits = limits_of(request.cc);
  refuse_nonsense(request, limits);
  const cudaOccResult result = ask_header(request, limits);
  Occupancy answer;
  answer.by_blocks = result.blockLimitBlocks;
  answer.by_warps = result.blockLimitWarps;
  answer.by_registers = used(result.blockLimitRegs);
  answer.by_shared = used(result.blockLimitSharedMem);
  Refusals(request, limits).find(answer);
  answer.launchable = answer.reason.empty();
  if (answer.launchable) {
    answer.active_blocks = result.activeBlocksPerMultiprocessor;
    const auto warps = (threads_of(request.block) + warp_size - 1) / warp_size;
    answer.active_warps = answer.active_blocks * static_cast<int>(warps);
    answer.fraction = static_cast<double>(answer.active_warps) / limits.warps;
  }
  find_limiters(answer);
  return answer;
}

std::int64_t carveout_in_force(const OccupancyRequest& request) {
  const MultiprocessorLimits& limits = limits_of(request.cc);
  refuse_nonsense(request, limits);
  const std::int64_t granule = limits.shared_granule;
  const std::int64_t block = (limits.shared_reserved + cut(request.static_shared, shared_cut) +
                              cut(request.dynamic_shared, shared_cut) + granule - 1) /
                             granule * granule;
  const std::int64_t wanted = std::max(effective_carveout(request, limits), block);
  return *std::lower_bound(limits.carveouts.begin(), limits.carveouts.end(),
                           std::min(wanted, limits.shared));
}

std::optional<std::int64_t> available_dynamic_shared(const OccupancyRequest& request, int blocks) {
  const MultiprocessorLimits& limits = limits_of(request.cc);
  if (blocks < 1) {
    throw InputError(fmt::format("shared memory for {} blocks was asked for", blocks),
                     "at least one block");
  }
  OccupancyRequest without = request;
  without.dynamic_shared = 0;
  if (occupancy(without).active_blocks < blocks) {
    return std::nullopt;
  }
  const std::int64_t block_limit = request.opt_in ? limits.shared_opt_in : limits.shared_per_block;
  // A single block gets a larger carve-out where it needs one, so that its own limit alone counts.
  // The header's helper forgets that the static part belongs to it (it answers 49,152 where the
  // driver answers 48,896 with 256 static bytes), and is not used.
  std::int64_t share = block_limit;
  if (blocks > 1) {
    // A carve-out of nothing becomes the smallest one as soon as a block needs any.
    const std::int64_t carveout =
        std::max(effective_carveout(request, limits),
                 *std::find_if(limits.carveouts.begin(), limits.carveouts.end(),
                               [](auto s) { return s > 0; }));
    const std::int64_t each = carveout / blocks / limits.shared_granule * limits.shared_granule;
    share = std::min(block_limit, each - limits.shared_reserved);
  }
  return share - request.static_shared;
}

int allocated_registers(const MultiprocessorLimits& limits, int registers) {
  const int step = limits.register_granule / warp_size;
  return (registers + step - 1) / step * step;
}

}  // namespace rooftune
