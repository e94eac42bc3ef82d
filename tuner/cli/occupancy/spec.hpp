// `rooftune occupancy SPEC`: of a spec's configurations, compiled without a device.
#pragma once

#include <optional>
#include <string>

#include "tuner/cli/occupancy/numbers.hpp"
#include "tuner/cli/spec_argument.hpp"
#include "tuner/cli/variants.hpp"

namespace rooftune::cli {

struct SpecQuestion {
  SpecArgument spec;
  std::string architecture;  ///< "sm_90"; empty where a device was named
  std::string device;
  std::uint64_t sample = 32;
  std::string where;  ///< an expression; empty for all
  SortKey sort = SortKey::occupancy;
  bool launch_bounds = false;
  bool use_cache = true;
};

/// Throws InputError; failing configurations are rows of the answer.
int answer_spec(const SpecQuestion& question, const OccupancyOutput& output, Io& io);

}  // namespace rooftune::cli
