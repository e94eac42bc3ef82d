// The double's NVML.
#include <cstdio>
#include <cstring>
#include <string>

#include "tests/fake_cuda/kernels.hpp"
#include "tests/fake_cuda/script.hpp"

using fake_cuda::Rule;
using fake_cuda::Script;

namespace {

constexpr int success = 0;
constexpr int not_supported = 3;
constexpr unsigned full_clock = 1400;

int number(const Rule& rule, const char* key, int otherwise) {
  const auto found = rule.match.find(key);
  return found != rule.match.end() ? std::stoi(found->second) : otherwise;
}

}  // namespace

extern "C" {

int nvmlInit_v2() {
  return Script::get().error("nvml", {});
}

int nvmlSystemGetDriverVersion(char* text, unsigned length) {
  std::snprintf(text, length, "999.1");
  return success;
}

int nvmlDeviceGetHandleByPciBusId_v2(const char* /*bus*/, void** device) {
  static int handle = 0;
  *device = &handle;
  return success;
}

int nvmlDeviceGetClockInfo(void* /*device*/, unsigned /*which*/, unsigned* megahertz) {
  static int reads = 0;
  ++reads;
  *megahertz = full_clock;
  for (const Rule& rule : Script::get().rules()) {
    if (rule.event == "clock" && reads > number(rule, "after", 0) &&
        reads <= number(rule, "until", 1 << 30)) {
      *megahertz = static_cast<unsigned>(number(rule, "mhz", full_clock));
    }
  }
  return success;
}

int nvmlDeviceGetMaxClockInfo(void* /*device*/, unsigned /*which*/, unsigned* megahertz) {
  *megahertz = full_clock;
  return success;
}

int nvmlDeviceGetTotalEnergyConsumption(void* /*device*/, unsigned long long* millijoules) {
  *millijoules = static_cast<unsigned long long>(fake_cuda::shown_joules() * 1e3);
  return Script::get().error("energy", {});
}

int nvmlDeviceGetMigMode(void* /*device*/, unsigned* now, unsigned* pending) {
  *now = Script::get().find("mig", {}) ? 1 : 0;
  *pending = *now;
  return *now != 0 ? success : not_supported;
}

}  // extern "C"
