#include "tuner/session/stopping.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tuner/core/units.hpp"

namespace rooftune {
namespace {

/// A point above a roof shows that the roof is not its ceiling: reaching it proves nothing.
bool is_contradicted(const Record& record) {
  return std::any_of(record.problems.begin(), record.problems.end(), [](const auto& result) {
    return result.placement && result.placement->contradiction;
  });
}

/// The roof of the problem that is furthest from its roof.
std::string roof_of(const Record& record) {
  const ProblemResult* furthest = nullptr;
  for (const ProblemResult& result : record.problems) {
    if (result.placement &&
        (furthest == nullptr || result.placement->fraction < furthest->placement->fraction)) {
      furthest = &result;
    }
  }
  return furthest == nullptr ? "" : furthest->placement->roof;
}

std::string remains(const Record* best) {
  if (best == nullptr) {
    return "no configuration succeeded";
  }
  const auto fraction = best->roof_fraction();
  if (!fraction) {
    return fmt::format("the best takes {}; no roof is known to hold it against",
                       format_seconds(best->ranked_seconds()));
  }
  if (*fraction >= 1) {
    return fmt::format("the best takes {} and is at {} of its {} roof",
                       format_seconds(best->ranked_seconds()), format_percent(*fraction),
                       roof_of(*best));
  }
  return fmt::format("the best takes {} and is at {} of its {} roof: {:.2f}x remain to the ceiling",
                     format_seconds(best->ranked_seconds()), format_percent(*fraction),
                     roof_of(*best), 1 / *fraction);
}

std::optional<StopDecision> at_ceiling(const StopRules& rules, const Record* best) {
  const auto fraction = best == nullptr ? std::nullopt : best->roof_fraction();
  if (!fraction || *fraction < rules.ceiling || is_contradicted(*best)) {
    return std::nullopt;
  }
  return StopDecision{StopReason::ceiling,
                      fmt::format("the ceiling is reached ({} was asked for): {}",
                                  format_percent(rules.ceiling), remains(best))};
}

StopDecision proven(const StopRules& rules, const StopState& state) {
  const std::string who = state.proof->left == 1
                              ? "the one configuration that is left cannot"
                              : fmt::format("none of the {} configurations that are left can",
                                            format_count(state.proof->left));
  return {StopReason::proof,
          fmt::format("{} be more than {} faster: by the device's theoretical peaks each takes at "
                      "least {}; {}",
                      who, format_percent(rules.improvement),
                      format_seconds(state.proof->least_seconds), remains(state.best))};
}

}  // namespace

std::optional<StopDecision> should_stop(const StopRules& rules, const StopState& state) {
  const std::string rest = remains(state.best);
  if (state.interrupted) {
    return StopDecision{
        StopReason::interrupted,
        fmt::format("interrupted after {} evaluations: {}", format_count(state.evaluations), rest)};
  }
  if (state.device_lost) {
    return StopDecision{StopReason::device_lost, fmt::format("{}; {}", *state.device_lost, rest)};
  }
  // The roofs are of time: what is near them may still save energy.
  const bool is_time = rules.objective == Objective::time;
  if (const auto decision = is_time ? at_ceiling(rules, state.best) : std::nullopt) {
    return decision;
  }
  if (state.proof && state.proof->left > 0) {
    return proven(rules, state);
  }
  if (state.used_up) {
    return StopDecision{
        StopReason::space_used_up,
        fmt::format("nothing is left to try of {} configurations ({} were evaluated): {}",
                    format_count(state.space_size), format_count(state.evaluations), rest)};
  }
  if (rules.evaluations && state.evaluations >= *rules.evaluations) {
    return StopDecision{StopReason::evaluations,
                        fmt::format("the budget of {} evaluations is used up: {}",
                                    format_count(*rules.evaluations), rest)};
  }
  if (rules.seconds && state.elapsed_seconds >= *rules.seconds) {
    return StopDecision{StopReason::seconds, fmt::format("the budget of {} is used up: {}",
                                                         format_seconds(*rules.seconds), rest)};
  }
  return std::nullopt;
}

}  // namespace rooftune
