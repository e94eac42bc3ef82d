#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>

#include "tuner/cli/commands.hpp"
#include "tuner/cli/comparison.hpp"
#include "tuner/cli/results_argument.hpp"

namespace rooftune::cli {
namespace {

struct Compare {
  std::string a;
  std::string b;
  bool json = false;
};

nlohmann::ordered_json to_json(const Comparison& comparison) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::object();
  for (const ComparisonRow& row : comparison.rows) {
    rows[row.what] = {{"a", row.a}, {"b", row.b}};
  }
  nlohmann::ordered_json json = {{"rows", rows},
                                 {"noise", comparison.noise},
                                 {"caveats", comparison.caveats},
                                 {"verdict", comparison.verdict}};
  json["speedup"] = comparison.speedup ? nlohmann::ordered_json(*comparison.speedup) : nullptr;
  return json;
}

int run_compare(const Compare& options, Io& io) {
  const Comparison comparison = compare(load_results(options.a), load_results(options.b));
  io.out << (options.json ? to_json(comparison).dump(2) + "\n" : to_text(comparison));
  return comparison.speedup ? 0 : 1;
}

}  // namespace

void add_compare(CLI::App& app, Action& action) {
  CLI::App* command =
      app.add_subcommand("compare", "two results side by side: speed, configuration, bound");
  const auto options = std::make_shared<Compare>();
  command->add_option("A", options->a, "results.json, or the folder of a run")->required();
  command->add_option("B", options->b, "the same of the other run")->required();
  command->add_flag("--json", options->json, "one JSON document");
  command->footer(
      "Rows that differ are marked by *. A difference within the noise is called none.\n\n"
      "Examples:\n"
      "  rooftune compare out/sgemm out/try\n"
      "  rooftune compare before/results.json after/results.json --json");
  command->callback(
      [&action, options] { action = [options](Io& io) { return run_compare(*options, io); }; });
}

}  // namespace rooftune::cli
