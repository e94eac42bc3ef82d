// Results on the command line: a results.json, or the folder of a run.
#pragma once

#include <string>

#include "tuner/session/results.hpp"

namespace rooftune::cli {

/// Throws InputError.
Results load_results(const std::string& file_or_folder);

}  // namespace rooftune::cli
