// When to stop sampling. Pure: fed with numbers, so that tests need no clock.
#pragma once

#include <string>
#include <vector>

#include "tuner/device/host/child/job.hpp"

namespace rooftune::host_child {

/// Relative standard deviation; 0 for fewer than two samples.
double relative_noise(const std::vector<double>& samples);

class Sampling {
 public:
  explicit Sampling(const Job& job) : job_(job) {}

  /// Launches that make a sample, so that a sample of a small kernel is no shorter than 1 ms.
  static int launches_per_sample(double launch_seconds);

  void add(double seconds, double elapsed);
  /// Steady after enough samples; or `maximum_samples`; or ten times `minimum_seconds` are used up.
  bool finished() const { return finished_; }
  /// Why it stopped, where the samples are not steady.
  const std::string& note() const { return note_; }

 private:
  const Job& job_;
  std::vector<double> samples_;
  double elapsed_ = 0;
  bool finished_ = false;
  std::string note_;
};

}  // namespace rooftune::host_child
