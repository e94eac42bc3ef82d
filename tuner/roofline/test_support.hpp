// Devices and work for the tests of this stage, made by hand.
#pragma once

#include <string>

#include "tuner/roofline/roofline.hpp"

namespace rooftune::test {

/// A GPU known by two figures alone, as textbooks give them.
inline DeviceProfile two_roofs(double flops, double bandwidth, const std::string& unit = "fp32") {
  DeviceProfile device;
  device.id = device.name = "two roofs";
  device.roofs = {{RoofKind::compute, unit, flops, RoofSource::data_sheet, "given", 0, 0},
                  {RoofKind::bandwidth, "dram", bandwidth, RoofSource::data_sheet, "given", 0, 0}};
  return device;
}

/// The host as `rooftune ceilings` leaves it: measured roofs only.
inline DeviceProfile small_host() {
  DeviceProfile device;
  device.id = device.name = "host";
  device.kind = DeviceKind::host;
  device.multiprocessors = 4;
  const auto measured = [&](RoofKind kind, const char* name, double value) {
    device.roofs.push_back({kind, name, value, RoofSource::measured, "now", 0.02, 0});
  };
  measured(RoofKind::compute, "fp32", 200e9);
  measured(RoofKind::compute, "fp64", 100e9);
  measured(RoofKind::bandwidth, "dram", 20e9);
  measured(RoofKind::bandwidth, "l2", 100e9);
  measured(RoofKind::bandwidth, "l1", 500e9);
  measured(RoofKind::bandwidth, "shared", 500e9);
  return device;
}

inline ModelInput work(double flops, double dram_bytes, ComputeUnit unit = {}) {
  ModelInput input;
  if (flops > 0) {
    input.work.flops[unit] = flops;
  }
  if (dram_bytes > 0) {
    input.work.bytes[Level::dram] = dram_bytes;
  }
  return input;
}

inline Launch launch(std::uint64_t blocks, std::uint64_t threads) {
  return {{blocks, 1, 1}, {threads, 1, 1}, 0};
}

inline Occupancy resident(int blocks, int warps, double fraction) {
  Occupancy occupancy;
  occupancy.active_blocks = blocks;
  occupancy.active_warps = warps;
  occupancy.fraction = fraction;
  occupancy.launchable = true;
  return occupancy;
}

}  // namespace rooftune::test
