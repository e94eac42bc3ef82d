// Is the advice good? Over a recorded space: how often a step that the diagnosis recommends makes
// the kernel faster, against any step of one parameter.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tuner/device/replay/recording.hpp"
#include "tuner/roofline/roofline.hpp"
#include "tuner/space/space.hpp"

namespace rooftune {

/// Steps of one parameter from the points of one diagnosis.
struct AdviceRow {
  std::string diagnosis;  ///< the bound; "near its ceiling", "not enough evidence", "all"
  std::uint64_t points = 0;
  std::uint64_t steps = 0;     ///< from those points to valid configurations
  std::uint64_t improved = 0;  ///< faster by more than 2%; a step to a failure is not
  std::uint64_t recommended = 0;
  std::uint64_t recommended_improved = 0;
  /// Chance of a recommended step to improve over that of any step, with a 95% interval by
  /// bootstrap over the points; absent where nothing was recommended or nothing improves.
  std::optional<double> lift;
  double lift_low = 0;
  double lift_high = 0;
};

struct AdviceReport {
  AdviceRow all;
  std::vector<AdviceRow> rows;  ///< by diagnosis, most points first
};

/// Diagnoses every successful point and follows each of its single-parameter steps. `use_counters`:
/// the diagnosis sees the recorded counters. Throws InputError where spec and recording do not
/// match.
AdviceReport measure_advice(const Spec& spec, const Space& space, const Recording& recording,
                            const DeviceProfile& device, bool use_counters);

}  // namespace rooftune
