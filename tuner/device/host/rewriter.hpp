// CUDA C++ to C++ for the system's compiler, token by token. Lines stay where they are, so that
// every later message names the user's lines.
#pragma once

#include <filesystem>
#include <string>

#include "tuner/device/host/host_device.hpp"

namespace rooftune::host {

/// Run before the preprocessor: `#pragma unroll N` becomes words in which it expands macros; it
/// leaves the operands of a pragma that it does not know alone.
std::string mark_unroll_pragmas(const std::string& source);

}  // namespace rooftune::host
