#include "tuner/device/work_folder.hpp"

#include <fmt/format.h>

#include <cstdlib>

#include "tuner/core/error.hpp"

namespace rooftune {

namespace fs = std::filesystem;

WorkFolder::WorkFolder(const fs::path& chosen) : path_(chosen), temporary_(chosen.empty()) {
  if (temporary_) {
    std::string pattern = (fs::temp_directory_path() / "rooftune-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) {
      throw InputError(fmt::format("cannot make a folder like {}", pattern),
                       "TMPDIR chooses another place");
    }
    path_ = pattern;
  }
  fs::create_directories(path_);
  path_ = fs::absolute(path_);
}

WorkFolder::~WorkFolder() {
  if (temporary_) {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
}

}  // namespace rooftune
