#include "tuner/measure/timing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace rooftune {
namespace {

/// The stream goes on whatever happens while it is held.
class Hold {
 public:
  explicit Hold(TimingSteps& steps) : steps_(steps) { steps_.hold(); }
  ~Hold() { steps_.release(); }
  Hold(const Hold&) = delete;
  Hold& operator=(const Hold&) = delete;

 private:
  TimingSteps& steps_;
};

struct Sample {
  double seconds = 0;  ///< of a launch
  double elapsed = 0;  ///< wall time of the whole
  std::optional<double> clock;
};

class Timer {
 public:
  Timer(TimingSteps& steps, const TimingOptions& options)
      : steps_(steps),
        options_(options),
        sampling_(options.sampling),
        throttling_(options.full_clock, options.throttled) {}

  Timing run(double first_seconds) {
    warm_up(first_seconds);
    const int launches = launches_per_sample(expected_, most_launches_in_a_sample);
    while (!sampling_.finished() && !timing_.abandoned) {
      take(sample(launches), launches);
    }
    conclude();
    return std::move(timing_);
  }

 private:
  void warm_up(double first_seconds) {
    expected_ = first_seconds;
    WarmUp warm_up;
    while (!warm_up.finished()) {
      expected_ = sample(1).seconds;
      warm_up.add(expected_);
    }
    timing_.warm_ups = warm_up.count();
  }

  /// Launches back to back are one pair of events, where nothing has to happen between them.
  Sample sample(int launches) {
    steps_.announce(expected_ * launches);
    const bool together = options_.warm && !steps_.needs_restore();
    const int slots = together ? 1 : launches;
    const double start = steps_.now();
    const std::optional<double> before = steps_.clock();
    {
      const Hold hold(steps_);
      for (int slot = 0; slot < slots; ++slot) {
        queue(slot, together ? launches : 1);
      }
    }
    double total = 0;
    for (const double seconds : steps_.wait(slots)) {
      total += seconds;
    }
    const std::optional<double> after = steps_.clock();
    Sample sample{total / launches, steps_.now() - start, before};
    if (before && after) {
      sample.clock = std::min(*before, *after);
    }
    return sample;
  }

  void queue(int slot, int launches) {
    if (steps_.needs_restore()) {
      steps_.restore();
    }
    if (!options_.warm) {
      steps_.flush();
    }
    steps_.begin(slot);
    for (int i = 0; i < launches; ++i) {
      steps_.launch();
    }
    steps_.end(slot);
  }

  void take(const Sample& sample, int launches) {
    expected_ = sample.seconds;
    if (sample.clock) {
      const bool first = timing_.fastest_clock == 0;
      timing_.slowest_clock =
          first ? *sample.clock : std::min(timing_.slowest_clock, *sample.clock);
      timing_.fastest_clock = std::max(timing_.fastest_clock, *sample.clock);
    }
    held_up_ += steps_.hold_timed_out() ? 1 : 0;
    if (!throttling_.accepts(sample.clock)) {
      dropped_.push_back(sample);
      if (!throttling_.is_hopeless()) {
        return steps_.pause();
      }
      for (const Sample& dropped : dropped_) {
        keep(dropped, launches);
      }
      dropped_.clear();
      return;
    }
    keep(sample, launches);
  }

  void keep(const Sample& sample, int launches) {
    timing_.wall_seconds.push_back(sample.elapsed / launches);
    sampling_.add(sample.seconds, sample.elapsed);
    timing_.abandoned = is_certainly_slower(sampling_.samples(), options_.best_seconds);
  }

  void conclude() {
    timing_.samples = sampling_.samples();
    timing_.dropped = static_cast<int>(dropped_.size());
    if (!timing_.abandoned) {
      say(sampling_.note());
    } else {
      say(fmt::format("abandoned after {} samples: {:.2g} times as slow as the best",
                      timing_.samples.size(), median(timing_.samples) / options_.best_seconds));
    }
    say(clock_note());
    if (held_up_ > 0) {
      say(
          fmt::format("{} samples may hold gaps between launches: the stream could not be held "
                      "until all of them were queued",
                      held_up_));
    }
  }

  std::string clock_note() const {
    const double slowest = timing_.slowest_clock / 1e6;
    const double percent =
        options_.full_clock > 0 ? 100 * timing_.slowest_clock / options_.full_clock : 0;
    if (throttling_.is_hopeless()) {
      return fmt::format(
          "throttled and staying so: the clock was down to {:.0f} MHz, {:.0f}% of its full {:.0f}; "
          "nvidia-smi -q -d PERFORMANCE tells why",
          slowest, percent, options_.full_clock / 1e6);
    }
    if (timing_.dropped > 0) {
      return fmt::format(
          "{} throttled samples were dropped (down to {:.0f} MHz, {:.0f}% of the full clock)",
          timing_.dropped, slowest, percent);
    }
    if (timing_.slowest_clock < 0.9 * timing_.fastest_clock) {
      return fmt::format(
          "the clock moved between {:.0f} and {:.0f} MHz; nvidia-smi --lock-gpu-clocks=MHZ keeps "
          "it still",
          slowest, timing_.fastest_clock / 1e6);
    }
    return "";
  }

  void say(const std::string& text) {
    if (!text.empty()) {
      timing_.note += (timing_.note.empty() ? "" : "; ") + text;
    }
  }

  TimingSteps& steps_;
  const TimingOptions& options_;
  Sampling sampling_;
  Throttling throttling_;
  Timing timing_;
  std::vector<Sample> dropped_;
  double expected_ = 0;  ///< of a launch, seconds
  int held_up_ = 0;
};

}  // namespace

void WarmUp::add(double seconds) {
  constexpr double agreement = 0.02;
  constexpr int most = 10;
  constexpr double most_seconds = 0.5;
  const bool agrees = count_ > 0 && std::abs(seconds - last_) <= agreement * last_;
  ++count_;
  last_ = seconds;
  total_ += seconds;
  finished_ = agrees || count_ >= most || total_ >= most_seconds;
}

bool is_certainly_slower(const std::vector<double>& samples, double best_seconds) {
  constexpr double certain = 1.25;
  return best_seconds > 0 && samples.size() >= 2 &&
         *std::min_element(samples.begin(), samples.end()) > certain * best_seconds;
}

bool Throttling::accepts(std::optional<double> clock) {
  if (!clock || *clock >= limit_ || is_hopeless()) {
    in_a_row_ = is_hopeless() ? in_a_row_ : 0;
    return true;
  }
  ++in_a_row_;
  return false;
}

Timing time_kernel(TimingSteps& steps, const TimingOptions& options, double first_seconds) {
  return Timer(steps, options).run(first_seconds);
}

}  // namespace rooftune
