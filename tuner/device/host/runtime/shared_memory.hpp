// A block's shared memory: static variables and the dynamic part, each between red zones. Internal
// to the runtime library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "calls.hpp"

namespace rooftune_host {

/// Bytes. ptxas refuses more on every GPU (CUDA C++ Programming Guide, "Compute Capabilities").
inline constexpr std::size_t static_shared_limit = std::size_t{48} << 10;
/// Bytes of dynamic shared memory that a block can opt in to on the GPUs that give most
/// (9.0, 10.0).
inline constexpr std::size_t dynamic_shared_limit = std::size_t{227} << 10;

class SharedMemory {
 public:
  SharedMemory();
  ~SharedMemory();
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  /// Forgets the variables of the launch before. False where `dynamic_bytes` is too much.
  bool begin_launch(std::size_t dynamic_bytes, bool checks);
  /// With checks: fills all with NaN. In the race build: forgets the block before, and moves on.
  void begin_block();
  /// With checks: what has been written outside of a variable, in words.
  struct Damage {
    std::string what;
    const char* file;
    int line;
  };
  std::optional<Damage> find_damage() const;
  /// Bytes of the static variables that the block has met so far.
  std::size_t static_bytes() const { return static_bytes_; }

  /// The variable's memory, made where it is new to the launch. nullptr where the block's static
  /// variables would exceed `static_shared_limit`.
  void* variable(unsigned id, const void* tag, std::size_t bytes, std::size_t alignment,
                 const char* name, const char* file, int line);
  unsigned char* dynamic() const { return dynamic_; }
  SharedSlot* slots() { return slots_; }

 private:
  struct Region {
    const char* name;
    const char* file;
    int line;
    unsigned char* data;
    std::size_t bytes;
    unsigned id;
    const void* tag;
  };
  unsigned char* allocate(std::size_t bytes, std::size_t alignment);

  bool clear();

  unsigned char* memory_;
  unsigned char* arena_ = nullptr;  ///< the block's part of it
  std::size_t dynamic_bytes_ = 0;
  std::size_t static_bytes_ = 0;
  std::size_t used_ = 0;
  bool checks_ = false;
  unsigned char* dynamic_ = nullptr;
  std::vector<Region> regions_;
  SharedSlot slots_[shared_slot_count]{};
};

}  // namespace rooftune_host
