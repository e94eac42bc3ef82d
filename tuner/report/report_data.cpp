#include "tuner/report/report_data.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tuner/core/units.hpp"
#include "tuner/report/plot_parts.hpp"

namespace rooftune {
namespace {

using Json = nlohmann::ordered_json;

/// Four significant digits: enough for a plot, and a fifth of the bytes.
double rounded(double value) {
  return std::stod(fmt::format("{:.4g}", value));
}

/// Index into the parameter's values; a baseline's foreign value as [text].
Json choice_json(const Parameter& parameter, const NamedValues& values) {
  const Value* value = find_value(values, parameter.name);
  if (value == nullptr) {
    return Json::array({""});
  }
  const auto found = std::find(parameter.values.begin(), parameter.values.end(), *value);
  if (found == parameter.values.end()) {
    return Json::array({value->to_string()});
  }
  return found - parameter.values.begin();
}

std::string bound_name(const Record& record) {
  if (!record.diagnosis || record.diagnosis->verdict == Diagnosis::Verdict::not_enough_evidence) {
    return "";
  }
  if (record.diagnosis->verdict == Diagnosis::Verdict::near_ceiling) {
    return "near_ceiling";
  }
  return record.diagnosis->findings.empty()
             ? ""
             : std::string(to_string(record.diagnosis->findings.front().bound));
}

/// Where the record stands on the plot: its first problem against DRAM.
struct PlotPlace {
  double intensity = 0;
  double flops = 0;
};

PlotPlace plot_place(const Record& record) {
  if (record.problems.empty() || !record.problems.front().placement) {
    return {};
  }
  const Placement& placement = *record.problems.front().placement;
  for (const LevelPlacement& level : placement.levels) {
    if (level.level == Level::dram) {
      return {level.intensity, placement.achieved_flops};
    }
  }
  return {};
}

Json record_json(const Record& record, const std::vector<Parameter>& parameters) {
  Json values = Json::array();
  for (const Parameter& parameter : parameters) {
    values.push_back(choice_json(parameter, record.parameters));
  }
  const PlotPlace at = plot_place(record);
  return {{"number", record.number},
          {"values", std::move(values)},
          {"outcome", to_string(record.outcome)},
          {"failure", record.reason},
          {"seconds", rounded(record.ranked_seconds())},
          {"intensity", rounded(at.intensity)},
          {"flops", rounded(at.flops)},
          {"fraction", rounded(record.roof_fraction().value_or(0))},
          {"bound", bound_name(record)},
          {"why", record.proposal.summary}};
}

Json parameters_json(const Results& results) {
  Json list = Json::array();
  for (const Parameter& parameter : results.parameters) {
    Json values = Json::array();
    for (const Value& value : parameter.values) {
      values.push_back(value.to_string());
    }
    list.push_back({{"name", parameter.name},
                    {"role", to_string(parameter.role)},
                    {"values", std::move(values)}});
  }
  return list;
}

/// The units that the plot shows: those of the best record, else all.
bool is_shown(const Roof& roof, const Record* best) {
  if (roof.kind == RoofKind::bandwidth) {
    return roof.name == "dram" || roof.name == "l2" || roof.name == "l1" || roof.name == "shared";
  }
  if (roof.kind != RoofKind::compute) {
    return false;
  }
  if (best == nullptr || best->problems.empty() || !best->problems.front().placement ||
      best->problems.front().placement->levels.empty()) {
    return true;
  }
  const auto& levels = best->problems.front().placement->levels;
  return std::any_of(levels.begin(), levels.end(), [&](const LevelPlacement& level) {
    return to_string(level.unit) == roof.name;
  });
}

/// The lines of the plot, with their labels.
Json roofs_json(const DeviceProfile& device, const Record* best) {
  DeviceProfile shown = device;
  std::erase_if(shown.roofs, [&](const Roof& roof) { return !is_shown(roof, best); });
  Json list = Json::array();
  for (const RoofKind kind : {RoofKind::compute, RoofKind::bandwidth}) {
    for (const svg::DrawnRoof& roof : svg::drawn_roofs(shown, kind, "dram")) {
      list.push_back({{"kind", to_string(kind)},
                      {"label", roof.text()},
                      {"value", roof.value},
                      {"source", to_string(roof.source)}});
    }
  }
  return list;
}

Json diagnosis_json(const Record* best) {
  Json findings = Json::array();
  if (best == nullptr || !best->diagnosis) {
    return {{"summary", ""}, {"missing", ""}, {"findings", findings}};
  }
  for (const Finding& finding : best->diagnosis->findings) {
    Json remedies = Json::array();
    for (const Remedy& remedy : finding.remedies) {
      remedies.push_back(remedy.action);
    }
    findings.push_back({{"bound", to_string(finding.bound)},
                        {"utilisation", rounded(finding.utilisation)},
                        {"evidence", finding.evidence},
                        {"speedup_at_most", rounded(finding.speedup_at_most)},
                        {"remedies", std::move(remedies)}});
  }
  return {{"summary", best->diagnosis->summary},
          {"missing", best->diagnosis->missing},
          {"findings", std::move(findings)}};
}

using Rows = std::vector<std::pair<std::string, std::string>>;

Json rows_json(const Rows& rows) {
  Json list = Json::array();
  for (const auto& [term, text] : rows) {
    list.push_back(Json::array({term, text}));
  }
  return list;
}

Json resources_json(const Record* best) {
  Rows rows;
  if (best != nullptr && best->resources) {
    const Resources& it = *best->resources;
    rows.emplace_back("Registers a thread", std::to_string(it.registers));
    rows.emplace_back("Spilled", format_bytes(static_cast<double>(it.spill_stores)) + " stored, " +
                                     format_bytes(static_cast<double>(it.spill_loads)) + " loaded");
    rows.emplace_back("Static shared memory a block",
                      format_bytes(static_cast<double>(it.static_shared)));
  }
  if (best != nullptr && !best->problems.empty()) {
    const Launch& launch = best->problems.front().launch;
    rows.emplace_back("Grid", to_string(launch.grid) + " blocks");
    rows.emplace_back("Block", to_string(launch.block) + " threads");
    rows.emplace_back("Dynamic shared memory a block",
                      format_bytes(static_cast<double>(launch.shared_bytes)));
  }
  if (best != nullptr && best->occupancy) {
    std::string limiters;
    for (const Resource resource : best->occupancy->limited_by) {
      limiters += (limiters.empty() ? "" : ", ") + std::string(to_string(resource));
    }
    rows.emplace_back("Occupancy",
                      fmt::format("{} ({} blocks, {} warps a multiprocessor)",
                                  format_percent(best->occupancy->fraction),
                                  best->occupancy->active_blocks, best->occupancy->active_warps));
    rows.emplace_back("Limited by", limiters);
  }
  return rows_json(rows);
}

Json environment_json(const Results& results) {
  std::string problems;
  for (const Problem& problem : results.problems) {
    problems += (problems.empty() ? "" : "; ") + to_string(problem);
  }
  return rows_json(
      {{"Device", results.device.name + " (" + std::string(to_string(results.device.kind)) + ")"},
       {"Environment", results.environment},
       {"rooftune", results.tool_version},
       {"Spec", results.spec_file.string() + ", hash " + results.spec_hash},
       {"Problem sizes", problems}});
}

}  // namespace

std::string report_data(const Results& results) {
  const Record* best = results.best();
  Json records = Json::array();
  for (const Record& record : results.records) {
    records.push_back(record_json(record, results.parameters));
  }
  const Json document = {
      {"name", results.spec_name},
      {"verdict", verdict(results)},
      {"stop", results.stop_text},
      {"device", {{"name", results.device.name}, {"kind", to_string(results.device.kind)}}},
      {"policy", results.policy},
      {"seed", results.seed},
      {"space_size", results.space_size},
      {"elapsed_seconds", rounded(results.elapsed_seconds)},
      {"best", best == nullptr ? 0 : best->number},
      {"roofs", roofs_json(results.device, best)},
      {"parameters", parameters_json(results)},
      {"records", std::move(records)},
      {"diagnosis", diagnosis_json(best)},
      {"resources", resources_json(best)},
      {"environment", environment_json(results)},
      {"command", results.command},
      {"spec_text", results.spec_text}};
  // Invalid UTF-8 (a device name, a path) becomes U+FFFD instead of an exception.
  std::string text = document.dump(-1, ' ', false, Json::error_handler_t::replace);
  // `</script>` or `<!--` inside a string would end the element; \u003c means the same to JSON.
  std::string safe;
  for (const char c : text) {
    safe += c == '<' ? "\\u003c" : std::string(1, c);
  }
  return safe;
}

}  // namespace rooftune
