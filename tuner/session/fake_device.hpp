// A device for tests: what becomes of a configuration is a function of its parameters, and every
// launch is counted.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tuner/device/device.hpp"

namespace rooftune::testing {

/// 1 TB/s of DRAM and 10 TFLOP/s, data sheet and theory alike.
inline DeviceProfile fake_profile() {
  DeviceProfile it;
  it.id = "fake";
  it.name = "Fake device";
  it.kind = DeviceKind::cuda;
  it.multiprocessors = 10;
  it.clock_hz = 1e9;
  it.source = "made up";
  it.roofs = {{RoofKind::bandwidth, "dram", 1e12, RoofSource::data_sheet, "made up", 0, 0},
              {RoofKind::compute, "fp32", 1e13, RoofSource::data_sheet, "made up", 0, 1000}};
  return it;
}

class FakeDevice : public Device {
 public:
  using Answer = std::function<MeasureResult(const KernelInstance&)>;
  /// What a kill is to a process: nothing in between catches it.
  struct Killed {};

  explicit FakeDevice(Answer answer) : answer_(std::move(answer)) {}

  const DeviceProfile& profile() const override { return device; }
  CompileResult compile(const KernelInstance& instance) override {
    const std::string key = to_string(instance.parameters);
    const std::lock_guard lock(mutex_);
    if (refused.count(key) > 0) {
      return Failure{Outcome::compile_failed, "error: no such type", "k.cu(1): error"};
    }
    ++compiled[key];
    KernelBinary binary;
    binary.entry = key;
    binary.compile_seconds = 0.25;
    return binary;
  }
  MeasureResult measure(const KernelInstance& instance, const KernelBinary& binary,
                        const MeasureOptions& /*options*/) override {
    if (binary.entry != to_string(instance.parameters)) {
      throw std::logic_error("the binary is another configuration's");
    }
    if (launches == killed_after) {
      throw Killed{};
    }
    ++launches;
    ++launched[binary.entry];
    return answer_(instance);
  }
  unsigned compile_jobs() const override { return jobs; }

  DeviceProfile device = fake_profile();
  std::set<std::string> refused;        ///< configurations that do not compile
  std::map<std::string, int> compiled;  ///< by configuration
  std::map<std::string, int> launched;  ///< by configuration
  int launches = 0;
  int killed_after = -1;  ///< launches
  unsigned jobs = 1;      ///< that compile at once

 private:
  Answer answer_;
  std::mutex mutex_;
};

/// A steady, verified measurement.
inline Measurement measured(double seconds) {
  Measurement it;
  it.seconds = seconds;
  it.samples = {seconds, seconds, seconds};
  it.clock = "made up";
  it.verified = true;
  return it;
}

inline std::int64_t integer(const KernelInstance& instance, const char* name) {
  return find_value(instance.parameters, name)->as_integer();
}

}  // namespace rooftune::testing
