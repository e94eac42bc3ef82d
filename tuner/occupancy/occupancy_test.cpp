#include "tuner/occupancy/occupancy.hpp"

#include <cuda_occupancy.h>
#include <gmock/gmock.h>

#include <climits>
#include <random>

#include "tuner/core/error.hpp"

namespace rooftune {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::int64_t kib = 1024;

/// threads / registers / static shared / dynamic shared, as occupancy questions are written.
OccupancyRequest ask(ComputeCapability cc, std::uint64_t threads, int registers,
                     std::int64_t static_shared = 0, std::int64_t dynamic_shared = 0) {
  OccupancyRequest request;
  request.cc = cc;
  request.block = {threads, 1, 1};
  request.registers = registers;
  request.static_shared = static_shared;
  request.dynamic_shared = dynamic_shared;
  return request;
}

OccupancyRequest with_carveout(OccupancyRequest request, std::int64_t bytes) {
  request.carveout = bytes;
  return request;
}

OccupancyRequest without_opt_in(OccupancyRequest request) {
  request.opt_in = false;
  return request;
}

TEST(Occupancy, OneRegisterMoreHalvesIt) {
  // CUDA C++ Programming Guide, "Multiprocessor Level".
  for (const ComputeCapability cc : {ComputeCapability{6, 0}, {6, 1}}) {
    EXPECT_EQ(occupancy(ask(cc, 512, 64)).active_blocks, 2);
    EXPECT_EQ(occupancy(ask(cc, 512, 64)).active_warps, 32);
    EXPECT_EQ(occupancy(ask(cc, 512, 65)).active_blocks, 1);
    EXPECT_EQ(occupancy(ask(cc, 512, 65)).active_warps, 16);
  }
}

TEST(Occupancy, AnswersAreTheSameWithinARoundingStep) {
  // kokkos#5624: 41 and 43 registers both take 48; a tool that moved between them lost 15%.
  for (int registers = 41; registers <= 48; ++registers) {
    const Occupancy answer = occupancy(ask({8, 0}, 128, registers));
    EXPECT_EQ(answer.active_blocks, 10) << registers;
    EXPECT_EQ(answer.active_warps, 40) << registers;
  }
}

TEST(Occupancy, RegistersAreCountedInWholeWarpsOnFourPartitions) {
  // ThunderKittens#37 derived 65536 / 162 = 404 threads. The allocation is 168 a thread, and a
  // launch check rounds warps up to 4, so that 384 threads is the limit; the header is right.
  EXPECT_FALSE(occupancy(ask({8, 9}, 512, 162)).launchable);
  EXPECT_EQ(occupancy(ask({8, 9}, 512, 162)).active_blocks, 0);
  EXPECT_EQ(occupancy(ask({8, 9}, 404, 162)).active_blocks, 0);
  EXPECT_EQ(occupancy(ask({8, 9}, 385, 162)).active_blocks, 0);
  EXPECT_EQ(occupancy(ask({8, 9}, 384, 162)).active_blocks, 1);
  EXPECT_EQ(occupancy(ask({8, 9}, 256, 162)).active_blocks, 1);
  EXPECT_EQ(occupancy(ask({8, 9}, 512, 162)).reason,
            "registers a block: needs 86016 (16 warps of 5376), the limit is 65536");
}

TEST(Occupancy, AllocatedRegistersAreNotThreadsTimesRegisters) {
  // A profiler shows 43,008 registers for 256 threads of 162: 168 each.
  const MultiprocessorLimits& limits = limits_of({7, 0});
  EXPECT_EQ(allocated_registers(limits, 162), 168);
  EXPECT_EQ(allocated_registers(limits, 162) * 256, 43008);
  EXPECT_EQ(allocated_registers(limits, 168), 168);
  EXPECT_EQ(allocated_registers(limits, 0), 0);
}

TEST(Occupancy, SystemReservesAKibibyteABlock) {
  // The GPU glossary of a cloud provider divides 228 by 12 and gets 19 blocks. From 8.0 on the
  // system takes 1 KiB a block: 228 / 13 = 17; the header and the driver are right.
  const Occupancy answer = occupancy(ask({9, 0}, 32, 8, 12 * kib));
  EXPECT_EQ(answer.active_blocks, 17);
  EXPECT_EQ(answer.active_warps, 17);
  EXPECT_NEAR(answer.fraction, 0.266, 0.0005);
  EXPECT_THAT(answer.limited_by, ElementsAre(Resource::shared));
}

TEST(Occupancy, SharedLimitFollowsTheCarveoutInForce) {
  // Nsight Compute on an RTX 5090 prints the limit for the carve-out that is set, not the largest.
  const Occupancy unused = occupancy(with_carveout(ask({12, 0}, 256, 40), 16 * kib));
  EXPECT_EQ(unused.by_blocks, 24);
  EXPECT_EQ(unused.by_registers, 6);
  EXPECT_EQ(unused.by_shared, 16);  // the reserve of 1 KiB alone
  EXPECT_EQ(unused.by_warps, 6);
  EXPECT_EQ(unused.active_warps, 48);
  EXPECT_DOUBLE_EQ(unused.fraction, 1.0);

  const Occupancy used = occupancy(with_carveout(ask({12, 0}, 256, 37, 2048), 64 * kib));
  EXPECT_EQ(used.by_shared, 21);
  EXPECT_EQ(used.by_registers, 6);
  EXPECT_EQ(used.by_warps, 6);
  EXPECT_DOUBLE_EQ(used.fraction, 1.0);
}

TEST(Occupancy, NamesAllCoLimiters) {
  // Nsight Compute on an L4, attention kernel.
  const Occupancy answer = occupancy(with_carveout(ask({8, 9}, 512, 54, 0, 29824), 64 * kib));
  EXPECT_EQ(answer.by_blocks, 24);
  EXPECT_EQ(answer.by_registers, 2);
  EXPECT_EQ(answer.by_shared, 2);
  EXPECT_EQ(answer.by_warps, 3);
  EXPECT_EQ(answer.active_warps, 32);
  EXPECT_NEAR(answer.fraction, 0.6667, 0.0001);
  EXPECT_THAT(answer.limited_by, ElementsAre(Resource::registers, Resource::shared));
}

TEST(Occupancy, Int8KernelsOnAnL4) {
  for (const int registers : {72, 70}) {
    const Occupancy answer = occupancy(with_carveout(ask({8, 9}, 256, registers, 33024), 102400));
    EXPECT_EQ(answer.by_blocks, 24);
    EXPECT_EQ(answer.by_registers, 3);
    // 34,048 bytes with the reserve, rounded up to 34,048: three fit 100 KiB.
    EXPECT_EQ(answer.by_shared, 3);
    EXPECT_EQ(answer.by_warps, 6);
    EXPECT_EQ(answer.active_warps, 24);
    EXPECT_DOUBLE_EQ(answer.fraction, 0.5);
  }
}

TEST(Occupancy, TuringAllocatesSharedMemoryBy256BytesAndReservesNone) {
  const Occupancy dynamic = occupancy(with_carveout(ask({7, 5}, 256, 16, 0, 1024), 32 * kib));
  EXPECT_EQ(dynamic.by_shared, 32);
  EXPECT_EQ(dynamic.active_warps, 32);
  EXPECT_DOUBLE_EQ(dynamic.fraction, 1.0);
  EXPECT_THAT(dynamic.limited_by, ElementsAre(Resource::warps));

  const Occupancy both = occupancy(with_carveout(ask({7, 5}, 256, 16, 16, 1024), 32 * kib));
  EXPECT_EQ(both.by_shared, 25);  // 1040 rounds to 1280
  EXPECT_EQ(both.active_blocks, 4);

  const Occupancy registers = occupancy(ask({7, 5}, 256, 30));
  EXPECT_EQ(registers.by_registers, 8);
  EXPECT_EQ(registers.by_shared, std::nullopt);  // no reserve before 8.0: unused
  EXPECT_EQ(registers.active_blocks, 4);
}

TEST(Occupancy, OptInCliffAt48KiB) {
  // numba-cuda-mlir#143: the launcher opted in for dynamic > 48 KiB alone and forgot the static
  // part. Static and dynamic together count.
  const OccupancyRequest request = ask({8, 9}, 128, 16, 16, 49152);
  EXPECT_EQ(occupancy(without_opt_in(request)).active_blocks, 0);
  EXPECT_EQ(occupancy(request).active_blocks, 2);
  EXPECT_EQ(occupancy(without_opt_in(request)).reason,
            "shared memory a block: needs 49168 bytes, the limit is 49152 (101376 with opt-in)");
  EXPECT_EQ(occupancy(without_opt_in(ask({8, 9}, 128, 16, 0, 49152))).active_blocks, 2);
  EXPECT_EQ(occupancy(without_opt_in(ask({12, 0}, 128, 16, 0, 50 * kib))).active_blocks, 0);
  EXPECT_EQ(occupancy(ask({12, 0}, 128, 16, 0, 50 * kib)).active_blocks, 1);
}

TEST(Occupancy, OptInDoesNotRaiseTheStaticLimit) {
  // ptxas refuses 64 KiB of static shared memory ("0xc000 max"); the header would let it pass.
  const Occupancy answer = occupancy(ask({9, 0}, 128, 16, 64 * kib));
  EXPECT_FALSE(answer.launchable);
  EXPECT_EQ(answer.by_shared, 0);
  EXPECT_EQ(answer.reason, "static shared memory: needs 65536 bytes, the limit is 49152");
}

TEST(Occupancy, RegisterCapsOfLargeBlocks) {
  // nccl#181: 96 registers so that 640 threads can launch.
  EXPECT_EQ(occupancy(ask({7, 0}, 640, 96)).active_blocks, 1);
  EXPECT_EQ(occupancy(ask({7, 0}, 672, 96)).active_blocks, 0);
}

TEST(Occupancy, BlocksOfThreeWarps) {
  // NVIDIA/Fuser#425.
  const Occupancy answer = occupancy(ask({8, 0}, 96, 32));
  EXPECT_EQ(answer.active_blocks, 21);
  EXPECT_EQ(answer.active_warps, 63);
  EXPECT_NEAR(answer.fraction, 0.9844, 0.0001);
  EXPECT_EQ(occupancy(ask({8, 0}, 96, 40)).active_blocks, 16);
}

TEST(Occupancy, LargeTilesOnBlackwell) {
  // A B200 GEMM in Nsight Compute. 168 registers give its register limit, 150,000 bytes its
  // shared memory limit.
  const Occupancy answer = occupancy(ask({10, 0}, 384, 168, 0, 150000));
  EXPECT_EQ(answer.by_registers, 1);
  EXPECT_EQ(answer.by_shared, 1);
  EXPECT_EQ(answer.by_warps, 5);
  EXPECT_EQ(answer.by_blocks, 32);
  EXPECT_EQ(answer.active_warps, 12);
  EXPECT_DOUBLE_EQ(answer.fraction, 0.1875);
}

TEST(Occupancy, RefusesBlockShapesThatTheHeaderLetsPass) {
  // kokkos#7105: the tuner offered block.z up to 1024.
  OccupancyRequest request = ask({9, 0}, 1, 32);
  request.block = {1, 1, 65};
  const Occupancy deep = occupancy(request);
  EXPECT_FALSE(deep.launchable);
  EXPECT_EQ(deep.active_blocks, 0);
  EXPECT_EQ(deep.reason, "block.z: needs 65, the limit is 64");
  EXPECT_THAT(deep.limited_by, IsEmpty());  // no resource of the multiprocessor is short

  request.block = {1025, 1, 1};
  EXPECT_EQ(occupancy(request).reason, "block.x: needs 1025, the limit is 1024");
  request.block = {1, 2048, 1};
  EXPECT_EQ(occupancy(request).reason, "block.y: needs 2048, the limit is 1024");
  request.block = {33, 32, 1};
  EXPECT_EQ(occupancy(request).reason, "threads a block: needs 1056, the limit is 1024");
  EXPECT_EQ(occupancy(request).by_warps, 0);
  EXPECT_THAT(occupancy(request).limited_by, ElementsAre(Resource::warps));
  request.block = {16, 1, 64};
  EXPECT_TRUE(occupancy(request).launchable);
}

TEST(Occupancy, LimitsRegistersAThreadTo255) {
  EXPECT_TRUE(occupancy(ask({9, 0}, 32, 255)).launchable);
  const Occupancy answer = occupancy(ask({9, 0}, 32, 256));
  EXPECT_FALSE(answer.launchable);
  EXPECT_EQ(answer.by_registers, 0);
  EXPECT_EQ(answer.reason, "registers a thread: needs 256, the limit is 255");
}

TEST(Occupancy, SaysAllThatForbidsALaunch) {
  OccupancyRequest request = ask({8, 6}, 1, 300, 0, 200 * kib);
  request.block = {2, 1, 100};
  EXPECT_EQ(occupancy(request).reason,
            "block.z: needs 100, the limit is 64; registers a thread: needs 300, the limit is 255; "
            "shared memory a block: needs 204800 bytes, the limit is 101376");
}

TEST(Occupancy, AnswersEnormousRequests) {
  OccupancyRequest request = ask({9, 0}, UINT64_MAX, INT_MAX, INT64_MAX, INT64_MAX);
  request.block = {UINT64_MAX, UINT64_MAX, UINT64_MAX};
  EXPECT_EQ(occupancy(request).active_blocks, 0);
  EXPECT_THAT(occupancy(request).limited_by,
              ElementsAre(Resource::warps, Resource::registers, Resource::shared));
  EXPECT_EQ(occupancy(ask({9, 0}, 32, 8, 16, INT64_MAX)).reason,
            "shared memory a block: needs 9223372036854775823 bytes, the limit is 232448");
}

TEST(Occupancy, UnusedResourcesHaveNoLimit) {
  EXPECT_EQ(occupancy(ask({8, 0}, 128, 0)).by_registers, std::nullopt);
  EXPECT_EQ(occupancy(ask({7, 0}, 128, 32)).by_shared, std::nullopt);
  EXPECT_EQ(occupancy(ask({8, 0}, 128, 32)).by_shared, 164);
}

TEST(Occupancy, RefusesWhatIsNoRequest) {
  OccupancyRequest request = ask({8, 0}, 0, 32);
  EXPECT_THROW(occupancy(request), InputError);
  EXPECT_THROW(occupancy(ask({8, 0}, 32, -1)), InputError);
  EXPECT_THROW(occupancy(ask({8, 0}, 32, 32, -1)), InputError);
  EXPECT_THROW(occupancy(ask({8, 0}, 32, 32, 0, -1)), InputError);
  EXPECT_THROW(occupancy(with_carveout(ask({8, 0}, 32, 32), -1)), InputError);
  try {
    occupancy(with_carveout(ask({8, 6}, 32, 32), 101 * kib));
    FAIL() << "a carve-out that the hardware has not";
  } catch (const InputError& error) {
    EXPECT_EQ(error.hint(), "bytes it can be set to: 0, 8192, 16384, 32768, 65536, 102400");
  }
  try {
    occupancy(ask({5, 2}, 32, 32));
    FAIL() << "an architecture that is not in the table";
  } catch (const InputError& error) {
    EXPECT_EQ(error.problem(), "compute capability 5.2 is not known");
    EXPECT_THAT(error.hint(), HasSubstr("6.0, 6.1, 6.2, 7.0"));
    EXPECT_THAT(error.hint(), HasSubstr("12.0, 12.1"));
  }
}

TEST(Occupancy, CarveoutsOfTheGuide) {
  EXPECT_THAT(limits_of({8, 0}).carveouts, ElementsAre(0, 8 * kib, 16 * kib, 32 * kib, 64 * kib,
                                                       100 * kib, 132 * kib, 164 * kib));
  EXPECT_THAT(limits_of({12, 0}).carveouts,
              ElementsAre(0, 8 * kib, 16 * kib, 32 * kib, 64 * kib, 100 * kib));
  EXPECT_THAT(limits_of({7, 5}).carveouts, ElementsAre(32 * kib, 64 * kib));
  EXPECT_EQ(limits_of({9, 0}).carveouts.back(), 228 * kib);
  EXPECT_THAT(limits_of({6, 1}).carveouts, ElementsAre(96 * kib));
}

TEST(Occupancy, TakesTheNextCarveoutThatThereIs) {
  const OccupancyRequest request = ask({8, 6}, 64, 16, 3 * kib);
  for (const ComputeCapability cc : {ComputeCapability{8, 6}, {9, 0}, {7, 0}}) {
    OccupancyRequest here = request;
    here.cc = cc;
    for (const std::int64_t wanted : {17 * kib, 31 * kib, 32 * kib}) {
      EXPECT_EQ(occupancy(with_carveout(here, wanted)).by_shared,
                occupancy(with_carveout(here, 32 * kib)).by_shared);
    }
    EXPECT_LT(occupancy(with_carveout(here, 16 * kib)).by_shared,
              occupancy(with_carveout(here, 17 * kib)).by_shared);
  }
}

TEST(Occupancy, CarveoutInForceHoldsABlock) {
  EXPECT_EQ(carveout_in_force(ask({9, 0}, 32, 8)), 228 * kib);
  EXPECT_EQ(carveout_in_force(with_carveout(ask({9, 0}, 32, 8), 120 * kib)), 132 * kib);
  EXPECT_EQ(carveout_in_force(with_carveout(ask({9, 0}, 32, 8, 0, 15 * kib), 16 * kib)), 16 * kib);
  EXPECT_EQ(carveout_in_force(with_carveout(ask({9, 0}, 32, 8, 0, 15 * kib + 1), 16 * kib)),
            32 * kib);
  EXPECT_EQ(carveout_in_force(with_carveout(ask({9, 0}, 32, 8, 0, INT64_MAX), 16 * kib)),
            228 * kib);
  EXPECT_EQ(carveout_in_force(ask({6, 1}, 32, 8)), 96 * kib);
}

TEST(AvailableShared, SubtractsTheStaticPart) {
  // ROCm/rocm-systems#899 quotes CUDA on an RTX 5050: 48,896. cuda_occupancy.h's own helper answers
  // 49,152; the driver is right, a block's limit covers both parts.
  EXPECT_EQ(available_dynamic_shared(without_opt_in(ask({12, 0}, 256, 32, 256)), 1), 48896);
  EXPECT_EQ(available_dynamic_shared(ask({12, 0}, 256, 32, 256), 1), 99 * kib - 256);
}

TEST(AvailableShared, IsTheShareOfTheCarveoutLessTheReserve) {
  EXPECT_EQ(available_dynamic_shared(ask({9, 0}, 256, 32), 2), 113 * kib);
  // 233,472 / 3 = 77,824 bytes, a whole number of granules; less 1,024.
  EXPECT_EQ(available_dynamic_shared(ask({9, 0}, 256, 32), 3), 76800);
  EXPECT_EQ(available_dynamic_shared(with_carveout(ask({9, 0}, 256, 32), 100 * kib), 2), 49 * kib);
  EXPECT_EQ(available_dynamic_shared(with_carveout(ask({9, 0}, 256, 32), 100 * kib), 1), 227 * kib);
  EXPECT_EQ(available_dynamic_shared(ask({9, 0}, 1024, 32), 3), std::nullopt);
  EXPECT_EQ(available_dynamic_shared(ask({9, 0}, 256, 32, 49 * kib), 1), std::nullopt);
  EXPECT_THROW(available_dynamic_shared(ask({9, 0}, 256, 32), 0), InputError);
}

TEST(ComputeCapability, ReadsEveryWayInWhichItIsWritten) {
  const ComputeCapability ampere{8, 6};
  for (const char* text : {"8.6", "86", "sm_86", "compute_86", "sm_86a"}) {
    EXPECT_EQ(compute_capability_from(text), ampere) << text;
  }
  EXPECT_EQ(compute_capability_from("120"), (ComputeCapability{12, 0}));
  EXPECT_EQ(compute_capability_from("sm_103f"), (ComputeCapability{10, 3}));
  for (const char* text : {"", "8", "sm_", "8.", ".6", "8.6.1", "8,6", "eight", "-8.6", "8.-6",
                           "86a", "0.6", "8.16", "99999999999.0", "ampere", " 8.6"}) {
    EXPECT_EQ(compute_capability_from(text), std::nullopt) << text;
  }
  EXPECT_EQ(to_string(ComputeCapability{12, 1}), "12.1");
  EXPECT_EQ(architecture(ComputeCapability{12, 1}), "sm_121");
}

/// Published limits, checked against what the header brings (blocks, granules).
TEST(Limits, AreThoseOfTheGuide) {
  struct Published {
    ComputeCapability cc;
    int warps, blocks;
    std::int64_t shared_kib, opt_in_kib, reserved, granule;
  };
  const std::vector<Published> published = {
      {{7, 0}, 64, 32, 96, 96, 0, 256},       {{7, 5}, 32, 16, 64, 64, 0, 256},
      {{8, 0}, 64, 32, 164, 163, 1024, 128},  {{8, 6}, 48, 16, 100, 99, 1024, 128},
      {{8, 7}, 48, 16, 164, 163, 1024, 128},  {{8, 8}, 48, 16, 100, 99, 1024, 128},
      {{8, 9}, 48, 24, 100, 99, 1024, 128},   {{9, 0}, 64, 32, 228, 227, 1024, 128},
      {{10, 0}, 64, 32, 228, 227, 1024, 128}, {{10, 3}, 64, 32, 228, 227, 1024, 128},
      {{11, 0}, 48, 24, 228, 227, 1024, 128}, {{12, 0}, 48, 24, 100, 99, 1024, 128},
      {{12, 1}, 48, 24, 100, 99, 1024, 128},
  };
  for (const Published& row : published) {
    const MultiprocessorLimits& limits = limits_of(row.cc);
    EXPECT_EQ(limits.warps, row.warps) << to_string(row.cc);
    EXPECT_EQ(limits.blocks, row.blocks) << to_string(row.cc);
    EXPECT_EQ(limits.shared, row.shared_kib * kib) << to_string(row.cc);
    EXPECT_EQ(limits.shared_opt_in, row.opt_in_kib * kib) << to_string(row.cc);
    EXPECT_EQ(limits.shared_reserved, row.reserved) << to_string(row.cc);
    EXPECT_EQ(limits.shared_granule, row.granule) << to_string(row.cc);
    EXPECT_EQ(limits.sub_partitions, 4) << to_string(row.cc);
    EXPECT_EQ(limits.register_granule, 256) << to_string(row.cc);
  }
  EXPECT_EQ(limits_of({6, 2}).registers_per_block, 32768);
}

class OccupancyProperties : public testing::Test {
 protected:
  int between(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }
  /// Anything that may be asked, half of it within what a launch allows.
  OccupancyRequest any() {
    const auto& all = all_limits();
    const MultiprocessorLimits& limits =
        all[static_cast<std::size_t>(between(0, static_cast<int>(all.size()) - 1))];
    OccupancyRequest request;
    request.cc = limits.cc;
    request.block = {static_cast<std::uint64_t>(between(1, 1100)), 1, 1};
    request.registers = between(0, 260);
    request.static_shared = between(0, 1) * between(0, 50000);
    request.dynamic_shared = between(0, 1) * between(0, 240000);
    request.opt_in = between(0, 1) == 1;
    if (between(0, 1) == 1) {
      request.carveout = limits.carveouts[static_cast<std::size_t>(
          between(0, static_cast<int>(limits.carveouts.size()) - 1))];
    }
    return request;
  }
  std::mt19937 random_{20260101};
};

constexpr int trials = 20000;

TEST_F(OccupancyProperties, MoreResourcesNeverMeanMoreBlocks) {
  for (int trial = 0; trial < trials; ++trial) {
    const OccupancyRequest request = any();
    const Occupancy before = occupancy(request);
    OccupancyRequest more_registers = request;
    more_registers.registers += between(1, 40);
    EXPECT_LE(occupancy(more_registers).active_blocks, before.active_blocks);

    // With the carve-out fixed by hand a block that outgrows it is given a larger one, so that only
    // the default, the largest, is monotone.
    OccupancyRequest base = request;
    base.carveout.reset();
    OccupancyRequest more_dynamic = base;
    more_dynamic.dynamic_shared += between(1, 40000);
    EXPECT_LE(occupancy(more_dynamic).active_blocks, occupancy(base).active_blocks);
    OccupancyRequest more_static = base;
    more_static.static_shared += between(1, 40000);
    EXPECT_LE(occupancy(more_static).active_blocks, occupancy(base).active_blocks);
  }
}

TEST_F(OccupancyProperties, AnswersDependOnAllocationGranulesAlone) {
  for (int trial = 0; trial < trials; ++trial) {
    OccupancyRequest request = any();
    const MultiprocessorLimits& limits = limits_of(request.cc);
    request.registers = std::min(request.registers, 248);
    const int before = occupancy(request).active_blocks;

    OccupancyRequest registers = request;
    registers.registers = allocated_registers(limits, request.registers);
    EXPECT_EQ(occupancy(registers).active_blocks, before);

    OccupancyRequest shared = request;
    const std::int64_t total = request.static_shared + request.dynamic_shared;
    const std::int64_t granule = limits.shared_granule;
    shared.dynamic_shared += (total + granule - 1) / granule * granule - total;
    EXPECT_EQ(occupancy(shared).active_blocks, before);

    OccupancyRequest threads = request;
    threads.block.x = (request.block.x + 31) / 32 * 32;
    EXPECT_EQ(occupancy(threads).active_blocks, before);
  }
}

TEST_F(OccupancyProperties, ActiveBlocksAreTheSmallestLimit) {
  for (int trial = 0; trial < trials; ++trial) {
    const OccupancyRequest request = any();
    const Occupancy answer = occupancy(request);
    int smallest = INT_MAX;
    for (const auto& limit :
         {answer.by_blocks, answer.by_warps, answer.by_registers, answer.by_shared}) {
      smallest = std::min(smallest, limit.value_or(INT_MAX));
    }
    EXPECT_EQ(answer.active_blocks, smallest);
    EXPECT_EQ(answer.launchable, answer.active_blocks > 0);
    EXPECT_EQ(answer.launchable, answer.reason.empty());
    EXPECT_FALSE(answer.limited_by.empty());
    EXPECT_LE(answer.active_warps, limits_of(request.cc).warps);
    EXPECT_LE(answer.fraction, 1.0);
  }
}

TEST_F(OccupancyProperties, AvailableSharedMemoryIsTheMostThatKeepsTheBlocks) {
  int answered = 0;
  for (int trial = 0; trial < trials; ++trial) {
    OccupancyRequest request = any();
    const int blocks = between(1, 8);
    const auto available = available_dynamic_shared(request, blocks);
    if (!available) {
      continue;
    }
    ++answered;
    request.dynamic_shared = *available;
    EXPECT_GE(occupancy(request).active_blocks, blocks);
    request.dynamic_shared = *available + 1;
    EXPECT_LT(occupancy(request).active_blocks, blocks);
  }
  EXPECT_GT(answered, trials / 10);
}

/// cuda_occupancy.h, asked in a way of its own: what it says of a block of which nothing is beyond
/// the limits that it leaves out.
TEST_F(OccupancyProperties, AgreeWithTheHeader) {
  for (int trial = 0; trial < trials; ++trial) {
    OccupancyRequest request = any();
    request.carveout.reset();
    request.registers = std::min(request.registers, 255);
    request.static_shared = std::min<std::int64_t>(request.static_shared, 48 * kib);
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
                 request.cc == ComputeCapability{6, 2} ? 32768 : 65536,
                 65536,
                 32,
                 49152,
                 static_cast<std::size_t>(limits.shared),
                 10,
                 static_cast<std::size_t>(limits.shared_opt_in),
                 request.cc.major >= 8 ? 1024U : 0U};
    cudaOccFuncAttributes function;
    function.maxThreadsPerBlock = 1024;
    function.numRegs = request.registers;
    function.sharedSizeBytes = static_cast<std::size_t>(request.static_shared);
    function.shmemLimitConfig = request.opt_in ? FUNC_SHMEM_LIMIT_OPTIN : FUNC_SHMEM_LIMIT_DEFAULT;
    function.maxDynamicSharedSizeBytes = static_cast<std::size_t>(request.dynamic_shared);
    const cudaOccDeviceProp device(properties);
    const cudaOccDeviceState state;
    cudaOccResult result;
    ASSERT_EQ(cudaOccMaxActiveBlocksPerMultiprocessor(
                  &result, &device, &function, &state, static_cast<int>(request.block.x),
                  static_cast<std::size_t>(request.dynamic_shared)),
              CUDA_OCC_SUCCESS);
    EXPECT_EQ(occupancy(request).active_blocks, result.activeBlocksPerMultiprocessor);
  }
}

}  // namespace
}  // namespace rooftune
