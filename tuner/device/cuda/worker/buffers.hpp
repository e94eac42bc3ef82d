// The buffers of kernels on the GPU: kept from configuration to configuration where they hold the
// same data, with canaries around them.
#pragma once

#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tuner/device/cuda/job.hpp"
#include "tuner/device/cuda/worker/gpu.hpp"

namespace rooftune::cuda {

/// One argument's buffer.
class Buffer {
 public:
  /// Allocates, and fills it with the data that its argument says.
  Buffer(const Gpu& gpu, const Argument& argument, std::size_t position, std::uint64_t seed);

  CUdeviceptr address() const;
  const Argument& argument() const { return argument_; }
  /// The state before a launch, queued: outputs poisoned, inout restored; what is only read stays.
  void prepare() const;
  /// Queued: inout buffers as they were.
  void restore() const;
  std::vector<char> read() const;
  /// "A: written 16 bytes past its end"; nullopt where the canaries are whole.
  std::optional<std::string> find_overrun() const;

  /// Device memory that an argument's buffer takes, canaries and copies included.
  static std::size_t bytes_needed(const Argument& argument);

 private:
  void write_canaries() const;
  void fill(std::size_t position, std::uint64_t seed) const;

  const Gpu& gpu_;
  Argument argument_;
  Memory memory_;
  std::optional<Memory> pristine_;  ///< of an inout buffer
};

/// The buffers of one job, taken from what earlier jobs left where that holds the same data.
class BufferStore {
 public:
  explicit BufferStore(const Gpu& gpu) : gpu_(gpu) {}

  /// In the arguments' order; nullptr for scalars. Throws OutOfMemory.
  std::vector<Buffer*> take(const Job& job);
  /// Forgets everything: a kernel may have written where it should not.
  void clear() { entries_.clear(); }

 private:
  struct Entry {
    std::string key;
    std::unique_ptr<Buffer> buffer;
    bool in_use = false;
  };
  Buffer* find_or_make(const Job& job, std::size_t position);
  bool drop_unused();

  const Gpu& gpu_;
  std::list<Entry> entries_;
};

/// Device memory does not suffice. The message holds need and what there is.
class OutOfMemory : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace rooftune::cuda
