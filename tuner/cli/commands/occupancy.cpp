#include <memory>

#include "tuner/cli/commands.hpp"
#include "tuner/cli/occupancy/numbers.hpp"
#include "tuner/cli/occupancy/spec.hpp"

namespace rooftune::cli {
namespace {

constexpr const char* occupancy_examples =
    "Examples:\n"
    "  rooftune occupancy --cc 8.6 --block 256 --regs 72 --shared 8192\n"
    "  rooftune occupancy --device a100-40 --block 16,16 --regs 40 --grid 512,4\n"
    "  rooftune occupancy --cc 9.0 --block 256 --regs 72 --sweep block,regs --svg map.svg\n"
    "  rooftune occupancy --cc 9.0 --block 256 --regs 64 --shared-formula '8 * threads + 1024'\n"
    "  rooftune occupancy sgemm.yaml --arch sm_90 --where 'BM == 128' --sort registers\n"
    "  rooftune occupancy sgemm.yaml --arch sm_80 --launch-bounds --set T=float\n"
    "Bytes are bytes, KB are 1024 of them. The answer that a launch is impossible is an answer:\n"
    "the exit status is 0.";

struct Options {
  NumberOptions numbers;
  SpecQuestion spec;
  std::string sort = "occupancy";
  bool no_cache = false;
  OccupancyOutput output;
};

void add_number_options(CLI::App& command, NumberOptions& numbers) {
  command.add_option("--cc", numbers.cc, "compute capability: 8.6, 86 or sm_86")->type_name("X.Y");
  command
      .add_option("--device", numbers.device, "a known device, or a device file, instead of --cc")
      ->type_name("ID|FILE");
  command.add_option("--block", numbers.block, "threads a block: x, or x,y or x,y,z");
  command.add_option("--regs", numbers.registers, "registers a thread")->type_name("N");
  command.add_option("--shared", numbers.shared, "static shared memory a block, bytes")
      ->type_name("BYTES");
  command
      .add_option("--dynamic-shared", numbers.dynamic_shared,
                  "dynamic shared memory a block, bytes")
      ->type_name("BYTES");
  command
      .add_option("--shared-formula", numbers.formula,
                  "shared memory a block as an expression of `threads`")
      ->type_name("EXPR");
  command
      .add_option("--carveout", numbers.carveout,
                  "shared memory a multiprocessor, KB (default: the most it has)")
      ->type_name("KB");
  command.add_option("--grid", numbers.grid, "blocks of the launch, for waves and the tail");
  command
      .add_option("--multiprocessors", numbers.multiprocessors,
                  "of the device (default: --device's, or each known device's)")
      ->type_name("N");
  command.add_option("--sweep", numbers.sweep, "vary block, regs or shared; two make a heat map")
      ->delimiter(',')
      ->type_name("AXIS[,AXIS]");
}

void add_spec_options(CLI::App& command, Options& options) {
  SpecQuestion& spec = options.spec;
  add_spec_argument(command, spec.spec);
  command.get_option("SPEC")->required(false)->description(
      "the kernel's YAML spec: its configurations are compiled, no GPU is needed");
  command.add_option("--arch", spec.architecture, "architecture to compile for, such as sm_90")
      ->type_name("SM");
  command.add_option("--sample", spec.sample, "configurations to compile")
      ->check(CLI::PositiveNumber)
      ->capture_default_str()
      ->type_name("N");
  command.add_option("--where", spec.where, "only configurations for which this holds")
      ->type_name("EXPR");
  command.add_option("--sort", options.sort, "what the table is sorted by")
      ->check(one_of(sort_key_names()))
      ->capture_default_str();
  command.add_flag("--launch-bounds", spec.launch_bounds,
                   "recompile one configuration (the baseline) with other launch bounds and "
                   "register caps");
  command.add_flag("--no-cache", options.no_cache, "compile even what the cache has");
}

void add_output_options(CLI::App& command, OccupancyOutput& output) {
  CLI::Option* json = command.add_flag("--json", output.json, "one JSON document");
  command.add_flag("--csv", output.csv, "a table as CSV")->excludes(json);
  command.add_option("--svg", output.svg, "also write the chart to a file")->type_name("FILE");
}

/// Options that mean nothing beside a spec, or without one, are refused rather than ignored.
void refuse_mixture(const CLI::App& command, const Options& options) {
  const bool has_spec = !options.spec.spec.file.empty();
  const std::vector<std::string> of_spec = {"--set",  "--arch",          "--sample",  "--where",
                                            "--sort", "--launch-bounds", "--no-cache"};
  const std::vector<std::string> of_numbers = {
      "--cc",       "--multiprocessors", "--block", "--regs",  "--shared", "--dynamic-shared",
      "--carveout", "--shared-formula",  "--grid",  "--sweep", "--svg"};
  for (const std::string& name : has_spec ? of_numbers : of_spec) {
    if (command.get_option(name)->count() > 0) {
      throw CLI::ValidationError(
          name, has_spec ? "it does not go with a spec, which says all of that by itself"
                         : "it needs a spec: rooftune occupancy SPEC ...");
    }
  }
}

SpecQuestion parse_spec_question(const Options& options) {
  SpecQuestion question = options.spec;
  question.device = options.numbers.device;
  question.sort = sort_key_from(options.sort).value_or(SortKey::occupancy);
  question.use_cache = !options.no_cache;
  if (question.architecture.empty() == question.device.empty()) {
    throw CLI::ValidationError("--arch", question.device.empty()
                                             ? "give an architecture, such as sm_90, or --device"
                                             : "--device has an architecture of its own");
  }
  if (question.launch_bounds && options.output.csv) {
    throw CLI::ValidationError("--csv", "--launch-bounds has no table for it: use --json");
  }
  try {
    Expression::parse(question.where.empty() ? "1" : question.where);
  } catch (const ExpressionError& error) {
    throw CLI::ValidationError("--where", error.what());
  }
  return question;
}

}  // namespace

void add_occupancy(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand(
      "occupancy", "how many blocks fit a multiprocessor, what limits them, and what would help");
  command->footer(occupancy_examples);
  auto options = std::make_shared<Options>();
  add_number_options(*command, options->numbers);
  add_spec_options(*command, *options);
  add_output_options(*command, options->output);
  command->callback([command, options, &action] {
    refuse_mixture(*command, *options);
    if (!options->spec.spec.file.empty()) {
      const SpecQuestion question = parse_spec_question(*options);
      action = [question, options](Io& io) { return answer_spec(question, options->output, io); };
      return;
    }
    const NumberQuestion question = parse_numbers(options->numbers, options->output);
    action = [question, options](Io& io) { return answer_numbers(question, options->output, io); };
  });
}

}  // namespace rooftune::cli
