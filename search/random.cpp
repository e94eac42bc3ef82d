#include <fmt/format.h>

#include "search/registry.hpp"
#include "search/unseen.hpp"
#include "tuner/core/units.hpp"

namespace rooftune::search {
namespace {

class RandomPolicy : public Policy {
 public:
  explicit RandomPolicy(const SearchContext& context)
      : space_(*context.space), unseen_(space_), random_(context.seed) {}

  std::optional<Proposal> ask() override {
    std::optional<Configuration> drawn = unseen_.draw(random_);
    if (!drawn) return std::nullopt;
    Proposal proposal;
    proposal.configuration = std::move(*drawn);
    proposal.reason.summary =
        fmt::format("drawn at random, without regard to results: {} of {}",
                    format_count(unseen_.count()), format_count(space_.size()));
    return proposal;
  }

  void tell(const Observation& observation) override { unseen_.mark(observation.configuration); }

 private:
  const Space& space_;
  Unseen unseen_;
  std::mt19937_64 random_;
};

}  // namespace

std::unique_ptr<Policy> make_random(const SearchContext& context) {
  return std::make_unique<RandomPolicy>(context);
}

}  // namespace rooftune::search
