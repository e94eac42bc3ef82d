// Runs `rooftune` inside of a test.
#pragma once

#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tuner/cli/command.hpp"

namespace rooftune::cli {

struct CommandResult {
  int status = 0;
  std::string out;
  std::string err;
};

/// The arguments without the program's name.
inline CommandResult run_command(std::vector<std::string> arguments,
                                 DeviceOpener open_device = rooftune::open_device,
                                 bool err_is_terminal = false) {
  arguments.insert(arguments.begin(), "rooftune");
  std::vector<const char*> texts;
  for (const std::string& argument : arguments) {
    texts.push_back(argument.c_str());
  }
  std::ostringstream out;
  std::ostringstream err;
  Io io{out, err, err_is_terminal, std::move(open_device)};
  const int status = run(static_cast<int>(texts.size()), texts.data(), io);
  return {status, out.str(), err.str()};
}

}  // namespace rooftune::cli
