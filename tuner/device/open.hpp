// Which devices are here, and opening one by the name that the command line gives.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/device/device.hpp"

namespace rooftune {

struct DeviceListing {
  std::string id;  ///< "host", "cuda:0"
  std::string name;
  bool available = false;
  std::string remark;     ///< why it is not available, and what to do
  std::string counters;   ///< whether hardware counters may be read, or why not
  DeviceProfile profile;  ///< meaningful where available
  std::string driver;     ///< of a GPU: its release, and what compiles for it
};
std::vector<DeviceListing> list_devices();

/// "cuda:3" to 3, "cuda" to 0; nullopt for anything else.
std::optional<int> gpu_index(std::string_view name);

/// "auto" (a GPU where there is one, else the host), "host", "cuda" (the first), "cuda:N",
/// "cuda:N,cuda:M" and "cuda:all" (equal GPUs that share the work). Throws InputError for an
/// unknown name (with a suggestion) or a device that is not here (with the reason).
std::unique_ptr<Device> open_device(const std::string& name);

}  // namespace rooftune
