#include "tuner/cli/roofline/answer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <ostream>

namespace rooftune::cli {
namespace {

using Json = nlohmann::ordered_json;

/// The placement that stands for the kernel: DRAM's where there is one, of the heaviest unit.
const LevelPlacement* main_level(const Placement& placement) {
  const LevelPlacement* found = nullptr;
  for (const LevelPlacement& level : placement.levels) {
    const bool better =
        found == nullptr || (level.level == found->level && level.source == found->source &&
                             level.intensity > found->intensity);
    found = better ? &level : found;
  }
  return found;
}

/// Bytes that must move flatter a kernel that moves more: whoever reads an intensity has to know
/// which it is.
std::string_view intensity_kind(const LevelPlacement& level) {
  if (level.source == AmountSource::counters) {
    return "measured";
  }
  return level.level == Level::dram ? "algorithmic" : "modelled";
}

Json number_or_null(double value) {
  return value > 0 ? Json(value) : Json(nullptr);
}

Json remedies_json(const std::vector<Remedy>& remedies) {
  Json list = Json::array();
  for (const Remedy& remedy : remedies) {
    Json roles = Json::array();
    for (const Role role : remedy.roles) {
      roles.push_back(to_string(role));
    }
    list.push_back({{"action", remedy.action}, {"roles", roles}});
  }
  return list;
}

Json bounds_json(const Diagnosis& diagnosis) {
  Json list = Json::array();
  for (const Finding& finding : diagnosis.findings) {
    list.push_back({{"name", to_string(finding.bound)},
                    {"evidence", finding.evidence},
                    {"threshold_source", finding.source},
                    {"utilisation", number_or_null(finding.utilisation)},
                    {"speedup_at_most", finding.speedup_at_most},
                    {"remedies", remedies_json(finding.remedies)}});
  }
  return list;
}

Json levels_json(const Placement& placement) {
  Json list = Json::array();
  for (const LevelPlacement& level : placement.levels) {
    list.push_back({{"level", to_string(level.level)},
                    {"unit", to_string(level.unit)},
                    {"intensity", level.intensity},
                    {"intensity_kind", intensity_kind(level)},
                    {"ridge", level.ridge},
                    {"attainable", level.attainable},
                    {"fraction", number_or_null(level.fraction)},
                    {"source", to_string(level.source)}});
  }
  return list;
}

double attainable_flops(const Answer& answer) {
  const double seconds = answer.placement.attainable_seconds;
  return seconds > 0 ? answer.flops / seconds : 0;
}

std::string roles_text(const std::vector<Role>& roles) {
  std::vector<std::string_view> names;
  for (const Role role : roles) {
    names.push_back(to_string(role));
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

void print_levels(const Placement& placement, std::ostream& out) {
  if (placement.levels.empty()) {
    return;
  }
  out << fmt::format("\n  {:<8} {:<12} {:>10} {:>8}  {:>14} {:>8}  {}\n", "level", "unit",
                     "FLOP/byte", "ridge", "attainable", "reached", "intensity");
  for (const LevelPlacement& level : placement.levels) {
    out << fmt::format(
        "  {:<8} {:<12} {:>10.4g} {:>8.4g}  {:>14} {:>8}  {}\n", to_string(level.level),
        to_string(level.unit), level.intensity, level.ridge, format_flops(level.attainable),
        level.fraction > 0 ? format_percent(level.fraction) : "-", intensity_kind(level));
  }
}

void print_diagnosis(const Diagnosis& diagnosis, std::ostream& out) {
  out << '\n' << diagnosis.summary << '\n';
  for (std::size_t i = 0; i < diagnosis.findings.size(); ++i) {
    const Finding& finding = diagnosis.findings[i];
    out << fmt::format("{:>3}. {}: {}; at most {:.2f} times as fast without it\n", i + 1,
                       to_string(finding.bound), finding.evidence, finding.speedup_at_most);
    for (const Remedy& remedy : finding.remedies) {
      out << fmt::format("     - {} [{}]\n", remedy.action, roles_text(remedy.roles));
    }
  }
}

/// "12.0 TFLOP/s", or the bandwidth of a kernel without arithmetic.
std::string rate_text(const Answer& answer, double seconds) {
  return answer.flops > 0 ? format_flops(answer.flops / seconds)
                          : format_bandwidth(answer.dram_bytes / seconds);
}

}  // namespace

Answer answer_for(const DiagnosisInput& input, const DeviceProfile& device) {
  Answer answer{device, 0, 0, input.seconds, {}, {}};
  for (const auto& [unit, flops] : input.model.work.flops) {
    answer.flops += flops;
  }
  for (const auto* amounts : {&input.model.work.traffic, &input.model.work.bytes}) {
    const auto dram = amounts->find(Level::dram);
    answer.dram_bytes = dram == amounts->end() ? answer.dram_bytes : dram->second;
  }
  answer.placement = place(input.model, input.seconds, device, input.counters);
  if (input.seconds > 0) {
    answer.diagnosis = diagnose(input, device);
  }
  return answer;
}

Json answer_json(const Answer& answer) {
  const LevelPlacement* level = main_level(answer.placement);
  const Placement& placement = answer.placement;
  const bool timed = answer.seconds > 0;
  const double attainable = placement.attainable_seconds;
  Json json;
  json["device"] = answer.device.name;
  json["unit"] = level == nullptr ? Json(nullptr) : Json(to_string(level->unit));
  json["intensity"] = level == nullptr ? Json(nullptr) : Json(level->intensity);
  json["intensity_kind"] = level == nullptr ? Json(nullptr) : Json(intensity_kind(*level));
  json["ridge"] = level == nullptr ? Json(nullptr) : Json(level->ridge);
  json["roof"] = placement.roof.empty() ? Json(nullptr) : Json(placement.roof);
  json["attainable"] = number_or_null(attainable_flops(answer));
  json["achieved"] = number_or_null(placement.achieved_flops);
  json["attainable_bandwidth"] =
      number_or_null(attainable > 0 ? answer.dram_bytes / attainable : 0);
  json["achieved_bandwidth"] = number_or_null(placement.achieved_dram);
  json["attainable_seconds"] = number_or_null(attainable);
  json["seconds"] = number_or_null(answer.seconds);
  json["fraction"] = number_or_null(placement.fraction);
  json["contradiction"] = placement.contradiction ? Json(*placement.contradiction) : Json(nullptr);
  json["unplaced"] = placement.unplaced;
  json["levels"] = levels_json(placement);
  json["verdict"] = timed ? Json(to_string(answer.diagnosis.verdict)) : Json(nullptr);
  json["summary"] = timed ? Json(answer.diagnosis.summary) : Json(nullptr);
  json["missing"] = timed ? Json(answer.diagnosis.missing) : Json(nullptr);
  json["bounds"] = bounds_json(answer.diagnosis);
  return json;
}

void print_answer(const Answer& answer, std::ostream& out) {
  const Placement& placement = answer.placement;
  if (const LevelPlacement* level = main_level(placement)) {
    out << fmt::format("{:.4g} FLOP/byte at {} ({}), {} the ridge of {} ({:.4g})\n",
                       level->intensity, to_string(level->level), intensity_kind(*level),
                       level->intensity < level->ridge ? "left of" : "right of",
                       to_string(level->unit), level->ridge);
  }
  if (!placement.roof.empty()) {
    out << fmt::format("attainable: {} under {} ({})\n",
                       rate_text(answer, placement.attainable_seconds), placement.roof,
                       format_seconds(placement.attainable_seconds));
  }
  if (answer.seconds > 0) {
    out << fmt::format("achieved:   {} in {}: {} of it\n", rate_text(answer, answer.seconds),
                       format_seconds(answer.seconds), format_percent(placement.fraction));
  }
  for (const std::string& work : placement.unplaced) {
    out << "not placed: " << work << '\n';
  }
  if (placement.contradiction) {
    out << "contradiction: " << *placement.contradiction << '\n';
  }
  print_levels(placement, out);
  if (answer.seconds > 0) {
    print_diagnosis(answer.diagnosis, out);
  }
}

}  // namespace rooftune::cli
