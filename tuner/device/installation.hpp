// Where the files that rooftune brings along are: of the build tree, or of an installation.
#pragma once

#include <filesystem>
#include <vector>

namespace rooftune {

/// Folders that may be lib/rooftune, the likeliest first: the build tree's for programs in it, the
/// one beside the program, the installed one.
std::vector<std::filesystem::path> library_folders();

}  // namespace rooftune
