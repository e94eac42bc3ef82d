// How good a policy is on a space whose every time is known. Pure: answers come from a table.
//
// The score is that of Willemsen et al., "A methodology for comparing optimization algorithms for
// auto-tuning": random search is 0, the optimum at once is 1.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "search/policy.hpp"

namespace rooftune {

/// What any run on a space is compared with. Seconds.
struct ScoreBasis {
  double optimum = 0;
  double median = 0;  ///< of the valid configurations
  /// Evaluations at which expected random search reaches optimum + 0.05 (median - optimum).
  std::uint64_t budget = 0;
  /// Expected best of random search after k valid draws without replacement; [0] is k = 1.
  std::vector<double> random_best;
};
/// `times`: of all valid configurations, any order, at least one. Throws ValueError for none.
ScoreBasis score_basis(std::vector<double> times);

/// One run of a policy: the best time after each evaluation. Before the first configuration that
/// succeeds, the expected time of a random valid one stands in.
struct ReplayRun {
  std::vector<double> best_after;
};

/// Mean over k = 1..budget of (random_k - best_k) / (random_k - optimum).
double score_of(const ReplayRun& run, const ScoreBasis& basis);
/// The first evaluation after which the best is within `factor` of the optimum.
std::optional<std::uint64_t> evaluations_to(const ReplayRun& run, const ScoreBasis& basis,
                                            double factor);

/// Runs a policy on a table of answers for at most 2 * budget evaluations. `answer` is asked for
/// each proposal.
ReplayRun replay_policy(Policy& policy, const ScoreBasis& basis,
                        const std::function<Observation(const Configuration&)>& answer);

/// Over repeats, a repeat that never arrives counted at 2 * budget.
struct Distribution {
  double median = 0;
  double mean = 0;
  double p10 = 0;
  double p90 = 0;
  double reached = 0;  ///< share of repeats that arrived
};

struct PolicyScore {
  std::string policy;
  std::uint64_t repeats = 0;
  std::uint64_t budget = 0;
  double score = 0;                        ///< mean over repeats
  double score_low = 0, score_high = 0;    ///< 95% bootstrap interval of the mean
  std::map<std::string, Distribution> to;  ///< "1.20", "1.10", "1.05", "1.01"
  /// Mean over repeats of best time over optimum after each evaluation, 2 * budget long.
  std::vector<double> curve;
};
PolicyScore summarise(const std::string& policy, const std::vector<ReplayRun>& runs,
                      const ScoreBasis& basis);

}  // namespace rooftune
