#include "tuner/measure/energy.hpp"

#include <algorithm>
#include <cmath>

namespace rooftune {
namespace {

constexpr double least_span = 0.3;
/// Time between two looks at the counter: what a step of it is known to.
constexpr double batch_seconds = 0.005;
/// A driver's queue is finite: 1024 launches.
constexpr double most_launches = 256;
/// A counter that stands still for so long does not count.
constexpr double most_wait = 1;

class Span {
 public:
  Span(TimingSteps& steps, const EnergyCounter& counter, double launch_seconds)
      : steps_(steps),
        counter_(counter),
        batch_(static_cast<int>(std::clamp(
            std::ceil(batch_seconds / std::max(launch_seconds, 1e-9)), 1.0, most_launches))),
        expected_(launch_seconds * batch_) {}

  /// Launches until the counter has moved and `seconds` are over; false where it cannot be read or
  /// stands still.
  bool run_to_step(double seconds) {
    const std::optional<double> before = counter_();
    last_ = before;
    joules_ = 0;
    seconds_ = 0;
    launches_ = 0;
    double standing = 0;
    while (last_ && standing < most_wait) {
      const double took = run_batch();
      const std::optional<double> now = counter_();
      const bool has_moved = now && *now > *last_;
      standing = has_moved ? 0 : standing + took;
      last_ = now;
      if (has_moved && seconds_ >= seconds) {
        joules_ = *now - *before;
        return true;
      }
    }
    return false;
  }

  bool can_read() const { return last_.has_value(); }
  Energy mean() const { return {joules_ / launches_, seconds_, launches_}; }

 private:
  double run_batch() {
    steps_.announce(expected_);
    double total = 0;
    if (steps_.needs_restore()) {
      for (int i = 0; i < batch_; ++i) {
        steps_.restore();
        total += run(1);
      }
    } else {
      total = run(batch_);
    }
    seconds_ += total;
    launches_ += batch_;
    // Events on a clock that stands still would never end the loop.
    return std::max(total, batch_seconds / most_launches);
  }

  double run(int launches) {
    steps_.begin(0);
    for (int i = 0; i < launches; ++i) {
      steps_.launch();
    }
    steps_.end(0);
    return steps_.wait(1).front();
  }

  TimingSteps& steps_;
  const EnergyCounter& counter_;
  int batch_;
  double expected_;
  std::optional<double> last_;
  double joules_ = 0;
  double seconds_ = 0;
  int launches_ = 0;
};

}  // namespace

std::optional<Energy> measure_energy(TimingSteps& steps, const EnergyCounter& counter,
                                     double launch_seconds, std::string& why) {
  Span span(steps, counter, launch_seconds);
  if (span.run_to_step(0) && span.run_to_step(least_span)) {
    return span.mean();
  }
  why = span.can_read() ? "the GPU's energy counter does not move"
                        : "the GPU's energy cannot be read";
  return std::nullopt;
}

}  // namespace rooftune
