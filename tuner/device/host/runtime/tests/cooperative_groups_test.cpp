// cooperative_groups: ranks and sizes, exchange, and what a tile leaves alone.

#include "run_kernel.hpp"
// After the tests' own headers, as a kernel has none.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

namespace rooftune_host {
namespace {

namespace cg = cooperative_groups;

TEST(ThreadBlock, KnowsItsThreads) {
  std::vector<int> seen(60);
  expect_runs({1, dim3(5, 4, 3)}, [&] {
    const cg::thread_block block = cg::this_thread_block();
    EXPECT_EQ(block.size(), 60U);
    atomicAdd(&seen[block.thread_rank()], 1);
    block.sync();
    EXPECT_EQ(seen[59 - block.thread_rank()], 1);
    EXPECT_EQ(cg::this_grid().size(), 60U);
  });
}

template <unsigned Size>
void expect_tile_works() {
  expect_runs({1, 64}, [&] {
    const auto tile = cg::tiled_partition<Size>(cg::this_thread_block());
    const unsigned rank = threadIdx.x % Size;
    const unsigned base = threadIdx.x - rank;
    EXPECT_EQ(tile.thread_rank(), rank);
    EXPECT_EQ(tile.size(), Size);
    EXPECT_EQ(tile.meta_group_rank(), threadIdx.x / Size);
    EXPECT_EQ(tile.meta_group_size(), 64 / Size);
    EXPECT_EQ(tile.shfl(threadIdx.x, Size - 1), base + Size - 1);
    EXPECT_EQ(tile.shfl_down(threadIdx.x, 1), rank + 1 < Size ? threadIdx.x + 1 : threadIdx.x);
    EXPECT_EQ(tile.shfl_up(threadIdx.x, 1), rank == 0 ? threadIdx.x : threadIdx.x - 1);
    EXPECT_EQ(tile.shfl_xor(threadIdx.x, Size / 2), base + (rank ^ (Size / 2)));
    EXPECT_EQ(tile.ballot(rank % 2 == 0 ? 1 : 0),
              0x55555555U & (Size == 32 ? ~0U : (1U << Size % 32) - 1));
    EXPECT_EQ(cg::reduce(tile, rank, cg::plus<unsigned>()), Size * (Size - 1) / 2);
    EXPECT_EQ(cg::reduce(tile, threadIdx.x, cg::greater<unsigned>()), base + Size - 1);
    EXPECT_EQ(cg::inclusive_scan(tile, 2U), 2 * (rank + 1));
    EXPECT_EQ(cg::exclusive_scan(tile, 2U), 2 * rank);
    EXPECT_EQ(tile.any(rank == 0 ? 1 : 0), 1);
    EXPECT_EQ(tile.all(threadIdx.x < Size ? 1 : 0), threadIdx.x < Size ? 1 : 0);
  });
}

TEST(Tile, OfEverySize) {
  expect_tile_works<1>();
  expect_tile_works<2>();
  expect_tile_works<4>();
  expect_tile_works<8>();
  expect_tile_works<16>();
  expect_tile_works<32>();
}

TEST(Tile, OfATile) {
  expect_runs({1, 32}, [&] {
    const auto half_warp = cg::tiled_partition<16>(cg::this_thread_block());
    const auto quad = cg::tiled_partition<4>(half_warp);
    EXPECT_EQ(quad.meta_group_rank(), threadIdx.x % 16 / 4);
    EXPECT_EQ(cg::reduce(quad, 1, cg::plus<int>()), 4);
  });
}

TEST(Tile, SyncsWithoutTheRestOfTheWarp) {
  expect_runs({1, 32}, [&] {
    const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    for (unsigned i = 0; i <= tile.meta_group_rank(); ++i) {
      tile.sync();
    }
  });
}

struct Complex {
  double re;
  double im;
};
TEST(Tile, ShufflesStructures) {
  expect_runs({1, 32}, [&] {
    const auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    const Complex got = tile.shfl(Complex{1.0 * threadIdx.x, 2.0 * threadIdx.x}, 7);
    EXPECT_EQ(got.re, 7);
    EXPECT_EQ(got.im, 14);
  });
}

TEST(CoalescedGroup, HoldsTheLanesOfABranch) {
  int counter = 0;
  expect_runs({1, 64}, [&] {
    if (threadIdx.x % 3 == 1) {
      const auto group = cg::coalesced_threads();
      EXPECT_EQ(group.size(), threadIdx.x < 32 ? 11U : 10U);
      EXPECT_EQ(cg::reduce(group, 1U, cg::plus<unsigned>()), group.size());
      EXPECT_EQ(group.shfl(threadIdx.x, 0), threadIdx.x < 32 ? 1U : 34U);
      EXPECT_EQ(cg::exclusive_scan(group, 1U), group.thread_rank());
      if (group.thread_rank() == 0) {  // one atomic for the group
        atomicAdd(&counter, static_cast<int>(group.size()));
      }
    }
  });
  EXPECT_EQ(counter, 21);
}

TEST(Partition, ByLabel) {
  expect_runs({1, 32}, [&] {
    const auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    const auto group = cg::labeled_partition(tile, static_cast<int>(threadIdx.x % 4));
    EXPECT_EQ(group.size(), 8U);
    EXPECT_EQ(group.thread_rank(), threadIdx.x / 4);
    EXPECT_EQ(cg::binary_partition(tile, threadIdx.x < 5).size(), threadIdx.x < 5 ? 5U : 27U);
  });
}

TEST(MemcpyAsync, CopiesWithTheWholeGroup) {
  std::vector<float> in(100);
  std::vector<float> out(100);
  for (std::size_t i = 0; i < in.size(); ++i) {
    in[i] = static_cast<float>(i);
  }
  expect_runs({1, 32}, [&] {
    auto& tile = shared_array<float[100]>(0, "tile", __FILE__, __LINE__);
    const auto block = cg::this_thread_block();
    cg::memcpy_async(block, tile, in.data(), sizeof(float) * 60);
    cg::memcpy_async(block, tile + 60, 40, in.data() + 60, 50);
    cg::wait_prior<1>(block);
    cg::wait(block);
    for (unsigned i = threadIdx.x; i < 100; i += 32) {
      out[i] = tile[99 - i];
    }
  });
  for (std::size_t i = 0; i < in.size(); ++i) {
    EXPECT_EQ(out[i], in[99 - i]);
  }
}

}  // namespace
}  // namespace rooftune_host
