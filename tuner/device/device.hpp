// A device: compiles, proves and measures kernel instances. The edge of the pipeline: everything
// behind this interface may touch processes, drivers and clocks.
#pragma once

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tuner/compile/compiler.hpp"
#include "tuner/core/outcome.hpp"
#include "tuner/roofline/profile.hpp"
#include "tuner/roofline/roofline.hpp"
#include "tuner/spec/instance.hpp"

namespace rooftune {

/// A time that can be believed, and how it came about. Seconds.
struct Measurement {
  double seconds = 0;           ///< what configurations are ranked by
  std::vector<double> samples;  ///< of what `seconds` is the median
  double relative_noise = 0;    ///< relative standard deviation of the samples
  double wall_seconds = 0;      ///< median wall time of a launch
  std::string clock;            ///< "gpu events", "cpu time per worker", "recorded"
  double verification_seconds = 0;
  double max_error = 0;  ///< largest error against the reference, relative to tolerance's kind
  std::string max_error_where;  ///< "C[17]: got 1.5, expected 1.25"
  bool verified = false;        ///< false where the spec names no reference
  Counters counters;
  int dropped_samples = 0;   ///< throttled
  double slowest_clock = 0;  ///< of the multiprocessors over the samples, Hz; 0 unknown
  double fastest_clock = 0;  ///< Hz; 0 unknown
  /// Of a launch, J, from a run of its own over many of them; 0 where it was not read.
  double joules = 0;
  std::string note;  ///< a time-out of the stopping rule, dropped samples: in words
};

using MeasureResult = std::variant<Measurement, Failure>;

/// How many hardware counters are read, where the device has any.
enum class CounterLevel {
  off,
  roofline,  ///< the cheap set: work, and traffic of each level
  full,      ///< what every diagnosis can use
};
std::string_view to_string(CounterLevel level);
std::optional<CounterLevel> counter_level_from(std::string_view name);

struct MeasureOptions {
  double minimum_seconds = 0.05;  ///< total sampled time wanted
  double timeout_seconds = 10;    ///< of one launch; a hang is a Failure
  int minimum_samples = 5;
  int maximum_samples = 100;
  double relative_noise = 0.01;  ///< stop when the samples are this steady
  std::uint64_t seed = 1;        ///< of the input data
  bool warm = false;             ///< data may stay in the caches; else they are flushed (GPU)
  /// Of the best configuration so far at this problem, seconds: what is certainly slower may be
  /// abandoned early. 0: there is none.
  double best_seconds = 0;
  CounterLevel counters = CounterLevel::off;
  /// Energy is read for what is the best so far, where it can be.
  bool energy = false;
  /// Energy is what configurations are ranked by: read for each, and without it there is no result.
  bool rank_by_energy = false;
};

/// The device does not answer any more, and starting it anew did not help: no configuration's
/// fault, and the end of the run.
class DeviceLost : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Device {
 public:
  virtual ~Device() = default;
  virtual const DeviceProfile& profile() const = 0;

  /// Thread-safe: called ahead of measuring, on several threads.
  virtual CompileResult compile(const KernelInstance& instance) = 0;
  /// Proves the result against the reference, then times it. Thread-safe as far as
  /// measure_jobs() says. Throws
  /// DeviceLost, and InputError for faults of the spec.
  virtual MeasureResult measure(const KernelInstance& instance, const KernelBinary& binary,
                                const MeasureOptions& options) = 0;
  /// Threads that compile() may be called on at once.
  virtual unsigned compile_jobs() const = 0;
  /// Threads that measure() may be called on at once: GPUs that share the work.
  virtual unsigned measure_jobs() const { return 1; }
  /// What the user should know about the device itself, each once: warnings and remarks.
  virtual std::vector<std::string> take_messages() { return {}; }
  /// Why the energy of kernels cannot be read, and what to do; empty where it can.
  virtual std::string energy_refusal() const { return "this device has no counter of it"; }
  /// Compiler, driver, run time: what made the figures besides the device, for the results.
  virtual std::string environment() const { return ""; }
};

}  // namespace rooftune
