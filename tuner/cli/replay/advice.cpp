#include "tuner/cli/replay/advice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>

#include "tuner/cli/table.hpp"
#include "tuner/core/units.hpp"

namespace rooftune::cli {
namespace {

using Json = nlohmann::ordered_json;

double share(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

std::vector<std::string> cells(const AdviceRow& row) {
  const std::string any = format_percent(share(row.improved, row.steps));
  const std::string advised =
      row.recommended == 0 ? "" : format_percent(share(row.recommended_improved, row.recommended));
  return {row.diagnosis,
          format_count(row.points),
          format_count(row.steps),
          any,
          format_count(row.recommended),
          advised,
          row.lift ? fmt::format("{:.2f}", *row.lift) : "",
          row.lift ? fmt::format("[{:.2f}, {:.2f}]", row.lift_low, row.lift_high) : ""};
}

Json row_json(const AdviceRow& row) {
  Json json = {{"diagnosis", row.diagnosis},
               {"points", row.points},
               {"steps", row.steps},
               {"improved", row.improved},
               {"recommended", row.recommended},
               {"recommended_improved", row.recommended_improved},
               {"lift", nullptr},
               {"lift_ci", nullptr}};
  if (row.lift) {
    json["lift"] = *row.lift;
    json["lift_ci"] = {row.lift_low, row.lift_high};
  }
  return json;
}

}  // namespace

std::vector<RecordedAdvice> advice_of(const std::string& name, const Spec& spec,
                                      const Recording& recording, const DeviceProfile& device) {
  const Space space(spec);
  std::vector<RecordedAdvice> advice;
  advice.push_back({name, "model", measure_advice(spec, space, recording, device, false)});
  const bool counted = std::any_of(recording.points.begin(), recording.points.end(),
                                   [](const auto& point) { return !point.counters.empty(); });
  if (counted) {
    advice.push_back({name, "counters", measure_advice(spec, space, recording, device, true)});
  }
  return advice;
}

void print_advice(const std::vector<RecordedAdvice>& advice, std::ostream& out) {
  out << "Steps of one parameter that gain more than 2%: of all steps, and of those that the\n"
         "diagnosis recommends. Lift: the one chance over the other, with its 95% interval.\n";
  for (const RecordedAdvice& one : advice) {
    out << fmt::format("\n{}, diagnosed by {}\n", one.recording,
                       one.evidence == "model" ? "time and model" : "counters, time and model");
    Table table({{"diagnosis"},
                 {"points", Table::Align::right},
                 {"steps", Table::Align::right},
                 {"gain", Table::Align::right},
                 {"recommended", Table::Align::right},
                 {"gain", Table::Align::right},
                 {"lift", Table::Align::right},
                 {"95% interval"}});
    for (const AdviceRow& row : one.report.rows) {
      table.add(cells(row));
    }
    table.add(cells(one.report.all));
    table.print(out);
  }
}

Json advice_json(const std::vector<RecordedAdvice>& advice) {
  Json json = Json::array();
  for (const RecordedAdvice& one : advice) {
    Json rows = Json::array();
    for (const AdviceRow& row : one.report.rows) {
      rows.push_back(row_json(row));
    }
    json.push_back({{"recording", one.recording},
                    {"evidence", one.evidence},
                    {"all", row_json(one.report.all)},
                    {"by_diagnosis", rows}});
  }
  return json;
}

}  // namespace rooftune::cli
