// When a run stops, as pure rules over what is known so far.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tuner/session/results.hpp"

namespace rooftune {

struct StopRules {
  double ceiling = 0.9;       ///< fraction of the attainable roof
  double improvement = 0.05;  ///< what must still be possible, for the run to go on
  std::optional<std::uint64_t> evaluations;
  std::optional<double> seconds;
  Objective objective = Objective::time;
};

/// What the model proves about the configurations that are left.
struct Proof {
  double least_seconds = 0;  ///< no configuration left takes less
  std::uint64_t left = 0;    ///< configurations that were never evaluated
};

struct StopState {
  std::uint64_t evaluations = 0;
  double elapsed_seconds = 0;
  std::uint64_t space_size = 0;
  const Record* best = nullptr;  ///< the best so far
  bool interrupted = false;
  /// Why the device is taken for lost.
  std::optional<std::string> device_lost;
  /// Present when nothing that is left can beat the best by more than StopRules::improvement.
  std::optional<Proof> proof;
  /// The policy has nothing left to propose.
  bool used_up = false;
};

struct StopDecision {
  StopReason reason = StopReason::space_used_up;
  std::string text;  ///< in words, with figures, and what remains to the ceiling
};

/// nullopt while the run should go on. Where several rules hold, the one that says most about the
/// kernel is given: ceiling, proof, space used up, then budgets.
std::optional<StopDecision> should_stop(const StopRules& rules, const StopState& state);

}  // namespace rooftune
