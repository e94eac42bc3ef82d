// The same amount by formula and as counted: units, what is possible, what is left out.
#include "tuner/roofline/amounts.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace rooftune {
namespace {

/// Ten blocks of 33 threads: 20 warps, 330 threads.
Geometry launched() {
  Geometry geometry;
  geometry.launch = Launch{{10, 1, 1}, {33, 1, 1}, 0};
  return geometry;
}

std::optional<Amount> amount(const std::vector<Amount>& amounts, const std::string& name) {
  const auto found = std::find_if(amounts.begin(), amounts.end(),
                                  [&](const Amount& each) { return each.name == name; });
  return found == amounts.end() ? std::nullopt : std::optional(*found);
}

TEST(Amounts, CountsOfAWarpAreHeldAgainstThoseOfTheDevice) {
  Geometry geometry = launched();
  geometry.work.warp.instructions = 100;
  geometry.work.warp.fp = 50;
  geometry.work.warp.special = 8;
  Counted counted;
  counted.counters = {{"smsp__inst_executed.sum", 4000},
                      {"smsp__sass_thread_inst_executed_op_fp32_pred_on.sum", 32000},
                      {"smsp__inst_executed_pipe_xu.avg.pct_of_peak_sustained_active", 16},
                      {"smsp__issue_active.avg.pct_of_peak_sustained_active", 50}};
  const std::vector<Amount> amounts = compare_amounts(geometry, counted);
  EXPECT_EQ(amount(amounts, "instructions")->expected, 2000);
  EXPECT_EQ(amount(amounts, "instructions")->counted, 4000);
  EXPECT_EQ(amount(amounts, "fp")->expected, 1000);
  EXPECT_EQ(amount(amounts, "fp")->counted, 1000);
  // 4000 instructions in half of the slots: 8000 slots, of which the pipe takes an eighth at most.
  EXPECT_EQ(amount(amounts, "special")->expected, 160);
  EXPECT_DOUBLE_EQ(amount(amounts, "special")->counted, 160);
}

TEST(Amounts, AnInstructionIsOneOrTwoOperationsWhereItsKindWasNotCounted) {
  const auto counted_for = [](double flops) {
    Geometry geometry = launched();
    geometry.work.flops[{Precision::fp32, false}] = flops;
    const Counted counted{{{"smsp__sass_thread_inst_executed_op_fp32_pred_on.sum", 1000}}, {}, {}};
    return amount(compare_amounts(geometry, counted), "flops.fp32")->counted;
  };
  EXPECT_EQ(counted_for(1500), 1500);
  EXPECT_EQ(counted_for(4000), 2000);
  EXPECT_EQ(counted_for(500), 1000);
}

TEST(Amounts, KindsThatWereCountedGiveTheOperations) {
  Geometry geometry = launched();
  geometry.work.flops[{Precision::fp32, false}] = 1500;
  Counted counted;
  for (const char* op : {"fadd", "fmul", "ffma"}) {
    counted.counters[std::string("smsp__sass_thread_inst_executed_op_") + op + "_pred_on.sum"] =
        100;
  }
  EXPECT_EQ(amount(compare_amounts(geometry, counted), "flops.fp32")->counted, 400);
}

TEST(Amounts, TrafficComesBeforeCompulsoryBytesAndZeroIsAStatement) {
  Geometry geometry = launched();
  geometry.work.bytes = {{Level::dram, 640}};
  geometry.work.traffic = {{Level::l2, 320}, {Level::shared, 0}};
  Counted counted;
  counted.counters = {{"dram__sectors_read.sum", 10},
                      {"dram__sectors_write.sum", 10},
                      {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", 0},
                      {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum", 0}};
  const std::vector<Amount> amounts = compare_amounts(geometry, counted);
  EXPECT_EQ(amount(amounts, "dram")->formula, "work.bytes.dram");
  EXPECT_EQ(amount(amounts, "dram")->counted, 640);
  EXPECT_FALSE(amount(amounts, "l2")) << "it was not counted";
  EXPECT_EQ(amount(amounts, "shared")->counted, 0);
}

TEST(Amounts, SharedMemoryIsPassesThroughItsBanks) {
  Geometry geometry = launched();
  geometry.work.traffic = {{Level::shared, 256}};
  Counted counted;
  counted.counters = {{"smsp__sass_data_bytes_mem_shared.sum", 64},
                      {"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", 2}};
  EXPECT_EQ(amount(compare_amounts(geometry, counted), "shared")->counted, 256);
}

TEST(Amounts, CountsOfTheHostLeaveOpenWhatCachesDo) {
  const auto l2 = [](double formula) {
    Geometry geometry = launched();
    geometry.work.bytes = {{Level::dram, 100}};
    geometry.work.traffic = {{Level::dram, 150}, {Level::l2, formula}, {Level::shared, 256}};
    Counted counted;
    counted.counters = {{"host__dram_bytes.sum", 100},
                        {"host__l2_bytes.sum", 200},
                        {"host__l1_bytes.sum", 600},
                        {"host__shared_wavefronts.sum", 2}};
    const std::vector<Amount> amounts = compare_amounts(geometry, counted);
    EXPECT_EQ(amount(amounts, "dram")->formula, "work.bytes.dram") << "each byte once";
    EXPECT_EQ(amount(amounts, "shared")->counted, 256);
    return amount(amounts, "l2")->counted;
  };
  EXPECT_EQ(l2(100), 200);  // a block's sectors must come once
  EXPECT_EQ(l2(400), 400);
  EXPECT_EQ(l2(900), 600);  // and at most at every access
}

TEST(Amounts, LocalMemoryMarksTheTrafficOfCaches) {
  Geometry geometry = launched();
  geometry.work.traffic = {{Level::l2, 320}, {Level::shared, 128}};
  Counted counted;
  counted.counters = {{"lts__t_bytes.sum", 999},
                      {"smsp__sass_data_bytes_mem_shared.sum", 128},
                      {"l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum", 5}};
  const std::vector<Amount> amounts = compare_amounts(geometry, counted);
  EXPECT_TRUE(amount(amounts, "l2")->spilled);
  EXPECT_FALSE(amount(amounts, "shared")->spilled);
}

TEST(Amounts, ExpectedResourcesAndLaunchesAreHeldAgainstRealOnes) {
  Geometry geometry = launched();
  geometry.registers = 40;
  geometry.shared_bytes = 0;
  Counted counted;
  counted.resources = Resources{};
  counted.resources->registers = 32;
  counted.resources->static_shared = 1024;
  counted.launch = Launch{{12, 1, 1}, {33, 1, 1}, 0};
  const std::vector<Amount> amounts = compare_amounts(geometry, counted);
  EXPECT_EQ(amount(amounts, "registers")->expected, 40);
  EXPECT_EQ(amount(amounts, "registers")->counted, 32);
  EXPECT_EQ(amount(amounts, "shared memory")->counted, 1024);
  EXPECT_EQ(amount(amounts, "blocks")->expected, 10);
  EXPECT_EQ(amount(amounts, "blocks")->counted, 12);
}

}  // namespace
}  // namespace rooftune
