// Asynchronous copies: cuda_pipeline.h, cuda/pipeline and cuda/barrier, used as the programming
// guide does, and used wrongly.

#include <numeric>

#include "run_kernel.hpp"
// After the tests' own headers, as a kernel has none.
#include <cooperative_groups.h>
#include <cuda_pipeline.h>

#include <cuda/barrier>
#include <cuda/pipeline>

namespace rooftune_host {
namespace {

namespace cg = cooperative_groups;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr unsigned threads = 64;
constexpr unsigned steps = 5;

std::vector<int> numbers() {
  std::vector<int> in(threads * steps);
  std::iota(in.begin(), in.end(), 1);
  return in;
}

/// Each thread's sum over the steps of the element that its mirror image brought.
void expect_mirrored_sums(const std::vector<int>& in, const std::vector<int>& out) {
  for (unsigned t = 0; t < threads; ++t) {
    int sum = 0;
    for (unsigned s = 0; s < steps; ++s) {
      sum += in[s * threads + threads - 1 - t];
    }
    EXPECT_EQ(out[t], sum);
  }
}

TEST(PipelinePrimitives, DoubleBuffer) {
  const auto in = numbers();
  std::vector<int> out(threads);
  expect_runs({1, threads}, [&] {
    auto& buffer = shared_array<int[2][threads]>(0, "buffer", __FILE__, __LINE__);
    const auto fetch = [&](unsigned step) {
      if (step < steps) {
        __pipeline_memcpy_async(&buffer[step % 2][threadIdx.x], &in[step * threads + threadIdx.x],
                                sizeof(int));
      }
      __pipeline_commit();
    };
    fetch(0);
    for (unsigned step = 0; step < steps; ++step) {
      fetch(step + 1);
      __pipeline_wait_prior(1);
      __syncthreads();
      out[threadIdx.x] += buffer[step % 2][threads - 1 - threadIdx.x];
      __syncthreads();
    }
  });
  expect_mirrored_sums(in, out);
}

TEST(PipelinePrimitives, FillWithZeros) {
  const int in[4] = {1, 2, 3, 4};
  expect_runs({1, 1}, [&] {
    auto& buffer = shared_array<int[4]>(0, "buffer", __FILE__, __LINE__);
    __pipeline_memcpy_async(buffer, in, 16, 8);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    EXPECT_EQ(buffer[1], 2);
    EXPECT_EQ(buffer[2], 0);
    EXPECT_EQ(buffer[3], 0);
  });
}

#if defined(ROOFTUNE_HOST_CHECKED)
TEST(PipelinePrimitives, WithoutAWaitTheDataIsNotThere) {
  const int in[1] = {7};
  expect_runs({1, 1}, [&] {
    auto& buffer = shared_array<int[1]>(0, "buffer", __FILE__, __LINE__);
    __pipeline_memcpy_async(buffer, in, 4);
    __pipeline_commit();
    __pipeline_wait_prior(1);  // one too few
    EXPECT_EQ(buffer[0], -1);
  });
}
#endif

TEST(Pipeline, OfOneThread) {
  const auto in = numbers();
  std::vector<int> out(threads);
  expect_runs({1, threads}, [&] {
    auto& buffer = shared_array<int[2][threads]>(0, "buffer", __FILE__, __LINE__);
    auto pipe = cuda::make_pipeline();
    const auto fetch = [&](unsigned step) {
      pipe.producer_acquire();
      cuda::memcpy_async(&buffer[step % 2][threadIdx.x], &in[step * threads + threadIdx.x],
                         cuda::aligned_size_t<4>(sizeof(int)), pipe);
      pipe.producer_commit();
    };
    fetch(0);
    for (unsigned step = 0; step < steps; ++step) {
      if (step + 1 < steps) {
        fetch(step + 1);
      }
      pipe.consumer_wait();
      __syncthreads();
      out[threadIdx.x] += buffer[step % 2][threads - 1 - threadIdx.x];
      __syncthreads();
      pipe.consumer_release();
    }
  });
  expect_mirrored_sums(in, out);
}

TEST(Pipeline, OfABlock) {
  const auto in = numbers();
  std::vector<int> out(threads);
  LaunchOptions options;
  options.checks = true;
  expect_runs(
      {1, threads},
      [&] {
        auto& buffer = shared_array<int[2][threads]>(0, "buffer", __FILE__, __LINE__);
        auto& state = shared_array<cuda::pipeline_shared_state<cuda::thread_scope_block, 2>>(
            1, "state", __FILE__, __LINE__);
        const auto block = cg::this_thread_block();
        auto pipe = cuda::make_pipeline(block, &state);
        const auto fetch = [&](unsigned step) {
          pipe.producer_acquire();
          cuda::memcpy_async(block, buffer[step % 2], &in[step * threads], sizeof(int) * threads,
                             pipe);
          pipe.producer_commit();
        };
        fetch(0);
        for (unsigned step = 0; step < steps; ++step) {
          if (step + 1 < steps) {
            fetch(step + 1);
          }
          pipe.consumer_wait();
          out[threadIdx.x] += buffer[step % 2][threads - 1 - threadIdx.x];
          pipe.consumer_release();
        }
      },
      options);
  expect_mirrored_sums(in, out);
}

TEST(Pipeline, WithProducersAndConsumers) {
  const auto in = numbers();
  std::vector<int> out(threads);
  expect_runs({1, 2 * threads}, [&] {
    auto& buffer = shared_array<int[2][threads]>(0, "buffer", __FILE__, __LINE__);
    auto& state = shared_array<cuda::pipeline_shared_state<cuda::thread_scope_block, 2>>(
        1, "state", __FILE__, __LINE__);
    const bool produces = threadIdx.x < threads;
    auto pipe = cuda::make_pipeline(
        cg::this_thread_block(), &state,
        produces ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
    const unsigned t = threadIdx.x % threads;
    for (unsigned step = 0; step < steps; ++step) {
      if (produces) {
        pipe.producer_acquire();
        cuda::memcpy_async(&buffer[step % 2][t], &in[step * threads + t], sizeof(int), pipe);
        pipe.producer_commit();
      } else {
        pipe.consumer_wait();
        out[t] += buffer[step % 2][threads - 1 - t];
        pipe.consumer_release();
      }
    }
  });
  expect_mirrored_sums(in, out);
}

using BlockBarrier = cuda::barrier<cuda::thread_scope_block>;

TEST(CudaBarrier, OrdersAndWaitsForCopies) {
  const auto in = numbers();
  std::vector<int> out(threads);
  expect_runs({1, threads}, [&] {
    auto& buffer = shared_array<int[threads]>(0, "buffer", __FILE__, __LINE__);
    auto& bar = shared_array<BlockBarrier>(1, "bar", __FILE__, __LINE__);
    if (threadIdx.x == 0) {
      init(&bar, threads);
    }
    __syncthreads();
    for (unsigned step = 0; step < steps; ++step) {
      cuda::memcpy_async(cg::this_thread_block(), buffer, &in[step * threads],
                         sizeof(int) * threads, bar);
      auto token = bar.arrive();
      bar.wait(token);
      out[threadIdx.x] += buffer[threads - 1 - threadIdx.x];
      bar.arrive_and_wait();
    }
  });
  expect_mirrored_sums(in, out);
}

TEST(CudaBarrier, LetsAThreadDropOut) {
  int after = 0;
  expect_runs({1, 32}, [&] {
    auto& bar = shared_array<BlockBarrier>(0, "bar", __FILE__, __LINE__);
    if (threadIdx.x == 0) {
      init(&bar, 32);
    }
    __syncthreads();
    if (threadIdx.x < 8) {
      bar.arrive_and_drop();
      return;
    }
    bar.arrive_and_wait();
    bar.arrive_and_wait();
    atomicAdd(&after, 1);
  });
  EXPECT_EQ(after, 24);
}

TEST(CudaBarrier, ThatNeverCompletesIsADeadlock) {
  const LaunchReport report = run_kernel({1, 32}, [] {
    auto& bar = shared_array<BlockBarrier>(0, "bar", __FILE__, __LINE__);
    if (threadIdx.x == 0) {
      init(&bar, 32);
    }
    __syncthreads();
    if (threadIdx.x != 5) {
#line 60 "dead.cu"
      bar.arrive_and_wait();
    }
  });
  ASSERT_TRUE(report.error);
  EXPECT_EQ(report.error->kind, LaunchError::Kind::deadlock);
  EXPECT_THAT(report.error->message, HasSubstr("31 threads in cuda::barrier::wait at dead.cu:60"));
  EXPECT_EQ(report.error->line, 60);
}

}  // namespace
}  // namespace rooftune_host
