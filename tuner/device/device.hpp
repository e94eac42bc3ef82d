// A device: compiles, proves and measures kernel instances. The edge of the pipeline: everything
// behind this interface may touch processes, drivers and clocks.
#pragma once

#include <memory>
#include <optional>
#include <string>
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
  std::string note;  ///< a time-out of the stopping rule, dropped samples: in words
};

using MeasureResult = std::variant<Measurement, Failure>;

struct MeasureOptions {
  double minimum_seconds = 0.05;  ///< total sampled time wanted
  double timeout_seconds = 10;    ///< of one launch; a hang is a Failure
  int minimum_samples = 5;
  int maximum_samples = 100;
  double relative_noise = 0.01;  ///< stop when the samples are this steady
  std::uint64_t seed = 1;        ///< of the input data
};

class Device {
 public:
  virtual ~Device() = default;
  virtual const DeviceProfile& profile() const = 0;

  /// Thread-safe: called ahead of measuring, on several threads.
  virtual CompileResult compile(const KernelInstance& instance) = 0;
  /// Proves the result against the reference, then times it. Called from one thread.
  virtual MeasureResult measure(const KernelInstance& instance, const KernelBinary& binary,
                                const MeasureOptions& options) = 0;
  /// Threads that compile() may be called on at once.
  virtual unsigned compile_jobs() const = 0;
  /// Compiler, driver, run time: what made the figures besides the device, for the results.
  virtual std::string environment() const { return ""; }
};

}  // namespace rooftune
