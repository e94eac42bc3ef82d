#include "tuner/device/installation.hpp"

namespace rooftune {
namespace {

namespace fs = std::filesystem;

bool is_within(const fs::path& path, const fs::path& folder) {
  const fs::path relative = path.lexically_relative(folder);
  return !relative.empty() && *relative.begin() != "..";
}

}  // namespace

std::vector<fs::path> library_folders() {
  std::error_code ignored;
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
  const fs::path build_tree = fs::path(ROOFTUNE_BUILD_TREE);
  const fs::path of_build_tree = build_tree / "lib" / "rooftune";
  std::vector<fs::path> folders;
  if (is_within(program, build_tree)) {
    folders.push_back(of_build_tree);
  }
  folders.push_back(program.parent_path().parent_path() / ROOFTUNE_INSTALL_SUBFOLDER);
  folders.emplace_back(ROOFTUNE_INSTALL_FOLDER);
  folders.push_back(of_build_tree);
  return folders;
}

}  // namespace rooftune
