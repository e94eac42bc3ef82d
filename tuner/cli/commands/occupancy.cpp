#include <memory>

#include "tuner/cli/commands.hpp"
#include "tuner/cli/occupancy/numbers.hpp"

namespace rooftune::cli {
namespace {

constexpr const char* examples =
    "Examples:\n"
    "  rooftune occupancy --cc 8.6 --block 256 --regs 72 --shared 8192\n"
    "  rooftune occupancy --device a100-40 --block 16,16 --regs 40 --grid 512,4\n"
    "  rooftune occupancy --cc 9.0 --block 256 --regs 72 --sweep block,regs --svg map.svg\n"
    "  rooftune occupancy --cc 9.0 --block 256 --regs 64 --shared-formula '8 * threads + 1024'\n"
    "Bytes are bytes, KB are 1024 of them. The answer that a launch is impossible is an answer:\n"
    "the exit status is 0.";

struct Options {
  NumberOptions numbers;
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

void add_output_options(CLI::App& command, OccupancyOutput& output) {
  CLI::Option* json = command.add_flag("--json", output.json, "one JSON document");
  command.add_flag("--csv", output.csv, "a table as CSV")->excludes(json);
  command.add_option("--svg", output.svg, "also write the chart to a file")->type_name("FILE");
}

}  // namespace

void add_occupancy(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand(
      "occupancy", "how many blocks fit a multiprocessor, what limits them, and what would help");
  command->footer(examples);
  auto options = std::make_shared<Options>();
  add_number_options(*command, options->numbers);
  add_output_options(*command, options->output);
  command->callback([options, &action] {
    const NumberQuestion question = parse_numbers(options->numbers, options->output);
    action = [question, options](Io& io) { return answer_numbers(question, options->output, io); };
  });
}

}  // namespace rooftune::cli
