#include "shared_memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <new>

namespace rooftune_host {

namespace {

// Well above what any GPU gives a block (228 KiB), since red zones come on top; touched as needed.
constexpr std::size_t capacity = std::size_t{4} << 20;
constexpr std::size_t red_zone = 128;  // before and behind each variable
constexpr unsigned char red = 0xA5;
// As float, half, bfloat16 and double a NaN, as an integer -1.
constexpr unsigned char undefined = 0xFF;

}  // namespace

SharedMemory::SharedMemory() {
  void* memory = mmap(nullptr, capacity, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    throw std::bad_alloc();
  }
  memory_ = static_cast<unsigned char*>(memory);
}

SharedMemory::~SharedMemory() {
  munmap(memory_, capacity);
}

bool SharedMemory::begin_launch(std::size_t dynamic_bytes, bool checks) {
  checks_ = checks;
  regions_.clear();
  std::fill(std::begin(slots_), std::end(slots_), SharedSlot{});
  used_ = 0;
  dynamic_ = allocate(dynamic_bytes, 128);
  if (dynamic_ == nullptr) {
    return false;
  }
  regions_.push_back({"dynamic shared memory", "", 0, dynamic_, dynamic_bytes, 0, nullptr});
  return true;
}

unsigned char* SharedMemory::allocate(std::size_t bytes, std::size_t alignment) {
  const std::size_t begin = (used_ + red_zone + alignment - 1) / alignment * alignment;
  if (bytes > capacity || begin + bytes + red_zone > capacity) {
    return nullptr;
  }
  const std::size_t end = begin + bytes + red_zone;
  if (checks_) {
    std::memset(memory_ + used_, red, end - used_);
    std::memset(memory_ + begin, undefined, bytes);
  }
  used_ = end;
  return memory_ + begin;
}

void* SharedMemory::variable(unsigned id, const void* tag, std::size_t bytes, std::size_t alignment,
                             const char* name, const char* file, int line) {
  for (const Region& region : regions_) {
    if (region.tag == tag && region.id == id) {
      return region.data;
    }
  }
  unsigned char* data = allocate(bytes, std::max<std::size_t>(alignment, 64));
  if (data != nullptr) {
    regions_.push_back({name, file, line, data, bytes, id, tag});
    slots_[id % shared_slot_count] = {tag, id, data};
  }
  return data;
}

void SharedMemory::begin_block() {
  if (!checks_) {
    return;
  }
  for (const Region& region : regions_) {
    std::memset(region.data, undefined, region.bytes);
  }
}

std::optional<SharedMemory::Damage> SharedMemory::find_damage() const {
  if (!checks_) {
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
