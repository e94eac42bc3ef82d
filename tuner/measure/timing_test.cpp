#include "tuner/measure/timing.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "tuner/measure/energy.hpp"

namespace rooftune {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

/// Records what is asked for; a launch takes what `seconds` says, at the clock that `clocks` says.
class RecordingSteps : public TimingSteps {
 public:
  void announce(double /*expected*/) override { say("announce"); }
  bool needs_restore() const override { return restores; }
  void restore() override { say("restore"); }
  void flush() override { say("flush"); }
  void hold() override { say("hold"); }
  void release() noexcept override { said.emplace_back("release"); }
  void begin(int /*slot*/) override { say("begin"); }
  void launch() override {
    say("launch");
    if (++launches == fails_at) {
      throw std::runtime_error("launch failed");
    }
  }
  void end(int /*slot*/) override { say("end"); }
  std::vector<double> wait(int slots) override {
    say("wait");
    const double seconds = times[std::min(waits++, times.size() - 1)];
    wall += seconds * slots;
    return std::vector<double>(static_cast<std::size_t>(slots), seconds);
  }
  bool hold_timed_out() const override { return stuck; }
  std::optional<double> clock() override {
    if (clocks.empty()) {
      return std::nullopt;
    }
    return clocks[std::min(looks++ / 2, clocks.size() - 1)];
  }
  void pause() override { ++pauses; }
  double now() override { return wall; }

  void say(const char* what) { said.emplace_back(what); }

  std::vector<std::string> said;
  bool restores = false;
  bool stuck = false;
  int fails_at = -1;
  int launches = 0;
  int pauses = 0;
  std::vector<double> times = {0.01};
  std::vector<double> clocks;
  std::size_t waits = 0;
  std::size_t looks = 0;
  double wall = 0;
};

TimingOptions three_samples() {
  TimingOptions options;
  options.sampling = {0.02, 3, 3, 0.01};
  return options;
}

TEST(Timing, AColdSampleRestoresFlushesAndOnlyThenStartsItsEvents) {
  RecordingSteps steps;
  steps.restores = true;
  const Timing timing = time_kernel(steps, three_samples(), 0.01);
  const std::vector<std::string> first(steps.said.begin(), steps.said.begin() + 9);
  EXPECT_THAT(first, ElementsAre("announce", "hold", "restore", "flush", "begin", "launch", "end",
                                 "release", "wait"));
  EXPECT_THAT(timing.samples, ElementsAre(0.01, 0.01, 0.01));
  EXPECT_EQ(timing.warm_ups, 2);
  EXPECT_EQ(timing.note, "");
}

TEST(Timing, WarmLaunchesOfASmallKernelAreTimedBackToBack) {
  RecordingSteps steps;
  TimingOptions options = three_samples();
  options.warm = true;
  steps.times = {1e-4};
  time_kernel(steps, options, 1e-4);
  EXPECT_EQ(std::count(steps.said.begin(), steps.said.end(), "flush"), 0);
  // Two warm-ups of one launch, three samples of ten, a pair of events each.
  EXPECT_EQ(std::count(steps.said.begin(), steps.said.end(), "begin"), 5);
  EXPECT_EQ(steps.launches, 32);
}

TEST(Timing, ColdLaunchesOfASmallKernelAreTimedOneByOne) {
  RecordingSteps steps;
  steps.times = {2e-6};
  const Timing timing = time_kernel(steps, three_samples(), 2e-6);
  EXPECT_EQ(std::count(steps.said.begin(), steps.said.end(), "begin"), 2 + 3 * 64);
  EXPECT_EQ(timing.samples.size(), 3U);
}

TEST(Timing, TheStreamIsReleasedWhenAStepFails) {
  for (const int launch : {1, 2, 4}) {
    RecordingSteps steps;
    steps.fails_at = launch;
    EXPECT_THROW(time_kernel(steps, three_samples(), 0.01), std::runtime_error);
    EXPECT_EQ(steps.said.back(), "release");
    EXPECT_EQ(std::count(steps.said.begin(), steps.said.end(), "hold"),
              std::count(steps.said.begin(), steps.said.end(), "release"));
  }
}

TEST(Timing, WarmsUpUntilStable) {
  RecordingSteps steps;
  steps.times = {0.05, 0.03, 0.02, 0.0199, 0.0199};
  const Timing timing = time_kernel(steps, three_samples(), 0.05);
  EXPECT_EQ(timing.warm_ups, 4);
  EXPECT_EQ(timing.samples.front(), 0.0199);
}

TEST(Timing, WarmUpsEndWhenTheKernelNeverSettles) {
  WarmUp unsteady;
  for (int i = 0; !unsteady.finished(); ++i) {
    unsteady.add(i % 2 == 0 ? 0.001 : 0.002);
  }
  EXPECT_EQ(unsteady.count(), 10);
  WarmUp slow;
  slow.add(3);
  EXPECT_TRUE(slow.finished());
}

TEST(Timing, ThrottledSamplesAreDroppedAndCounted) {
  RecordingSteps steps;
  TimingOptions options = three_samples();
  options.full_clock = 2e9;
  steps.clocks = {2e9, 2e9, 1e9, 2e9, 1.2e9, 2e9, 2e9};
  steps.times = {0.01, 0.01, 0.02, 0.01, 0.017, 0.01};
  const Timing timing = time_kernel(steps, options, 0.01);
  EXPECT_THAT(timing.samples, ElementsAre(0.01, 0.01, 0.01));
  EXPECT_EQ(timing.dropped, 2);
  EXPECT_EQ(steps.pauses, 2);
  EXPECT_THAT(timing.note, HasSubstr("2 throttled samples were dropped (down to 1000 MHz, 50%"));
}

TEST(Timing, AGpuThatIsAlwaysThrottledStillHasATime) {
  RecordingSteps steps;
  TimingOptions options = three_samples();
  options.full_clock = 2e9;
  steps.clocks = {1e9};
  steps.times = {0.02};
  const Timing timing = time_kernel(steps, options, 0.02);
  EXPECT_EQ(timing.samples.size(), 5U);
  EXPECT_EQ(timing.dropped, 0);
  EXPECT_THAT(timing.note,
              HasSubstr("throttled and staying so: the clock was down to 1000 MHz, 50%"));
}

TEST(Timing, AMovingClockIsSaid) {
  RecordingSteps steps;
  TimingOptions options = three_samples();
  options.full_clock = 2e9;
  steps.clocks = {2e9, 2e9, 1.6e9, 2e9};
  EXPECT_THAT(time_kernel(steps, options, 0.01).note,
              HasSubstr("the clock moved between 1600 and 2000 MHz; nvidia-smi --lock-gpu-clocks"));
}

TEST(Timing, WhatIsCertainlySlowerIsAbandoned) {
  RecordingSteps steps;
  TimingOptions options = three_samples();
  options.best_seconds = 0.004;
  const Timing timing = time_kernel(steps, options, 0.01);
  EXPECT_TRUE(timing.abandoned);
  EXPECT_EQ(timing.samples.size(), 2U);
  EXPECT_EQ(timing.note, "abandoned after 2 samples: 2.5 times as slow as the best");

  EXPECT_FALSE(is_certainly_slower({0.01}, 0.001));
  EXPECT_FALSE(is_certainly_slower({0.011, 0.02}, 0.01));
  EXPECT_FALSE(is_certainly_slower({0.011, 0.02}, 0));
}

TEST(Timing, AHoldThatTimedOutIsSaid) {
  RecordingSteps steps;
  steps.stuck = true;
  EXPECT_THAT(time_kernel(steps, three_samples(), 0.01).note,
              HasSubstr("3 samples may hold gaps between launches"));
}

/// 100 W, in a counter that moves every 0.05 s of the GPU's time.
EnergyCounter stepping(const RecordingSteps& steps) {
  return [&steps] { return 5.0 * std::floor(steps.wall / 0.05 + 1e-9); };
}

TEST(EnergyOfALaunch, IsTakenFromStepToStepOfTheCounter) {
  RecordingSteps steps;
  steps.times = {0.001};  // of a batch of 5 launches
  std::string why;
  const auto energy = measure_energy(steps, stepping(steps), 0.0012, why);
  ASSERT_TRUE(energy) << why;
  EXPECT_EQ(energy->launches, 5 * 300);  // from 0.05 s to 0.35 s, whole steps alone
  EXPECT_NEAR(energy->joules, 30.0 / 1500, 1e-9);
  EXPECT_NEAR(energy->seconds, 0.3, 1e-9);
  EXPECT_THAT(steps.said, Not(testing::Contains("flush")));
  EXPECT_THAT(steps.said, Not(testing::Contains("hold")));
}

TEST(EnergyOfALaunch, RestoresBuffersBeforeEach) {
  RecordingSteps steps;
  steps.restores = true;
  steps.times = {0.0025};
  std::string why;
  ASSERT_TRUE(measure_energy(steps, stepping(steps), 0.0025, why));
  EXPECT_EQ(std::count(steps.said.begin(), steps.said.end(), "restore"), steps.launches);
}

TEST(EnergyOfALaunch, IsNotInvented) {
  RecordingSteps steps;
  std::string why;
  EXPECT_FALSE(measure_energy(steps, [] { return std::nullopt; }, 0.01, why));
  EXPECT_EQ(why, "the GPU's energy cannot be read");
  EXPECT_EQ(steps.launches, 0);
  EXPECT_FALSE(measure_energy(steps, [] { return 7.0; }, 0.01, why));
  EXPECT_EQ(why, "the GPU's energy counter does not move");
  steps.times = {0};  // nor is there a time
  EXPECT_FALSE(measure_energy(steps, [] { return 7.0; }, 0.01, why));
  int reads = 0;
  const auto breaks = [&]() -> std::optional<double> {
    return ++reads < 3 ? std::optional<double>(reads) : std::nullopt;
  };
  EXPECT_FALSE(measure_energy(steps, breaks, 0.01, why));
  EXPECT_EQ(why, "the GPU's energy cannot be read");
}

}  // namespace
}  // namespace rooftune
