#include "tuner/cli/results_argument.hpp"

namespace rooftune::cli {

Results load_results(const std::string& file_or_folder) {
  const std::filesystem::path path = file_or_folder;
  return read_results(is_directory(path) ? path / "results.json" : path);
}

}  // namespace rooftune::cli
