// The lift of advice on recordings that are made so that it is known.
#include "tuner/session/advice.hpp"

#include <gtest/gtest.h>

#include <functional>

namespace rooftune {
namespace {

/// Bound by L2, whose traffic falls with the tile; `order` has no effect.
Spec tiled_spec(const std::string& traffic) {
  return parse_spec(
      "constants: {bytes: 8000000000}\n"
      "parameters:\n"
      "  tile: {values: [1, 2, 4, 8], role: tile}\n"
      "  order: {values: [0, 1], role: layout}\n"
      "launch: {block: [256], grid: [100000]}\n"
      "work:\n"
      "  bytes: {dram: 1000}\n"
      "  traffic: {l2: " +
          traffic + "}\n",
      "made.yaml");
}

Recording recorded(const std::function<double(double tile)>& seconds) {
  Recording recording;
  recording.file = "made.json";
  for (const int tile : {1, 2, 4, 8}) {
    for (const int order : {0, 1}) {
      RecordedPoint point;
      point.parameters = {{"tile", tile}, {"order", order}};
      point.seconds = seconds(tile);
      recording.points.push_back(point);
    }
  }
  finish_recording(recording);
  return recording;
}

class Advice : public ::testing::Test {
 protected:
  AdviceReport measure(const Spec& spec, const Recording& recording, bool counters = false) const {
    return measure_advice(spec, Space(spec), recording, device_, counters);
  }
  double l2_seconds(double bytes) const {
    return bytes / device_.roof(RoofKind::bandwidth, "l2")->value;
  }

  DeviceProfile device_ = load_device("a100-40");
};

TEST_F(Advice, RightFormulasGiveTheLiftThatTheSpaceAllows) {
  const Recording recording = recorded([&](double tile) { return l2_seconds(8e9 / tile) / 0.8; });
  const AdviceReport report = measure(tiled_spec("bytes / tile"), recording);
  ASSERT_EQ(report.rows.size(), 1U);
  EXPECT_EQ(report.rows[0].diagnosis, "l2");
  // Four steps from each of eight points; to a larger tile 3, 2, 1 or none of them.
  EXPECT_EQ(report.all.points, 8U);
  EXPECT_EQ(report.all.steps, 32U);
  EXPECT_EQ(report.all.improved, 12U);
  EXPECT_EQ(report.all.recommended, 12U);
  EXPECT_EQ(report.all.recommended_improved, 12U);
  EXPECT_DOUBLE_EQ(report.all.lift.value(), 32.0 / 12);
  EXPECT_LE(report.all.lift_low, 32.0 / 12);
  EXPECT_GE(report.all.lift_high, 32.0 / 12);
}

TEST_F(Advice, AFormulaThatMisleadsShows) {
  const Recording recording = recorded([&](double tile) { return l2_seconds(8e9 * tile) / 0.8; });
  const AdviceReport report = measure(tiled_spec("bytes * (9 - tile) / 8"), recording);
  EXPECT_GT(report.all.recommended, 0U);
  EXPECT_EQ(report.all.recommended_improved, 0U);
  EXPECT_EQ(report.all.lift, 0);
}

TEST_F(Advice, CountersChangeTheDiagnosis) {
  Recording recording = recorded([&](double tile) { return l2_seconds(8e9 / tile) / 0.8; });
  for (RecordedPoint& point : recording.points) {
    point.counters = {{"lts__throughput.avg.pct_of_peak_sustained_elapsed", 10},
                      {"smsp__issue_active.avg.pct_of_peak_sustained_active", 85}};
  }
  const Spec spec = tiled_spec("bytes / tile");
  EXPECT_EQ(measure(spec, recording, false).rows.at(0).diagnosis, "l2");
  EXPECT_EQ(measure(spec, recording, true).rows.at(0).diagnosis, "issue");
}

TEST_F(Advice, StepsToFailuresAreNoGainAndUnlaunchableOnesAreNotAdvised) {
  Recording recording = recorded([&](double tile) { return l2_seconds(8e9 / tile) / 0.8; });
  for (RecordedPoint& point : recording.points) {
    if (find_value(point.parameters, "tile")->as_integer() == 8) {
      point.outcome = Outcome::compile_failed;
    }
  }
  const AdviceReport report = measure(tiled_spec("bytes / tile"), recording);
  EXPECT_EQ(report.all.points, 6U);
  EXPECT_EQ(report.all.steps, 24U);
  EXPECT_EQ(report.all.improved, 6U);
  EXPECT_EQ(report.all.recommended, 12U);
  // The spec expects what ptxas refuses: more than 48 KiB of static shared memory.
  Spec spec = parse_spec(
      tiled_spec("bytes / tile").text + "resources: {shared_bytes: 7000 * tile}\n", "made.yaml");
  EXPECT_EQ(measure(spec, recording).all.recommended, 6U);
}

}  // namespace
}  // namespace rooftune
