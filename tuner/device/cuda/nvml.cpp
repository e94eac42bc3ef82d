#include "tuner/device/cuda/nvml.hpp"

#include <array>
#include <type_traits>

#include "tuner/device/cuda/library.hpp"

namespace rooftune::cuda {
namespace {

// NVML's interface, as far as it is used: it has no header in the toolkit's run-time packages.
using Handle = struct NvmlDevice*;
constexpr int success = 0;
constexpr unsigned clock_of_multiprocessors = 1;  // NVML_CLOCK_SM

#define ROOFTUNE_NVML_FUNCTIONS(X)                                                   \
  X(init, "nvmlInit_v2", int())                                                      \
  X(release, "nvmlSystemGetDriverVersion", int(char*, unsigned))                     \
  X(device, "nvmlDeviceGetHandleByPciBusId_v2", int(const char*, Handle*))           \
  X(clock, "nvmlDeviceGetClockInfo", int(Handle, unsigned, unsigned*))               \
  X(maximum_clock, "nvmlDeviceGetMaxClockInfo", int(Handle, unsigned, unsigned*))    \
  X(energy, "nvmlDeviceGetTotalEnergyConsumption", int(Handle, unsigned long long*)) \
  X(mig, "nvmlDeviceGetMigMode", int(Handle, unsigned*, unsigned*))

struct Functions {
#define ROOFTUNE_MEMBER(member, symbol, ...) std::add_pointer_t<__VA_ARGS__> member = nullptr;
  ROOFTUNE_NVML_FUNCTIONS(ROOFTUNE_MEMBER)
#undef ROOFTUNE_MEMBER
};

class LoadedNvml : public Nvml {
 public:
  explicit LoadedNvml(const std::string& bus_id) {
    std::string ignored;
    library_ = load_library("ROOFTUNE_NVML", {"libnvidia-ml.so.1"}, ignored);
    if (!library_) {
      return;
    }
#define ROOFTUNE_LOAD(member, symbol, ...) \
  nvml_.member = reinterpret_cast<decltype(nvml_.member)>(library_->find(symbol));
    ROOFTUNE_NVML_FUNCTIONS(ROOFTUNE_LOAD)
#undef ROOFTUNE_LOAD
    works_ = nvml_.init != nullptr && nvml_.init() == success;
    if (works_ && (nvml_.device == nullptr || nvml_.device(bus_id.c_str(), &device_) != success)) {
      device_ = nullptr;
    }
  }

  std::optional<double> clock() const override { return megahertz(nvml_.clock); }
  std::optional<double> maximum_clock() const override { return megahertz(nvml_.maximum_clock); }

  std::optional<double> energy() const override {
    unsigned long long millijoules = 0;
    if (device_ == nullptr || nvml_.energy == nullptr ||
        nvml_.energy(device_, &millijoules) != success) {
      return std::nullopt;
    }
    return static_cast<double>(millijoules) * 1e-3;
  }

  std::optional<bool> mig() const override {
    unsigned now = 0;
    unsigned pending = 0;
    if (device_ == nullptr || nvml_.mig == nullptr ||
        nvml_.mig(device_, &now, &pending) != success) {
      return std::nullopt;
    }
    return now != 0;
  }

  std::string driver_release() const override {
    std::array<char, 96> text{};
    if (!works_ || nvml_.release == nullptr ||
        nvml_.release(text.data(), static_cast<unsigned>(text.size())) != success) {
      return "";
    }
    return text.data();
  }

 private:
  std::optional<double> megahertz(int (*read)(Handle, unsigned, unsigned*)) const {
    unsigned value = 0;
    if (device_ == nullptr || read == nullptr ||
        read(device_, clock_of_multiprocessors, &value) != success) {
      return std::nullopt;
    }
    return value * 1e6;
  }

  std::shared_ptr<const Library> library_;
  Functions nvml_;
  bool works_ = false;
  Handle device_ = nullptr;
};

}  // namespace

std::unique_ptr<Nvml> open_nvml(const std::string& bus_id) {
  return std::make_unique<LoadedNvml>(bus_id);
}

}  // namespace rooftune::cuda
