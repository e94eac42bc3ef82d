#include <fmt/format.h>

#include <fstream>
#include <memory>
#include <ostream>

#include "tuner/cli/commands.hpp"
#include "tuner/cli/roofline/answer.hpp"
#include "tuner/cli/roofline/device_option.hpp"
#include "tuner/cli/roofline/question.hpp"
#include "tuner/core/error.hpp"
#include "tuner/report/report.hpp"

namespace rooftune::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* roofline_examples =
    "Examples:\n"
    "  rooftune roofline --device h100-sxm --flops '2*4096**3' --bytes '3*2*4096**2' \\\n"
    "                    --precision bf16.tensor --time 0.25ms\n"
    "  rooftune roofline --peak 30e12 --bandwidth 768e9 --flops '2*4096**3' --bytes '12*4096**2'\n"
    "  rooftune roofline --device rtx-3090 --flops fp32=1e12 --bytes 4e9 --traffic shared=3e12 \\\n"
    "                    --time 60ms --json\n"
    "  rooftune roofline out/sgemm/results.json --svg sgemm.svg\n"
    "Amounts are of one launch. Figures are expressions of the spec's language. Without a time "
    "the\n"
    "answer is what is attainable.";

void write_file(const std::string& file, const std::string& text) {
  std::ofstream out(file);
  out << text;
  out.close();
  if (!out) {
    throw InputError(fmt::format("{}: cannot be written", file),
                     "check that the folder exists and may be written to");
  }
}

/// The figure of one kernel given by numbers.
std::string number_svg(const Answer& answer, const RooflineQuestion& question) {
  std::vector<PlotPoint> points;
  for (const LevelPlacement& level : answer.placement.levels) {
    if (level.level == Level::dram && level.unit == question.unit && answer.seconds > 0) {
      const bool near = answer.diagnosis.verdict == Diagnosis::Verdict::near_ceiling;
      const bool known = answer.diagnosis.verdict == Diagnosis::Verdict::bound;
      points.push_back(
          {fmt::format("{} in {}", to_string(level.unit), format_seconds(answer.seconds)),
           level.intensity, level.intensity * answer.placement.achieved_dram, PlotPoint::Kind::best,
           near    ? "near_ceiling"
           : known ? std::string(to_string(answer.diagnosis.findings.front().bound))
                   : ""});
    }
  }
  return roofline_svg(answer.device, question.unit, points, answer.device.name);
}

int answer_question(const RooflineQuestion& question, const RooflineOutput& output, Io& io) {
  DeviceProfile device;
  if (question.device.empty()) {
    device.id = device.name = "given roofs";
  } else {
    device = device_with_roofs(question.device, io);
  }
  device.roofs.insert(device.roofs.end(), question.roofs.begin(), question.roofs.end());
  const Answer answer = answer_for(question.input, device);
  if (!output.svg.empty()) {
    write_file(output.svg, number_svg(answer, question));
  }
  if (output.json) {
    io.out << answer_json(answer).dump(2) << '\n';
  } else {
    io.out << device.name << ": ";
    print_answer(answer, io.out);
  }
  return 0;
}

/// A record's first problem, as an answer. Absent where it was not placed.
std::optional<Answer> answer_of(const Record& record, const DeviceProfile& device) {
  if (record.problems.empty()) {
    return std::nullopt;
  }
  const std::optional<Placement>& placement = record.problems.front().placement;
  const std::optional<Measurement>& measurement = record.problems.front().measurement;
  if (!placement || !measurement) {
    return std::nullopt;
  }
  const double seconds = measurement->seconds;
  return Answer{device,
                placement->achieved_flops * seconds,
                placement->achieved_dram * seconds,
                seconds,
                *placement,
                record.diagnosis.value_or(Diagnosis{})};
}

Json record_json(const Record& record, const DeviceProfile& device) {
  Json parameters = Json::object();
  for (const NamedValue& parameter : record.parameters) {
    parameters[parameter.name] = parameter.value.to_string();
  }
  const auto answer = answer_of(record, device);
  return {{"number", record.number},
          {"parameters", parameters},
          {"placement", answer ? answer_json(*answer) : Json(nullptr)}};
}

Json results_json(const Results& results) {
  const Record* best = results.best();
  const auto answer = best == nullptr ? std::nullopt : answer_of(*best, results.device);
  Json json = answer ? answer_json(*answer) : Json{{"device", results.device.name}};
  Json records = Json::array();
  for (const Record& record : results.records) {
    if (record.outcome == Outcome::ok) {
      records.push_back(record_json(record, results.device));
    }
  }
  json["best"] = best == nullptr ? Json(nullptr) : Json(best->number);
  json["records"] = std::move(records);
  return json;
}

void print_results(const Results& results, Io& io) {
  const Record* best = results.best();
  if (best == nullptr) {
    io.out << results.spec_name << ": no configuration succeeded\n";
    return;
  }
  for (const Record* record : {best, results.baseline_record()}) {
    const auto answer = record == nullptr ? std::nullopt : answer_of(*record, results.device);
    if (answer) {
      io.out << fmt::format("{}{} on {}: {}\n",
                            record == best ? "" : "\nbaseline: ", results.spec_name,
                            results.device.name, to_string(record->parameters));
      print_answer(*answer, io.out);
    }
  }
}

int answer_results(const std::string& file, const RooflineOutput& output, Io& io) {
  const Results results = read_results(file);
  if (!output.svg.empty()) {
    write_file(output.svg, roofline_svg(results));
  }
  if (output.json) {
    io.out << results_json(results).dump(2) << '\n';
  } else {
    print_results(results, io);
  }
  return 0;
}

void add_options(CLI::App& command, RooflineNumbers& numbers, RooflineOutput& output) {
  command.add_option("results", numbers.results, "results.json of a run, instead of numbers")
      ->type_name("FILE");
  command.add_option("--device", numbers.device, "host, a known device, or a device file")
      ->type_name("host|ID|FILE");
  command.add_option("--peak", numbers.peak, "peak of --precision, FLOP/s, before the device's")
      ->type_name("EXPR");
  command.add_option("--bandwidth", numbers.bandwidth, "of DRAM, byte/s, before the device's")
      ->type_name("EXPR");
  command
      .add_option("--flops", numbers.flops,
                  "operations, of --precision or of the unit named; may be repeated")
      ->allow_extra_args(false)
      ->type_name("[UNIT=]EXPR");
  command.add_option("--precision", numbers.precision, "fp32, fp16.tensor, ...")
      ->capture_default_str()
      ->type_name("UNIT");
  command.add_option("--bytes", numbers.bytes, "compulsory bytes of DRAM: each once")
      ->type_name("EXPR");
  command
      .add_option("--traffic", numbers.traffic,
                  "bytes that this kernel moves at a level; may be repeated")
      ->allow_extra_args(false)
      ->type_name("LEVEL=EXPR");
  command.add_option("--time", numbers.time, "of one launch: 1.2ms, 45us")->type_name("TIME");
  command.add_flag("--json", output.json, "one JSON document");
  command.add_option("--svg", output.svg, "also write the figure to a file")->type_name("FILE");
}

}  // namespace

void add_roofline(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand(
      "roofline", "place a kernel on a device's roofline, from numbers or from results");
  command->footer(roofline_examples);
  auto numbers = std::make_shared<RooflineNumbers>();
  auto output = std::make_shared<RooflineOutput>();
  add_options(*command, *numbers, *output);
  command->callback([numbers, output, &action] {
    if (!numbers->results.empty()) {
      refuse_numbers_beside_results(*numbers);
      action = [numbers, output](Io& io) { return answer_results(numbers->results, *output, io); };
      return;
    }
    const RooflineQuestion question = parse_question(*numbers);
    action = [question, output](Io& io) { return answer_question(question, *output, io); };
  });
}

}  // namespace rooftune::cli
