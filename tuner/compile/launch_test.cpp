#include <gmock/gmock.h>

#include "tuner/compile/compiler.hpp"
#include "tuner/core/error.hpp"

namespace rooftune {
namespace {

using testing::HasSubstr;

KernelInstance launching(const Dim3& block, std::uint64_t shared_bytes = 0) {
  KernelInstance instance;
  instance.launch.block = block;
  instance.launch.shared_bytes = shared_bytes;
  return instance;
}

std::string reason(const std::optional<Failure>& failure) {
  if (failure) {
    EXPECT_EQ(failure->outcome, Outcome::cannot_launch);
  }
  return failure ? failure->reason : "launches";
}

TEST(LaunchFailure, IsToldBeforeCompilingFromTheLaunchAlone) {
  EXPECT_EQ(reason(launch_failure(launching({256, 1, 1}), "sm_90")), "launches");
  EXPECT_EQ(reason(launch_failure(launching({1, 1, 65}), "sm_90")),
            "block.z: needs 65, the limit is 64");
  EXPECT_EQ(reason(launch_failure(launching({64, 32, 1}), "sm_90")),
            "threads a block: needs 2048, the limit is 1024");
  EXPECT_EQ(reason(launch_failure(launching({64, 1, 1}, 200 * 1024), "sm_90")), "launches");
  EXPECT_EQ(reason(launch_failure(launching({64, 1, 1}, 200 * 1024), "sm_80")),
            "shared memory a block: needs 204800 bytes, the limit is 166912");
  EXPECT_THAT(reason(launch_failure(launching({64, 1, 1}, UINT64_MAX), "sm_80")),
              HasSubstr("the limit is 166912"));
}

TEST(LaunchFailure, IsToldFromWhatTheKernelTakes) {
  Resources resources;
  resources.registers = 162;
  EXPECT_EQ(reason(launch_failure(launching({384, 1, 1}), resources, "sm_89")), "launches");
  EXPECT_EQ(reason(launch_failure(launching({512, 1, 1}), resources, "sm_89")),
            "registers a block: needs 86016 (16 warps of 5376), the limit is 65536");
  resources.registers = 32;
  resources.static_shared = 16 * 1024;
  EXPECT_EQ(reason(launch_failure(launching({64, 1, 1}, 84 * 1024), resources, "sm_86")),
            "shared memory a block: needs 102400 bytes, the limit is 101376");
}

TEST(LaunchFailure, FollowsTheKernelsLaunchBounds) {
  Resources resources;
  resources.max_threads = 256;
  EXPECT_EQ(reason(launch_failure(launching({256, 1, 1}), resources, "sm_90")), "launches");
  EXPECT_EQ(reason(launch_failure(launching({32, 16, 1}), resources, "sm_90")),
            "threads a block: needs 512, the limit is 256 by the kernel's launch bounds");
}

TEST(LaunchFailure, ChecksTheGrid) {
  KernelInstance instance = launching({32, 1, 1});
  instance.launch.grid = {2147483647, 65535, 65535};
  EXPECT_EQ(reason(launch_failure(instance, "sm_90")), "launches");
  instance.launch.grid = {2147483648, 1, 1};
  EXPECT_EQ(reason(launch_failure(instance, "sm_90")),
            "grid.x: needs 2147483648, the limit is 2147483647");
  instance.launch.grid = {1, 65536, 1};
  EXPECT_EQ(reason(launch_failure(instance, "sm_90")), "grid.y: needs 65536, the limit is 65535");
  instance.launch.grid = {1, 1, 70000};
  EXPECT_EQ(reason(launch_failure(instance, "sm_90")), "grid.z: needs 70000, the limit is 65535");
}

TEST(LaunchFailure, RefusesArchitecturesWithoutLimits) {
  EXPECT_THROW(launch_failure(launching({32, 1, 1}), "sm_52"), InputError);
  EXPECT_THROW(launch_failure(launching({32, 1, 1}), "host"), InputError);
}

TEST(OccupancyOf, OptsIn) {
  Resources resources;
  resources.registers = 16;
  resources.static_shared = 16;
  EXPECT_EQ(occupancy_of(launching({128, 1, 1}, 49152), resources, "sm_89").active_blocks, 2);
}

}  // namespace
}  // namespace rooftune
