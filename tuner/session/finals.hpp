// The finals: the best few are measured again in turn, so that noise and drift fall on all alike.
#pragma once

#include <vector>

#include "tuner/session/evaluation.hpp"
#include "tuner/session/journal.hpp"

namespace rooftune {

/// Numbers of the records worth measuring again: the best (at most four) within 5% of the fastest,
/// and the baseline, which the speed-up is told against. Empty where there is nothing to compare.
std::vector<std::uint64_t> choose_finalists(const Results& results);

/// Measures the finalists in turn, three rounds. One that fails now has no seconds.
std::vector<Finals> hold_finals(const Results& results, const std::vector<std::uint64_t>& numbers,
                                Evaluator& evaluator);

/// Puts the seconds into the records.
void apply_finals(const std::vector<Finals>& finals, Results& results);

}  // namespace rooftune
