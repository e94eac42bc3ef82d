#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "search/registry.hpp"
#include "search/unseen.hpp"
#include "tuner/core/units.hpp"

namespace rooftune::search {
namespace {

constexpr std::uint64_t start_points = 8;
constexpr std::uint64_t pool_size = 512;

/// Ranks by the analytic time per bound: the start takes turns between the model's fastest and
/// random points, then the neighbours of the best point are tried, the model's fastest first.
class RooflinePolicy : public Policy {
 public:
  explicit RooflinePolicy(const SearchContext& context)
      : context_(context), unseen_(*context.space), random_(context.seed) {}

  std::optional<Proposal> ask() override {
    const bool start = unseen_.count() < start_points || !best_;
    std::optional<Proposal> proposal = start ? start_proposal() : neighbour_proposal();
    if (!proposal) proposal = random_proposal();
    return proposal;
  }

  void tell(const Observation& observation) override {
    unseen_.mark(observation.configuration);
    if (observation.outcome != Outcome::ok) return;
    if (!best_ || observation.seconds < best_->seconds) best_ = observation;
  }

 private:
  /// The longest bound, if the spec's formulas give any.
  std::optional<BoundTime> longest_bound(const Configuration& configuration) const {
    if (!context_.bounds) return std::nullopt;
    const BoundTimes times = context_.bounds(configuration);
    const auto longest =
        std::max_element(times.begin(), times.end(),
                         [](const auto& a, const auto& b) { return a.seconds < b.seconds; });
    if (longest == times.end()) return std::nullopt;
    return *longest;
  }

  /// The unseen candidate with the shortest longest bound; the first where there are no bounds.
  std::optional<Configuration> fastest(const std::vector<Configuration>& candidates) const {
    const Configuration* found = nullptr;
    double shortest = INFINITY;
    for (const Configuration& candidate : candidates) {
      if (unseen_.seen(candidate)) continue;
      const std::optional<BoundTime> bound = longest_bound(candidate);
      const double seconds = bound ? bound->seconds : 0;
      if (found == nullptr || seconds < shortest) {
        found = &candidate;
        shortest = seconds;
      }
    }
    if (found == nullptr) return std::nullopt;
    return *found;
  }

  std::optional<Proposal> start_proposal() {
    if (!context_.bounds || unseen_.count() % 2 == 1) return random_proposal();
    const auto chosen = fastest(context_.space->sample(pool_size, random_));
    if (!chosen) return std::nullopt;
    unseen_.mark(*chosen);
    Proposal proposal{*chosen, {}};
    if (const auto bound = longest_bound(*chosen)) {
      proposal.reason.bound = bound->bound;
      proposal.reason.evidence = bound->basis;
      proposal.reason.summary = fmt::format(
          "start: the model's fastest of {} samples, at least {} for {}", format_count(pool_size),
          format_seconds(bound->seconds), to_string(bound->bound));
    } else {
      proposal.reason.summary = "start: a sample of the space";
    }
    return proposal;
  }

  std::optional<Proposal> neighbour_proposal() {
    std::vector<Configuration> neighbours = context_.space->neighbours(best_->configuration);
    std::shuffle(neighbours.begin(), neighbours.end(), random_);
    const auto chosen = fastest(neighbours);
    if (!chosen) return std::nullopt;
    unseen_.mark(*chosen);
    Proposal proposal{*chosen, {}};
    describe_change(proposal);
    return proposal;
  }

  void describe_change(Proposal& proposal) const {
    const NamedValues from = context_.space->values(best_->configuration);
    const NamedValues to = context_.space->values(proposal.configuration);
    for (std::size_t i = 0; i < from.size(); ++i) {
      if (from[i].value == to[i].value) continue;
      proposal.reason.changes = fmt::format("{} {} -> {}", from[i].name, from[i].value.to_string(),
                                            to[i].value.to_string());
    }
    proposal.reason.summary = fmt::format("from the best point ({}): {}",
                                          format_seconds(best_->seconds), proposal.reason.changes);
  }

  std::optional<Proposal> random_proposal() {
    std::optional<Configuration> drawn = unseen_.draw(random_);
    if (!drawn) return std::nullopt;
    Proposal proposal{std::move(*drawn), {}};
    proposal.reason.summary = "drawn at random, to see more of the space";
    return proposal;
  }

  SearchContext context_;
  Unseen unseen_;
  std::mt19937_64 random_;
  std::optional<Observation> best_;
};

}  // namespace

std::unique_ptr<Policy> make_roofline(const SearchContext& context) {
  return std::make_unique<RooflinePolicy>(context);
}

}  // namespace rooftune::search
