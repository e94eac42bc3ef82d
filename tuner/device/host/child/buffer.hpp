// A kernel's buffer between canaries and pages that no one may touch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "tuner/device/host/child/job.hpp"

namespace rooftune::host_child {

class Buffer {
 public:
  /// Throws std::runtime_error where there is no memory or no file.
  explicit Buffer(const JobArgument& argument);
  ~Buffer();
  Buffer(Buffer&& other) noexcept;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  const JobArgument& argument() const { return *argument_; }
  unsigned char* data() const { return data_; }
  unsigned char* end() const { return data_ + argument_->bytes(); }

  /// The state before a launch: inputs as in their file, outputs poisoned.
  void prepare();
  /// What a launch has written beside the buffer: "A: written 16 bytes past its end".
  std::optional<std::string> find_overrun() const;
  /// Of the data's elements against the argument's expected file.
  Comparison compare_with_expected() const;
  /// `C[17]: got 1.5, expected 1.25`.
  std::string describe(std::uint64_t index) const;
  void store() const;

  /// Whether an address is in the buffer or within 1 MiB of it.
  bool is_near(const void* address) const;

 private:
  /// Calls `range(begin, end)` for the canary on each side.
  template <class Range>
  void for_each_canary(Range range) const;

  const JobArgument* argument_;
  unsigned char* region_ = nullptr;
  std::size_t region_bytes_ = 0;
  unsigned char* data_ = nullptr;
};

}  // namespace rooftune::host_child
