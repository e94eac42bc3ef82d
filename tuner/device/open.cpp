#include "tuner/device/open.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include "tuner/core/error.hpp"
#include "tuner/device/host/host_device.hpp"

namespace rooftune {
namespace {

/// Why no GPU can be used, and what to do about it.
std::string why_no_gpu() {
  void* driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
  if (driver == nullptr) {
    return "no NVIDIA driver: libcuda.so.1 cannot be loaded; install the driver, or use "
           "--device host";
  }
  dlclose(driver);
  return "an NVIDIA driver is here, but this version of rooftune cannot run kernels on GPUs yet; "
         "use --device host";
}

DeviceListing list_gpu() {
  DeviceListing listing;
  listing.id = "cuda";
  listing.name = "NVIDIA GPU";
  listing.remark = why_no_gpu();
  listing.counters = "no device";
  return listing;
}

DeviceListing list_host() {
  DeviceListing listing;
  listing.id = "host";
  listing.profile = host_identity();
  listing.name = listing.profile.name;
  listing.counters = "not read on the host";
  try {
    listing.remark = host_toolchain();
    listing.available = true;
  } catch (const InputError& error) {
    listing.remark = fmt::format("{}; {}", error.problem(), error.hint());
  }
  return listing;
}

}  // namespace

std::vector<DeviceListing> list_devices() {
  return {list_gpu(), list_host()};
}

std::unique_ptr<Device> open_device(const std::string& name) {
  if (name == "host" || name == "auto") {
    return make_host_device();
  }
  if (name == "cuda" || name.rfind("cuda:", 0) == 0) {
    throw InputError(fmt::format("device {} is not available: {}", name, why_no_gpu()));
  }
  throw InputError(fmt::format("unknown device \"{}\"", name),
                   suggest(name, {"auto", "host", "cuda", "cuda:0"}));
}

}  // namespace rooftune
