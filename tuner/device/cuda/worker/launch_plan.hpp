// What has to be asked of the driver before a launch, and whether it can succeed at all: pure.
#pragma once

#include <optional>

#include "tuner/compile/compiler.hpp"
#include "tuner/core/outcome.hpp"
#include "tuner/occupancy/occupancy.hpp"
#include "tuner/spec/instance.hpp"

namespace rooftune::cuda {

/// What a loaded kernel takes, as the driver says.
struct KernelNeeds {
  int registers = 0;      ///< a thread
  int static_shared = 0;  ///< bytes
  int max_threads = 0;    ///< a block
};

struct LaunchPlan {
  /// cannot_launch with resource, need and limit.
  std::optional<Failure> failure;
  /// More than 48 KiB: what dynamic shared memory has to be opted in to, bytes.
  std::optional<int> opt_in;
  /// Share of the multiprocessor's memory that is shared memory, percent, so that all blocks fit
  /// that fit otherwise; nullopt leaves the choice to the driver.
  std::optional<int> carveout;
};

/// `opt_in_limit`: bytes of shared memory that a block may opt in to, as the driver says.
LaunchPlan plan_launch(const Launch& launch, const KernelNeeds& needs, ComputeCapability cc,
                       int opt_in_limit);

}  // namespace rooftune::cuda
