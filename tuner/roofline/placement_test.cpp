#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tuner/roofline/roofline.hpp"
#include "tuner/roofline/test_support.hpp"

namespace rooftune {
namespace {

using test::small_host;
using test::two_roofs;
using test::work;
using testing::HasSubstr;

struct PublishedPoint {
  const char* name;
  double peak;       ///< FLOP/s
  double bandwidth;  ///< byte/s
  double intensity;  ///< FLOP/byte
  double achieved;   ///< FLOP/s
  const char* roof;
  double fraction;
  double tolerance;
};

void expect_point(const PublishedPoint& point) {
  const double bytes = 1e9;
  const double flops = point.intensity * bytes;
  const DeviceProfile device = two_roofs(point.peak, point.bandwidth);
  const Placement at = place(work(flops, bytes), flops / point.achieved, device);
  EXPECT_EQ(at.roof, point.roof) << point.name;
  EXPECT_NEAR(at.fraction, point.fraction, point.tolerance) << point.name;
  EXPECT_NEAR(at.achieved_flops, point.achieved, point.achieved * 1e-9) << point.name;
  ASSERT_EQ(at.levels.size(), 1U);
  EXPECT_NEAR(at.levels[0].intensity, point.intensity, 1e-9) << point.name;
  EXPECT_NEAR(at.levels[0].fraction, at.fraction, 1e-9) << point.name;
  EXPECT_FALSE(at.contradiction) << point.name;
}

// Nine SGEMM kernels on an A6000, 4096: 2 * 4096^3 FLOP, 3 matrices once; 30 TFLOP/s, 768 GB/s.
TEST(Placement, NineSgemmKernelsOnA6000) {
  const double intensity = 4096.0 / 6;
  for (const auto& [name, gflops, percent] : {std::tuple{"naive", 309.0, 1.0},
                                              {"coalesced", 1986.5, 6.6},
                                              {"shared", 2980.3, 9.9},
                                              {"1D tile", 8474.7, 28.2},
                                              {"2D tile", 15971.7, 53.2},
                                              {"vectorised", 18237.3, 60.8},
                                              {"autotuned", 19721.0, 65.7},
                                              {"warp tile", 21779.3, 72.6},
                                              {"cuBLAS", 23249.6, 77.5}}) {
    expect_point({name, 30e12, 768e9, intensity, gflops * 1e9, "fp32", percent / 100, 0.0006});
  }
}

// Five kernels of an Nsight Compute roofline: FP32 peak 5.865 TFLOP/s, ridge 6.94.
TEST(Placement, FiveKernelsOfAnNsightRoofline) {
  const double bandwidth = 5.865e12 / 6.94;
  for (const PublishedPoint& point :
       {PublishedPoint{"a", 5.865e12, bandwidth, 27.28, 4.136e12, "fp32", 0.705, 0.001},
        {"b", 5.865e12, bandwidth, 27.20, 4.858e12, "fp32", 0.828, 0.001},
        {"c", 5.865e12, bandwidth, 2.89, 0.864e12, "dram", 0.354, 0.001},
        {"d", 5.865e12, bandwidth, 4.53, 0.872e12, "dram", 0.228, 0.001},
        {"e", 5.865e12, bandwidth, 1.46, 0.270e12, "dram", 0.219, 0.001}}) {
    expect_point(point);
  }
}

// 4e8 FLOP and 12e8 bytes in 5 ms on a T4.
TEST(Placement, T4VectorAdd) {
  const Placement at = place(work(4e8, 12e8), 4e8 / 0.08e12, two_roofs(8.14e12, 320e9));
  EXPECT_EQ(at.roof, "dram");
  EXPECT_NEAR(at.levels[0].intensity, 1.0 / 3, 1e-12);
  EXPECT_NEAR(at.fraction, 0.75, 1e-9);
}

// Lattice Boltzmann: 363 FLOP and 153 B a cell, 8526 million cells a second on an A100 40 GB.
TEST(Placement, LatticeBoltzmannOnA100) {
  const double cells = 8526e6;
  const Placement at = place(work(363 * cells, 153 * cells), 1, load_device("a100-40"));
  EXPECT_EQ(at.roof, "dram");
  EXPECT_NEAR(at.levels[0].intensity, 2.37, 0.005);
  EXPECT_NEAR(at.levels[0].ridge, 12.5, 0.05);
  EXPECT_NEAR(at.achieved_dram, 1304e9, 1e9);
  EXPECT_NEAR(at.fraction, 0.84, 0.005);
  EXPECT_NEAR(at.achieved_flops, 3095e9, 1e9);
}

// 77 B and 1275 FLOP a cell: left of the ridge on some devices, right of it on others.
TEST(Placement, TheSameKernelCrossesTheRidge) {
  const ModelInput cell = work(1275e6, 77e6);
  for (const auto& [device, roof] : {std::pair{"a100-40", "fp32"},
                                     {"h200", "fp32"},
                                     {"v100-sxm2", "dram"},
                                     {"h100-sxm", "dram"},
                                     {"l40s", "dram"}}) {
    EXPECT_EQ(place(cell, 0, load_device(device)).roof, roof) << device;
  }
  // By their published ridges: P100 13.0, V100 PCIe 15.7.
  EXPECT_EQ(place(cell, 0, two_roofs(13.0e12, 1e12)).roof, "fp32");
  EXPECT_EQ(place(cell, 0, two_roofs(15.7e12, 1e12)).roof, "fp32");
  const double cells = 11251e6;
  const Placement a100 = place(work(1275 * cells, 77 * cells), 1, load_device("a100-40"));
  EXPECT_NEAR(a100.achieved_flops, 14.35e12, 0.01e12);
  EXPECT_NEAR(a100.fraction, 0.736, 0.001);
  EXPECT_NEAR(a100.achieved_dram / 1555e9, 0.56, 0.005);
}

// 10 TFLOP/s, 900 GB/s.
TEST(Placement, Textbook) {
  const DeviceProfile device = two_roofs(10e12, 900e9);
  for (const auto& [flops, bytes, intensity, roof] : {std::tuple{1.0, 8.0, 0.125, "dram"},
                                                      {50.0, 8.0, 6.25, "dram"},
                                                      {100.0, 8.0, 12.5, "fp32"},
                                                      {2048.0, 8192.0, 0.25, "dram"},
                                                      {1.0, 12.0, 1.0 / 12, "dram"}}) {
    const Placement at = place(work(flops, bytes), 0, device);
    EXPECT_DOUBLE_EQ(at.levels.at(0).intensity, intensity);
    EXPECT_NEAR(at.levels.at(0).ridge, 11.1, 0.02);
    EXPECT_EQ(at.roof, roof) << intensity;
    EXPECT_EQ(at.fraction, 0);
  }
  // Stride 8 moves eight times the bytes: an effective ridge of 89, memory bound again.
  ModelInput strided = work(100, 8);
  strided.work.traffic[Level::dram] = 64;
  EXPECT_EQ(bound_times(strided, device).front().bound, Bound::dram);
  EXPECT_NEAR(10e12 / (900e9 / 8), 89, 0.2);
}

TEST(Placement, TextbookRidges) {
  const Placement a100 =
      place(work(1, 1, {Precision::fp16, true}), 0, two_roofs(312e12, 2e12, "fp16.tensor"));
  EXPECT_DOUBLE_EQ(a100.levels[0].ridge, 156);
  const DeviceProfile h100 = load_device("h100-sxm");
  EXPECT_NEAR(place(work(1, 1, {Precision::bf16, true}), 0, h100).levels[0].ridge, 295.5, 0.5);
  EXPECT_NEAR(place(work(1, 1, {Precision::fp8, true}), 0, h100).levels[0].ridge, 591, 0.5);
}

TEST(Placement, EveryLevelAndUnitHasItsOwnRidge) {
  const DeviceProfile a100 = load_device("a100-40");
  ModelInput input = work(2.0 * 4096 * 4096 * 4096, 3.0 * 4 * 4096 * 4096);
  input.work.traffic[Level::l2] = 4e9;
  input.work.traffic[Level::shared] = 40e9;
  input.work.flops[{Precision::fp16, true}] = 1e12;
  const Placement at = place(input, 0.02, a100);
  ASSERT_EQ(at.levels.size(), 6U);
  for (const LevelPlacement& level : at.levels) {
    const double peak = a100.roof(RoofKind::compute, to_string(level.unit))->value;
    const double bandwidth = a100.roof(RoofKind::bandwidth, to_string(level.level))->value;
    EXPECT_DOUBLE_EQ(level.ridge, peak / bandwidth);
    EXPECT_DOUBLE_EQ(level.attainable, std::min(peak, level.intensity * bandwidth));
    EXPECT_EQ(level.source, AmountSource::model);
  }
}

// Two precisions on one pipe: the combined roof lies between theirs.
TEST(Placement, MixedPrecisionsAgainstTheirCombinedRoof) {
  DeviceProfile device = two_roofs(2e12, 1e15);
  device.roofs.push_back({RoofKind::compute, "fp64", 1e12, RoofSource::data_sheet, "", 0, 0});
  ModelInput input = work(1e12, 1);
  input.work.flops[{Precision::fp64, false}] = 1e12;
  const Placement at = place(input, 3, device);
  EXPECT_EQ(at.roof, "fp64 + fp32");
  EXPECT_DOUBLE_EQ(at.attainable_seconds, 1.5);
  EXPECT_DOUBLE_EQ(at.fraction, 0.5);
  EXPECT_DOUBLE_EQ(at.achieved_flops, 2e12 / 3);
}

// What this configuration alone moves is no ceiling: a kernel that floods its L1 is not finished.
TEST(Placement, TheCeilingIsThatOfEveryConfiguration) {
  const DeviceProfile device = load_device("rtx-5090");
  ModelInput input = work(17.2e9, 50e6);
  input.work.traffic[Level::shared] = 1e12;
  EXPECT_EQ(place(input, 0.02, device).roof, "fp32");
}

TEST(Placement, AMeasuredRoofBeforeTheDataSheets) {
  DeviceProfile device = two_roofs(1e12, 100e9);
  device.roofs.push_back({RoofKind::bandwidth, "dram", 80e9, RoofSource::measured, "now", 0, 0});
  EXPECT_DOUBLE_EQ(place(work(1, 80e9), 2, device).fraction, 0.5);
  // Above the measured roof, below the data sheet: shown as it is, and no contradiction.
  const Placement above = place(work(1, 90e9), 1, device);
  EXPECT_DOUBLE_EQ(above.fraction, 1.125);
  EXPECT_FALSE(above.contradiction);
}

TEST(Placement, AboveTheRoofIsAContradictionWithLikelyCauses) {
  const DeviceProfile device = two_roofs(1e12, 100e9);
  const auto cached = place(work(1, 300e9), 1, device).contradiction;
  ASSERT_TRUE(cached);
  EXPECT_THAT(*cached, HasSubstr("dram needs 3.00 s at the very least (300 GB at 100 GB/s (data "
                                 "sheet)), but 1.00 s was measured"));
  EXPECT_THAT(*cached, HasSubstr("cache"));
  const auto sparse = place(work(2e12, 1), 1, device).contradiction;
  ASSERT_TRUE(sparse);
  EXPECT_THAT(*sparse, HasSubstr("2:4 sparsity"));
  EXPECT_THAT(*sparse, HasSubstr("FLOP formula"));
  // Within the tolerance of clocks, or below: none.
  EXPECT_FALSE(place(work(1, 101e9), 1, device).contradiction);
  EXPECT_FALSE(place(work(1, 300e9), 0, device).contradiction);
  const auto host = place(work(300e9, 1), 1, small_host()).contradiction;
  ASSERT_TRUE(host);
  EXPECT_THAT(*host, testing::Not(HasSubstr("sparsity")));
  EXPECT_FALSE(place(work(210e9, 1), 1, small_host()).contradiction);
}

TEST(Placement, WorkWithoutARoofIsNamed) {
  const Placement at = place(work(1e12, 1e9, {Precision::fp8, true}), 1, load_device("a100-40"));
  ASSERT_EQ(at.unplaced.size(), 1U);
  EXPECT_EQ(at.unplaced[0], "fp8.tensor: NVIDIA A100 40 GB has no such roof");
  EXPECT_EQ(at.roof, "dram");
  ModelInput unknown;
  unknown.work.flops[{Precision::fp8, true}] = 1;
  EXPECT_EQ(place(unknown, 1, load_device("a100-40")).roof, "");
}

// Bytes of a formula are algorithmic; counted ones include what caches missed. Both are shown.
TEST(Placement, CountersAddLevelsOfTheirOwn) {
  const Counters counters = {
      {"smsp__sass_thread_inst_executed_op_fadd_pred_on.sum", 1e9},
      {"smsp__sass_thread_inst_executed_op_fmul_pred_on.sum", 0},
      {"smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", 2e9},
      {"dram__bytes.sum", 10e9},
  };
  const Placement at = place(work(4e9, 5e9), 1, two_roofs(1e12, 100e9), counters);
  ASSERT_EQ(at.levels.size(), 2U);
  EXPECT_EQ(at.levels[0].source, AmountSource::model);
  EXPECT_DOUBLE_EQ(at.levels[0].intensity, 0.8);
  EXPECT_EQ(at.levels[1].source, AmountSource::counters);
  EXPECT_DOUBLE_EQ(at.levels[1].intensity, 0.5);
  EXPECT_EQ(to_string(at.levels[1].source), "counters");
}

TEST(Placement, OnlyAMeasuredLaunchIsARoof) {
  const DeviceProfile h100 = load_device("h100-sxm");
  EXPECT_EQ(place(work(1, 1), 3e-6, h100).roof, "dram");
  DeviceProfile measured = h100;
  measured.roofs.push_back({RoofKind::latency, "launch", 2.5e-6, RoofSource::measured, "", 0, 0});
  const Placement at = place(work(1, 1), 5e-6, measured);
  EXPECT_EQ(at.roof, "launch");
  EXPECT_DOUBLE_EQ(at.fraction, 0.5);
}

}  // namespace
}  // namespace rooftune
