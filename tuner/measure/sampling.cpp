#include "tuner/measure/sampling.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace rooftune {

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

double median(std::vector<double> values) {
  if (values.empty()) {
    return 0;
  }
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 != 0) {
    return *middle;
  }
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

int launches_per_sample(double launch_seconds, int most) {
  constexpr double sample_seconds = 1e-3;
  if (launch_seconds >= sample_seconds) {
    return 1;
  }
  return static_cast<int>(std::clamp(std::ceil(sample_seconds / std::max(launch_seconds, 1e-9)),
                                     1.0, static_cast<double>(most)));
}

void Sampling::add(double seconds, double elapsed) {
  samples_.push_back(seconds);
  elapsed_ += elapsed;
  const auto count = static_cast<int>(samples_.size());
  const double noise = relative_noise(samples_);
  const bool enough = count >= rules_.minimum_samples && elapsed_ >= rules_.minimum_seconds;
  if (enough && noise <= rules_.relative_noise) {
    finished_ = true;
    return;
  }
  const bool out_of_time = elapsed_ >= 10 * rules_.minimum_seconds;
  if (count >= rules_.maximum_samples || out_of_time) {
    finished_ = true;
    char text[160];
    std::snprintf(text, sizeof text, "stopped after %d samples (%s) with a noise of %.1f%%", count,
                  out_of_time ? "out of time" : "as many as allowed", 100 * noise);
    note_ = text;
  }
}

}  // namespace rooftune
