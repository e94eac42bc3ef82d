// Warp collectives against what CUDA's guide says each lane gets.

#include <vector>

#include "run_kernel.hpp"

namespace rooftune_host {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using Kind = LaunchError::Kind;
constexpr unsigned all = 0xFFFFFFFFU;

TEST(Shuffle, ReducesAWarp) {
  std::vector<float> sums(4);
  expect_runs({2, 64}, [&] {
    float value = static_cast<float>(threadIdx.x);
    for (int delta = 16; delta > 0; delta /= 2) {
      value += __shfl_down_sync(all, value, delta);
    }
    if (threadIdx.x % 32 == 0) {
      sums[blockIdx.x * 2 + threadIdx.x / 32] = value;
    }
  });
  EXPECT_THAT(sums, ::testing::ElementsAre(496, 1520, 496, 1520));
}

template <class T>
class ShuffleOf : public ::testing::Test {};
using Shuffled =
    ::testing::Types<int, unsigned, long, unsigned long long, float, double, short, unsigned char>;
TYPED_TEST_SUITE(ShuffleOf, Shuffled);

TYPED_TEST(ShuffleOf, TakesEveryWidth) {
  expect_runs({1, 32}, [&] {
    const int lane = static_cast<int>(threadIdx.x);
    const auto mine = static_cast<TypeParam>(lane + 1);
    const auto of = [](int source) { return static_cast<TypeParam>(source + 1); };
    for (int width : {1, 2, 4, 8, 16, 32}) {
      const int base = lane / width * width;
      EXPECT_EQ(__shfl_sync(all, mine, 5, width), of(base + 5 % width));
      EXPECT_EQ(__shfl_sync(all, mine, -1, width), of(base + width - 1));
      EXPECT_EQ(__shfl_up_sync(all, mine, 3, width), of(lane - base >= 3 ? lane - 3 : lane));
      EXPECT_EQ(__shfl_down_sync(all, mine, 3, width),
                of(lane - base + 3 < width ? lane + 3 : lane));
      const int partner = lane ^ 2;
      EXPECT_EQ(__shfl_xor_sync(all, mine, 2, width), of(partner < base + width ? partner : lane));
    }
  });
}

TEST(Shuffle, FromALaneOutsideIsConspicuousWithChecks) {
  LaunchOptions options;
  options.checks = true;
  expect_runs(
      {1, 16},
      [&] {
        const float got = __shfl_sync(0xFFFFU, 1.0F, 20);
        EXPECT_TRUE(std::isnan(got));
      },
      options);
}

TEST(Vote, SeesEveryLane) {
  expect_runs({1, 48}, [&] {
    const bool partial = threadIdx.x >= 32;
    const unsigned odd = partial ? 0xAAAAU : 0xAAAAAAAAU;
    EXPECT_EQ(__ballot_sync(all, static_cast<int>(threadIdx.x & 1U)), odd);
    EXPECT_EQ(__activemask(), partial ? 0xFFFFU : all);
    EXPECT_EQ(__any_sync(all, threadIdx.x == 40 ? 1 : 0), partial ? 1 : 0);
    EXPECT_EQ(__all_sync(all, threadIdx.x < 32 ? 1 : 0), partial ? 0 : 1);
  });
}

TEST(Match, FindsEqualValues) {
  expect_runs({1, 32}, [&] {
    const unsigned low = threadIdx.x % 4;
    EXPECT_EQ(__match_any_sync(all, low), 0x11111111U << low);
    int same = -1;
    EXPECT_EQ(__match_all_sync(all, 7, &same), all);
    EXPECT_EQ(same, 1);
    EXPECT_EQ(__match_all_sync(all, threadIdx.x, &same), 0U);
    EXPECT_EQ(same, 0);
  });
}

TEST(Reduce, CombinesAllLanes) {
  expect_runs({1, 32}, [&] {
    const int value = static_cast<int>(threadIdx.x) - 16;
    EXPECT_EQ(__reduce_add_sync(all, value), -16);
    EXPECT_EQ(__reduce_min_sync(all, value), -16);
    EXPECT_EQ(__reduce_max_sync(all, value), 15);
    EXPECT_EQ(__reduce_max_sync(all, threadIdx.x), 31U);
    EXPECT_EQ(__reduce_or_sync(all, 1U << threadIdx.x), all);
    EXPECT_EQ(__reduce_and_sync(all, ~(1U << threadIdx.x)), 0U);
    EXPECT_EQ(__reduce_xor_sync(all, threadIdx.x), 0U);
  });
}

TEST(ActiveMask, HoldsTheLanesOfABranch) {
  LaunchOptions options;
  options.checks = true;
  expect_runs(
      {1, 96},
      [&] {
        const unsigned lane = threadIdx.x % 32;
        for (int i = 0; i < 3; ++i) {
          if (lane % 3 == 0) {
            const unsigned mask = __activemask();
            EXPECT_EQ(mask, 0x49249249U);
            EXPECT_EQ(__shfl_sync(mask, lane, 30), 30U);
          } else if (lane < 20) {
            EXPECT_EQ(__activemask(), 0xFFFFFU & ~0x49249249U);
          } else {
            __syncwarp(0xFFF00000U & ~0x49249249U);
          }
          __syncthreads();
        }
      },
      options);
}

TEST(WarpSync, LetsDisjointMasksMeetApart) {
  expect_runs({1, 32}, [&] {
    const bool low = threadIdx.x < 10;
    const unsigned mask = low ? 0x3FFU : ~0x3FFU;
    for (unsigned i = 0; i < (low ? 7U : 3U); ++i) {
      EXPECT_EQ(__ballot_sync(mask, 1), mask);
    }
    EXPECT_EQ(__ballot_sync(all, low ? 1 : 0), 0x3FFU);
  });
}

TEST(WarpSync, DoesNotWaitForExitedLanes) {
  expect_runs({1, 32}, [&] {
    if (threadIdx.x % 2 == 0) {
      return;
    }
    EXPECT_EQ(__ballot_sync(all, 1), 0xAAAAAAAAU);
  });
}

TEST(WarpSync, IsCompletedByALaneThatExits) {
  LaunchOptions options;
  options.workers = 1;
  expect_runs(
      {1, 32},
      [&] {
        if (threadIdx.x < 31) {  // lane 31 runs last
          EXPECT_EQ(__ballot_sync(all, 1), 0x7FFFFFFFU);
        }
      },
      options);
}

TEST(WarpSync, MismatchedCollectiveIsAnError) {
  LaunchOptions options;
  options.kernel_name = "mixed";
  const LaunchReport report = run_kernel(
      {1, 32},
      [] {
#line 20 "mixed.cu"
        if (threadIdx.x < 4) {
          __syncwarp();
        } else {
          __ballot_sync(0xFFFFFFFFU, 1);
        }
      },
      options);
  ASSERT_TRUE(report.error);
  EXPECT_EQ(report.error->kind, Kind::collective_mismatch);
  EXPECT_THAT(report.error->message,
              AllOf(HasSubstr("kernel mixed"), HasSubstr("__ballot_sync at mixed.cu:23"),
                    HasSubstr("__syncwarp at mixed.cu:21")));
  EXPECT_EQ(report.error->line, 23);
}

TEST(WarpSync, MismatchedMasksAreAnError) {
  const LaunchReport report = run_kernel({1, 32}, [] {
    const unsigned mask = threadIdx.x == 9 ? 0x0000FFFFU : 0xFFFFFFFFU;
    __syncwarp(mask);
  });
  ASSERT_TRUE(report.error);
  EXPECT_EQ(report.error->kind, Kind::collective_mismatch);
  EXPECT_THAT(report.error->message,
              AllOf(HasSubstr("lane 9"), HasSubstr("0x0000ffff"), HasSubstr("0xffffffff")));
}

TEST(WarpSync, MaskWithoutTheCallerIsAnError) {
  const LaunchReport report = run_kernel({1, 32}, [] { __syncwarp(0xFFFFU); });
  ASSERT_TRUE(report.error);
  EXPECT_EQ(report.error->kind, Kind::collective_mismatch);
  EXPECT_THAT(report.error->message, HasSubstr("does not name its own lane"));
}

}  // namespace
}  // namespace rooftune_host
