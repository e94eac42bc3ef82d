// Internal to the stage: what hardware counters say, by metric name. Every function answers nullopt
// where a metric that it needs is missing.
#pragma once

#include <optional>
#include <string>

#include "tuner/roofline/roofline.hpp"

namespace rooftune {

std::optional<double> counter(const Counters& counters, const std::string& name);

/// Operations and bytes as counted. Formulas: Nsight Compute's roofline (docs/roofline.md).
Work counted_work(const Counters& counters);

/// Share of a unit's peak that it sustained, 0 to 1, for the bounds that have such a metric.
std::optional<double> counted_utilisation(const Counters& counters, Bound bound);

/// Sectors of 32 bytes a request of global memory, loads and stores together.
std::optional<double> sectors_per_request(const Counters& counters);
/// Shared-memory wavefronts that are conflicts, over all of them.
std::optional<double> bank_conflict_share(const Counters& counters);
/// Warp instructions on local memory.
std::optional<double> local_instructions(const Counters& counters);
/// Share of a warp's time between issues spent on one stall reason ("barrier").
std::optional<double> stall_share(const Counters& counters, const std::string& reason);

}  // namespace rooftune
