// Every command, in the order in which --help lists them.
#pragma once

#include "tuner/cli/command.hpp"

namespace rooftune::cli {

void add_tune(CLI::App& app, Action& action);
void add_verify(CLI::App& app, Action& action);
void add_space(CLI::App& app, Action& action);
void add_rank(CLI::App& app, Action& action);
void add_header(CLI::App& app, Action& action);
void add_occupancy(CLI::App& app, Action& action);
void add_roofline(CLI::App& app, Action& action);
void add_ceilings(CLI::App& app, Action& action);
void add_replay(CLI::App& app, Action& action);
void add_import(CLI::App& app, Action& action);
void add_export(CLI::App& app, Action& action);
void add_compare(CLI::App& app, Action& action);
void add_init(CLI::App& app, Action& action);
void add_devices(CLI::App& app, Action& action);

}  // namespace rooftune::cli
