#include "tuner/occupancy/explore.hpp"

#include <cuda_occupancy.h>
#include <gmock/gmock.h>

#include <random>

namespace rooftune {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

OccupancyRequest question(ComputeCapability cc, std::uint64_t threads, int registers,
                          std::int64_t shared = 0) {
  OccupancyRequest request;
  request.cc = cc;
  request.block = {threads, 1, 1};
  request.registers = registers;
  request.static_shared = shared;
  return request;
}

/// "regs 72->64: 4 blocks", so that a test shows all of a suggestion.
std::vector<std::string> texts(const std::vector<Suggestion>& suggestions) {
  std::vector<std::string> lines;
  for (const Suggestion& suggestion : suggestions) {
    std::string line;
    for (const Change& change : suggestion.changes) {
      line += std::string(to_string(change.axis)) + " " + std::to_string(change.from) + "->" +
              std::to_string(change.to) + " ";
    }
    lines.push_back(line + "= " + std::to_string(suggestion.result.active_blocks) + " blocks");
  }
  return lines;
}

TEST(Axes, EndTheirStepsWhereTheHardwareRounds) {
  const MultiprocessorLimits& limits = limits_of({8, 6});
  const auto blocks = steps_of(Axis::block, limits);
  EXPECT_EQ(blocks.size(), 32U);
  EXPECT_EQ(blocks.front(), 32);
  EXPECT_EQ(blocks.back(), 1024);
  const auto registers = steps_of(Axis::registers, limits);
  EXPECT_EQ(registers.front(), 8);
  EXPECT_EQ(registers[registers.size() - 2], 248);
  EXPECT_EQ(registers.back(), 255);
  const auto shared = steps_of(Axis::shared, limits);
  EXPECT_EQ(shared.front(), 0);
  EXPECT_EQ(shared[1], 128);
  EXPECT_EQ(shared.back(), 101376);
  EXPECT_EQ(axis_from("regs"), Axis::registers);
  EXPECT_EQ(axis_from("registers"), std::nullopt);
  EXPECT_EQ(to_string(Axis::shared), "shared");
}

TEST(Axes, MoveTheDynamicPartFirst) {
  OccupancyRequest request = question({8, 6}, 256, 32, 4096);
  request.dynamic_shared = 1000;
  EXPECT_EQ(value_on(request, Axis::shared), 5096);
  EXPECT_EQ(moved(request, Axis::shared, 6000).dynamic_shared, 1904);
  EXPECT_EQ(moved(request, Axis::shared, 6000).static_shared, 4096);
  EXPECT_EQ(moved(request, Axis::shared, 100).static_shared, 100);
  EXPECT_EQ(moved(request, Axis::shared, 100).dynamic_shared, 0);
}

TEST(Sweep, AnswersEachValueAndMarksTheCurrentStep) {
  const Sweep swept = sweep(question({8, 0}, 128, 41), Axis::registers,
                            steps_of(Axis::registers, limits_of({8, 0})));
  ASSERT_TRUE(swept.current.has_value());
  EXPECT_EQ(swept.values[*swept.current], 48);
  EXPECT_EQ(swept.answers[*swept.current].active_blocks, 10);
  EXPECT_EQ(swept.answers.front().active_blocks, 16);
  EXPECT_EQ(sweep(question({8, 0}, 128, 41), Axis::registers, {32}, false).current, std::nullopt);
  // Beyond the axis there is no step to mark.
  EXPECT_EQ(sweep(question({8, 0}, 128, 300), Axis::registers, {32, 64}).current, std::nullopt);
}

TEST(HeatMapOf, HoldsTheAnswersOfSingleRequests) {
  const OccupancyRequest base = question({9, 0}, 256, 72, 8192);
  const MultiprocessorLimits& limits = limits_of(base.cc);
  const HeatMap map = heat_map(base, Axis::block, steps_of(Axis::block, limits), Axis::registers,
                               steps_of(Axis::registers, limits));
  ASSERT_EQ(map.cells.size(), map.xs.size() * map.ys.size());
  for (std::size_t iy = 0; iy < map.ys.size(); iy += 5) {
    for (std::size_t ix = 0; ix < map.xs.size(); ix += 3) {
      OccupancyRequest request = base;
      request.block = {static_cast<std::uint64_t>(map.xs[ix]), 1, 1};
      request.registers = static_cast<int>(map.ys[iy]);
      EXPECT_EQ(map.at(ix, iy).active_blocks, occupancy(request).active_blocks);
      EXPECT_EQ(map.at(ix, iy).active_warps, occupancy(request).active_warps);
    }
  }
  EXPECT_EQ(map.xs[map.current_x.value()], 256);
  EXPECT_EQ(map.ys[map.current_y.value()], 72);
}

TEST(Suggestions, NameTheNextStepsAndAllThatFits) {
  // 72 registers: 3 blocks of 256 threads on 8.6. 64 give 4, 40 all 6.
  EXPECT_THAT(texts(suggestions(question({8, 6}, 256, 72, 8192))),
              ElementsAre("regs 72->64 = 4 blocks", "regs 72->40 = 6 blocks",
                          "block 256->224 = 4 blocks", "block 256->288 = 3 blocks"));
}

TEST(Suggestions, ChangeAllCoLimitersTogether) {
  // Two blocks by registers and by shared memory: neither alone is enough for three.
  const OccupancyRequest request = question({8, 9}, 512, 54, 40 * 1024);
  EXPECT_THAT(occupancy(request).limited_by, ElementsAre(Resource::registers, Resource::shared));
  EXPECT_THAT(texts(suggestions(request)),
              testing::Contains("regs 54->40 shared 40960->33024 = 3 blocks"));
}

TEST(Suggestions, TellWhatWouldLaunch) {
  EXPECT_THAT(texts(suggestions(question({8, 9}, 512, 162))),
              testing::Contains("regs 162->128 = 1 blocks"));
  EXPECT_THAT(texts(suggestions(question({8, 9}, 128, 32, 48 * 1024))),
              testing::Contains("shared 49152->33024 = 3 blocks"));
  OccupancyRequest deep = question({8, 9}, 1, 32);
  deep.block = {1, 1, 65};
  for (const Suggestion& suggestion : suggestions(deep)) {
    EXPECT_EQ(suggestion.changes.front().axis, Axis::block);
  }
}

TEST(Suggestions, AreSilentAtFullOccupancy) {
  EXPECT_THAT(suggestions(question({8, 0}, 256, 32)), IsEmpty());
}

TEST(Suggestions, FollowSharedMemoryThatGrowsWithTheBlock) {
  OccupancyRequest request = question({8, 6}, 512, 32);
  const SharedOfThreads formula = [](std::int64_t threads) { return threads * 64; };
  request = moved(request, Axis::shared, formula(512));
  for (const Suggestion& suggestion : suggestions(request, formula)) {
    if (suggestion.changes.front().axis == Axis::block) {
      const std::int64_t threads = suggestion.changes.front().to;
      const auto direct =
          occupancy(moved(moved(request, Axis::block, threads), Axis::shared, formula(threads)));
      EXPECT_EQ(suggestion.result.active_blocks, direct.active_blocks);
    }
  }
}

class ExploreProperties : public testing::Test {
 protected:
  int between(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }
  OccupancyRequest any() {
    const auto& all = all_limits();
    OccupancyRequest request;
    request.cc = all[static_cast<std::size_t>(between(0, static_cast<int>(all.size()) - 1))].cc;
    request.block = {static_cast<std::uint64_t>(between(1, 1024)), 1, 1};
    request.registers = between(1, 255);
    request.static_shared = between(0, 1) * between(0, 49152);
    return request;
  }
  std::mt19937 random_{7};
};

TEST_F(ExploreProperties, SuggestionsRaiseTheOccupancyAndDoNotMoveInsideAStep) {
  for (int trial = 0; trial < 3000; ++trial) {
    const OccupancyRequest request = any();
    const Occupancy now = occupancy(request);
    for (const Suggestion& suggestion : suggestions(request)) {
      EXPECT_GT(suggestion.result.active_warps, now.active_warps);
      for (const Change& change : suggestion.changes) {
        const auto steps = steps_of(change.axis, limits_of(request.cc));
        const auto step_of = [&](std::int64_t value) {
          return std::lower_bound(steps.begin(), steps.end(), value) - steps.begin();
        };
        EXPECT_NE(step_of(change.from), step_of(change.to));
        EXPECT_EQ(steps[static_cast<std::size_t>(step_of(change.to))], change.to);
      }
    }
  }
}

TEST_F(ExploreProperties, SuggestionsAreTheSameWithinAStep) {
  for (int trial = 0; trial < 1000; ++trial) {
    OccupancyRequest request = any();
    OccupancyRequest rounded = request;
    rounded.registers =
        std::min(255, allocated_registers(limits_of(request.cc), request.registers));
    rounded.block.x = (request.block.x + 31) / 32 * 32;
    const auto ours = suggestions(request);
    const auto theirs = suggestions(rounded);
    ASSERT_EQ(ours.size(), theirs.size());
    for (std::size_t i = 0; i < ours.size(); ++i) {
      ASSERT_EQ(ours[i].changes.size(), theirs[i].changes.size());
      for (std::size_t j = 0; j < ours[i].changes.size(); ++j) {
        EXPECT_EQ(ours[i].changes[j].to, theirs[i].changes[j].to);
      }
    }
  }
}

TEST_F(ExploreProperties, BestBlockAgreesWithTheHeader) {
  for (int trial = 0; trial < 500; ++trial) {
    OccupancyRequest request = any();
    request.static_shared = between(0, 1) * between(0, 20000);
    const MultiprocessorLimits& limits = limits_of(request.cc);
    struct {
      int major, minor, maxThreadsPerBlock, maxThreadsPerMultiProcessor, regsPerBlock,
          regsPerMultiprocessor, warpSize;
      std::size_t sharedMemPerBlock, sharedMemPerMultiprocessor;
      int multiProcessorCount;
      std::size_t sharedMemPerBlockOptin, reservedSharedMemPerBlock;
    } properties{request.cc.major,
                 request.cc.minor,
                 1024,
                 limits.warps * 32,
                 limits.registers_per_block,
                 limits.registers,
                 32,
                 49152,
                 static_cast<std::size_t>(limits.shared),
                 10,
                 static_cast<std::size_t>(limits.shared_opt_in),
                 static_cast<std::size_t>(limits.shared_reserved)};
    cudaOccFuncAttributes function;
    function.maxThreadsPerBlock = 1024;
    function.numRegs = request.registers;
    function.sharedSizeBytes = static_cast<std::size_t>(request.static_shared);
    function.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
    function.maxDynamicSharedSizeBytes = limits.shared_opt_in;
    const auto dynamic = [](int threads) { return static_cast<std::size_t>(threads) * 16; };
    const cudaOccDeviceProp device(properties);
    const cudaOccDeviceState state;
    int grid = 0;
    int block = 0;
    ASSERT_EQ(cudaOccMaxPotentialOccupancyBlockSizeVariableSMem(&grid, &block, &device, &function,
                                                                &state, dynamic),
              CUDA_OCC_SUCCESS);
    const auto best = best_block(
        request, [&](std::int64_t threads) { return request.static_shared + threads * 16; });
    EXPECT_EQ(best ? best->threads : 0, block);
    EXPECT_EQ(best ? best->shared_bytes : 0, block == 0 ? 0 : request.static_shared + block * 16);
  }
}

TEST(WavesOf, CountsFullWavesAndTheTail) {
  const Waves waves = waves_of(1000, 3, 82).value();  // 246 at once
  EXPECT_NEAR(waves.waves, 4.065, 0.001);
  EXPECT_EQ(waves.full, 4U);
  EXPECT_EQ(waves.tail_blocks, 16U);
  EXPECT_NEAR(waves.tail_share, 16 / 246.0, 1e-9);
  EXPECT_NEAR(waves.lost, 1 - 1000 / (5 * 246.0), 1e-9);
  EXPECT_EQ(waves_of(246, 3, 82)->tail_blocks, 0U);
  EXPECT_EQ(waves_of(246, 3, 82)->lost, 0);
  EXPECT_EQ(waves_of(246, 0, 82), std::nullopt);
}

}  // namespace
}  // namespace rooftune
