#include <fmt/format.h>

#include "tuner/core/units.hpp"
#include "tuner/session/results.hpp"

namespace rooftune {
namespace {

std::string fraction_text(const Record& record) {
  const auto fraction = record.roof_fraction();
  return fraction ? fmt::format("; {} of its ceiling", format_percent(*fraction)) : "";
}

std::string energy_text(const Record& record) {
  const double joules = record.joules();
  return joules > 0 ? fmt::format("; {} a launch", format_joules(joules)) : "";
}

std::string tie_text(const Results& results) {
  const std::size_t ties = results.ties().size();
  return ties == 0 ? "" : fmt::format("; {} more cannot be told from it", ties);
}

std::string speedup_text(const Results& results) {
  const auto speedup = results.speedup();
  return speedup ? fmt::format("; {:.2f}x the baseline", *speedup) : "";
}

}  // namespace

std::string bound_in_words(const Record& record) {
  if (!record.diagnosis) {
    return "";
  }
  const std::vector<Finding>& findings = record.diagnosis->findings;
  const std::string bound =
      findings.empty() ? "" : fmt::format("bound by {}", to_string(findings.front().bound));
  switch (record.diagnosis->verdict) {
    case Diagnosis::Verdict::near_ceiling:
      return bound.empty() ? "near its ceiling" : "near its ceiling, " + bound;
    case Diagnosis::Verdict::bound:
      return bound;
    case Diagnosis::Verdict::not_enough_evidence:
      break;
  }
  return "not enough evidence for its bound";
}

std::string verdict(const Results& results) {
  const std::string tried =
      fmt::format("{} evaluation{} of {}", format_count(results.records.size()),
                  results.records.size() == 1 ? "" : "s", format_count(results.space_size));
  const Record* best = results.best();
  if (best == nullptr) {
    return "no configuration succeeded; " + tried;
  }
  const std::string bound = bound_in_words(*best);
  return fmt::format("best: {}; {}{}{}{}{}{}{}; {}", to_string(best->parameters),
                     format_seconds(best->ranked_seconds()), energy_text(*best),
                     bound.empty() ? "" : "; ", bound, fraction_text(*best), speedup_text(results),
                     tie_text(results), tried);
}

}  // namespace rooftune
