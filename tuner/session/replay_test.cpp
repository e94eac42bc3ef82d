// Replays on a space whose every bound is known, and on the shared recordings where they are.
#include "tuner/session/replay.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "tuner/roofline/profile.hpp"

namespace rooftune {
namespace {

/// Its compulsory bytes, 1.555e9 of them, take an A100-40 at least a millisecond; PAD doubles them.
constexpr const char* replay_spec = R"(
parameters:
  BX: {values: [1, 2, 4, 8]}
  PAD: {values: [1, 2]}
work: {bytes: {dram: 1555000000 * PAD}}
)";

Recording recorded(double fastest) {
  Recording recording;
  recording.file = "made up";
  for (const std::int64_t width : {1, 2, 4, 8}) {
    for (const std::int64_t pad : {1, 2}) {
      RecordedPoint point;
      point.parameters = {{"BX", Value(width)}, {"PAD", Value(pad)}};
      point.seconds = fastest * static_cast<double>(width * pad);
      recording.points.push_back(std::move(point));
    }
  }
  finish_recording(recording);
  return recording;
}

struct Tightness {
  double of_optimum;
  std::uint64_t contradictions;
};

Tightness tightness(double fastest) {
  const Spec spec = parse_spec(replay_spec, "made_up.yaml");
  const Space space(spec);
  const Recording recording = recorded(fastest);
  const DeviceProfile device = load_device("a100-40");
  const ReplayTable table(spec, space, recording, device);
  return {table.tightness(), table.contradictions()};
}

TEST(ReplayTable, SaysHowMuchOfTheOptimumIsProved) {
  const Tightness twice_the_bound = tightness(2e-3);
  EXPECT_GT(twice_the_bound.of_optimum, 0.2);
  EXPECT_LT(twice_the_bound.of_optimum, 0.51);
  EXPECT_DOUBLE_EQ(tightness(4e-3).of_optimum, twice_the_bound.of_optimum / 2);
  EXPECT_EQ(twice_the_bound.contradictions, 0U);
}

TEST(ReplayTable, CountsWhatWasFasterThanIsPossible) {
  // 0.2 to 3.2 ms: with PAD = 2 no configuration takes less than 2 ms, with PAD = 1 than 1 ms.
  EXPECT_GT(tightness(0.2e-3).contradictions, 2U);
  EXPECT_LT(tightness(0.2e-3).contradictions, 8U);
}

/// What a proof rests on holds over every configuration that was measured, so no stop by proof on
/// these kernels would have been wrong.
TEST(SharedRecordings, NothingWasFasterThanItsLowerBound) {
  const char* folder = std::getenv("ROOFTUNE_RECORDINGS");
  if (folder == nullptr) {
    GTEST_SKIP() << "ROOFTUNE_RECORDINGS is not set";
  }
  const auto cases = recorded_cases(folder);
  EXPECT_FALSE(cases.empty());
  for (const RecordedCase& it : cases) {
    if (it.name().find("coulomb") == std::string::npos) {
      continue;  // `rooftune replay --suite` tells of all; the smallest is enough for every day
    }
    const Spec spec = load_spec(it.spec);
    const Space space(spec);
    const Recording recording = read_recording(it.recording);
    const DeviceProfile device = recorded_device(recording);
    const ReplayTable table(spec, space, recording, device);
    EXPECT_EQ(table.contradictions(), 0U) << it.name();
    EXPECT_GT(table.tightness(), 0.05) << it.name();
    EXPECT_LE(table.tightness(), 1) << it.name();
  }
}

}  // namespace
}  // namespace rooftune
