#include "tuner/device/host/runtime_files.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>

#include "tuner/core/error.hpp"
#include "tuner/device/installation.hpp"

namespace rooftune::host {
namespace {

namespace fs = std::filesystem;

bool is_runtime(const fs::path& folder) {
  std::error_code ignored;
  return fs::exists(folder / "runtime" / "prelude.hpp", ignored);
}

fs::path from_environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

fs::path runtime_folder() {
  const fs::path named = from_environment("ROOFTUNE_HOST_RUNTIME");
  if (!named.empty()) {
    if (is_runtime(named)) {
      return named;
    }
    throw InputError(fmt::format("ROOFTUNE_HOST_RUNTIME is {}, which has no runtime/prelude.hpp",
                                 named.string()),
                     "unset it, or set it to the lib/rooftune/host folder of an installation");
  }
  std::vector<std::string> tried;
  for (const fs::path& folder : library_folders()) {
    const fs::path candidate = folder / "host";
    if (is_runtime(candidate)) {
      return candidate;
    }
    tried.push_back(candidate.string());
  }
  throw InputError(
      fmt::format("the host device's runtime is not here; looked in {}", fmt::join(tried, ", ")),
      "install rooftune with `cmake --install`, or set ROOFTUNE_HOST_RUNTIME to its "
      "lib/rooftune/host folder");
}

std::vector<std::string> runtime_libraries(const fs::path& folder, HostBuild build) {
  const std::string name(to_string(build));
  std::vector<std::string> libraries = {
      (folder / fmt::format("librooftune_host_child_{}.a", name)).string(),
      (folder / fmt::format("librooftune_host_runtime_{}.a", name)).string(), "-lboost_context",
      "-lpthread"};
  if (build == HostBuild::count) {
    // As g++ would, but without ThreadSanitizer.
    libraries.insert(libraries.end(),
                     {"-nodefaultlibs", "-lstdc++", "-lm", "-lc", "-lgcc_s", "-lgcc"});
  }
  return libraries;
}

}  // namespace rooftune::host
