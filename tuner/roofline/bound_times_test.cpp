#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tuner/roofline/roofline.hpp"
#include "tuner/roofline/test_support.hpp"

namespace rooftune {
namespace {

using test::launch;
using test::resident;
using test::small_host;
using test::two_roofs;
using test::work;
using testing::HasSubstr;

const BoundTime* find(const BoundTimes& times, Bound bound, bool provable) {
  for (const BoundTime& time : times) {
    if (time.bound == bound && time.provable == provable) {
      return &time;
    }
  }
  return nullptr;
}

TEST(BoundTimes, AreWorkOverRoofLongestFirst) {
  const BoundTimes times = bound_times(work(10e12, 450e9), two_roofs(10e12, 900e9));
  ASSERT_EQ(times.size(), 2U);
  EXPECT_EQ(times[0].bound, Bound::fp);
  EXPECT_DOUBLE_EQ(times[0].seconds, 1);
  EXPECT_EQ(times[0].basis, "10.0 TFLOP fp32 at 10.0 TFLOP/s (data sheet)");
  EXPECT_EQ(times[1].bound, Bound::dram);
  EXPECT_DOUBLE_EQ(times[1].seconds, 0.5);
  EXPECT_EQ(times[1].basis, "450 GB at 900 GB/s (data sheet)");
}

TEST(BoundTimes, TrafficIsWhatMovesBytesAreWhatIsProvable) {
  ModelInput input = work(0, 900e9);
  input.work.traffic[Level::dram] = 1800e9;
  const BoundTimes times = bound_times(input, two_roofs(1e12, 900e9));
  EXPECT_DOUBLE_EQ(seconds_of(times, Bound::dram), 2);
  EXPECT_DOUBLE_EQ(lower_bound_seconds(times), 1);
}

// A warm L2 can hold inputs before the launch and outputs after it.
TEST(BoundTimes, WhatTheL2HoldsIsNotProvenToMove) {
  DeviceProfile device = two_roofs(1e12, 100e9);
  device.l2_bytes = 40'000'000;
  EXPECT_DOUBLE_EQ(lower_bound_seconds(bound_times(work(0, 100e6), device)), 0.6e-3);
  EXPECT_DOUBLE_EQ(seconds_of(bound_times(work(0, 100e6), device), Bound::dram), 1e-3);
  EXPECT_EQ(lower_bound_seconds(bound_times(work(0, 30e6), device)), 0);
}

TEST(BoundTimes, ProofsUseTheMaximumClockAndNoLowerMeasurement) {
  DeviceProfile device = two_roofs(1e12, 100e9);
  device.multiprocessors = 10;
  device.clock_hz = 1e9;
  device.roofs[0].rate = 125;  // 1.25 TFLOP/s at the maximum clock
  device.roofs.push_back({RoofKind::compute, "fp32", 0.8e12, RoofSource::measured, "now", 0, 0});
  const BoundTimes times = bound_times(work(1e12, 0), device);
  EXPECT_DOUBLE_EQ(seconds_of(times, Bound::fp), 1.25);
  EXPECT_DOUBLE_EQ(lower_bound_seconds(times), 0.8);
}

TEST(BoundTimes, UnitsOfAPipeAddUpButTheirSumProvesNothing) {
  DeviceProfile device = two_roofs(1e12, 100e9);
  device.roofs.push_back({RoofKind::compute, "fp64", 0.5e12, RoofSource::data_sheet, "", 0, 0});
  device.roofs.push_back(
      {RoofKind::compute, "fp16.tensor", 4e12, RoofSource::data_sheet, "", 0, 0});
  ModelInput input = work(1e12, 0);
  input.work.flops[{Precision::fp64, false}] = 1e12;
  input.work.flops[{Precision::fp16, true}] = 2e12;
  const BoundTimes times = bound_times(input, device);
  EXPECT_DOUBLE_EQ(seconds_of(times, Bound::fp), 3);
  EXPECT_DOUBLE_EQ(seconds_of(times, Bound::tensor), 0.5);
  EXPECT_DOUBLE_EQ(lower_bound_seconds(times), 2);
}

TEST(BoundTimes, OnTheHostNothingIsProvable) {
  ModelInput input = work(1e9, 1e9);
  input.work.traffic[Level::shared] = 4e9;
  input.launch = launch(2, 64);
  const BoundTimes times = bound_times(input, small_host());
  EXPECT_EQ(lower_bound_seconds(times), 0);
  EXPECT_DOUBLE_EQ(seconds_of(times, Bound::dram), 0.05);
  EXPECT_DOUBLE_EQ(seconds_of(times, Bound::shared), 4.0 / 500);
}

// The host has no half-precision unit: it converts and computes in fp32.
TEST(BoundTimes, TheHostComputesShortFormatsInFp32) {
  const BoundTimes times = bound_times(work(200e9, 0, {Precision::fp16, true}), small_host());
  EXPECT_DOUBLE_EQ(seconds_of(times, Bound::tensor), 1);
  EXPECT_TRUE(bound_times(work(1e9, 0, {Precision::int8, false}), small_host()).empty());
}

TEST(BoundTimes, SharedMemoryTrafficIsAModelSoItProvesNothing) {
  const DeviceProfile a100 = load_device("a100-40");
  ModelInput input;
  const double a_second = 128.0 * 108 * 1.41e9;
  input.work.traffic[Level::shared] = a_second;
  EXPECT_EQ(lower_bound_seconds(bound_times(input, a100)), 0);
  input.work.bytes[Level::shared] = a_second;  // the author's word that no compiler avoids them
  EXPECT_NEAR(lower_bound_seconds(bound_times(input, a100)), 1, 1e-9);
  input.work.bytes.clear();
  input.work.traffic[Level::l2] = 1e12;  // may be served by L1 instead
  EXPECT_EQ(lower_bound_seconds(bound_times(input, a100)), 0);
}

TEST(BoundTimes, MultiprocessorsWithoutABlockDoNothing) {
  const DeviceProfile a100 = load_device("a100-40");
  ModelInput input = work(19.5e12, 0);
  input.launch = launch(27, 256);  // a quarter of 108
  const BoundTimes times = bound_times(input, a100);
  EXPECT_NEAR(seconds_of(times, Bound::grid_size), 4, 1e-9);
  EXPECT_NEAR(lower_bound_seconds(times), 4, 0.02);
}

TEST(BoundTimes, SchedulersWithoutAWarpDoNothing) {
  const DeviceProfile a100 = load_device("a100-40");
  ModelInput input = work(19.5e12, 0);
  input.launch = launch(10'000, 32);
  input.occupancy = resident(2, 2, 2.0 / 64);
  const BoundTimes times = bound_times(input, a100);
  EXPECT_NEAR(seconds_of(times, Bound::occupancy), 2, 1e-9);
  EXPECT_EQ(seconds_of(times, Bound::grid_size), 0);
  input.occupancy = resident(8, 8, 8.0 / 64);
  EXPECT_EQ(seconds_of(bound_times(input, a100), Bound::occupancy), 0);
}

// 109 blocks on 108 multiprocessors take two rounds. Blocks at the rim may be small: no proof.
TEST(BoundTimes, TheTailIsTheFullestMultiprocessorsTime) {
  const DeviceProfile a100 = load_device("a100-40");
  ModelInput input = work(19.5e12, 0);
  input.launch = launch(109, 256);
  const BoundTimes times = bound_times(input, a100);
  EXPECT_NEAR(seconds_of(times, Bound::tail), 2.0 * 108 / 109, 1e-6);
  EXPECT_EQ(find(times, Bound::tail, true), nullptr);
  input.launch = launch(216, 256);
  EXPECT_EQ(seconds_of(bound_times(input, a100), Bound::tail), 0);
}

TEST(BoundTimes, InstructionsHaveAFloor) {
  const DeviceProfile rtx = load_device("rtx-3090");
  ModelInput input = work(64e9, 0);                 // 1e9 warp FMAs
  input.work.traffic[Level::shared] = 512e9 * 0.5;  // half as many widest loads
  const double rate = rtx.roof(RoofKind::issue, "issue")->value;
  EXPECT_NEAR(seconds_of(bound_times(input, rtx), Bound::issue), 1.5e9 / rate, 1e-12);
  // Packed halves do two FMAs an instruction, tensor cores need next to none.
  EXPECT_NEAR(seconds_of(bound_times(work(64e9, 0, {Precision::fp16, false}), rtx), Bound::issue),
              0.5e9 / rate, 1e-12);
  EXPECT_EQ(seconds_of(bound_times(work(64e9, 0, {Precision::fp16, true}), rtx), Bound::issue), 0);
}

TEST(BoundTimes, LatencyGrowsWithWavesAndWithFewWarps) {
  const DeviceProfile a100 = load_device("a100-40");
  ModelInput input = work(0, 1e6);
  input.launch = launch(108 * 8 * 5, 256);
  input.occupancy = resident(8, 64, 1);
  const double round_trip = 400 / 1.41e9;
  EXPECT_NEAR(seconds_of(bound_times(input, a100), Bound::latency), 5 * round_trip, 1e-12);
  input = work(0, 1e9);
  input.launch = launch(108 * 100, 64);
  input.occupancy = resident(1, 2, 2.0 / 64);
  EXPECT_NEAR(seconds_of(bound_times(input, a100), Bound::latency),
              1e9 * round_trip / (108 * 2 * 512), 1e-9);
}

TEST(BoundTimes, ALaunchCostsMicroseconds) {
  const BoundTimes times = bound_times({}, load_device("h100-sxm"));
  ASSERT_EQ(times.size(), 1U);
  EXPECT_EQ(times[0].bound, Bound::launch);
  EXPECT_FALSE(times[0].provable);
  EXPECT_DOUBLE_EQ(times[0].seconds, 2e-6);
}

/// 10 multiprocessors of compute capability 8.0 at 1 GHz.
DeviceProfile ten_multiprocessors() {
  DeviceProfile device = two_roofs(1.28e12, 100e9);
  device.cc = {8, 0};
  device.multiprocessors = 10;
  device.clock_hz = 1e9;
  device.roofs.push_back({RoofKind::issue, "issue", 40e9, RoofSource::data_sheet, "given", 0, 0});
  return device;
}

TEST(BoundTimes, CountsOfAWarpBecomeTimesOfPipesAndClocks) {
  Geometry geometry;
  geometry.launch = launch(640, 256);  // 5120 warps
  geometry.registers = 32;             // 8 blocks, 64 warps a multiprocessor: 8 waves
  geometry.work.warp = {1000, 500, 100, 9000, 2000, 128.0 * 1024};
  const DeviceProfile device = ten_multiprocessors();
  const ModelInput input = model_input(geometry, device);
  ASSERT_TRUE(input.occupancy);
  EXPECT_EQ(input.occupancy->active_blocks, 8);
  const BoundTimes times = bound_times(input, device);
  EXPECT_DOUBLE_EQ(seconds_of(times, Bound::issue), 5120 * 1000 / 40e9);
  EXPECT_DOUBLE_EQ(seconds_of(times, Bound::fp), 5120 * 500 * 64 / 1.28e12);
  EXPECT_DOUBLE_EQ(seconds_of(times, Bound::special), 5120 * 100 * 32 / (16 * 10 * 1e9));
  EXPECT_DOUBLE_EQ(seconds_of(times, Bound::latency), 8 * 9000 / 1e9);
  EXPECT_DOUBLE_EQ(seconds_of(times, Bound::barriers), 8 * 2000 / 1e9);
  // Twice the cache: an eighth is left of what fits.
  EXPECT_DOUBLE_EQ(seconds_of(times, Bound::fetch), 8 * 9000 / 1e9 / (1 + 1.0 / 8));
}

TEST(BoundTimes, WhatIsExpectedOfTheCompilerProvesNothing) {
  Geometry geometry;
  geometry.launch = launch(640, 32);
  geometry.launch->shared_bytes = 100 * 1024;  // one block of one warp: three schedulers idle
  geometry.registers = 255;
  geometry.work.flops[{}] = 1e9;
  DeviceProfile device = ten_multiprocessors();
  device.roofs[0].rate = 128;
  const ModelInput expected = model_input(geometry, device);
  ASSERT_TRUE(expected.is_expected);
  EXPECT_GT(seconds_of(bound_times(expected, device), Bound::occupancy),
            3.9 * lower_bound_seconds(bound_times(expected, device)));
  const ModelInput compiled = model_input(geometry, device, expected.resources);
  EXPECT_DOUBLE_EQ(lower_bound_seconds(bound_times(compiled, device)),
                   seconds_of(bound_times(compiled, device), Bound::occupancy));
}

}  // namespace
}  // namespace rooftune
