// Occupancy: how many blocks fit a multiprocessor, and what limits them. Pure.
// NVIDIA's cuda_occupancy.h computes; this stage adds the limits of each architecture and the
// checks that the header leaves out.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/core/units.hpp"

namespace rooftune {

struct ComputeCapability {
  int major = 0;
  int minor = 0;
  friend auto operator<=>(const ComputeCapability&, const ComputeCapability&) = default;
};
/// "8.6".
std::string to_string(ComputeCapability cc);
/// "sm_86".
std::string architecture(ComputeCapability cc);
/// From "8.6", "86", "sm_86", "compute_86", "sm_90a", "sm_100f"; nullopt where it is none of them.
std::optional<ComputeCapability> compute_capability_from(std::string_view text);

/// What a multiprocessor and a block may hold. Bytes, unless said.
struct MultiprocessorLimits {
  ComputeCapability cc;
  int warps = 0;
  int blocks = 0;
  int registers = 0;  ///< 32-bit registers a multiprocessor
  int registers_per_block = 0;
  int registers_per_thread = 255;
  int register_granule = 0;             ///< registers a warp, allocation unit
  int sub_partitions = 0;               ///< a launch check rounds warps up to a multiple of these
  std::int64_t shared = 0;              ///< largest carve-out
  std::int64_t shared_per_block = 0;    ///< without opt-in: 48 KiB
  std::int64_t shared_opt_in = 0;       ///< largest for one block, with opt-in
  std::int64_t shared_reserved = 0;     ///< taken by the system for each block
  std::int64_t shared_granule = 0;      ///< allocation unit
  std::vector<std::int64_t> carveouts;  ///< that the hardware can be set to, ascending
  int threads_per_block = 1024;
  Dim3 block_dims{1024, 1024, 64};
};

/// Threads that execute together, on every architecture so far.
inline constexpr int warp_size = 32;

/// Throws InputError with the list where the architecture is unknown (6.0 to 12.1 are known).
const MultiprocessorLimits& limits_of(ComputeCapability cc);
/// Ascending.
const std::vector<MultiprocessorLimits>& all_limits();

struct OccupancyRequest {
  ComputeCapability cc;
  Dim3 block{256, 1, 1};
  int registers = 32;               ///< a thread; 0 means that none are used
  std::int64_t static_shared = 0;   ///< bytes a block
  std::int64_t dynamic_shared = 0;  ///< bytes a block
  /// Bytes; the largest unless given. The hardware takes the next size that it has, and more where
  /// one block would not fit.
  std::optional<std::int64_t> carveout;
  bool opt_in = true;  ///< more than 48 KiB of shared memory was asked for
};

enum class Resource { blocks, warps, registers, shared };
std::string_view to_string(Resource resource);

struct Occupancy {
  int active_blocks = 0;
  int active_warps = 0;
  double fraction = 0;  ///< active warps over the multiprocessor's warps
  /// Blocks that each resource alone would allow; nullopt where it is unused. From compute
  /// capability 8.0 on each block takes shared memory: the system's reserve.
  std::optional<int> by_blocks, by_warps, by_registers, by_shared;
  /// All co-limiters. Empty where the block's shape alone forbids the launch.
  std::vector<Resource> limited_by;
  bool launchable = false;
  std::string reason;  ///< why it cannot launch: resource, need, limit; empty otherwise
};

/// Requests beyond the limits are answered: 0 blocks, and why. Throws InputError for what is no
/// request at all (an unknown architecture, a block without threads, a negative amount, a carve-out
/// larger than the hardware's).
Occupancy occupancy(const OccupancyRequest& request);

/// Dynamic shared memory, in bytes, that each block may take while `blocks` of them stay on a
/// multiprocessor: the smaller of the block's limit and its share of the carve-out less the
/// reserve, less the static part. nullopt where that many blocks do not fit even without any.
/// `request.dynamic_shared` is ignored.
std::optional<std::int64_t> available_dynamic_shared(const OccupancyRequest& request, int blocks);

/// The carve-out that the hardware takes, in bytes: the next size that it has, and more where one
/// block would not fit. Throws InputError for a wish beyond the largest.
std::int64_t carveout_in_force(const OccupancyRequest& request);

/// Registers that the hardware allocates for each thread: the next multiple of 8 (256 a warp).
int allocated_registers(const MultiprocessorLimits& limits, int registers);

}  // namespace rooftune
