// For which architecture to compile: pure.
#pragma once

#include <string>
#include <vector>

#include "tuner/occupancy/occupancy.hpp"

namespace rooftune::cuda {

struct Target {
  std::string architecture;  ///< "sm_90", or "compute_121": PTX that the driver compiles
  std::string warning;       ///< where it is not the device's own
};

/// The device's own where NVRTC knows it; the highest known as PTX where the device is newer.
/// `supported` is "sm_75", ..., ascending. Throws InputError, with the list, for a device that is
/// older than all of them.
Target choose_target(ComputeCapability device, const std::vector<std::string>& supported,
                     const std::string& nvrtc_version);

}  // namespace rooftune::cuda
