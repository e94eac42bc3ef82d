#include "search/scoring.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <random>
#include <tuple>
#include <utility>

#include "tuner/core/error.hpp"

namespace rooftune {
namespace {

constexpr std::array<std::pair<const char*, double>, 4> targets = {
    {{"1.20", 1.20}, {"1.10", 1.10}, {"1.05", 1.05}, {"1.01", 1.01}}};

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// Linear interpolation between order statistics; `values` ascend.
double quantile(const std::vector<double>& values, double q) {
  const double at = q * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (at - static_cast<double>(below)) * (values[above] - values[below]);
}

/// 95% percentile interval of the mean over resampled repeats; seeded, so that it is reproducible.
std::pair<double, double> bootstrap_interval(const std::vector<double>& values) {
  constexpr int resamples = 2000;
  std::mt19937_64 random(1);
  std::uniform_int_distribution<std::size_t> pick(0, values.size() - 1);
  std::vector<double> means;
  for (int i = 0; i < resamples; ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < values.size(); ++j) {
      sum += values[pick(random)];
    }
    means.push_back(sum / static_cast<double>(values.size()));
  }
  std::sort(means.begin(), means.end());
  return {quantile(means, 0.025), quantile(means, 0.975)};
}

double best_after(const ReplayRun& run, std::size_t k) {
  return run.best_after[std::min(k, run.best_after.size() - 1)];
}

}  // namespace

ScoreBasis score_basis(std::vector<double> times) {
  if (times.empty()) {
    throw ValueError("no configuration of this space has a time");
  }
  std::sort(times.begin(), times.end());
  const std::size_t count = times.size();
  ScoreBasis basis;
  basis.optimum = times.front();
  basis.median = quantile(times, 0.5);
  const double goal = basis.optimum + 0.05 * (basis.median - basis.optimum);
  // missed[i]: probability that none of the i+1 fastest is among k draws without replacement,
  // C(n-i-1, k) / C(n, k), updated from k - 1 to k. E[best] = t_0 + sum (t_{i+1} - t_i) missed[i].
  std::vector<double> missed(count, 1.0);
  while (basis.random_best.size() < count) {
    const std::size_t k = basis.random_best.size() + 1;
    double expected = basis.optimum;
    for (std::size_t i = 0; i + 1 < count; ++i) {
      const double left = static_cast<double>(count) - static_cast<double>(i + k);
      missed[i] *= std::max(0.0, left) / static_cast<double>(count - k + 1);
      expected += (times[i + 1] - times[i]) * missed[i];
    }
    basis.random_best.push_back(expected);
    if (expected <= goal) {
      break;
    }
  }
  basis.budget = basis.random_best.size();
  return basis;
}

double score_of(const ReplayRun& run, const ScoreBasis& basis) {
  double sum = 0;
  for (std::size_t k = 0; k < basis.budget; ++k) {
    const double room = basis.random_best[k] - basis.optimum;
    // A space in which all times are equal has nothing to find.
    sum += room > 0 ? (basis.random_best[k] - best_after(run, k)) / room : 1;
  }
  return sum / static_cast<double>(basis.budget);
}

std::optional<std::uint64_t> evaluations_to(const ReplayRun& run, const ScoreBasis& basis,
                                            double factor) {
  // The last bits of a product must not turn an exact hit into a miss.
  const double goal = basis.optimum * factor * (1 + 1e-12);
  for (std::size_t k = 0; k < run.best_after.size(); ++k) {
    if (run.best_after[k] <= goal) {
      return k + 1;
    }
  }
  return std::nullopt;
}

ReplayRun replay_policy(Policy& policy, const ScoreBasis& basis,
                        const std::function<Observation(const Configuration&)>& answer) {
  ReplayRun run;
  double best = basis.random_best.front();
  bool found = false;
  while (run.best_after.size() < 2 * basis.budget) {
    const std::optional<Proposal> proposal = policy.ask();
    if (!proposal) {
      break;
    }
    const Observation observation = answer(proposal->configuration);
    if (observation.outcome == Outcome::ok && (!found || observation.seconds < best)) {
      best = observation.seconds;
      found = true;
    }
    run.best_after.push_back(best);
    if (found && best <= basis.optimum) {
      break;  // nothing after this can differ: best_after holds its last value
    }
    policy.tell(observation);
  }
  if (run.best_after.empty()) {
    run.best_after.push_back(best);
  }
  return run;
}

PolicyScore summarise(const std::string& policy, const std::vector<ReplayRun>& runs,
                      const ScoreBasis& basis) {
  PolicyScore result;
  result.policy = policy;
  result.repeats = runs.size();
  result.budget = basis.budget;
  std::vector<double> scores;
  for (const ReplayRun& run : runs) {
    scores.push_back(score_of(run, basis));
  }
  result.score = mean_of(scores);
  std::tie(result.score_low, result.score_high) = bootstrap_interval(scores);
  for (const auto& [name, factor] : targets) {
    std::vector<double> needed;
    std::size_t reached = 0;
    for (const ReplayRun& run : runs) {
      const auto evaluations = evaluations_to(run, basis, factor);
      reached += evaluations ? 1 : 0;
      needed.push_back(static_cast<double>(evaluations.value_or(2 * basis.budget)));
    }
    std::sort(needed.begin(), needed.end());
    result.to[name] = {quantile(needed, 0.5), mean_of(needed), quantile(needed, 0.1),
                       quantile(needed, 0.9),
                       static_cast<double>(reached) / static_cast<double>(runs.size())};
  }
  for (std::size_t k = 0; k < 2 * basis.budget; ++k) {
    double sum = 0;
    for (const ReplayRun& run : runs) {
      sum += best_after(run, k) / basis.optimum;
    }
    result.curve.push_back(sum / static_cast<double>(runs.size()));
  }
  return result;
}

}  // namespace rooftune
