// When to stop sampling. Pure: fed with numbers, so that tests need no clock. Plain C++ without
// libraries: compiled into the variants of the host device too.
#pragma once

#include <string>
#include <vector>

namespace rooftune {

/// Relative standard deviation; 0 for fewer than two samples.
double relative_noise(const std::vector<double>& samples);
/// 0 where there are none.
double median(std::vector<double> values);

/// Launches that make a sample, so that a sample of a small kernel is no shorter than 1 ms;
/// `most` is a limit of their number.
int launches_per_sample(double launch_seconds, int most = 1000);

struct SamplingRules {
  double minimum_seconds = 0.05;  ///< total sampled time wanted
  int minimum_samples = 5;
  int maximum_samples = 100;
  double relative_noise = 0.01;  ///< stop when the samples are this steady
};

class Sampling {
 public:
  explicit Sampling(const SamplingRules& rules) : rules_(rules) {}

  /// One sample, and what it took in all, restoring and flushing included.
  void add(double seconds, double elapsed);
  /// Steady after enough samples; or `maximum_samples`; or ten times `minimum_seconds` are used up.
  bool finished() const { return finished_; }
  /// Why it stopped, where the samples are not steady.
  const std::string& note() const { return note_; }
  const std::vector<double>& samples() const { return samples_; }

 private:
  SamplingRules rules_;
  std::vector<double> samples_;
  double elapsed_ = 0;
  bool finished_ = false;
  std::string note_;
};

}  // namespace rooftune
