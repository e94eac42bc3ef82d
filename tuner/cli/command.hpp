// The commands of `rooftune`, one file each. A command declares its options on its subcommand and
// leaves an action; the command line runs the action of the subcommand that was given.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <iosfwd>
#include <memory>
#include <string>

#include "tuner/device/open.hpp"

namespace rooftune::cli {

using DeviceOpener = std::function<std::unique_ptr<Device>(const std::string& name)>;

/// What a command touches: results go to `out`, progress and warnings to `err`, kernels run on
/// devices that `open_device` opens.
struct Io {
  std::ostream& out;
  std::ostream& err;
  bool err_is_terminal = false;
  DeviceOpener open_device = rooftune::open_device;
};

/// Returns the exit status: 0 the thing was done, 1 the input or the run failed. An InputError that
/// it throws is printed and becomes 1.
using Action = std::function<int(Io&)>;

/// Registers a subcommand. Keep the option values in a shared_ptr that the action captures.
using Register = void (*)(CLI::App& app, Action& action);

/// The whole command line; also what the tests call. 2 where the command line itself is wrong.
int run(int argc, const char* const* argv, Io& io);

}  // namespace rooftune::cli
