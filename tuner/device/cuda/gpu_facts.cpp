#include "tuner/device/cuda/gpu_facts.hpp"

#include <fmt/format.h>

#include <array>

#include "tuner/device/cuda/driver_api.hpp"
#include "tuner/device/cuda/errors.hpp"
#include "tuner/device/cuda/nvml.hpp"

namespace rooftune::cuda {
namespace {

class Reader {
 public:
  Reader(const DriverApi& driver, CUdevice device) : driver_(driver), device_(device) {}

  /// 0 where the driver does not know it.
  int attribute(CUdevice_attribute which) const {
    int value = 0;
    return driver_.device_attribute(&value, which, device_) == CUDA_SUCCESS ? value : 0;
  }

  GpuFacts read(int index) const {
    GpuFacts facts;
    facts.index = index;
    std::array<char, 256> text{};
    driver_.device_name(text.data(), static_cast<int>(text.size()), device_);
    facts.name = text.data();
    text = {};
    driver_.device_bus_id(text.data(), static_cast<int>(text.size()), device_);
    facts.bus_id = text.data();
    facts.cc = {attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR),
                attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)};
    facts.multiprocessors = attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    facts.clock_hz = attribute(CU_DEVICE_ATTRIBUTE_CLOCK_RATE) * 1e3;
    facts.memory_clock_hz = attribute(CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE) * 1e3;
    facts.memory_bus_bits = attribute(CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH);
    facts.l2_bytes = static_cast<std::uint64_t>(attribute(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE));
    std::size_t bytes = 0;
    driver_.device_memory(&bytes, device_);
    facts.memory_bytes = bytes;
    return facts;
  }

 private:
  const DriverApi& driver_;
  CUdevice device_;
};

std::string driver_text(const DriverApi& driver, const Nvml& nvml) {
  int version = 0;
  driver.driver_version(&version);
  const std::string release = nvml.driver_release();
  return fmt::format("{}CUDA {}.{}{}", release.empty() ? "" : release + " (", version / 1000,
                     version % 1000 / 10, release.empty() ? "" : ")");
}

/// FP32 FLOP per multiprocessor and clock: CUDA C++ Programming Guide, arithmetic throughput, two
/// for a fused multiply and add.
double fp32_rate(ComputeCapability cc) {
  return cc < ComputeCapability{8, 6} ? 128 : 256;
}

double fp64_rate(ComputeCapability cc) {
  if (cc == ComputeCapability{7, 0} || cc == ComputeCapability{8, 0}) {
    return 64;
  }
  return cc.major == 9 || cc == ComputeCapability{10, 0} ? 128 : 4;
}

void add_derived_roofs(const GpuFacts& facts, DeviceProfile& profile) {
  const double clocks = facts.multiprocessors * facts.clock_hz;
  const auto add = [&](RoofKind kind, const char* name, double rate, const char* origin) {
    profile.roofs.push_back({kind, name, rate * clocks, RoofSource::data_sheet, origin, 0, rate});
  };
  if (clocks > 0) {
    const char* origin = "rate of the architecture at the largest clock";
    add(RoofKind::compute, "fp32", fp32_rate(facts.cc), origin);
    add(RoofKind::compute, "fp64", fp64_rate(facts.cc), origin);
    add(RoofKind::bandwidth, "shared", 128, "128 bytes a clock: 32 banks of 4 bytes");
    add(RoofKind::bandwidth, "l1", 128, "128 bytes a clock");
    add(RoofKind::issue, "issue", 4, "4 schedulers, one warp instruction a clock each");
  }
  // Two transfers a clock on every kind of memory, as the driver counts its clock.
  const double bandwidth = 2 * facts.memory_clock_hz * facts.memory_bus_bits / 8;
  if (bandwidth > 0) {
    profile.roofs.push_back({RoofKind::bandwidth, "dram", bandwidth, RoofSource::data_sheet,
                             "memory clock and bus width, as the driver tells", 0, 0});
  }
}

}  // namespace

std::vector<GpuFacts> find_gpus(const DriverApi& driver, std::string& why) {
  if (const CUresult error = driver.init(0); error != CUDA_SUCCESS) {
    why = fmt::format("the NVIDIA driver does not start: {}", error_text(error));
    return {};
  }
  int count = 0;
  driver.device_count(&count);
  std::vector<GpuFacts> found;
  for (int i = 0; i < count; ++i) {
    CUdevice device = 0;
    if (driver.device(&device, i) != CUDA_SUCCESS) {
      continue;
    }
    GpuFacts facts = Reader(driver, device).read(i);
    const auto nvml = open_nvml(facts.bus_id);
    facts.driver = driver_text(driver, *nvml);
    facts.clock_hz = nvml->maximum_clock().value_or(facts.clock_hz);
    found.push_back(std::move(facts));
  }
  if (found.empty()) {
    why = "an NVIDIA driver is here, but no GPU that it may use; is CUDA_VISIBLE_DEVICES empty?";
  }
  return found;
}

DeviceProfile profile_of(const GpuFacts& facts) {
  const std::optional<DeviceProfile> known = match_device(facts.name);
  DeviceProfile profile = known.value_or(DeviceProfile{});
  profile.kind = DeviceKind::cuda;
  profile.name = facts.name;
  profile.cc = facts.cc;
  profile.multiprocessors = facts.multiprocessors;
  profile.clock_hz = facts.clock_hz > 0 ? facts.clock_hz : profile.clock_hz;
  profile.memory_bytes = facts.memory_bytes;
  profile.l2_bytes = facts.l2_bytes > 0 ? facts.l2_bytes : profile.l2_bytes;
  if (!known) {
    profile.id = fmt::format("cuda:{}", facts.index);
    profile.source = "the driver; the model is not among the known ones";
    add_derived_roofs(facts, profile);
  }
  return profile;
}

bool are_equal(const GpuFacts& a, const GpuFacts& b) {
  return a.name == b.name && a.cc == b.cc && a.multiprocessors == b.multiprocessors &&
         a.memory_bytes == b.memory_bytes;
}

}  // namespace rooftune::cuda
