// The race build: what it must find, with the source lines, and what it must not.

#include <vector>

#include "run_kernel.hpp"
// After the tests' own headers, as a kernel has none.
#include <cooperative_groups.h>

#include <cuda/pipeline>

namespace rooftune_host {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using Kind = LaunchError::Kind;

template <class Body>
LaunchError expect_race(const LaunchShape& shape, const Body& body) {
  LaunchOptions options;
  options.kernel_name = "racy";
  const LaunchReport report = run_kernel(shape, body, options);
  EXPECT_TRUE(report.error);
  EXPECT_EQ(report.error.value_or(LaunchError{}).kind, Kind::data_race);
  return report.error.value_or(LaunchError{});
}

TEST(Race, MissingBarrierIsFoundWithItsLines) {
  std::vector<float> out(64);
  const LaunchError error = expect_race({1, 64}, [&] {
#line 40 "missing.cu"
    auto& tile = shared_array<float[64]>(0, "tile", __FILE__, __LINE__);
    tile[threadIdx.x] = 1;
    out[threadIdx.x] = tile[63 - threadIdx.x];
  });
  EXPECT_THAT(error.message,
              AllOf(HasSubstr("data race in kernel racy"), HasSubstr("missing.cu:41"),
                    HasSubstr("missing.cu:42"), HasSubstr("block (0, 0, 0), thread (")));
  EXPECT_THAT(error.file, HasSubstr("missing.cu"));
}

TEST(Race, BarrierOrders) {
  std::vector<float> out(128);
  expect_runs({2, 64}, [&] {
    auto& tile = shared_array<float[64]>(0, "tile", __FILE__, __LINE__);
    for (int i = 0; i < 5; ++i) {
      tile[threadIdx.x] = static_cast<float>(i);
      __syncthreads();
      out[blockIdx.x * 64 + threadIdx.x] += tile[63 - threadIdx.x];
      __syncthreads();
    }
  });
}

TEST(Race, MissingSecondBarrierIsFound) {
  std::vector<float> out(64);
  expect_race({1, 64}, [&] {
    auto& tile = shared_array<float[64]>(0, "tile", __FILE__, __LINE__);
    for (int i = 0; i < 3; ++i) {
      tile[threadIdx.x] = static_cast<float>(i);
      __syncthreads();
      out[threadIdx.x] += tile[63 - threadIdx.x];
    }
  });
}

TEST(Race, NonAtomicHistogramIsFoundBetweenBlocks) {
  std::vector<int> histogram(4);
  const LaunchError error = expect_race({8, 1}, [&] {
#line 80 "histogram.cu"
    ++histogram.data()[blockIdx.x % 4];
  });
  EXPECT_THAT(error.message, HasSubstr("histogram.cu:80"));
}

TEST(Race, AtomicHistogramIsNone) {
  std::vector<int> histogram(4);
  std::vector<float> sums(4);
  expect_runs({8, 32}, [&] {
    atomicAdd(&histogram[threadIdx.x % 4], 1);
    atomicAdd(&sums[threadIdx.x % 4], 0.5F);
    atomicMax(&histogram[threadIdx.x % 4], 1);
  });
  EXPECT_EQ(histogram[0], 64);
  EXPECT_EQ(sums[0], 32);
}

TEST(Race, PlainReadOfWhatOthersUpdateAtomicallyIsFound) {
  int counter = 0;
  int seen = 0;
  expect_race({2, 1}, [&] {
    if (blockIdx.x == 0) {
      atomicAdd(&counter, 1);
    } else {
      seen = counter;
    }
  });
}

TEST(Race, LastBlockMayReadWhatOthersPublished) {
  constexpr unsigned blocks = 6;
  std::vector<float> partial(blocks);
  unsigned arrived = 0;
  float total = 0;
  expect_runs({blocks, 32}, [&] {
    auto& last = shared_array<bool>(0, "last", __FILE__, __LINE__);
    if (threadIdx.x == 0) {
      partial[blockIdx.x] = 1;
      __threadfence();
      last = atomicInc(&arrived, blocks - 1) == blocks - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
      for (float x : partial) {
        total += x;
      }
    }
  });
  EXPECT_EQ(total, blocks);
}

TEST(Race, WarpSyncOrdersAndAShuffleDoesNot) {
  const auto exchange = [](bool with_sync) {
    return [with_sync] {
      auto& tile = shared_array<int[32]>(0, "tile", __FILE__, __LINE__);
      tile[threadIdx.x] = 1;
      if (with_sync) {
        __syncwarp();
      } else {
        __shfl_xor_sync(0xFFFFFFFFU, 1, 1);
      }
      EXPECT_EQ(tile[31 - threadIdx.x], 1);
    };
  };
  expect_runs({1, 32}, exchange(true));
  expect_race({1, 32}, exchange(false));
}

TEST(Race, LaunchesAreOrderedAndBlocksShareNoSharedMemory) {
  std::vector<int> data(64);
  for (int i = 0; i < 3; ++i) {
    expect_runs({2, 32, 32 * sizeof(int)}, [&] {
      auto& tile = shared_array<int[32]>(0, "tile", __FILE__, __LINE__);
      auto* dynamic = dynamic_shared<int>();
      // Another thread's element in each launch.
      const unsigned mine = blockIdx.x * 32 + threadIdx.x;
      int& element = data[i % 2 == 0 ? mine : 63 - mine];
      tile[threadIdx.x] = element + 1;
      dynamic[threadIdx.x] = tile[threadIdx.x];
      element = dynamic[threadIdx.x];
    });
  }
  EXPECT_THAT(data, ::testing::Each(3));
}

TEST(Race, PipelineOrdersAndItsAbsenceIsFound) {
  const std::vector<int> in(32, 1);
#line 200 "pipelined.cu"
  const auto stage = [&](bool waits) {
    return [&in, waits] {
      auto& buffer = shared_array<int[32]>(0, "buffer", __FILE__, __LINE__);
      auto& state = shared_array<cuda::pipeline_shared_state<cuda::thread_scope_block, 1>>(
          1, "state", __FILE__, __LINE__);
      const auto block = cooperative_groups::this_thread_block();
      auto pipe = cuda::make_pipeline(block, &state);
      pipe.producer_acquire();
      cuda::memcpy_async(&buffer[threadIdx.x], &in[threadIdx.x], sizeof(int), pipe);
      pipe.producer_commit();
      if (waits) {
        pipe.consumer_wait();
      }
      EXPECT_EQ(buffer[31 - threadIdx.x] * (waits ? 1 : 0), waits ? 1 : 0);
      pipe.consumer_release();
    };
  };
  expect_runs({1, 32}, stage(true));
  EXPECT_THAT(expect_race({1, 32}, stage(false)).message, HasSubstr("pipelined.cu:2"));
}

TEST(Race, LimitsTheThreads) {
  const LaunchReport report = run_kernel({17, 256}, [] {});
  ASSERT_TRUE(report.error);
  EXPECT_EQ(report.error->kind, Kind::bad_launch);
  EXPECT_THAT(report.error->message, HasSubstr("at most 4096 threads in all"));
}

}  // namespace
}  // namespace rooftune_host
