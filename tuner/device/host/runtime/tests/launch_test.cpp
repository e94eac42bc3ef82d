// Launching: every thread of every block runs once, with CUDA's built-in variables.

#include <atomic>
#include <set>
#include <tuple>
#include <vector>

#include "run_kernel.hpp"

namespace rooftune_host {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;

std::size_t global_thread() {
  const std::size_t block =
      blockIdx.x + std::size_t{gridDim.x} * (blockIdx.y + std::size_t{gridDim.y} * blockIdx.z);
  const std::size_t thread =
      threadIdx.x + std::size_t{blockDim.x} * (threadIdx.y + std::size_t{blockDim.y} * threadIdx.z);
  return block * blockDim.x * blockDim.y * blockDim.z + thread;
}

struct Case {
  LaunchShape shape;
  unsigned workers;
  bool checks;
};

class EveryThread : public ::testing::TestWithParam<Case> {};

TEST_P(EveryThread, RunsOnce) {
  const Case& c = GetParam();
  const auto& [grid, block, shared] = c.shape;
  std::vector<int> runs(std::size_t{grid.x} * grid.y * grid.z * block.x * block.y * block.z, 0);
  LaunchOptions options;
  options.workers = c.workers;
  options.checks = c.checks;
  expect_runs(c.shape, [&] { ++runs.at(global_thread()); }, options);
  EXPECT_THAT(runs, Each(1));
}

TEST_P(EveryThread, RunsOnceWithBarriers) {
  const Case& c = GetParam();
  const auto& [grid, block, shared] = c.shape;
  std::vector<int> runs(std::size_t{grid.x} * grid.y * grid.z * block.x * block.y * block.z, 0);
  LaunchOptions options;
  options.workers = c.workers;
  options.checks = c.checks;
  expect_runs(
      c.shape,
      [&] {
        for (int i = 0; i < 3; ++i) {
          ++runs.at(global_thread());
          __syncthreads();
        }
      },
      options);
  EXPECT_THAT(runs, Each(3));
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, EveryThread,
    ::testing::Values(Case{{1, 1}, 1, false}, Case{{7, 33}, 1, false}, Case{{5, 256}, 3, false},
                      Case{{dim3(3, 2, 2), dim3(8, 4, 2)}, 2, false}, Case{{2, 1024}, 2, false},
                      Case{{dim3(3, 5), dim3(6, 7, 2)}, 2, true}, Case{{30, 40}, 2, true}));

TEST(Launch, PermutesThreadsWithChecks) {
  std::vector<unsigned> order;
  LaunchOptions options;
  options.workers = 1;
  int place = 0;
  order.resize(64);
  const auto record = [&] { order[static_cast<unsigned>(atomicAdd(&place, 1))] = threadIdx.x; };
  expect_runs({1, 64}, record, options);
  const auto plain = order;
  EXPECT_TRUE(std::is_sorted(plain.begin(), plain.end()));
  options.checks = true;
  place = 0;
  expect_runs({1, 64}, record, options);
  const auto first = order;
  place = 0;
  options.seed = 2;
  expect_runs({1, 64}, record, options);
  EXPECT_NE(first, plain);
  EXPECT_NE(first, order);
  EXPECT_THAT(order, ::testing::UnorderedElementsAreArray(plain));
}

#ifndef __SANITIZE_THREAD__  // that build has one worker
TEST(Launch, ReportsTheTimeOfEachWorker) {
  LaunchOptions options;
  options.workers = 2;
  const LaunchReport report = run_kernel(
      {64, 32},
      [] {
        volatile float x = 1;
        for (int i = 0; i < 2000; ++i) {
          x = x * 1.5F + 1;
        }
      },
      options);
  ASSERT_EQ(report.cpu_seconds.size(), 2U);
  EXPECT_GT(report.wall_seconds, 0);
  EXPECT_GT(report.cpu_seconds[0] + report.cpu_seconds[1], 0);
}

#endif

TEST(Launch, UsesNoMoreWorkersThanBlocks) {
  LaunchOptions options;
  options.workers = 4;
  EXPECT_EQ(run_kernel({1, 32}, [] {}, options).cpu_seconds.size(), 1U);
}

TEST(Launch, RefusesShapesThatNoGpuTakes) {
  for (const LaunchShape& shape :
       {LaunchShape{0, 32}, LaunchShape{1, 0}, LaunchShape{1, 1025}, LaunchShape{1, dim3(1, 1, 65)},
        LaunchShape{dim3(1, 65536), 1}, LaunchShape{1, 1, (std::size_t{227} << 10) + 1}}) {
    const LaunchReport report = run_kernel(shape, [] { FAIL() << "must not run"; });
    ASSERT_TRUE(report.error);
    EXPECT_EQ(report.error->kind, LaunchError::Kind::bad_launch);
    EXPECT_THAT(report.error->message, HasSubstr("at most"));
  }
}

TEST(SharedMemory, IsOneVariableForTheBlockAndAnotherForEachDeclaration) {
  std::vector<float> out(4 * 64);
  expect_runs({4, 64}, [&] {
    auto& a = shared_array<float[64]>(0, "a", __FILE__, __LINE__);
    auto& b = shared_array<float[64]>(1, "b", __FILE__, __LINE__);
    auto& c = shared_array<int[64]>(1, "c", __FILE__, __LINE__);  // a template's other type
    a[threadIdx.x] = static_cast<float>(threadIdx.x);
    b[threadIdx.x] = static_cast<float>(blockIdx.x);
    c[threadIdx.x] = 1000;
    __syncthreads();
    const unsigned other = 63 - threadIdx.x;
    out[blockIdx.x * 64 + threadIdx.x] = a[other] + 100 * b[other] + static_cast<float>(c[other]);
  });
  for (unsigned i = 0; i < out.size(); ++i) {
    EXPECT_EQ(out[i], static_cast<float>(63 - i % 64 + 100 * (i / 64) + 1000));
  }
}

TEST(SharedMemory, IsFoundWhenManyDeclarationsShareASlot) {
  expect_runs({2, 2}, [&] {
    int* variables[200];
    for (unsigned id = 0; id < 200; ++id) {
      variables[id] = &shared_array<int>(id, "v", __FILE__, __LINE__);
    }
    for (unsigned id = 0; id < 200; ++id) {
      EXPECT_EQ(variables[id], &shared_array<int>(id, "v", __FILE__, __LINE__));
      EXPECT_TRUE(id == 0 || variables[id] != variables[id - 1]);
    }
  });
}

TEST(SharedMemory, HasNoMoreStaticBytesThanAnyGpu) {
  const auto fill = [](auto& second) {
    auto& first = shared_array<char[40 << 10]>(0, "first", __FILE__, __LINE__);
    first[threadIdx.x] = second[threadIdx.x] = 1;
  };
  expect_runs({2, 32}, [&] { fill(shared_array<char[8 << 10]>(1, "second", __FILE__, __LINE__)); });
  const LaunchReport report = run_kernel({2, 32}, [&] {
    fill(shared_array<char[(8 << 10) + 1]>(1, "second", __FILE__, __LINE__));
    FAIL() << "must not run";
  });
  ASSERT_TRUE(report.error);
  EXPECT_EQ(report.error->kind, LaunchError::Kind::bad_launch);
  EXPECT_THAT(report.error->message, HasSubstr("49153 bytes of static shared memory"));
}

TEST(SharedMemory, DynamicPartHasTheBytesAskedFor) {
  std::vector<double> out(32);
  expect_runs({1, 32, 32 * sizeof(double)}, [&] {
    auto* data = dynamic_shared<double>();
    data[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = data[31 - threadIdx.x];
  });
  for (unsigned i = 0; i < 32; ++i) {
    EXPECT_EQ(out[i], 31 - i);
  }
}

TEST(SharedMemory, StartsEachBlockAsNaNWithChecks) {
  LaunchOptions options;
  options.checks = true;
  options.workers = 1;
  std::atomic<int> nans = 0;
  expect_runs(
      {3, 4, 16},
      [&] {
        auto& value = shared_array<float>(0, "value", __FILE__, __LINE__);
        nans += std::isnan(value) ? 1 : 0;
        nans += std::isnan(dynamic_shared<float>()[threadIdx.x]) ? 1 : 0;
        __syncthreads();
        atomicExch(&value, 1.0F);
        dynamic_shared<float>()[threadIdx.x] = 1;
      },
      options);
  EXPECT_EQ(nans, 3 * 4 * 2);
}

#ifndef __SANITIZE_ADDRESS__  // that build ends the process at the access
struct Overrun {
  int at;
  const char* said;
};
class RedZones : public ::testing::TestWithParam<Overrun> {};

TEST_P(RedZones, AreLookedAt) {
  LaunchOptions options;
  options.checks = true;
  options.kernel_name = "overrun";
  const LaunchReport report = run_kernel(
      {1, 1},
      [] {
#line 77 "overrun.cu"
        auto& tile = shared_array<char[10]>(0, "tile", __FILE__, __LINE__);
        static_cast<volatile char*>(tile)[GetParam().at] = 1;
      },
      options);
  ASSERT_TRUE(report.error);
  EXPECT_EQ(report.error->kind, LaunchError::Kind::shared_memory);
  EXPECT_THAT(report.error->message,
              AllOf(HasSubstr("overrun, block (0, 0, 0)"), HasSubstr(GetParam().said)));
  EXPECT_EQ(report.error->file, "overrun.cu");
  EXPECT_EQ(report.error->line, 77);
}
INSTANTIATE_TEST_SUITE_P(
    Ends, RedZones,
    ::testing::Values(Overrun{10, "tile (10 bytes) was written 0 bytes past its end"},
                      Overrun{40, "tile (10 bytes) was written 30 bytes past its end"},
                      Overrun{-1, "tile was written 1 bytes before its begin"}));

#else
TEST(RedZones, ArePoisoned) {
  EXPECT_DEATH(run_kernel({1, 1},
                          [] {
                            auto& tile = shared_array<char[10]>(0, "tile", __FILE__, __LINE__);
                            const volatile char* data = tile;
                            static_cast<void>(data[10]);
                          }),
               "use-after-poison.*launch_test.cpp");
}
#endif

}  // namespace
}  // namespace rooftune_host
