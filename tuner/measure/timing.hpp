// How a kernel on a GPU is timed: warm-ups until stable, samples until steady, throttled ones
// dropped. Pure logic over steps that the device does, so that a recording fake proves the order
// and the clean-up.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tuner/measure/sampling.hpp"

namespace rooftune {

/// What timing does to a GPU. Everything between hold() and release() is only queued.
class TimingSteps {
 public:
  virtual ~TimingSteps() = default;
  /// A sample of about so many seconds comes: whoever watches for hangs is told.
  virtual void announce(double expected_seconds) = 0;
  virtual bool needs_restore() const = 0;
  virtual void restore() = 0;  ///< inout buffers to what they were
  virtual void flush() = 0;    ///< nothing of the data is left in the L2
  virtual void hold() = 0;     ///< what follows waits
  virtual void release() noexcept = 0;
  virtual void begin(int slot) = 0;  ///< event before
  virtual void launch() = 0;
  virtual void end(int slot) = 0;  ///< event after
  /// Waits for the last event of `slots`; seconds between the events of each.
  virtual std::vector<double> wait(int slots) = 0;
  /// Whether the last hold ended by its deadlock limit, so that gaps were timed too.
  virtual bool hold_timed_out() const = 0;
  /// Present clock of the multiprocessors, Hz; nullopt where it cannot be read.
  virtual std::optional<double> clock() = 0;
  /// Lets a hot GPU cool down for a moment.
  virtual void pause() = 0;
  /// Since any fixed moment: wall time.
  virtual double now() = 0;
};

struct TimingOptions {
  SamplingRules sampling;
  bool warm = false;  ///< data may stay in the L2
  /// Of the best configuration so far, seconds: what is certainly slower is abandoned early. 0:
  /// there is none.
  double best_seconds = 0;
  /// What the clock should be, Hz: samples below `throttled` of it are dropped. 0 unknown.
  double full_clock = 0;
  double throttled = 0.75;
};

struct Timing {
  std::vector<double> samples;       ///< seconds of a launch
  std::vector<double> wall_seconds;  ///< of each sample's launch, with everything around it
  int warm_ups = 0;
  int dropped = 0;  ///< throttled samples
  double slowest_clock = 0;
  double fastest_clock = 0;  ///< Hz, over the samples; 0 unknown
  bool abandoned = false;    ///< it was certainly slower than the best
  std::string note;          ///< whatever a reader of the figure should know, in words
};

/// Launches may be queued behind a hold only up to a limit: the driver's queue is finite, and a
/// full one would wait for the hold that it holds up.
inline constexpr int most_launches_in_a_sample = 64;

/// `first_seconds`: a launch that was already made took so long. Whatever a step throws is thrown,
/// after release().
Timing time_kernel(TimingSteps& steps, const TimingOptions& options, double first_seconds);

/// Warm-ups are enough when two in a row agree within 2%, or after 10, or after half a second.
class WarmUp {
 public:
  void add(double seconds);
  bool finished() const { return finished_; }
  int count() const { return count_; }
  double last() const { return last_; }

 private:
  int count_ = 0;
  double last_ = 0;
  double total_ = 0;
  bool finished_ = false;
};

/// Whether samples show beyond noise that the best will not be reached: two at least, and even the
/// quickest takes 1.25 times the best.
bool is_certainly_slower(const std::vector<double>& samples, double best_seconds);

/// Keeps what a throttled GPU says apart from what it can do. Where samples stay throttled, that is
/// how this GPU runs this kernel: from then on all are accepted, so that no set is left empty.
class Throttling {
 public:
  Throttling(double full_clock, double fraction) : limit_(full_clock * fraction) {}

  /// False where the sample is dropped. `clock` is the slower of before and after.
  bool accepts(std::optional<double> clock);
  /// After so many dropped samples in a row there is no use in waiting for better ones.
  bool is_hopeless() const { return in_a_row_ >= most_in_a_row; }

 private:
  static constexpr int most_in_a_row = 5;
  double limit_;
  int in_a_row_ = 0;
};

}  // namespace rooftune
