// What a kernel does to memory, access by access, in the count build. Variants of that build are
// compiled with ThreadSanitizer's instrumentation, whose calls are answered here by counting:
// ThreadSanitizer itself is not there. Internal to the runtime library and the variant's process.
#pragma once

#include <cstddef>
#include <cstdint>

namespace rooftune_host {

#ifdef ROOFTUNE_HOST_COUNT
inline constexpr bool accesses_are_counted = true;
#else
inline constexpr bool accesses_are_counted = false;
#endif

/// Of one launch. Accesses are those of the kernel's code as the C++ compiler has it before it
/// unrolls and vectorises: what it holds in local variables is not memory.
struct AccessCounts {
  std::uint64_t dram_bytes = 0;    ///< sectors of buffers that were read, and written, each once
  std::uint64_t l2_bytes = 0;      ///< the same, each once a block: what a perfect L1 leaves
  std::uint64_t l1_bytes = 0;      ///< sectors of each warp's access to buffers
  std::uint64_t shared_bytes = 0;  ///< that threads read and write in shared memory
  std::uint64_t shared_wavefronts = 0;    ///< passes through its 32 banks
  std::uint64_t static_shared_bytes = 0;  ///< of a block
  /// False where a block does more accesses than are kept: l1_bytes and shared_wavefronts are not
  /// known then.
  bool by_warps = true;
};

/// Memory of the kernel's buffers. Before the launch; forgets what was counted.
void count_accesses_to(const void* begin, std::size_t bytes);
AccessCounts access_counts();

// For the runtime.

/// Where the blocks' shared memory lies.
void count_shared_accesses_to(const void* begin, std::size_t bytes);
void begin_counting(unsigned threads_of_a_block);
/// Of the block that ends.
void count_block(std::size_t static_shared_bytes);

}  // namespace rooftune_host
