// A genetic algorithm with a steady population: two parents by tournament, uniform crossover,
// mutation to a near value, and the child takes the place of the slowest.
#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "search/known.hpp"
#include "search/registry.hpp"
#include "search/unseen.hpp"
#include "tuner/core/units.hpp"

namespace rooftune::search {
namespace {

constexpr std::size_t population_size = 20;
constexpr std::size_t tournament = 3;
constexpr double far_mutation = 0.3;  ///< share of mutations to any value, not the next one
constexpr int attempts = 50;

class GeneticPolicy : public Policy {
 public:
  explicit GeneticPolicy(const SearchContext& context)
      : space_(*context.space), unseen_(space_), random_(context.seed) {}

  std::optional<Proposal> ask() override {
    if (begun_ >= population_size && population_.size() >= 2) {
      for (int i = 0; i < attempts; ++i) {
        if (auto child = breed()) {
          return child;
        }
      }
    }
    std::optional<Configuration> drawn = unseen_.draw(random_);
    if (!drawn) {
      return std::nullopt;
    }
    Reason reason;
    reason.summary = begun_ < population_size ? "a random member of the first population"
                                              : "a random immigrant: no new child could be bred";
    ++begun_;
    return Proposal{std::move(*drawn), std::move(reason)};
  }

  void tell(const Observation& observation) override {
    unseen_.mark(observation.configuration);
    if (observation.outcome != Outcome::ok) {
      return;
    }
    const Member member{observation.configuration, observation.seconds};
    const auto place =
        std::upper_bound(population_.begin(), population_.end(), member,
                         [](const Member& a, const Member& b) { return a.seconds < b.seconds; });
    population_.insert(place, member);
    if (population_.size() > population_size) {
      population_.pop_back();
    }
  }

 private:
  struct Member {
    Configuration configuration;
    double seconds = 0;
  };

  /// The population is sorted, so the fastest of some random members is the lowest index.
  std::size_t pick() {
    std::size_t best = population_.size();
    for (std::size_t i = 0; i < tournament; ++i) {
      best = std::min<std::size_t>(best, random_() % population_.size());
    }
    return best;
  }

  double chance() { return std::uniform_real_distribution<double>()(random_); }

  std::optional<Proposal> breed() {
    const std::size_t mother = pick();
    std::size_t father = pick();
    father = father == mother ? (mother + 1) % population_.size() : father;
    Configuration child = population_[mother].configuration;
    const double rate = 1.0 / static_cast<double>(child.choice.size());
    for (std::size_t i = 0; i < child.choice.size(); ++i) {
      if (random_() % 2 == 0) {
        child.choice[i] = population_[father].configuration.choice[i];
      }
      if (chance() < rate) {
        mutate(child, i);
      }
    }
    if (!space_.contains(child) || !unseen_.mark(child)) {
      return std::nullopt;
    }
    Reason reason;
    reason.summary =
        fmt::format("a child of {} and {}", format_seconds(population_[mother].seconds),
                    format_seconds(population_[father].seconds));
    return Proposal{std::move(child), std::move(reason)};
  }

  void mutate(Configuration& child, std::size_t i) {
    const std::size_t values = space_.parameters()[i].values.size();
    if (values < 2) {
      return;
    }
    std::uint16_t& choice = child.choice[i];
    if (chance() < far_mutation) {
      choice = static_cast<std::uint16_t>(random_() % values);
    } else if (choice + 1U == values || (choice > 0 && random_() % 2 == 0)) {
      --choice;
    } else {
      ++choice;
    }
  }

  const Space& space_;
  Unseen unseen_;
  std::mt19937_64 random_;
  std::size_t begun_ = 0;           ///< random members asked for
  std::vector<Member> population_;  ///< fastest first
};

}  // namespace

std::unique_ptr<Policy> make_genetic(const SearchContext& context) {
  return std::make_unique<GeneticPolicy>(context);
}

}  // namespace rooftune::search
