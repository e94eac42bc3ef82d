// `rooftune occupancy` from numbers: one question, or sweeps around it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tuner/cli/command.hpp"
#include "tuner/occupancy/explore.hpp"

namespace rooftune::cli {

/// How the answer is written.
struct OccupancyOutput {
  bool json = false;
  bool csv = false;
  std::string svg;  ///< a file, too
};

/// The options as given; empty where they were not.
struct NumberOptions {
  std::string cc, device, multiprocessors;
  std::string block, registers, shared, dynamic_shared, formula, carveout, grid;
  std::vector<std::string> sweep;
};

/// The options as values.
struct NumberQuestion {
  std::string device;  ///< to be loaded; empty where the compute capability was given
  OccupancyRequest request;
  SharedOfThreads shared;  ///< by --shared-formula
  std::optional<std::uint64_t> grid;
  std::optional<int> multiprocessors;
  std::vector<Axis> sweep;
  bool is_point = true;  ///< false where a swept axis has no value of its own
};

/// Throws CLI::ValidationError, so that a wrong command line ends with status 2.
NumberQuestion parse_numbers(const NumberOptions& options, const OccupancyOutput& output);

int answer_numbers(NumberQuestion question, const OccupancyOutput& output, Io& io);

/// Throws InputError where the file cannot be written.
void write_text_file(const std::string& file, const std::string& text);

}  // namespace rooftune::cli
