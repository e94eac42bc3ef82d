#include "tuner/device/host/child/sampling.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace rooftune::host_child {

double relative_noise(const std::vector<double>& samples) {
  if (samples.size() < 2) {
    return 0;
  }
  double sum = 0;
  for (const double sample : samples) {
    sum += sample;
  }
  const double mean = sum / static_cast<double>(samples.size());
  double squares = 0;
  for (const double sample : samples) {
    squares += (sample - mean) * (sample - mean);
  }
  return mean > 0 ? std::sqrt(squares / static_cast<double>(samples.size() - 1)) / mean : 0;
}

int Sampling::launches_per_sample(double launch_seconds) {
  constexpr double sample_seconds = 1e-3;
  constexpr double most = 1000;
  if (launch_seconds >= sample_seconds) {
    return 1;
  }
  return static_cast<int>(
      std::clamp(std::ceil(sample_seconds / std::max(launch_seconds, 1e-9)), 1.0, most));
}

void Sampling::add(double seconds, double elapsed) {
  samples_.push_back(seconds);
  elapsed_ += elapsed;
  const auto count = static_cast<int>(samples_.size());
  const double noise = relative_noise(samples_);
  const bool enough = count >= job_.minimum_samples && elapsed_ >= job_.minimum_seconds;
  if (enough && noise <= job_.relative_noise) {
    finished_ = true;
    return;
  }
  const bool out_of_time = elapsed_ >= 10 * job_.minimum_seconds;
  if (count >= job_.maximum_samples || out_of_time) {
    finished_ = true;
    char text[160];
    std::snprintf(text, sizeof text, "stopped after %d samples (%s) with a noise of %.1f%%", count,
                  out_of_time ? "out of time" : "as many as allowed", 100 * noise);
    note_ = text;
  }
}

}  // namespace rooftune::host_child
