// A GPU's ceilings: which kernels show them, and what their times mean. The kernels are in
// configs/ceilings; they run as every other kernel does, in the worker of the GPU.
#pragma once

#include <string>
#include <vector>

#include "tuner/device/cuda/gpu_facts.hpp"
#include "tuner/device/device.hpp"

namespace rooftune::cuda {

/// One kernel, and what it does in a launch.
struct Probe {
  RoofKind kind = RoofKind::compute;
  std::string name;  ///< of the roof
  /// FLOP or bytes of a launch; of a latency, 1.
  double amount = 0;
  std::string how;  ///< "128 chains of multiply-adds a warp": for people
  KernelInstance instance;
};

/// Every ceiling that a GPU of this architecture has, in the order of the list that people read.
/// Pure, but for finding the folder of the kernels. Throws InputError where that is missing.
///
/// Tensor cores are used by mma.sync. From compute capability 9.0 on data-centre GPUs reach their
/// full rate by other instructions alone, which are compiled for one architecture each: there the
/// figure is named NAME.tensor.mma_sync, and is no roof for what uses the others.
std::vector<Probe> ceiling_probes(const DeviceProfile& gpu);

/// The rate of the quickest sample; the clock is in `origin`. Pure.
Roof roof_from(const Probe& probe, const Measurement& measurement);

struct MeasuredCeilings {
  std::vector<Roof> roofs;
  std::vector<std::string> left_out;  ///< "fp8.tensor: REASON"
};
/// One probe after the other, each warmed up by itself. What fails is left out. Throws DeviceLost,
/// and InputError where nothing at all could be measured.
MeasuredCeilings measure_ceilings(Device& gpu, const std::vector<Probe>& probes);

/// The larger of what was read and what was copied is the roof of DRAM.
void add_dram_roof(std::vector<Roof>& roofs);

/// The known device with measured roofs beside its own, each after the one of its name, or of its
/// kind.
DeviceProfile with_measured(DeviceProfile known, const DeviceProfile& measured);

}  // namespace rooftune::cuda
