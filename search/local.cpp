// Local search with restarts: the first neighbour that is faster becomes the next point; where none
// is, the search begins again elsewhere.
#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "search/changes.hpp"
#include "search/known.hpp"
#include "search/registry.hpp"
#include "search/unseen.hpp"
#include "tuner/core/units.hpp"

namespace rooftune::search {
namespace {

class LocalPolicy : public Policy {
 public:
  explicit LocalPolicy(const SearchContext& context)
      : space_(*context.space), unseen_(space_), random_(context.seed) {}

  std::optional<Proposal> ask() override {
    while (current_ && !queue_.empty()) {
      const Configuration next = std::move(queue_.back());
      queue_.pop_back();
      if (const auto seconds = known_.seconds(next); seconds && *seconds < current_seconds()) {
        move_to(next);
      } else if (unseen_.mark(next)) {
        return Proposal{next, neighbour_reason(next)};
      }
    }
    return restart();
  }

  void tell(const Observation& observation) override {
    unseen_.mark(observation.configuration);
    known_.add(observation);
    const bool is_start = observation.configuration == start_;
    const double seconds = *known_.seconds(observation.configuration);
    if (std::isfinite(seconds) && (is_start || (current_ && seconds < current_seconds()))) {
      move_to(observation.configuration);
    }
  }

 private:
  double current_seconds() const { return *known_.seconds(*current_); }

  void move_to(const Configuration& configuration) {
    current_ = configuration;
    start_ = std::nullopt;
    queue_ = space_.neighbours(configuration);
    std::shuffle(queue_.begin(), queue_.end(), random_);
  }

  std::optional<Proposal> restart() {
    std::optional<Configuration> drawn = unseen_.draw(random_);
    if (!drawn) {
      return std::nullopt;
    }
    Reason reason;
    reason.summary = current_ ? fmt::format("restart at random: no neighbour is faster than {}",
                                            format_seconds(current_seconds()))
                              : "a random point to begin from";
    current_ = std::nullopt;
    start_ = drawn;
    return Proposal{std::move(*drawn), std::move(reason)};
  }

  Reason neighbour_reason(const Configuration& next) const {
    Reason reason;
    reason.changes = changes_between(space_, *current_, next).text;
    reason.summary =
        fmt::format("a neighbour of {}: {}", format_seconds(current_seconds()), reason.changes);
    return reason;
  }

  const Space& space_;
  Unseen unseen_;
  std::mt19937_64 random_;
  Known known_;
  std::optional<Configuration> start_;    ///< asked for, not yet told of
  std::optional<Configuration> current_;  ///< told of, and it succeeded
  std::vector<Configuration> queue_;      ///< neighbours of current_ that are to be tried
};

}  // namespace

std::unique_ptr<Policy> make_local(const SearchContext& context) {
  return std::make_unique<LocalPolicy>(context);
}

}  // namespace rooftune::search
