#include "tuner/measure/sampling.hpp"

#include <gtest/gtest.h>

namespace rooftune {
namespace {

SamplingRules rules_with(double minimum_seconds, int minimum_samples, int maximum_samples,
                         double noise) {
  return {minimum_seconds, minimum_samples, maximum_samples, noise};
}

/// Samples until it stops.
int samples_taken(const SamplingRules& rules, double first, double second, double elapsed,
                  std::string* note = nullptr) {
  Sampling sampling(rules);
  int count = 0;
  while (!sampling.finished()) {
    sampling.add(count % 2 == 0 ? first : second, elapsed);
    ++count;
  }
  if (note != nullptr) {
    *note = sampling.note();
  }
  return count;
}

TEST(Sampling, StopsWhenSteadyAfterEnoughSamplesAndTime) {
  std::string note = "?";
  EXPECT_EQ(samples_taken(rules_with(0.05, 5, 100, 0.01), 1e-3, 1e-3, 1e-3, &note), 50);
  EXPECT_EQ(note, "");
  EXPECT_EQ(samples_taken(rules_with(0.05, 5, 100, 0.01), 0.02, 0.02, 0.02), 5);
}

TEST(Sampling, NoisySamplesStopAtTheirLimits) {
  std::string note;
  EXPECT_EQ(samples_taken(rules_with(0.05, 5, 30, 0.01), 1e-3, 2e-3, 1e-3, &note), 30);
  EXPECT_EQ(note, "stopped after 30 samples (as many as allowed) with a noise of 33.9%");
  EXPECT_EQ(samples_taken(rules_with(0.05, 5, 100, 0.01), 0.04, 0.08, 0.1, &note), 5);
  EXPECT_EQ(note, "stopped after 5 samples (out of time) with a noise of 39.1%");
}

TEST(Sampling, ASlowLaunchIsSampledOnce) {
  EXPECT_EQ(samples_taken(rules_with(0.05, 5, 100, 0.01), 3, 3, 3), 1);
}

TEST(Sampling, SmallKernelsAreLooped) {
  EXPECT_EQ(launches_per_sample(2e-3), 1);
  EXPECT_EQ(launches_per_sample(1e-4), 10);
  EXPECT_EQ(launches_per_sample(0), 1000);
  EXPECT_EQ(launches_per_sample(0, 32), 32);
}

TEST(Sampling, TheMedianIsTheMiddle) {
  EXPECT_EQ(median({}), 0);
  EXPECT_EQ(median({3, 1, 2}), 2);
  EXPECT_EQ(median({4, 1, 3, 2}), 2.5);
}

TEST(Sampling, NoiseIsTheRelativeStandardDeviation) {
  EXPECT_EQ(relative_noise({}), 0);
  EXPECT_EQ(relative_noise({1}), 0);
  EXPECT_DOUBLE_EQ(relative_noise({1, 3}), 0.70710678118654757);
}

}  // namespace
}  // namespace rooftune
