// Hardware counters of a kernel: an interface, so that what is done with them needs no CUPTI.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "tuner/device/device.hpp"

namespace rooftune::cuda {

/// Why counters cannot be read, and what to do about it: one line.
struct CounterRefusal {
  std::string text;
};

struct Counted {
  Counters counters;  ///< a metric without a value is missing: no data
  std::string note;   ///< "13 metrics in 3 passes", and what the chip does not have
};

/// A kernel that can be run any number of times.
struct CountedRun {
  std::function<void()> prepare;  ///< restores data
  std::function<void()> launch;   ///< once; waits for its end
};

class CounterReader {
 public:
  virtual ~CounterReader() = default;
  virtual std::variant<Counted, CounterRefusal> read(const std::vector<std::string>& metrics,
                                                     const CountedRun& run) = 0;
};

/// For the current context, which is on GPU `device`. Never nullptr: what refuses does so in
/// read(). The library is libcupti, or, for tests, the one that ROOFTUNE_CUPTI names.
std::unique_ptr<CounterReader> make_counter_reader(int device);

/// Whether counters of GPU `device` may be read, in words: "may be read", or why not and what to
/// do. Takes no context.
std::string counter_access(int device, bool mig);

/// The metrics of a level, in the order in which they are asked for; empty for `off`. Pure. What a
/// chip does not have is left out when they are read.
std::vector<std::string> metric_set(CounterLevel level);

/// What a CUPTI error means for whoever wanted counters. Pure.
std::string refusal_text(int cupti_error);

}  // namespace rooftune::cuda
