#include "search/explanation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "search/changes.hpp"
#include "tuner/core/units.hpp"

namespace rooftune::search {
namespace {

// A change of a bound's time that is worth a word.
constexpr double noticeable = 0.02;
// Steps that change more parameters than this are not described as steps.
constexpr std::size_t describable = 4;

std::optional<BoundTime> longest(const BoundTimes& times) {
  const auto found = std::max_element(times.begin(), times.end(), [](const auto& a, const auto& b) {
    return a.seconds < b.seconds;
  });
  if (found == times.end()) {
    return std::nullopt;
  }
  return *found;
}

/// The remedy against the bound that the changed roles may bring.
std::string remedy_by(Bound bound, const std::vector<Role>& roles) {
  for (const Remedy& remedy : remedies_of(bound)) {
    for (const Role role : remedy.roles) {
      if (std::find(roles.begin(), roles.end(), role) != roles.end()) {
        return remedy.action;
      }
    }
  }
  return "";
}

/// log of the bound's time after over before, by the spec's formulas.
std::optional<double> log_change(const SearchContext& context, Bound bound,
                                 const Configuration& from, const Configuration& to) {
  if (!context.bounds) {
    return std::nullopt;
  }
  const double before = seconds_of(context.bounds(from), bound);
  const double after = seconds_of(context.bounds(to), bound);
  if (before <= 0 || after <= 0) {
    return std::nullopt;
  }
  return std::log(after / before);
}

std::string expectation(const Step& step) {
  if (step.expected_seconds < step.best_seconds) {
    return fmt::format("{} expected, the best is {}", format_seconds(step.expected_seconds),
                       format_seconds(step.best_seconds));
  }
  return fmt::format("{} expected, which is no gain over {}, but uncertain",
                     format_seconds(step.expected_seconds), format_seconds(step.best_seconds));
}

std::string origin(const Step& step) {
  return step.rank == 0 ? "the best point" : fmt::format("number {}", step.rank + 1);
}

}  // namespace

std::optional<BindingBound> binding_bound(const SearchContext& context, const Measured& point) {
  if (point.bound) {
    return BindingBound{*point.bound, point.evidence};
  }
  if (!context.bounds || !point.log_seconds) {
    return std::nullopt;
  }
  const std::optional<BoundTime> bound = longest(context.bounds(point.configuration));
  if (!bound) {
    return std::nullopt;
  }
  const double utilisation = bound->seconds / std::exp(*point.log_seconds);
  return BindingBound{bound->bound, fmt::format("{} at {} of its roof", to_string(bound->bound),
                                                format_percent(utilisation))};
}

Reason explain_step(const SearchContext& context, const Step& step) {
  Reason reason;
  reason.expected_seconds = step.expected_seconds;
  const Changes changes = changes_between(*context.space, step.from->configuration, step.to);
  reason.changes = changes.text;
  if (changes.roles.size() > describable) {
    reason.summary = "far from the best points, by what was measured: " + expectation(step);
    return reason;
  }
  const std::optional<BindingBound> binding = binding_bound(context, *step.from);
  if (!binding) {
    reason.summary = fmt::format("from {}, by what was measured: {}; {}", origin(step),
                                 reason.changes, expectation(step));
    return reason;
  }
  reason.bound = binding->bound;
  reason.evidence = binding->evidence;
  const std::optional<double> change =
      log_change(context, binding->bound, step.from->configuration, step.to);
  if (change && *change < -noticeable) {
    reason.remedy = remedy_by(binding->bound, changes.roles);
    reason.summary =
        fmt::format("{} ({}): {}{}{} takes {} off that bound; {}", origin(step), reason.evidence,
                    reason.remedy, reason.remedy.empty() ? "" : ": ", reason.changes,
                    format_percent(1 - std::exp(*change)), expectation(step));
  } else {
    const std::string effect =
        !change ? "the diagnosis has no figure for this step"
                : (*change > noticeable ? "against the diagnosis" : "the diagnosis is indifferent");
    reason.summary = fmt::format("{} ({}), by what was measured, {}: {}; {}", origin(step),
                                 reason.evidence, effect, reason.changes, expectation(step));
  }
  return reason;
}

Reason explain_model_start(const SearchContext& context, const Configuration& to,
                           Efficiencies efficiencies) {
  Reason reason;
  const std::optional<BoundTime> bound = longest(context.bounds(to));
  reason.summary = "start: shortest by the roofline";
  if (efficiencies != Efficiencies::expected) {
    reason.summary += efficiencies == Efficiencies::drawn
                          ? " with other efficiencies"
                          : " with the efficiencies measured so far";
  }
  if (bound) {
    reason.bound = bound->bound;
    reason.evidence = bound->basis;
    reason.summary += fmt::format("; its longest bound is {}, {}", to_string(bound->bound),
                                  format_seconds(bound->seconds));
  }
  return reason;
}

Reason explain_prior_start(const Prior& prior, double seconds, std::size_t rank,
                           std::size_t count) {
  Reason reason;
  reason.summary = fmt::format("start: {} on {} with {}, of {}",
                               rank == 0 ? "the fastest" : fmt::format("number {}", rank + 1),
                               prior.name, format_seconds(seconds), format_count(count));
  return reason;
}

Reason explain_spread(bool has_model) {
  Reason reason;
  reason.summary = has_model ? "start: unlike everything tried, in case the formulas mislead"
                             : "start: unlike everything tried";
  return reason;
}

Reason explain_rest() {
  Reason reason;
  reason.summary = "drawn at random among what is left";
  return reason;
}

}  // namespace rooftune::search
