#include "tuner/device/open.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "tuner/core/error.hpp"
#include "tuner/device/cuda/cuda_device.hpp"
#include "tuner/device/host/host_device.hpp"

namespace rooftune {
namespace {

DeviceListing no_gpu(const std::string& why) {
  DeviceListing listing;
  listing.id = "cuda";
  listing.name = "NVIDIA GPU";
  listing.remark = why;
  listing.counters = "no device";
  return listing;
}

DeviceListing as_listing(const GpuListing& gpu) {
  DeviceListing listing;
  listing.id = fmt::format("cuda:{}", gpu.index);
  listing.name = gpu.profile.name;
  listing.available = gpu.compiles;
  listing.remark = gpu.target;
  listing.counters = gpu.counters;
  listing.profile = gpu.profile;
  listing.driver = gpu.driver;
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

[[noreturn]] void refuse(const std::string& name) {
  throw InputError(fmt::format("unknown device \"{}\"", name),
                   suggest(name, {"auto", "host", "cuda", "cuda:0", "cuda:all"}));
}

std::vector<int> gpu_indices(const std::string& name) {
  std::vector<int> indices;
  if (name == "cuda:all") {
    std::string why;
    for (const GpuListing& gpu : list_gpus(why)) {
      indices.push_back(gpu.index);
    }
    return indices.empty() ? std::vector<int>{0} : indices;  // which says why there is none
  }
  for (std::size_t begin = 0; begin <= name.size();) {
    const std::size_t end = std::min(name.find(',', begin), name.size());
    const auto index = gpu_index(std::string_view(name).substr(begin, end - begin));
    if (!index) {
      refuse(name);
    }
    if (std::find(indices.begin(), indices.end(), *index) != indices.end()) {
      throw InputError(fmt::format("device \"{}\" names cuda:{} twice", name, *index));
    }
    indices.push_back(*index);
    begin = end + 1;
  }
  return indices;
}

}  // namespace

std::optional<int> gpu_index(std::string_view name) {
  constexpr std::string_view prefix = "cuda:";
  if (name == "cuda") {
    return 0;
  }
  if (name.substr(0, prefix.size()) != prefix) {
    return std::nullopt;
  }
  name.remove_prefix(prefix.size());
  int index = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), index);
  const bool whole = error == std::errc() && end == name.data() + name.size() && index >= 0;
  return whole ? std::optional<int>(index) : std::nullopt;
}

std::vector<DeviceListing> list_devices() {
  std::vector<DeviceListing> devices;
  std::string why;
  for (const GpuListing& gpu : list_gpus(why)) {
    devices.push_back(as_listing(gpu));
  }
  if (devices.empty()) {
    devices.push_back(no_gpu(why));
  }
  devices.push_back(list_host());
  return devices;
}

std::unique_ptr<Device> open_device(const std::string& name) {
  if (name == "host") {
    return make_host_device();
  }
  if (name == "auto") {
    std::string why;
    return list_gpus(why).empty() ? make_host_device() : make_cuda_device({0});
  }
  return make_cuda_device(gpu_indices(name));
}

}  // namespace rooftune
