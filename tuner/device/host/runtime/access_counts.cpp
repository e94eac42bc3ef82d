#include "access_counts.hpp"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <vector>

#include "block.hpp"

namespace rooftune_host {
namespace {

constexpr std::size_t sector = 32;
constexpr std::size_t word = 4;
constexpr std::size_t wavefront = 128;
constexpr unsigned banks = 32;
// Of a block: a quarter of a gigabyte.
constexpr std::size_t accesses_kept = std::size_t{1} << 20;

/// A kernel's buffer, with the number of the last block that touched each sector (0: none).
struct Region {
  const unsigned char* begin = nullptr;
  std::size_t bytes = 0;
  std::vector<std::uint32_t> read;
  std::vector<std::uint32_t> written;

  bool holds(const void* address) const {
    return static_cast<std::size_t>(static_cast<const unsigned char*>(address) - begin) < bytes;
  }
};

/// One access of a warp: what its lanes did the same number of times at one place of the code.
struct WarpAccess {
  std::array<std::uint64_t, warp_size> address{};
  std::uint32_t lanes = 0;
};

/// A place of the code, in one block.
struct Place {
  std::size_t bytes = 0;
  bool shared = false;
  std::vector<std::uint32_t> times;               ///< by thread
  std::vector<std::vector<WarpAccess>> accesses;  ///< by warp
};

struct Counting {
  std::vector<Region> regions;
  Region shared;
  unsigned threads = 0;
  std::uint32_t block = 1;
  std::size_t kept = 0;
  std::size_t fragment_bytes = 0;  ///< of fragments in shared memory
  bool in_fragment = false;
  std::unordered_map<std::uint64_t, Place> places;
  AccessCounts counts;
};

/// The count build has one worker.
Counting& counting() {
  static Counting it;
  return it;
}

/// Sectors between two addresses that this block, or no block, had touched.
void touch(Region& region, std::vector<std::uint32_t>& touched, const void* address,
           std::size_t bytes) {
  Counting& it = counting();
  const auto offset =
      static_cast<std::size_t>(static_cast<const unsigned char*>(address) - region.begin);
  const std::size_t last = std::min(offset + bytes, region.bytes) - 1;
  for (std::size_t i = offset / sector; i <= last / sector; ++i) {
    it.counts.dram_bytes += touched[i] == 0 ? sector : 0;
    it.counts.l2_bytes += touched[i] != it.block ? sector : 0;
    touched[i] = it.block;
  }
}

void keep(const void* address, std::size_t bytes, bool shared, std::uint64_t code) {
  Counting& it = counting();
  if (it.kept >= accesses_kept) {
    it.counts.by_warps = false;
    return;
  }
  Place& place = it.places[code * 2 + (shared ? 1 : 0)];
  if (place.times.empty()) {
    place.bytes = bytes;
    place.shared = shared;
    place.times.resize(it.threads);
    place.accesses.resize((it.threads + warp_size - 1) / warp_size);
  }
  const unsigned thread = BlockRunner::current().linear_thread();
  const std::uint32_t time = place.times[thread]++;
  std::vector<WarpAccess>& accesses = place.accesses[thread / warp_size];
  if (time == accesses.size()) {
    accesses.emplace_back();
    ++it.kept;
  }
  accesses[time].address[thread % warp_size] = reinterpret_cast<std::uint64_t>(address);
  accesses[time].lanes |= 1U << (thread % warp_size);
}

void count(const void* address, std::size_t bytes, bool reads, bool writes, const void* code) {
  Counting& it = counting();
  const auto place = reinterpret_cast<std::uint64_t>(code);
  if (it.shared.holds(address)) {
    it.counts.shared_bytes += bytes * ((reads ? 1 : 0) + (writes ? 1 : 0));
    if (it.in_fragment) {
      it.fragment_bytes += bytes;
      return;
    }
    keep(address, bytes, true, place);
    return;
  }
  for (Region& region : it.regions) {
    if (region.holds(address)) {
      if (reads) {
        touch(region, region.read, address, bytes);
      }
      if (writes) {
        touch(region, region.written, address, bytes);
      }
      keep(address, bytes, false, place);
      return;
    }
  }
}

/// The words of a warp's access that lie in the fullest bank, each once: what the function of that
/// name in specs counts.
std::uint64_t wavefronts(const WarpAccess& access, std::size_t bytes) {
  std::array<std::vector<std::uint64_t>, banks> rows;
  std::size_t most = 0;
  for (unsigned lane = 0; lane < warp_size; ++lane) {
    if ((access.lanes >> lane & 1U) == 0) {
      continue;
    }
    const std::uint64_t last = (access.address[lane] + bytes - 1) / word;
    for (std::uint64_t at = access.address[lane] / word; at <= last; ++at) {
      std::vector<std::uint64_t>& row = rows[at % banks];
      if (std::find(row.begin(), row.end(), at) == row.end()) {
        row.push_back(at);
        most = std::max(most, row.size());
      }
    }
  }
  return most;
}

std::uint64_t sectors(const WarpAccess& access, std::size_t bytes) {
  std::vector<std::uint64_t> seen;
  for (unsigned lane = 0; lane < warp_size; ++lane) {
    if ((access.lanes >> lane & 1U) == 0) {
      continue;
    }
    const std::uint64_t last = (access.address[lane] + bytes - 1) / sector;
    for (std::uint64_t i = access.address[lane] / sector; i <= last; ++i) {
      if (std::find(seen.begin(), seen.end(), i) == seen.end()) {
        seen.push_back(i);
      }
    }
  }
  return seen.size();
}

}  // namespace

void count_accesses_to(const void* begin, std::size_t bytes) {
  Region region;
  region.begin = static_cast<const unsigned char*>(begin);
  region.bytes = bytes;
  region.read.resize((bytes + sector - 1) / sector);
  region.written.resize(region.read.size());
  counting().regions.push_back(std::move(region));
}

void count_shared_accesses_to(const void* begin, std::size_t bytes) {
  counting().shared.begin = static_cast<const unsigned char*>(begin);
  counting().shared.bytes = bytes;
}

void begin_counting(unsigned threads_of_a_block) {
  counting().threads = threads_of_a_block;
}

void count_block(std::size_t static_shared_bytes) {
  Counting& it = counting();
  for (const auto& [code, place] : it.places) {
    for (const std::vector<WarpAccess>& warp : place.accesses) {
      for (const WarpAccess& access : warp) {
        if (place.shared) {
          it.counts.shared_wavefronts += wavefronts(access, place.bytes);
        } else {
          it.counts.l1_bytes += sectors(access, place.bytes) * sector;
        }
      }
    }
  }
  it.counts.shared_wavefronts += it.fragment_bytes / wavefront;
  it.fragment_bytes = 0;
  it.counts.static_shared_bytes =
      std::max<std::uint64_t>(it.counts.static_shared_bytes, static_shared_bytes);
  it.places.clear();
  it.kept = 0;
  ++it.block;
}

void begin_fragment() {
  counting().in_fragment = true;
}
void end_fragment() {
  counting().in_fragment = false;
}

AccessCounts access_counts() {
  return counting().counts;
}

}  // namespace rooftune_host

// What the instrumentation calls. Names and signatures: GCC's sanitizer.def.

using rooftune_host::count;

// NOLINTBEGIN(bugprone-macro-parentheses,bugprone-reserved-identifier): the names are the
// compiler's, the arguments are types and parts of names.
#define ROOFTUNE_COUNT(size)                                        \
  void __tsan_read##size(void* address) {                           \
    count(address, size, true, false, __builtin_return_address(0)); \
  }                                                                 \
  void __tsan_write##size(void* address) {                          \
    count(address, size, false, true, __builtin_return_address(0)); \
  }                                                                 \
  void __tsan_unaligned_read##size(void* address) {                 \
    count(address, size, true, false, __builtin_return_address(0)); \
  }                                                                 \
  void __tsan_unaligned_write##size(void* address) {                \
    count(address, size, false, true, __builtin_return_address(0)); \
  }                                                                 \
  void __tsan_volatile_read##size(void* address) {                  \
    count(address, size, true, false, __builtin_return_address(0)); \
  }                                                                 \
  void __tsan_volatile_write##size(void* address) {                 \
    count(address, size, false, true, __builtin_return_address(0)); \
  }

#define ROOFTUNE_ATOMIC_UPDATE(bits, type, name)                                              \
  type __tsan_atomic##bits##_##name(volatile type* address, type value, int) {                \
    count(const_cast<type*>(address), sizeof(type), true, true, __builtin_return_address(0)); \
    return __atomic_##name(address, value, __ATOMIC_SEQ_CST);                                 \
  }

#define ROOFTUNE_ATOMIC_COMPARE(bits, type, name, weak)                                       \
  int __tsan_atomic##bits##_##name(volatile type* address, type* expected, type desired, int, \
                                   int) {                                                     \
    count(const_cast<type*>(address), sizeof(type), true, true, __builtin_return_address(0)); \
    return __atomic_compare_exchange_n(address, expected, desired, weak, __ATOMIC_SEQ_CST,    \
                                       __ATOMIC_SEQ_CST);                                     \
  }

#define ROOFTUNE_ATOMICS(bits, type)                                                           \
  type __tsan_atomic##bits##_load(const volatile type* address, int) {                         \
    count(const_cast<type*>(address), sizeof(type), true, false, __builtin_return_address(0)); \
    return __atomic_load_n(address, __ATOMIC_SEQ_CST);                                         \
  }                                                                                            \
  void __tsan_atomic##bits##_store(volatile type* address, type value, int) {                  \
    count(const_cast<type*>(address), sizeof(type), false, true, __builtin_return_address(0)); \
    __atomic_store_n(address, value, __ATOMIC_SEQ_CST);                                        \
  }                                                                                            \
  type __tsan_atomic##bits##_exchange(volatile type* address, type value, int) {               \
    count(const_cast<type*>(address), sizeof(type), true, true, __builtin_return_address(0));  \
    return __atomic_exchange_n(address, value, __ATOMIC_SEQ_CST);                              \
  }                                                                                            \
  ROOFTUNE_ATOMIC_UPDATE(bits, type, fetch_add)                                                \
  ROOFTUNE_ATOMIC_UPDATE(bits, type, fetch_sub)                                                \
  ROOFTUNE_ATOMIC_UPDATE(bits, type, fetch_and)                                                \
  ROOFTUNE_ATOMIC_UPDATE(bits, type, fetch_or)                                                 \
  ROOFTUNE_ATOMIC_UPDATE(bits, type, fetch_xor)                                                \
  ROOFTUNE_ATOMIC_UPDATE(bits, type, fetch_nand)                                               \
  ROOFTUNE_ATOMIC_COMPARE(bits, type, compare_exchange_strong, false)                          \
  ROOFTUNE_ATOMIC_COMPARE(bits, type, compare_exchange_weak, true)

extern "C" {
void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_vptr_update(void*, void*) {}
void __tsan_atomic_thread_fence(int) {}
void __tsan_atomic_signal_fence(int) {}
void __tsan_read_range(void* address, std::size_t bytes) {
  count(address, bytes, true, false, __builtin_return_address(0));
}
void __tsan_write_range(void* address, std::size_t bytes) {
  count(address, bytes, false, true, __builtin_return_address(0));
}
ROOFTUNE_COUNT(1)
ROOFTUNE_COUNT(2)
ROOFTUNE_COUNT(4)
ROOFTUNE_COUNT(8)
ROOFTUNE_COUNT(16)
ROOFTUNE_ATOMICS(8, unsigned char)
ROOFTUNE_ATOMICS(16, unsigned short)
ROOFTUNE_ATOMICS(32, unsigned int)
ROOFTUNE_ATOMICS(64, unsigned long long)
}
// NOLINTEND(bugprone-macro-parentheses,bugprone-reserved-identifier)
