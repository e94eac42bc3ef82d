#include "tuner/device/cuda/target.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "tuner/core/error.hpp"

namespace rooftune::cuda {

Target choose_target(ComputeCapability device, const std::vector<std::string>& supported,
                     const std::string& nvrtc_version) {
  const std::string own = architecture(device);
  if (std::find(supported.begin(), supported.end(), own) != supported.end()) {
    return {own, ""};
  }
  std::optional<ComputeCapability> highest;
  for (const std::string& name : supported) {
    const auto cc = compute_capability_from(name);
    highest = cc && *cc < device ? cc : highest;
  }
  if (!highest) {
    throw InputError(
        fmt::format("NVRTC {} does not compile for {}, the architecture of this GPU", nvrtc_version,
                    own),
        fmt::format("it knows {}; use an older CUDA toolkit", fmt::join(supported, ", ")));
  }
  return {
      fmt::format("compute_{}{}", highest->major, highest->minor),
      fmt::format("this GPU ({}) is newer than NVRTC {}: kernels are compiled to PTX for {} and "
                  "finished by the driver, so that registers are not known beforehand; a newer "
                  "CUDA toolkit does better",
                  own, nvrtc_version, architecture(*highest))};
}

}  // namespace rooftune::cuda
