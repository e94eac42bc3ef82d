#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "tuner/roofline/rules.hpp"

namespace rooftune {
namespace {

/// Every rule that fires, heaviest first; of two rules of one bound the heavier stays.
std::vector<std::pair<Finding, const DiagnosisRule*>> judge(const Facts& facts) {
  std::vector<std::pair<Finding, const DiagnosisRule*>> found;
  for (const DiagnosisRule& rule : rules()) {
    const auto judgement = rule.judge(facts, rule);
    if (!judgement) {
      continue;
    }
    found.emplace_back(
        Finding{rule.bound, facts.use(rule.bound), judgement->weight, judgement->evidence,
                rule.source, judgement->speedup_at_most, remedies_of(rule.bound)},
        &rule);
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.first.weight > b.first.weight; });
  std::vector<std::pair<Finding, const DiagnosisRule*>> unique;
  for (auto& entry : found) {
    const bool known = std::any_of(unique.begin(), unique.end(), [&](const auto& earlier) {
      return earlier.first.bound == entry.first.bound;
    });
    if (!known) {
      unique.push_back(std::move(entry));
    }
  }
  return unique;
}

std::string near_text(const Facts& facts) {
  return fmt::format("near its ceiling: {} of {}", format_percent(facts.placement.fraction),
                     facts.placement.roof);
}

std::string bound_text(const Facts& facts, const Finding& first) {
  std::string text = fmt::format("bound by {}: {}", to_string(first.bound), first.evidence);
  if (facts.placement.fraction > 0) {
    text += fmt::format("; {} of its ceiling ({})", format_percent(facts.placement.fraction),
                        facts.placement.roof);
  }
  return text;
}

/// What would have to be known for more than a guess; empty where enough is.
std::string missing_evidence(const Facts& facts, bool only_generic) {
  std::vector<std::string> missing;
  if (facts.input.seconds <= 0) {
    missing.emplace_back("a measured time");
  }
  if (facts.placement.contradiction) {
    missing.push_back("a model that the time does not contradict (" +
                      *facts.placement.contradiction + ")");
  }
  if (facts.uses.empty() && facts.input.seconds > 0) {
    missing.emplace_back(
        facts.placement.unplaced.empty()
            ? "work.flops or work.bytes in the spec, or counters"
            : fmt::format("roofs for this work ({})", fmt::join(facts.placement.unplaced, "; ")));
  } else if (only_generic && !facts.inner_levels_known() && facts.device.kind == DeviceKind::cuda) {
    missing.emplace_back("work.traffic of l2, l1 or shared in the spec, or counters");
  }
  for (const std::string& amount : facts.refuted) {
    missing.push_back("a traffic formula that does not count too much (" + amount + ")");
  }
  return fmt::format("{}", fmt::join(missing, "; "));
}

}  // namespace

std::string_view to_string(Diagnosis::Verdict verdict) {
  switch (verdict) {
    case Diagnosis::Verdict::bound:
      return "bound";
    case Diagnosis::Verdict::near_ceiling:
      return "near_ceiling";
    case Diagnosis::Verdict::not_enough_evidence:
      break;
  }
  return "not_enough_evidence";
}

Diagnosis diagnose(const DiagnosisInput& input, const DeviceProfile& device) {
  const Facts facts(input, device);
  Diagnosis diagnosis;
  if (input.seconds <= 0) {
    diagnosis.missing = missing_evidence(facts, false);
    diagnosis.summary = "not enough evidence: needs " + diagnosis.missing;
    return diagnosis;
  }
  const auto found = judge(facts);
  for (const auto& [finding, rule] : found) {
    diagnosis.findings.push_back(finding);
  }
  const bool only_generic = found.empty() || found.front().second->generic;
  diagnosis.missing = missing_evidence(facts, only_generic);
  // A generic finding means something only where all roofs were looked at.
  const bool guess = found.empty() || (only_generic && !diagnosis.missing.empty());
  if (facts.placement.contradiction || facts.uses.empty() || guess) {
    diagnosis.verdict = Diagnosis::Verdict::not_enough_evidence;
    diagnosis.summary = "not enough evidence: needs " + diagnosis.missing;
  } else if (facts.placement.fraction >= input.near_ceiling) {
    diagnosis.verdict = Diagnosis::Verdict::near_ceiling;
    diagnosis.summary = near_text(facts);
  } else {
    diagnosis.verdict = Diagnosis::Verdict::bound;
    diagnosis.summary = bound_text(facts, found.front().first);
  }
  return diagnosis;
}

std::vector<RuleInfo> diagnosis_rules() {
  std::vector<RuleInfo> infos;
  for (const DiagnosisRule& rule : rules()) {
    infos.push_back({rule.bound, fmt::format(fmt::runtime(rule.condition), threshold_text(rule)),
                     rule.needs, rule.source});
  }
  return infos;
}

}  // namespace rooftune
