// The GPU as the worker uses it: a context, a stream, and what has to be given back. Every call
// that fails throws DriverError.
#pragma once

#include <cuda.h>

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "tuner/device/cuda/driver_api.hpp"
#include "tuner/device/cuda/errors.hpp"

namespace rooftune::cuda {

/// Throws DriverError unless `result` is success. `during` ends the sentence "..., while ...".
void check(CUresult result, const char* during);

class Gpu {
 public:
  Gpu(std::shared_ptr<const DriverApi> driver, int index);
  ~Gpu();
  Gpu(const Gpu&) = delete;
  Gpu& operator=(const Gpu&) = delete;

  const DriverApi& api() const { return *driver_; }
  CUdevice device() const { return device_; }
  CUstream stream() const { return stream_; }
  /// 0 where the driver does not know it.
  int attribute(CUdevice_attribute which) const;
  std::size_t free_memory() const;
  /// Until everything that was queued is done.
  void wait(const char* during) const;

 private:
  std::shared_ptr<const DriverApi> driver_;
  CUdevice device_ = 0;
  CUstream stream_ = nullptr;
};

/// Device memory.
class Memory {
 public:
  Memory(const Gpu& gpu, std::size_t bytes);
  ~Memory();
  Memory(Memory&& other) noexcept;
  Memory& operator=(Memory&&) = delete;

  CUdeviceptr address() const { return address_; }
  std::size_t bytes() const { return bytes_; }

 private:
  const Gpu* gpu_;
  CUdeviceptr address_ = 0;
  std::size_t bytes_ = 0;
};

/// A loaded binary.
class Module {
 public:
  /// `file` holds a cubin or PTX. What the driver's compiler says is in the message of the error.
  Module(const Gpu& gpu, const std::string& file, const std::string& entry);
  ~Module();
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  CUfunction function() const { return function_; }
  int attribute(CUfunction_attribute which) const;
  void set(CUfunction_attribute which, int value);

 private:
  const Gpu& gpu_;
  CUmodule module_ = nullptr;
  CUfunction function_ = nullptr;
};

/// Pairs of events on a stream.
class Events {
 public:
  Events(const Gpu& gpu, int pairs);
  ~Events();
  Events(const Events&) = delete;
  Events& operator=(const Events&) = delete;

  void begin(int pair) { record(2 * pair); }
  void end(int pair) { record(2 * pair + 1); }
  /// Between the two, once the stream is waited for.
  double seconds(int pair) const;

 private:
  void record(int index);

  const Gpu& gpu_;
  std::vector<CUevent> events_;
};

/// Makes a stream wait while work is queued, so that launches follow each other without gaps. Ends
/// by itself after a while: whatever call would wait for the stream must not wait for ever.
class StreamHold {
 public:
  explicit StreamHold(const Gpu& gpu) : gpu_(gpu) {}

  void hold();
  void release();
  /// Whether a hold had to end by itself. From then on none is tried any more.
  bool has_timed_out() const { return timed_out_; }

 private:
  static void wait_here(void* self);

  const Gpu& gpu_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool held_ = false;
  std::atomic<bool> timed_out_{false};
};

}  // namespace rooftune::cuda
