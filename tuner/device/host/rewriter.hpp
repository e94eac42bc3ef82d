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

/// The tokens of a preprocessed source without the kernels other than `kernel` (a plain name, with
/// or without its namespaces): all that can decide what that kernel computes.
std::string without_other_kernels(const std::string& preprocessed, const std::string& kernel);

}  // namespace rooftune::host
