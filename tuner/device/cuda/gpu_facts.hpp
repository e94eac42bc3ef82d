// What is known of a GPU: what the driver says, and the profile that is made of it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tuner/roofline/profile.hpp"

namespace rooftune::cuda {

struct DriverApi;

struct GpuFacts {
  int index = 0;
  std::string name;    ///< "NVIDIA H100 80GB HBM3"
  std::string bus_id;  ///< "0000:3b:00.0"
  ComputeCapability cc;
  int multiprocessors = 0;
  double clock_hz = 0;         ///< largest clock of the multiprocessors
  double memory_clock_hz = 0;  ///< 0 unknown
  int memory_bus_bits = 0;
  std::uint64_t memory_bytes = 0;
  std::uint64_t l2_bytes = 0;
  std::string driver;  ///< "580.65.06 (CUDA 13.0)"
};

/// In the driver's order. Empty, and `why`, where there is no driver or no GPU.
std::vector<GpuFacts> find_gpus(const DriverApi& driver, std::string& why);

/// The known device that bears the name, with this one's own multiprocessors, clock and memory;
/// else roofs from rates of the architecture and from the memory's clock and width. Pure, but for
/// the files in configs/devices.
DeviceProfile profile_of(const GpuFacts& facts);

/// Whether two GPUs may share the work of one run.
bool are_equal(const GpuFacts& a, const GpuFacts& b);

}  // namespace rooftune::cuda
