#include <array>
#include <ostream>

#include "tuner/cli/command.hpp"
#include "tuner/cli/commands.hpp"
#include "tuner/core/error.hpp"

namespace rooftune::cli {
namespace {

// One a line, in the order in which --help lists them.
constexpr auto commands = std::to_array<Register>({
    add_tune,
    add_verify,
    add_space,
    add_rank,
    add_header,
    add_occupancy,
    add_roofline,
    add_ceilings,
    add_replay,
    add_import,
    add_export,
    add_compare,
    add_init,
    add_devices,
});

}  // namespace

int run(int argc, const char* const* argv, Io& io) {
  CLI::App app{"Tunes CUDA kernels by roofline diagnosis.", "rooftune"};
  app.set_version_flag("--version", "rooftune " ROOFTUNE_VERSION);
  app.require_subcommand(1);
  Action action;
  for (const Register add : commands) {
    add(app, action);
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const bool wrong = app.exit(error, io.out, io.err) != 0;
    return wrong ? 2 : 0;
  }
  try {
    return action(io);
  } catch (const InputError& error) {
    io.err << "rooftune: " << error.what() << '\n';
    return 1;
  }
}

}  // namespace rooftune::cli
