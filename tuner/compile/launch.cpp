#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>

#include "tuner/compile/compiler.hpp"
#include "tuner/core/error.hpp"

namespace rooftune {
namespace {

OccupancyRequest request_of(const KernelInstance& instance, const Resources& resources,
                            const std::string& architecture) {
  const auto cc = compute_capability_from(architecture);
  if (!cc) {
    throw InputError(fmt::format("\"{}\" is no architecture", architecture),
                     "write it as sm_90 or 9.0");
  }
  OccupancyRequest request;
  request.cc = *cc;
  request.block = instance.launch.block;
  request.registers = resources.registers;
  request.static_shared = resources.static_shared;
  constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max();
  request.dynamic_shared = static_cast<std::int64_t>(std::min(instance.launch.shared_bytes, most));
  return request;
}

/// CUDA C++ Programming Guide, technical specifications: the same for every architecture here.
std::string grid_refusal(const Dim3& grid) {
  constexpr std::uint64_t most_x = 2147483647;
  constexpr std::uint64_t most_y = 65535;
  if (grid.x > most_x) {
    return fmt::format("grid.x: needs {}, the limit is {}", grid.x, most_x);
  }
  if (grid.y > most_y || grid.z > most_y) {
    return fmt::format("grid.{}: needs {}, the limit is {}", grid.y > most_y ? 'y' : 'z',
                       grid.y > most_y ? grid.y : grid.z, most_y);
  }
  return "";
}

}  // namespace

Occupancy occupancy_of(const KernelInstance& instance, const Resources& resources,
                       const std::string& architecture) {
  return occupancy(request_of(instance, resources, architecture));
}

std::optional<Failure> launch_failure(const KernelInstance& instance, const Resources& resources,
                                      const std::string& architecture) {
  std::string reason = occupancy_of(instance, resources, architecture).reason;
  const auto add = [&reason](const std::string& more) {
    reason += (reason.empty() || more.empty() ? "" : "; ") + more;
  };
  add(grid_refusal(instance.launch.grid));
  const std::uint64_t threads = instance.launch.block.count();
  if (resources.max_threads > 0 && threads > static_cast<std::uint64_t>(resources.max_threads)) {
    add(fmt::format("threads a block: needs {}, the limit is {} by the kernel's launch bounds",
                    threads, resources.max_threads));
  }
  if (reason.empty()) {
    return std::nullopt;
  }
  return Failure{Outcome::cannot_launch, reason, ""};
}

std::optional<Failure> launch_failure(const KernelInstance& instance,
                                      const std::string& architecture) {
  return launch_failure(instance, Resources{}, architecture);
}

}  // namespace rooftune
