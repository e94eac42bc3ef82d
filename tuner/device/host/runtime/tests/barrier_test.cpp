// Block barriers: what they order, what they count, and how their misuse is reported.

#include <vector>

#include "run_kernel.hpp"

namespace rooftune_host {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;
using Kind = LaunchError::Kind;

TEST(Barrier, OrdersReadsAfterWrites) {
  constexpr unsigned n = 256;
  std::vector<unsigned> out(n * 2);
  LaunchOptions options;
  options.checks = true;  // any order of the threads
  expect_runs(
      {2, n},
      [&] {
        auto& ring = shared_array<unsigned[n]>(0, "ring", __FILE__, __LINE__);
        ring[threadIdx.x] = threadIdx.x;
        __syncthreads();
        for (unsigned step = 0; step < 5; ++step) {
          const unsigned next = ring[(threadIdx.x + 1) % n];
          __syncthreads();
          ring[threadIdx.x] = next;
          __syncthreads();
        }
        out[blockIdx.x * n + threadIdx.x] = ring[threadIdx.x];
      },
      options);
  for (unsigned i = 0; i < out.size(); ++i) {
    EXPECT_EQ(out[i], (i + 5) % n);
  }
}

TEST(Barrier, KeepsEachThreadsIndexAndLocals) {
  expect_runs({2, dim3(8, 8, 4)}, [&] {
    const uint3 before = threadIdx;
    const unsigned block = blockIdx.x;
    for (int i = 0; i < 4; ++i) {
      __syncthreads();
      EXPECT_EQ(threadIdx.x, before.x);
      EXPECT_EQ(threadIdx.y, before.y);
      EXPECT_EQ(threadIdx.z, before.z);
      EXPECT_EQ(blockIdx.x, block);
    }
  });
}

TEST(Barrier, CountsVotes) {
  expect_runs({2, 96}, [&] {
    for (unsigned n : {0U, 1U, 95U, 96U}) {
      const int mine = threadIdx.x < n ? 7 : 0;
      EXPECT_EQ(__syncthreads_count(mine), static_cast<int>(n));
      EXPECT_EQ(__syncthreads_and(mine), n == 96 ? 1 : 0);
      EXPECT_EQ(__syncthreads_or(mine), n == 0 ? 0 : 1);
    }
  });
}

TEST(Barrier, AtDifferentLinesIsDivergence) {
  LaunchOptions options;
  options.kernel_name = "diverging";
  const LaunchReport report = run_kernel(
      {1, 64},
      [] {
#line 12 "diverging.cu"
        if (threadIdx.x < 16) {
          __syncthreads();
        } else {
          __syncthreads();
        }
      },
      options);
  ASSERT_TRUE(report.error);
  EXPECT_EQ(report.error->kind, Kind::barrier_divergence);
  EXPECT_THAT(report.error->message,
              AllOf(HasSubstr("diverging, block (0, 0, 0)"),
                    HasSubstr("16 threads of 64 wait at diverging.cu:13"),
                    HasSubstr("thread (16, 0, 0) reached the barrier at diverging.cu:15")));
  EXPECT_EQ(report.error->file, "diverging.cu");
  EXPECT_EQ(report.error->line, 15);
}

const auto early_exit = [](std::vector<int>& out) {
  return [&out] {
#line 30 "early.cu"
    if (threadIdx.x >= 40) {
      return;
    }
    __syncthreads();
    out[threadIdx.x] = 1;
  };
};

TEST(Barrier, DoesNotWaitForExitedThreads) {
  std::vector<int> out(40);
  expect_runs({1, 64}, early_exit(out));
  EXPECT_THAT(out, Each(1));
}

TEST(Barrier, WithExitedThreadsIsDivergenceWithChecks) {
  std::vector<int> out(40);
  LaunchOptions options;
  options.checks = true;
  const LaunchReport report = run_kernel({1, 64}, early_exit(out), options);
  ASSERT_TRUE(report.error);
  EXPECT_EQ(report.error->kind, Kind::barrier_divergence);
  EXPECT_THAT(
      report.error->message,
      HasSubstr("40 threads of 64 wait at the barrier at early.cu:33, the others have exited"));
}

TEST(Barrier, WithExitedThreadsIsRightWhereTheLaunchSaysSo) {
  std::vector<int> out(40);
  LaunchOptions options;
  options.checks = true;
  options.exits_are_right = true;
  expect_runs({1, 64}, early_exit(out), options);
  EXPECT_THAT(out, Each(1));
}

TEST(Barrier, MixedWithAWarpSyncIsADeadlock) {
  const LaunchReport report = run_kernel({1, 64}, [] {
#line 50 "mixed.cu"
    if (threadIdx.x % 32 < 8) {
      __syncwarp();
    } else {
      __syncthreads();
    }
  });
  ASSERT_TRUE(report.error);
  EXPECT_EQ(report.error->kind, Kind::deadlock);
  EXPECT_THAT(report.error->message,
              AllOf(HasSubstr("48 threads at the barrier at mixed.cu:53"),
                    HasSubstr("lanes 0x000000ff of warp 1 in __syncwarp at mixed.cu:51")));
}

TEST(Barrier, LaunchAfterAnErrorWorks) {
  const LaunchReport report = run_kernel({8, 64}, [] {
    if (threadIdx.x < 3) {
      __syncthreads();
    } else {
      __syncwarp(0xFFFFFFF8U | (threadIdx.x < 32 ? 0U : ~0U));
      __syncthreads();
    }
  });
  ASSERT_TRUE(report.error);
  std::vector<int> out(8 * 64);
  expect_runs({8, 64}, [&] {
    __syncthreads();
    ++out[blockIdx.x * 64 + threadIdx.x];
    __syncwarp();
    __syncthreads();
  });
  EXPECT_THAT(out, Each(1));
}

TEST(Assert, EndsTheLaunchAndNamesTheLine) {
  const LaunchReport report = run_kernel({4, 8}, [] {
#line 90 "asserting.cu"
    if (threadIdx.x == 5) {
      rooftune_host::assertion_failed("x > 0", "kernel", __FILE__, __LINE__);
    }
    __syncthreads();
  });
  ASSERT_TRUE(report.error);
  EXPECT_EQ(report.error->kind, Kind::assertion);
  EXPECT_THAT(report.error->message, HasSubstr("asserting.cu:91: kernel: x > 0"));
}

TEST(Yield, LetsASpinLockOfTheBlockProceed) {
  int lock = 0;
  int counter = 0;
  int arrived = 0;
  expect_runs({1, 128}, [&] {
    while (atomicCAS(&lock, 0, 1) != 0) {
    }
    ++counter;
    __nanosleep(100);  // others spin meanwhile
    atomicExch(&lock, 0);
    atomicAdd(&arrived, 1);
    while (atomicCAS(&arrived, 128, 128) != 128) {
    }
  });
  EXPECT_EQ(counter, 128);
}

}  // namespace
}  // namespace rooftune_host
