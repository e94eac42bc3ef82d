// The CUDA device: NVRTC compiles, a worker process of its own runs kernels on the GPU.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tuner/device/device.hpp"

namespace rooftune {

struct GpuListing {
  int index = 0;
  DeviceProfile profile;
  double clock_hz = 0;
  std::string driver;    ///< release and the CUDA version that it supports
  std::string counters;  ///< "may be read", or why not and what to do
  std::string target;    ///< "sm_90 by NVRTC 13.0", or why kernels cannot be compiled
  bool compiles = false;
};
/// Empty, and `why`, where there is no GPU.
std::vector<GpuListing> list_gpus(std::string& why);

/// One GPU, or several equal ones that share the work. Throws InputError: no driver, no such GPU,
/// unequal GPUs, or an architecture that NVRTC cannot compile for.
std::unique_ptr<Device> make_cuda_device(const std::vector<int>& indices);

/// A GPU with its measured ceilings beside the known ones: those of the user's cache folder,
/// measured and stored where there are none for this model, driver and version, or on `refresh`.
/// `tell` hears before it takes its time, under a minute. Throws as make_cuda_device does,
/// DeviceLost, and InputError where nothing could be measured.
DeviceProfile gpu_profile(int index, bool refresh,
                          const std::function<void(const std::string&)>& tell);
/// Where gpu_profile keeps them; nullopt where there is no cache folder or no such GPU.
std::optional<std::filesystem::path> gpu_ceilings_file(int index);

}  // namespace rooftune
