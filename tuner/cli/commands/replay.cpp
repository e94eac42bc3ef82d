#include "tuner/session/replay.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>

#include "tuner/cli/commands.hpp"
#include "tuner/cli/replay/advice.hpp"
#include "tuner/cli/replay/formulas.hpp"
#include "tuner/core/error.hpp"
#include "tuner/core/units.hpp"
#include "tuner/report/convergence_svg.hpp"
#include "tuner/session/prior.hpp"
#include "tuner/session/recorded.hpp"

namespace rooftune::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

struct ReplayArguments {
  fs::path spec;
  fs::path recording;
  fs::path suite;
  std::string device;
  ReplayOptions options;
  fs::path svg;
  fs::path prior;
  bool advice = false;
  bool formulas = false;
  bool json = false;
};

/// A recording with everything that one replay needs.
struct Case {
  std::string name;
  Spec spec;
  Recording recording;
  DeviceProfile device;
};

Case open_case(const RecordedCase& recorded, const std::string& device, Io& io) {
  Case it;
  it.spec = load_spec(recorded.spec);
  it.recording = open_recording(recorded.recording);
  it.device = device.empty() ? recorded_device(it.recording) : load_device(device);
  it.name = recorded.name();
  for (const std::string& remark : it.recording.remarks) {
    io.err << recorded.recording.string() << ": " << remark << '\n';
  }
  return it;
}

/// What came of one recording.
struct CaseScores {
  std::string name;
  std::vector<PolicyScore> scores;
  double tightness = 0;
  std::uint64_t contradictions = 0;
};

CaseScores run_case(const Case& it, const ReplayArguments& arguments, Io& io) {
  const Space space(it.spec);
  const ReplayTable table(it.spec, space, it.recording, it.device);
  if (table.outside() > 0) {
    io.err << fmt::format("{}: {} recorded configurations are outside of the spec's rules\n",
                          it.name, table.outside());
  }
  const auto progress = [&](std::uint64_t done, std::uint64_t all) {
    if (io.err_is_terminal) {
      io.err << fmt::format("\r{}: {} of {} runs", it.name, done, all) << std::flush;
      io.err << (done == all ? "\n" : "");
    }
  };
  ReplayOptions options = arguments.options;
  if (!arguments.prior.empty()) {
    require_prior_user(options.policies);
    options.prior = load_prior(arguments.prior, it.spec, space);
  }
  return {it.name, replay(table, options, progress), table.tightness(), table.contradictions()};
}

Json distribution_json(const Distribution& it) {
  return {{"median", it.median},
          {"mean", it.mean},
          {"p10", it.p10},
          {"p90", it.p90},
          {"reached", it.reached}};
}

Json score_json(const PolicyScore& score) {
  Json to = Json::object();
  for (auto target = score.to.rbegin(); target != score.to.rend(); ++target) {
    to[target->first] = distribution_json(target->second);
  }
  return {{"policy", score.policy},
          {"repeats", score.repeats},
          {"budget", score.budget},
          {"score", score.score},
          {"score_ci", {score.score_low, score.score_high}},
          {"to", to}};
}

std::string row(const std::string& name, const PolicyScore& score) {
  const auto cell = [&](const char* target) {
    const Distribution& it = score.to.at(target);
    return fmt::format("{:7.1f} ({:3.0f}%)", it.mean, it.reached * 100);
  };
  return fmt::format("{:<28} {:<12} {:6} {:6.3f} [{:6.3f}, {:6.3f}] {} {} {} {}\n", name,
                     score.policy, score.budget, score.score, score.score_low, score.score_high,
                     cell("1.20"), cell("1.10"), cell("1.05"), cell("1.01"));
}

std::string heading() {
  return fmt::format("{:<28} {:<12} {:>6} {:>6} {:<16} {:>14} {:>14} {:>14} {:>14}\n", "recording",
                     "policy", "budget", "score", " 95% interval", "to 20%", "to 10%", "to 5%",
                     "to 1%");
}

/// How much of the recorded optimum can be proved: what a stop by proof rests on.
std::string proof_line(const CaseScores& it) {
  if (it.contradictions > 0) {
    return fmt::format(
        "{:<28} {} configurations are faster than their lower bound: a formula, or "
        "the device's profile, is wrong\n",
        it.name, it.contradictions);
  }
  return fmt::format("{:<28} {}\n", it.name,
                     it.tightness > 0 ? format_percent(it.tightness) : "nothing is provable");
}

void print_table(const std::vector<CaseScores>& all, Io& io) {
  io.out << "Mean unique evaluations until within x% of the optimum (share of runs that got "
            "there).\n";
  io.out << heading();
  for (const CaseScores& it : all) {
    for (const PolicyScore& score : it.scores) {
      io.out << row(it.name, score);
    }
  }
  for (std::size_t p = 0; all.size() > 1 && p < all.front().scores.size(); ++p) {
    double sum = 0;
    for (const CaseScores& it : all) {
      sum += it.scores[p].score;
    }
    io.out << fmt::format("{:<28} {:<12} {:>6} {:6.3f}\n", "mean of all",
                          all.front().scores[p].policy, "", sum / static_cast<double>(all.size()));
  }
  io.out
      << "\nLeast time that is proved possible anywhere in the space, of the recorded optimum.\n";
  for (const CaseScores& it : all) {
    io.out << proof_line(it);
  }
}

void print_json(const std::vector<CaseScores>& all, bool suite, Io& io) {
  Json document = Json::array();
  for (const CaseScores& it : all) {
    for (const PolicyScore& score : it.scores) {
      Json entry = score_json(score);
      if (suite) {
        entry["recording"] = it.name;
      }
      document.push_back(std::move(entry));
    }
  }
  io.out << document.dump(2) << '\n';
}

int run_advice(const std::vector<RecordedCase>& cases, const ReplayArguments& arguments, Io& io) {
  std::vector<RecordedAdvice> all;
  for (const RecordedCase& recorded : cases) {
    const Case it = open_case(recorded, arguments.device, io);
    for (RecordedAdvice& one : advice_of(it.name, it.spec, it.recording, it.device)) {
      all.push_back(std::move(one));
    }
  }
  if (arguments.json) {
    io.out << advice_json(all).dump(2) << '\n';
  } else {
    print_advice(all, io.out);
  }
  return 0;
}

/// In a suite, recordings that hold nothing to compare are left out with a word.
int run_formulas(const std::vector<RecordedCase>& cases, const ReplayArguments& arguments, Io& io) {
  std::vector<FormulaReport> reports;
  for (const RecordedCase& recorded : cases) {
    const Spec spec = load_spec(recorded.spec);
    const Recording recording = open_recording(recorded.recording);
    try {
      FormulaReport report{recorded.name(), check_formulas(spec, Space(spec), recording), {}};
      report.unchecked = unchecked_formulas(spec, report.checks);
      reports.push_back(std::move(report));
    } catch (const InputError& error) {
      if (arguments.suite.empty()) {
        throw;
      }
      io.err << "left out: " << error.problem() << '\n';
    }
  }
  if (arguments.json) {
    Json document = Json::array();
    for (const FormulaReport& report : reports) {
      document.push_back(formulas_json(report));
    }
    io.out << document.dump(2) << '\n';
  } else {
    print_formulas(reports, io.out);
  }
  return formulas_status(reports);
}

int run_replay(const ReplayArguments& arguments, Io& io) {
  std::vector<RecordedCase> cases;
  if (arguments.suite.empty()) {
    cases.push_back({arguments.spec, arguments.recording});
  } else {
    cases = recorded_cases(arguments.suite);
    if (cases.empty()) {
      throw InputError(
          fmt::format("{}: holds no recording with a spec in configs/recorded",
                      arguments.suite.string()),
          "a recording FOLDER/STEM-DEVICE.json.gz needs configs/recorded/FOLDER/STEM.yaml");
    }
  }
  if (arguments.advice) {
    return run_advice(cases, arguments, io);
  }
  if (arguments.formulas) {
    return run_formulas(cases, arguments, io);
  }
  std::vector<CaseScores> all;
  for (const RecordedCase& recorded : cases) {
    const Case it = open_case(recorded, arguments.device, io);
    all.push_back(run_case(it, arguments, io));
  }
  if (!arguments.svg.empty()) {
    std::ofstream(arguments.svg) << convergence_svg(all.front().scores, all.front().name);
    io.err << "wrote " << arguments.svg.string() << '\n';
  }
  if (arguments.json) {
    print_json(all, !arguments.suite.empty(), io);
  } else {
    print_table(all, io);
  }
  return 0;
}

}  // namespace

void add_replay(CLI::App& app, Action& action) {
  auto arguments = std::make_shared<ReplayArguments>();
  CLI::App* command =
      app.add_subcommand("replay", "search a recorded space many times, and compare policies");
  command->footer(
      "examples:\n"
      "  rooftune replay configs/recorded/ktt/coulomb3d.yaml coulomb3d-RTX_2080_Ti.json.gz\n"
      "  rooftune replay SPEC RECORDING --policy roofline,random --repeats 50 --svg curves.svg\n"
      "  rooftune replay SPEC A100.json.gz --prior A4000.json.gz\n"
      "  rooftune replay SPEC RECORDING --advice\n"
      "  rooftune replay SPEC RECORDING --formulas\n"
      "  rooftune replay --suite recordings/ --policy roofline,random --json");
  auto* spec = command->add_option("SPEC", arguments->spec, "the spec of the recorded kernel");
  auto* recording =
      command->add_option("RECORDING", arguments->recording,
                          "results of rooftune, Kernel Tuner cache, T4 or KTT results; "
                          "plain or gzip");
  spec->needs(recording);
  auto* suite = command->add_option("--suite", arguments->suite,
                                    "every recording below FOLDER that has a spec in "
                                    "configs/recorded");
  suite->excludes(spec);
  command->add_option("--policy", arguments->options.policies, "policies, with commas between")
      ->delimiter(',');
  command->add_option("--repeats", arguments->options.repeats, "runs of each policy")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{100000}))
      ->capture_default_str();
  command->add_option("--seed", arguments->options.seed, "of the first run")->capture_default_str();
  command->add_option("--jobs", arguments->options.jobs, "threads (default: all cores)");
  command->add_option("--device", arguments->device,
                      "the recorded device, where its name is not recognised");
  command->add_option("--svg", arguments->svg, "write the convergence curves to FILE");
  command
      ->add_option("--prior", arguments->prior,
                   "results or a recording of another device or size, for the policy roofline")
      ->excludes(suite);
  command->add_flag("--advice", arguments->advice,
                    "no search: how often the steps that the diagnosis recommends gain, against "
                    "all steps");
  command
      ->add_flag(
          "--formulas", arguments->formulas,
          "no search: the spec's formulas against recorded counters, registers and launches; "
          "exit status 1 where one is scaled or unrelated")
      ->excludes("--advice");
  command->add_flag("--json", arguments->json, "one JSON array, an object per policy");
  command->callback([arguments, spec, suite, &action] {
    if (spec->empty() && suite->empty()) {
      throw CLI::RequiredError("SPEC RECORDING or --suite FOLDER");
    }
    action = [arguments](Io& io) {
      ReplayArguments given = *arguments;
      if (given.options.policies.empty()) {
        given.options.policies = {policy_names().front()};
      }
      return run_replay(given, io);
    };
  });
}

}  // namespace rooftune::cli
