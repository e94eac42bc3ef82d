#include "search/roofline_policy.hpp"

#include <algorithm>
#include <cmath>

#include "search/candidates.hpp"
#include "search/explanation.hpp"
#include "search/registry.hpp"
#include "search/surrogate.hpp"

namespace rooftune::search {
namespace {

/// Whether a parameter of the space has a role that can do something about it.
bool remediable(const Finding& finding, const Space& space) {
  const std::vector<Parameter>& parameters = space.parameters();
  return std::any_of(finding.remedies.begin(), finding.remedies.end(), [&](const Remedy& remedy) {
    return std::any_of(parameters.begin(), parameters.end(), [&](const Parameter& parameter) {
      return parameter.values.size() > 1 && std::find(remedy.roles.begin(), remedy.roles.end(),
                                                      parameter.role) != remedy.roles.end();
    });
  });
}

/// Points of the roofline before what they measured is consulted.
constexpr std::size_t trial = 2;

class RooflinePolicy : public Policy {
 public:
  RooflinePolicy(const SearchContext& context, const RooflineOptions& options)
      : context_(context),
        options_(options),
        unseen_(*context_.space),
        random_(context_.seed),
        space_(context_, random_),
        candidates_(*context_.space, space_, unseen_, random_),
        surrogate_(space_, options_) {
    if (context_.prior) {
      prior_ = std::make_unique<PriorModel>(*context_.prior, space_, surrogate_.mean_function(),
                                            random_);
      surrogate_.carry_over(prior_.get());
    }
  }

  std::optional<Proposal> ask() override {
    std::optional<Proposal> proposal = starting() ? start() : step();
    if (proposal) {
      unseen_.mark(proposal->configuration);
    } else if (auto rest = unseen_.draw(random_)) {
      proposal = Proposal{std::move(*rest), explain_rest()};
    }
    return proposal;
  }

  void tell(const Observation& observation) override {
    unseen_.mark(observation.configuration);
    forget_pending(observation.configuration);
    if (observation.outcome == Outcome::skipped) {
      return;  // it was not tried, so it says nothing
    }
    Measured point;
    point.configuration = observation.configuration;
    ++idle_;
    if (observation.outcome == Outcome::ok && observation.seconds > 0) {
      point.log_seconds = std::log(observation.seconds);
      const auto best = fastest(measured_, 1);
      if (best.empty() || *point.log_seconds < *best.front()->log_seconds) {
        idle_ = 0;
      }
    }
    if (observation.diagnosis && observation.diagnosis->verdict == Diagnosis::Verdict::bound) {
      const std::vector<Finding>& findings = observation.diagnosis->findings;
      const auto found = std::find_if(
          findings.begin(), findings.end(),
          [&](const Finding& finding) { return remediable(finding, *context_.space); });
      if (found != findings.end()) {
        point.bound = found->bound;
        point.evidence = found->evidence;
      }
    }
    measured_.push_back(std::move(point));
  }

 private:
  bool starting() {
    if (fastest(measured_, 1).empty()) {
      return true;
    }
    // A prior knows the space already: with one that holds the start is short.
    const std::size_t least = options_.prior_start + options_.start_beside_prior;
    if (prior_ && unseen_.count() >= least && prior_->agreement(measured_) >= options_.agreement) {
      return false;
    }
    return unseen_.count() < options_.model_start + options_.spread_start;
  }

  /// The prior's fastest, some points where the roofline is lowest, some far from everything.
  std::optional<Proposal> start() {
    if (prior_turn()) {
      if (const auto next = prior_->next(unseen_)) {
        prior_points_.push_back(*next->configuration);
        return Proposal{prior_points_.back(), explain_prior_start(*context_.prior, next->seconds,
                                                                  next->rank, prior_->size())};
      }
    }
    const bool has_model = options_.roofline_start && !space_.bounds().empty();
    if (has_model && model_turn()) {
      const Efficiencies source = efficiencies_source();
      if (auto found =
              candidates_.lowest(surrogate_.mean_function(), efficiencies(source), measured_)) {
        model_points_.push_back(*found);
        Reason reason = explain_model_start(context_, *found, source);
        return Proposal{std::move(*found), std::move(reason)};
      }
    }
    if (auto found = candidates_.farthest(
            measured_, has_model ? options_.spread_of : options_.spread_alone_of)) {
      return Proposal{std::move(*found), explain_spread(has_model)};
    }
    return std::nullopt;
  }

  Efficiencies efficiencies_source() const {
    if (model_points_.empty()) {
      return Efficiencies::expected;
    }
    return model_points_.size() < trial || fastest(measured_, 1).empty() ? Efficiencies::drawn
                                                                         : Efficiencies::measured;
  }

  /// What is measured is taken at its word every other time: few points leave much open.
  MeanFunction::Parameters efficiencies(Efficiencies source) {
    const MeanFunction& mean = surrogate_.mean_function();
    if (source == Efficiencies::expected) {
      return mean.prior();
    }
    if (source == Efficiencies::drawn) {
      return mean.draw_prior(random_);
    }
    const MeanFunction::Posterior& posterior = surrogate_.fit_roofline(measured_);
    return model_points_.size() % 2 == 0 ? posterior.mode : posterior.draw(random_);
  }

  /// Two points of the roofline and a far one; then the roofline goes on as long as none but its
  /// own points is the best. It knows nothing of failures: until something succeeds, both take
  /// turns.
  bool model_turn() const {
    if (!measured_.empty() && fastest(measured_, 1).empty()) {
      return unseen_.count() % 2 == 0;
    }
    if (model_points_.size() < trial) {
      return true;
    }
    return unseen_.count() > trial && model_points_.size() < options_.model_start &&
           lead(model_points_);
  }

  bool prior_turn() const { return prior_ && prior_points_.size() < options_.prior_start; }

  /// Whether the best so far is one of them; also as long as there is none.
  bool lead(const std::vector<Configuration>& points) const {
    const auto best = fastest(measured_, 1);
    return best.empty() ||
           std::find(points.begin(), points.end(), best.front()->configuration) != points.end();
  }

  std::optional<Proposal> step() {
    if (space_.full()) {
      space_.forget();
    }
    // A point under way counts as measured at what was expected of it, so that the next proposal
    // goes elsewhere.
    std::vector<Measured> known = measured_;
    known.insert(known.end(), pending_.begin(), pending_.end());
    surrogate_.update(known, idle_, random_);
    const std::vector<const Measured*> best = fastest(measured_, options_.around);
    const std::vector<Eigen::Index> numbers = candidates_.gather(best, options_);
    if (numbers.empty()) {
      return std::nullopt;
    }
    Eigen::VectorXd gain = surrogate_.expected_improvement(numbers);
    if (options_.diagnosis && !space_.bounds().empty()) {
      weigh_by_diagnosis(best, numbers, gain);
    }
    Eigen::Index chosen = 0;
    gain.maxCoeff(&chosen);
    return propose(numbers[static_cast<std::size_t>(chosen)], best);
  }

  /// The measured point from which a configuration is the smallest step.
  static std::size_t origin(const Configuration& configuration,
                            const std::vector<const Measured*>& best) {
    std::size_t nearest = 0;
    for (std::size_t i = 1; i < best.size(); ++i) {
      if (distance(configuration, best[i]->configuration) <
          distance(configuration, best[nearest]->configuration)) {
        nearest = i;
      }
    }
    return nearest;
  }

  /// A step that lowers the time of the bound that binds improves more often than one that raises
  /// it.
  void weigh_by_diagnosis(const std::vector<const Measured*>& best,
                          const std::vector<Eigen::Index>& numbers, Eigen::VectorXd& gain) {
    std::vector<std::optional<Eigen::Index>> binding;
    for (const Measured* point : best) {
      const auto bound = binding_bound(context_, *point);
      const auto& bounds = space_.bounds();
      const auto found =
          bound ? std::find(bounds.begin(), bounds.end(), bound->bound) : bounds.end();
      binding.push_back(found == bounds.end()
                            ? std::nullopt
                            : std::optional<Eigen::Index>(found - bounds.begin()));
    }
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const std::size_t from = origin(space_.configuration(numbers[i]), best);
      if (!binding[from]) {
        continue;
      }
      const Eigen::Index start = space_.number(best[from]->configuration);
      const double change = space_.amounts(numbers[i]).log_seconds[*binding[from]] -
                            space_.amounts(start).log_seconds[*binding[from]];
      gain[static_cast<Eigen::Index>(i)] *=
          std::exp(-options_.diagnosis_power * std::clamp(change, -1.0, 1.0));
    }
  }

  Proposal propose(Eigen::Index number, const std::vector<const Measured*>& best) {
    const double expected = surrogate_.predict(number);
    Step step;
    step.to = space_.configuration(number);
    step.rank = origin(step.to, best);
    step.from = best[step.rank];
    step.expected_seconds = std::exp(expected);
    step.best_seconds = std::exp(*best.front()->log_seconds);
    Measured believed;
    believed.configuration = step.to;
    believed.log_seconds = expected;
    pending_.push_back(std::move(believed));
    return Proposal{step.to, explain_step(context_, step)};
  }

  void forget_pending(const Configuration& configuration) {
    pending_.erase(
        std::remove_if(pending_.begin(), pending_.end(),
                       [&](const Measured& point) { return point.configuration == configuration; }),
        pending_.end());
  }

  SearchContext context_;
  RooflineOptions options_;
  Unseen unseen_;
  std::mt19937_64 random_;
  ModelSpace space_;
  Candidates candidates_;
  Surrogate surrogate_;
  std::unique_ptr<PriorModel> prior_;        ///< null without one
  std::vector<Configuration> prior_points_;  ///< asked for because the prior was fast there
  std::vector<Configuration> model_points_;  ///< asked for where the roofline is lowest
  std::size_t idle_ = 0;                     ///< evaluations since the last improvement
  std::vector<Measured> measured_;
  std::vector<Measured> pending_;
};

}  // namespace

std::unique_ptr<Policy> make_roofline(const SearchContext& context,
                                      const RooflineOptions& options) {
  return std::make_unique<RooflinePolicy>(context, options);
}

std::unique_ptr<Policy> make_roofline(const SearchContext& context) {
  return make_roofline(context, RooflineOptions{});
}

}  // namespace rooftune::search
