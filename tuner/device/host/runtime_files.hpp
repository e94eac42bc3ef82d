// Where the pieces are that variants are built from: headers and the prebuilt libraries.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tuner/device/host/host_device.hpp"

namespace rooftune::host {

/// The folder with runtime/, child/ and the libraries: ROOFTUNE_HOST_RUNTIME, the one beside the
/// running program's prefix, the one of the build tree that the program is in, or the installed
/// one. Throws InputError that lists where it was looked for.
std::filesystem::path runtime_folder();

/// The libraries of a build that a variant is linked with, in the linker's order.
std::vector<std::string> runtime_libraries(const std::filesystem::path& folder, HostBuild build);

}  // namespace rooftune::host
