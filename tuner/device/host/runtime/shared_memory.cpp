#include "shared_memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "access_counts.hpp"
#include "sanitizer_fibers.hpp"

namespace rooftune_host {

namespace {

// Well above what any GPU gives a block, since red zones come on top; touched as needed.
constexpr std::size_t capacity = std::size_t{4} << 20;
// Where races are looked for, each block of a launch has memory of its own: two blocks are not to
// meet in what they do not share.
constexpr std::size_t mapped_bytes = one_thread_a_fiber ? std::size_t{16} << 30 : capacity;
constexpr std::size_t red_zone = 128;  // before and behind each variable
constexpr unsigned char red = 0xA5;
#ifdef __SANITIZE_ADDRESS__
constexpr bool red_zones_are_poisoned = true;
void poison(const void* begin, std::size_t bytes) {
  __asan_poison_memory_region(begin, bytes);
}
void unpoison(const void* begin, std::size_t bytes) {
  __asan_unpoison_memory_region(begin, bytes);
}
#else
constexpr bool red_zones_are_poisoned = false;
void poison(const void*, std::size_t) {}
void unpoison(const void*, std::size_t) {}
#endif
// As float, half, bfloat16 and double a NaN, as an integer -1.
constexpr unsigned char undefined = 0xFF;

}  // namespace

SharedMemory::SharedMemory() {
  void* memory = mmap(nullptr, mapped_bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    throw std::bad_alloc();
  }
  memory_ = static_cast<unsigned char*>(memory);
}

SharedMemory::~SharedMemory() {
  munmap(memory_, mapped_bytes);
}

bool SharedMemory::begin_launch(std::size_t dynamic_bytes, bool checks) {
  checks_ = checks;
  dynamic_bytes_ = dynamic_bytes;
  arena_ = memory_;
  if constexpr (accesses_are_counted) {
    count_shared_accesses_to(memory_, mapped_bytes);
  }
  regions_.reserve(std::size_t{4} * shared_slot_count);
  return clear();
}

/// Forgets all variables.
bool SharedMemory::clear() {
  regions_.clear();
  std::fill(std::begin(slots_), std::end(slots_), SharedSlot{});
  unpoison(arena_, used_);
  used_ = 0;
  static_bytes_ = 0;
  dynamic_ = allocate(dynamic_bytes_, 128);
  regions_.push_back({"dynamic shared memory", "", 0, dynamic_, dynamic_bytes_, 0, nullptr});
  return dynamic_ != nullptr;
}

unsigned char* SharedMemory::allocate(std::size_t bytes, std::size_t alignment) {
  const std::size_t begin = (used_ + red_zone + alignment - 1) / alignment * alignment;
  if (bytes > capacity || begin + bytes + red_zone > capacity) {
    return nullptr;
  }
  const std::size_t end = begin + bytes + red_zone;
  if (checks_) {
    const Unseen unseen;
    std::memset(arena_ + used_, red, end - used_);
    std::memset(arena_ + begin, undefined, bytes);
  }
  poison(arena_ + used_, begin - used_);
  poison(arena_ + begin + bytes, red_zone);
  used_ = end;
  return arena_ + begin;
}

void* SharedMemory::variable(unsigned id, const void* tag, std::size_t bytes, std::size_t alignment,
                             const char* name, const char* file, int line) {
  for (const Region& region : regions_) {
    if (region.tag == tag && region.id == id) {
      return region.data;
    }
  }
  if (bytes > static_shared_limit - static_bytes_) {
    return nullptr;
  }
  unsigned char* data = allocate(bytes, std::max<std::size_t>(alignment, 64));
  static_bytes_ += bytes;
  regions_.push_back({name, file, line, data, bytes, id, tag});
  slots_[id % shared_slot_count] = {tag, id, data};
  return data;
}

void SharedMemory::begin_block() {
  if constexpr (one_thread_a_fiber) {
    arena_ += capacity;
    if (arena_ + capacity > memory_ + mapped_bytes) {
      arena_ = memory_;
    }
    clear();
  }
  if (checks_) {
    const Unseen unseen;
    for (const Region& region : regions_) {
      std::memset(region.data, undefined, region.bytes);
    }
  }
}

// AddressSanitizer reports a write into a red zone when it happens, and may not be read there.
std::optional<SharedMemory::Damage> SharedMemory::find_damage() const {
  if (!checks_ || red_zones_are_poisoned) {
    return std::nullopt;
  }
  for (const Region& region : regions_) {
    const unsigned char* end = region.data + region.bytes;
    for (std::size_t i = 0; i < red_zone; ++i) {
      if (end[i] != red) {
        return Damage{std::string(region.name) + " (" + std::to_string(region.bytes) +
                          " bytes) was written " + std::to_string(i) + " bytes past its end",
                      region.file, region.line};
      }
      if (region.data[-1 - static_cast<std::ptrdiff_t>(i)] != red) {
        return Damage{std::string(region.name) + " was written " + std::to_string(i + 1) +
                          " bytes before its begin",
                      region.file, region.line};
      }
    }
  }
  return std::nullopt;
}

}  // namespace rooftune_host
