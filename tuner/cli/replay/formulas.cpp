#include "tuner/cli/replay/formulas.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>

#include "tuner/cli/table.hpp"
#include "tuner/codec/codec.hpp"
#include "tuner/core/units.hpp"

namespace rooftune::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string verdict_text(const FormulaCheck& check) {
  switch (check.verdict) {
    case FormulaVerdict::agrees:
      return "agrees within " + format_percent(check.error);
    case FormulaVerdict::scaled:
      return fmt::format("scaled by {:.3g}", check.median);
    case FormulaVerdict::follows:
      return "follows in order, not in size";
    default:
      return "unrelated";
  }
}

Json check_json(const FormulaCheck& check) {
  Json json = {{"amount", check.amount},
               {"formula", check.formula},
               {"counter", check.counter},
               {"verdict", to_string(check.verdict)},
               {"configurations", check.configurations},
               {"one_sided", check.one_sided},
               {"spilled", check.spilled},
               {"ratio", {{"median", check.median}, {"p10", check.p10}, {"p90", check.p90}}},
               {"error", check.error},
               {"rank_correlation", nullptr},
               {"worst", nullptr}};
  if (check.correlation) {
    json["rank_correlation"] = *check.correlation;
  }
  if (!check.worst.empty()) {
    json["worst"] = {{"ratio", check.worst_ratio},
                     {"parameters", codec::encode_values(check.worst)}};
  }
  return json;
}

void print_report(const FormulaReport& report, std::ostream& out) {
  Table table({{"formula"},
               {"against"},
               {"configurations", Table::Align::right},
               {"median", Table::Align::right},
               {"p10", Table::Align::right},
               {"p90", Table::Align::right},
               {"ranks", Table::Align::right},
               {"verdict"}});
  for (const FormulaCheck& check : report.checks) {
    table.add({check.formula, check.counter, format_count(check.configurations),
               fmt::format("{:.3f}", check.median), fmt::format("{:.3f}", check.p10),
               fmt::format("{:.3f}", check.p90),
               check.correlation ? fmt::format("{:.2f}", *check.correlation) : "",
               verdict_text(check)});
  }
  out << report.name << '\n';
  if (report.checks.empty()) {
    out << "  nothing to check: no formula of the spec is about what was counted\n";
  } else {
    table.print(out);
  }
  for (const FormulaCheck& check : report.checks) {
    if (check.one_sided > 0) {
      out << fmt::format("  {}: in {} configurations one side is zero and the other is not\n",
                         check.formula, format_count(check.one_sided));
    }
    if (check.spilled > 0) {
      out << fmt::format("  {}: {} more configurations use local memory and are left out\n",
                         check.formula, format_count(check.spilled));
    }
    if (!check.worst.empty() && (check.worst_ratio > 1.1 || check.worst_ratio < 1 / 1.1)) {
      out << fmt::format("  {}: {:.3g} times what was counted at {}\n", check.formula,
                         check.worst_ratio, to_string(check.worst));
    }
  }
  if (!report.unchecked.empty()) {
    out << fmt::format("  not checked, since nothing counts it here: {}\n",
                       fmt::join(report.unchecked, ", "));
  }
}

}  // namespace

void print_formulas(const std::vector<FormulaReport>& reports, std::ostream& out) {
  out << "Amounts by the spec's formulas over what was counted: median, 10th and 90th percentile\n"
         "over configurations, rank correlation, and the configuration that is farthest off.\n";
  for (const FormulaReport& report : reports) {
    out << '\n';
    print_report(report, out);
  }
}

Json formulas_json(const FormulaReport& report) {
  Json checks = Json::array();
  for (const FormulaCheck& check : report.checks) {
    checks.push_back(check_json(check));
  }
  return {{"name", report.name}, {"formulas", checks}, {"unchecked", report.unchecked}};
}

int formulas_status(const std::vector<FormulaReport>& reports) {
  return std::any_of(reports.begin(), reports.end(), [](const FormulaReport& report) {
    return std::any_of(report.checks.begin(), report.checks.end(), [](const FormulaCheck& check) {
      return check.verdict == FormulaVerdict::scaled || check.verdict == FormulaVerdict::unrelated;
    });
  });
}

}  // namespace rooftune::cli
