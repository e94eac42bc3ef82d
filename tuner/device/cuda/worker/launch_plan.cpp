#include "tuner/device/cuda/worker/launch_plan.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace rooftune::cuda {
namespace {

/// What the driver itself tells, for every architecture, unknown ones too.
std::string refusal(const Launch& launch, const KernelNeeds& needs, int opt_in_limit) {
  const std::uint64_t threads = launch.block.count();
  if (needs.max_threads > 0 && threads > static_cast<std::uint64_t>(needs.max_threads)) {
    return fmt::format("threads a block: needs {}, the limit of this kernel is {}", threads,
                       needs.max_threads);
  }
  const std::uint64_t shared =
      launch.shared_bytes + static_cast<std::uint64_t>(needs.static_shared);
  if (opt_in_limit > 0 && shared > static_cast<std::uint64_t>(opt_in_limit)) {
    return fmt::format(
        "shared memory: needs {} bytes a block ({} of them dynamic), the limit is {}", shared,
        launch.shared_bytes, opt_in_limit);
  }
  return "";
}

bool is_known(ComputeCapability cc) {
  const auto& all = all_limits();
  return std::any_of(all.begin(), all.end(),
                     [cc](const MultiprocessorLimits& limits) { return limits.cc == cc; });
}

}  // namespace

LaunchPlan plan_launch(const Launch& launch, const KernelNeeds& needs, ComputeCapability cc,
                       int opt_in_limit) {
  LaunchPlan plan;
  std::string reason = refusal(launch, needs, opt_in_limit);
  const std::uint64_t shared =
      launch.shared_bytes + static_cast<std::uint64_t>(needs.static_shared);
  if (reason.empty() && is_known(cc)) {
    OccupancyRequest request;
    request.cc = cc;
    request.block = launch.block;
    request.registers = needs.registers;
    request.static_shared = needs.static_shared;
    request.dynamic_shared = static_cast<std::int64_t>(launch.shared_bytes);
    const Occupancy fits = occupancy(request);
    reason = fits.reason;
    if (shared > 0 && fits.active_blocks > 0) {
      const MultiprocessorLimits& limits = limits_of(cc);
      const auto need =
          fits.active_blocks * (static_cast<std::int64_t>(shared) + limits.shared_reserved);
      plan.carveout = static_cast<int>(
          std::min<std::int64_t>(100, (100 * need + limits.shared - 1) / limits.shared));
    }
  }
  if (!reason.empty()) {
    plan.failure = Failure{Outcome::cannot_launch, reason, ""};
  }
  constexpr std::uint64_t without_opt_in = 48 * 1024;
  if (shared > without_opt_in) {
    plan.opt_in = static_cast<int>(launch.shared_bytes);
  }
  return plan;
}

}  // namespace rooftune::cuda
