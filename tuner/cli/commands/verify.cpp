// rooftune verify: proves configurations right on the host device before a GPU sees them.
#include <fmt/format.h>

#include <algorithm>
#include <future>
#include <memory>
#include <ostream>
#include <random>

#include "tuner/cli/commands.hpp"
#include "tuner/cli/replay/formulas.hpp"
#include "tuner/cli/spec_argument.hpp"
#include "tuner/core/error.hpp"
#include "tuner/core/units.hpp"
#include "tuner/device/host/host_device.hpp"
#include "tuner/session/fields.hpp"
#include "tuner/space/space.hpp"
#include "tuner/spec/instance.hpp"

namespace rooftune::cli {
namespace {

using codec::Json;

struct Verify {
  SpecArgument spec;
  std::string sample = "16";
  bool sanitize = false;
  bool race = false;
  bool formulas = false;
  std::uint64_t seed = 1;
  double timeout = 60;
  bool json = false;
};

/// One way to run a kernel, with a name for people.
struct Mode {
  std::string name;
  HostOptions options;
};

std::vector<Mode> modes_of(const Verify& verify) {
  std::vector<Mode> modes;
  if (verify.sanitize) {
    modes.push_back({"sanitize", {HostBuild::check, 0, {}, true}});
  }
  if (verify.race) {
    modes.push_back({"race", {HostBuild::race, 0, {}, true}});
  }
  if (verify.formulas) {
    modes.push_back({"count", {HostBuild::count, 0, {}, true}});
  }
  if (modes.empty()) {
    modes.push_back({"plain", {HostBuild::time, 0, {}, true}});
  }
  return modes;
}

/// A configuration at one size of the problem, in one mode.
struct Trial {
  const Mode* mode = nullptr;
  NamedValues parameters;
  Problem problem;
  std::optional<Failure> failure;
  bool compared = false;
  double max_error = 0;
  Counters counters;  ///< of the mode that counts

  /// A configuration that cannot be built or launched is not wrong: tuning leaves it out.
  bool tried() const {
    return !failure || failure->outcome == Outcome::wrong_result ||
           failure->outcome == Outcome::crashed || failure->outcome == Outcome::timed_out;
  }
  bool wrong() const { return failure && tried(); }
};

std::vector<Configuration> choose(const Space& space, const Verify& verify) {
  std::uint64_t count = space.size();
  if (verify.sample != "all") {
    count = std::min<std::uint64_t>(count, std::stoull(verify.sample));
  }
  std::mt19937_64 random(verify.seed);
  return space.sample(count, random);
}

class Prover {
 public:
  Prover(const Verify& verify, const Spec& spec, Io& io) : verify_(verify), spec_(spec), io_(io) {}

  std::vector<Trial> run(const std::vector<Mode>& modes,
                         const std::vector<Configuration>& configurations, const Space& space) {
    const std::size_t all = modes.size() * configurations.size() * spec_.problems.size();
    for (const Mode& mode : modes) {
      const std::unique_ptr<Device> device = make_host_device(mode.options);
      std::vector<Trial> trials;
      for (const Configuration& configuration : configurations) {
        for (const Problem& problem : spec_.problems) {
          trials.push_back({&mode, space.values(configuration), problem, {}, false, 0, {}});
        }
      }
      prove(*device, trials, all);
    }
    return std::move(done_);
  }

 private:
  /// Compiles ahead on the device's threads while kernels run on this one.
  void prove(Device& device, std::vector<Trial>& trials, std::size_t all) {
    std::vector<std::future<CompileResult>> compiled(trials.size());
    std::size_t started = 0;
    for (std::size_t i = 0; i < trials.size(); ++i) {
      for (; started < trials.size() && started < i + 2 * device.compile_jobs(); ++started) {
        compiled[started] = std::async(
            std::launch::async,
            [&device, kernel = instance(trials[started])] { return device.compile(kernel); });
      }
      Trial& trial = trials[i];
      finish(device, trial, compiled[i].get());
      done_.push_back(std::move(trial));
      show_progress(all);
    }
  }

  KernelInstance instance(const Trial& trial) const {
    return instantiate(spec_, trial.parameters, trial.problem);
  }

  void finish(Device& device, Trial& trial, const CompileResult& compiled) {
    if (const auto* failure = std::get_if<Failure>(&compiled)) {
      trial.failure = *failure;
      return;
    }
    MeasureOptions options;
    options.timeout_seconds = verify_.timeout;
    options.seed = verify_.seed;
    const MeasureResult result =
        device.measure(instance(trial), std::get<KernelBinary>(compiled), options);
    if (const auto* failure = std::get_if<Failure>(&result)) {
      trial.failure = *failure;
    } else {
      trial.compared = std::get<Measurement>(result).verified;
      trial.max_error = std::get<Measurement>(result).max_error;
      trial.counters = std::get<Measurement>(result).counters;
    }
  }

  void show_progress(std::size_t all) {
    if (io_.err_is_terminal) {
      io_.err << fmt::format("\r{} of {}: {} wrong", done_.size(), all,
                             std::count_if(done_.begin(), done_.end(),
                                           [](const Trial& trial) { return trial.wrong(); }))
              << (done_.size() == all ? "\n" : "") << std::flush;
    }
  }

  const Verify& verify_;
  const Spec& spec_;
  Io& io_;
  std::vector<Trial> done_;
};

/// "BM=64 BN=64" and, where the spec has several sizes, " at M=512".
std::string title(const Trial& trial, const Spec& spec) {
  std::string text = to_string(trial.parameters);
  if (spec.problems.size() > 1) {
    text += " at " + to_string(trial.problem);
  }
  return text;
}

void print_failures(std::ostream& out, const std::vector<Trial>& trials, const Spec& spec,
                    bool wrong) {
  for (const Trial& trial : trials) {
    if (trial.failure && trial.wrong() == wrong) {
      out << fmt::format("  {}\n    {} ({}): {}\n", title(trial, spec),
                         to_string(trial.failure->outcome), trial.mode->name,
                         trial.failure->reason);
    }
  }
}

struct Count {
  std::size_t right = 0;
  std::size_t wrong = 0;
  std::size_t untried = 0;
  bool compared = false;
  double max_error = 0;
};

Count count(const std::vector<Trial>& trials) {
  Count count;
  for (const Trial& trial : trials) {
    ++(trial.wrong() ? count.wrong : trial.tried() ? count.right : count.untried);
    count.compared = count.compared || trial.compared;
    count.max_error = std::max(count.max_error, trial.max_error);
  }
  return count;
}

void print(std::ostream& out, const std::vector<Trial>& trials, const Spec& spec,
           std::uint64_t configurations, std::uint64_t space_size) {
  const Count counted = count(trials);
  if (counted.wrong > 0) {
    out << "wrong:\n";
    print_failures(out, trials, spec, true);
  }
  if (counted.untried > 0) {
    out << "not tried, since they cannot be built or launched:\n";
    print_failures(out, trials, spec, false);
  }
  out << fmt::format("{}: {} of {} configurations in {} runs: {} right, {} wrong", spec.name,
                     format_count(configurations), format_count(space_size), trials.size(),
                     counted.right, counted.wrong);
  if (counted.untried > 0) {
    out << fmt::format(", {} not tried", counted.untried);
  }
  if (counted.compared) {
    out << fmt::format("; largest error {:.2g}", counted.max_error);
  }
  out << '\n';
}

Json to_json(const std::vector<Trial>& trials, const Spec& spec, std::uint64_t configurations,
             std::uint64_t space_size) {
  const Count counted = count(trials);
  Json json = {{"spec", spec.name},
               {"space_size", space_size},
               {"configurations", configurations},
               {"right", counted.right},
               {"wrong", counted.wrong},
               {"not_tried", counted.untried},
               {"compared", counted.compared},
               {"max_error", counted.max_error},
               {"failures", Json::array()}};
  for (const Trial& trial : trials) {
    if (trial.failure) {
      json["failures"].push_back({{"parameters", codec::encode_values(trial.parameters)},
                                  {"problem", codec::encode_values(trial.problem)},
                                  {"mode", trial.mode->name},
                                  {"outcome", to_string(trial.failure->outcome)},
                                  {"reason", trial.failure->reason},
                                  {"log", trial.failure->log}});
    }
  }
  return json;
}

/// The spec's formulas against what the count build counted.
FormulaReport formula_report(const std::vector<Trial>& trials, const Spec& spec) {
  FormulaTally tally;
  for (const Trial& trial : trials) {
    if (!trial.failure && !trial.counters.empty()) {
      const Geometry geometry = evaluate_geometry(spec, trial.parameters, trial.problem);
      tally.add(trial.parameters, compare_amounts(geometry, {trial.counters, {}, {}}));
    }
  }
  FormulaReport report{spec.name, tally.checks(), {}};
  report.unchecked = unchecked_formulas(spec, report.checks);
  return report;
}

int run_verify(const Verify& verify, Io& io) {
  const Spec spec = verify.spec.load();
  if (!spec.kernel) {
    throw InputError(fmt::format("{} has no kernel to verify", spec.file.string()),
                     "a spec that is only replayed has none");
  }
  if (!spec.verify) {
    io.err << "warning: the spec has no verify section; faults are looked for, but results are not "
              "compared\n";
  }
  const Space space(spec);
  const std::vector<Configuration> configurations = choose(space, verify);
  const std::vector<Mode> modes = modes_of(verify);
  const std::vector<Trial> trials = Prover(verify, spec, io).run(modes, configurations, space);
  std::vector<FormulaReport> formulas;
  if (verify.formulas) {
    formulas.push_back(formula_report(trials, spec));
  }
  if (verify.json) {
    Json json = to_json(trials, spec, configurations.size(), space.size());
    for (const FormulaReport& report : formulas) {
      json.update(formulas_json(report));
    }
    io.out << codec::dump(json, true) << '\n';
  } else {
    if (verify.formulas) {
      print_formulas(formulas, io.out);
      io.out << '\n';
    }
    print(io.out, trials, spec, configurations.size(), space.size());
  }
  const Count counted = count(trials);
  return counted.wrong == 0 && counted.right > 0 ? formulas_status(formulas) : 1;
}

std::string check_sample(const std::string& text) {
  const bool number = !text.empty() && text.size() < 19 &&
                      text.find_first_not_of("0123456789") == std::string::npos && text != "0";
  return number || text == "all" ? "" : "a number of configurations, or `all`";
}

}  // namespace

void add_verify(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("verify", "prove configurations right on the host device");
  const auto verify = std::make_shared<Verify>();
  add_spec_argument(*command, verify->spec);
  command->add_option("--sample", verify->sample, "how many configurations, or `all`")
      ->capture_default_str()
      ->check(CLI::Validator(check_sample, "N|all"));
  command->add_flag("--sanitize", verify->sanitize,
                    "with AddressSanitizer and UndefinedBehaviorSanitizer");
  command->add_flag("--race", verify->race,
                    "with ThreadSanitizer: missing barriers and missing atomics");
  command->add_flag("--formulas", verify->formulas,
                    "count every access to memory, and hold the spec's traffic formulas against "
                    "that; the exit status is 1 where one is scaled or unrelated");
  command->add_option("--seed", verify->seed, "of the sample and of the input data")
      ->capture_default_str();
  command->add_option("--timeout", verify->timeout, "seconds that a launch may take")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  command->add_flag("--json", verify->json, "one JSON document");
  command->footer(
      "Threads run in a permuted order, and shared memory starts as not-a-number. The sanitizers\n"
      "make kernels 10 to 100 times slower: give them a small problem with --set. The exit status\n"
      "is 1 where a configuration is wrong.\n\n"
      "Examples:\n"
      "  rooftune verify configs/kernels/sgemm.yaml\n"
      "  rooftune verify sgemm.yaml --sample all --set M=64 --set N=64 --set K=64\n"
      "  rooftune verify sgemm.yaml --sanitize --race --set M=64 --set N=64 --set K=64\n"
      "  rooftune verify sgemm.yaml --formulas --set M=256 --set N=256 --set K=256");
  command->callback(
      [&action, verify] { action = [verify](Io& io) { return run_verify(*verify, io); }; });
}

}  // namespace rooftune::cli
