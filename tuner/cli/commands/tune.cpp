#include <fmt/format.h>

#include <memory>
#include <ostream>

#include "tuner/cli/commands.hpp"
#include "tuner/cli/interrupt.hpp"
#include "tuner/cli/progress.hpp"
#include "tuner/cli/spec_argument.hpp"
#include "tuner/core/error.hpp"
#include "tuner/report/report.hpp"
#include "tuner/session/crash_note.hpp"
#include "tuner/session/files.hpp"
#include "tuner/session/session.hpp"

namespace rooftune::cli {
namespace {

struct Tune {
  SpecArgument spec;
  std::string device = "auto";
  std::string policy = policy_names().front();
  std::optional<std::uint64_t> evaluations;
  std::optional<double> seconds;
  std::uint64_t seed = 1;
  bool resume = false;
  bool explain = false;
  bool json = false;
  bool warm = false;
  std::string counters = "roofline";
  double launch_limit = MeasureOptions().timeout_seconds;
  std::string prior;
  std::string out;
};

/// The command that makes the results again, with every choice in it that matters.
std::string command_of(const Tune& tune) {
  std::string text = "rooftune tune " + shell_word(tune.spec.file);
  for (const std::string& override_text : tune.spec.overrides) {
    text += " --set " + shell_word(override_text);
  }
  for (const std::string& problem : tune.spec.problems) {
    text += " --problem " + shell_word(problem);
  }
  text += fmt::format(" --device {} --policy {} --seed {}", shell_word(tune.device), tune.policy,
                      tune.seed);
  if (!tune.prior.empty()) {
    text += " --prior " + shell_word(tune.prior);
  }
  if (tune.warm) {
    text += " --warm";
  }
  if (tune.counters != Tune().counters) {
    text += " --counters " + tune.counters;
  }
  if (tune.launch_limit != Tune().launch_limit) {
    text += fmt::format(" --launch-limit {}", tune.launch_limit);
  }
  if (tune.evaluations) {
    text += fmt::format(" --evaluations {}", *tune.evaluations);
  }
  if (tune.seconds) {
    text += fmt::format(" --seconds {}", *tune.seconds);
  }
  return text;
}

TuneOptions options_of(const Tune& tune, const std::filesystem::path& out) {
  TuneOptions options;
  options.policy = tune.policy;
  options.seed = tune.seed;
  options.evaluations = tune.evaluations;
  options.seconds = tune.seconds;
  options.resume = tune.resume;
  options.out = out;
  options.prior = tune.prior;
  options.overrides = tune.spec.overrides;
  options.command = command_of(tune);
  options.measure.warm = tune.warm;
  options.measure.counters = counter_level_from(tune.counters).value();
  options.measure.timeout_seconds = tune.launch_limit;
  return options;
}

/// Writes what is made of the results, and prints where everything is.
void write_reports(const Results& results, const std::filesystem::path& out, std::ostream& text) {
  const auto show = [&](std::string_view what, const std::string& name) {
    text << fmt::format("{:<9} {}\n", what, (out / name).string());
  };
  show("results", "results.json");
  show("journal", "journal.jsonl");
  write_file_durably(out / "roofline.svg", roofline_svg(results));
  show("roofline", "roofline.svg");
  write_file_durably(out / "report.html", report_html(results));
  show("report", "report.html");
  if (results.best() == nullptr) {
    return;
  }
  HeaderOptions header;
  header.include_host = true;
  header.command = results.command;
  const std::string name = file_stem(results.spec_name) + "_tuned.hpp";
  try {
    write_file_durably(out / name, tuned_header({results}, header));
    show("header", name);
  } catch (const InputError& error) {
    text << fmt::format("{:<9} none: {}\n", "header", error.problem());
  }
}

int run_tune(const Tune& tune, Io& io) {
  if (!tune.prior.empty()) {
    require_prior_user({tune.policy});
  }
  const Spec spec = tune.spec.load();
  const std::filesystem::path out = tune.out.empty() ? "out/" + file_stem(spec.name) : tune.out;
  const std::unique_ptr<Device> device = io.open_device(tune.device);
  Progress progress(io.err, {io.err_is_terminal, tune.explain,
                             tune.evaluations ? tune.evaluations : spec.stop.evaluations,
                             tune.seconds ? tune.seconds : spec.stop.seconds});
  const InterruptGuard interrupt;
  install_crash_note();
  TuneOptions options = options_of(tune, out);
  options.interrupted = &interrupt.flag();
  const Results results = rooftune::tune(spec, *device, options, progress);
  std::ostream& text = tune.json ? io.err : io.out;
  write_reports(results, out, text);
  text << "stopped: " << results.stop_text << '\n' << verdict(results) << '\n';
  if (tune.json) {
    io.out << read_file(out / "results.json");
  }
  const bool ended = results.stop != StopReason::interrupted &&
                     results.stop != StopReason::device_lost && results.best() != nullptr;
  return ended ? 0 : 1;
}

void add_options(CLI::App& command, Tune& tune) {
  add_spec_argument(command, tune.spec);
  command
      .add_option("--device", tune.device,
                  "auto, host, cuda:N, several as cuda:0,cuda:1, or cuda:all")
      ->capture_default_str();
  command.add_option("--policy", tune.policy, "how the next configuration is chosen")
      ->capture_default_str()
      ->check(one_of(policy_names()));
  command
      .add_option("--evaluations", tune.evaluations, "stop after that many (or the spec's stop)")
      ->check(CLI::PositiveNumber);
  command.add_option("--seconds", tune.seconds, "stop after that time (or the spec's stop)")
      ->check(CLI::PositiveNumber);
  command.add_option("--seed", tune.seed, "of the policy; the same seed proposes the same")
      ->capture_default_str();
  command.add_option("--prior", tune.prior,
                     "results of another device or size: where it was fast is tried first, and it "
                     "guides the search for as long as it predicts what is measured");
  command.add_flag("--warm", tune.warm, "data may stay in a GPU's L2; else it is flushed");
  command.add_option("--counters", tune.counters, "hardware counters of a GPU that are read")
      ->capture_default_str()
      ->check(CLI::IsMember({"off", "roofline", "full"}));
  command.add_option("--launch-limit", tune.launch_limit, "seconds after which a launch hangs")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  command.add_flag("--resume", tune.resume, "go on with the journal that is in the folder");
  command.add_flag("--explain", tune.explain, "say of every step why it is taken");
  command.add_option("--out", tune.out, "folder for the results (default: out/KERNEL)");
  command.add_flag("--json", tune.json, "print results.json to stdout, the rest to stderr");
  command.footer(
      "Writes results.json, journal.jsonl, roofline.svg and KERNEL_tuned.hpp. Ctrl-C ends the run\n"
      "and keeps its results; --resume goes on. The exit status is 1 where the run was "
      "interrupted,\n"
      "the device was lost, or no configuration succeeded.\n\n"
      "Examples:\n"
      "  rooftune tune configs/kernels/sgemm.yaml\n"
      "  rooftune tune sgemm.yaml --device host --set M=512 --set N=512 --set K=512\n"
      "  rooftune tune sgemm.yaml --evaluations 100 --explain --out out/try\n"
      "  rooftune tune sgemm.yaml --device cuda:1 --prior out/a4000/results.json\n"
      "  rooftune tune sgemm.yaml --resume");
}

}  // namespace

void add_tune(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("tune", "tune a kernel until it reaches its ceiling");
  const auto tune = std::make_shared<Tune>();
  add_options(*command, *tune);
  command->callback([&action, tune] { action = [tune](Io& io) { return run_tune(*tune, io); }; });
}

}  // namespace rooftune::cli
