#include <fmt/format.h>

#include <unordered_set>

#include "search/registry.hpp"
#include "tuner/core/units.hpp"

namespace rooftune::search {
namespace {

class ExhaustivePolicy : public Policy {
 public:
  explicit ExhaustivePolicy(const SearchContext& context) : space_(*context.space) {}

  std::optional<Proposal> ask() override {
    while (next_ < space_.size()) {
      const std::uint64_t index = next_++;
      Configuration configuration = space_.at(index);
      if (told_.count(configuration) != 0) continue;
      Proposal proposal;
      proposal.configuration = std::move(configuration);
      proposal.reason.summary = fmt::format("every configuration in order: {} of {}",
                                            format_count(index + 1), format_count(space_.size()));
      return proposal;
    }
    return std::nullopt;
  }

  void tell(const Observation& observation) override {
    // Only what lies ahead could come again (the baseline, say, which was not asked for).
    const auto index = space_.index_of(observation.configuration);
    if (index && *index >= next_) told_.insert(observation.configuration);
  }

 private:
  const Space& space_;
  std::uint64_t next_ = 0;
  std::unordered_set<Configuration, ConfigurationHash> told_;
};

}  // namespace

std::unique_ptr<Policy> make_exhaustive(const SearchContext& context) {
  return std::make_unique<ExhaustivePolicy>(context);
}

}  // namespace rooftune::search
