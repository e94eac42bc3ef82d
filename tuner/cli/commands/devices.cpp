#include <ostream>

#include "tuner/cli/commands.hpp"

namespace rooftune::cli {

void add_devices(CLI::App& app, Action& action) {
  CLI::App* command =
      app.add_subcommand("devices", "what is here, and whether counters may be read");
  command->callback([&action] {
    action = [](Io& io) {
      io.out << "not written yet\n";
      return 1;
    };
  });
}

}  // namespace rooftune::cli
