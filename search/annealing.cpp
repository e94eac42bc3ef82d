// Simulated annealing over one-parameter neighbours. A move to a slower point is taken with
// probability exp(-log(slower / faster) / temperature); the temperature falls by the evaluation.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "search/changes.hpp"
#include "search/known.hpp"
#include "search/registry.hpp"
#include "search/unseen.hpp"
#include "tuner/core/units.hpp"

namespace rooftune::search {
namespace {

// In log seconds: at first a move to twice the time is taken in one of four cases, at last none to
// one per cent more in a hundred.
constexpr double hot = 0.5;
constexpr double cold = 0.002;
constexpr std::uint64_t default_horizon = 200;
// Known neighbours are passed through without an evaluation, but not forever.
constexpr int free_moves = 200;

class AnnealingPolicy : public Policy {
 public:
  explicit AnnealingPolicy(const SearchContext& context)
      : space_(*context.space),
        unseen_(space_),
        random_(context.seed),
        horizon_(static_cast<double>(
            std::min(context.budget.value_or(default_horizon), default_horizon))) {}

  std::optional<Proposal> ask() override {
    for (int i = 0; current_ && i < free_moves; ++i) {
      const std::vector<Configuration> neighbours = space_.neighbours(*current_);
      if (neighbours.empty()) {
        break;
      }
      const Configuration& next = neighbours[random_() % neighbours.size()];
      if (const auto seconds = known_.seconds(next)) {
        consider(next, *seconds);
      } else if (unseen_.mark(next)) {
        return Proposal{next, neighbour_reason(next)};
      }
    }
    return restart();
  }

  void tell(const Observation& observation) override {
    unseen_.mark(observation.configuration);
    known_.add(observation);
    ++evaluations_;
    consider(observation.configuration, *known_.seconds(observation.configuration));
  }

 private:
  double temperature() const {
    const double passed = std::fmod(static_cast<double>(evaluations_), horizon_) / horizon_;
    return hot * std::pow(cold / hot, passed);
  }

  void consider(const Configuration& next, double seconds) {
    if (!std::isfinite(seconds)) {
      return;
    }
    if (current_) {
      const double rise = std::log(seconds / *known_.seconds(*current_));
      const double chance = std::exp(-std::max(rise, 0.0) / temperature());
      if (std::uniform_real_distribution<double>()(random_) >= chance) {
        return;
      }
    }
    current_ = next;
  }

  std::optional<Proposal> restart() {
    std::optional<Configuration> drawn = unseen_.draw(random_);
    if (!drawn) {
      return std::nullopt;
    }
    Reason reason;
    reason.summary = current_ ? "a random point: around the last one all is known"
                              : "a random point to begin from";
    current_ = std::nullopt;
    return Proposal{std::move(*drawn), std::move(reason)};
  }

  Reason neighbour_reason(const Configuration& next) const {
    Reason reason;
    reason.changes = changes_between(space_, *current_, next).text;
    reason.summary =
        fmt::format("a neighbour of {} at temperature {:.2g}: {}",
                    format_seconds(*known_.seconds(*current_)), temperature(), reason.changes);
    return reason;
  }

  const Space& space_;
  Unseen unseen_;
  std::mt19937_64 random_;
  double horizon_;  ///< evaluations from hot to cold; then it is heated again
  std::uint64_t evaluations_ = 0;
  Known known_;
  std::optional<Configuration> current_;
};

}  // namespace

std::unique_ptr<Policy> make_annealing(const SearchContext& context) {
  return std::make_unique<AnnealingPolicy>(context);
}

}  // namespace rooftune::search
