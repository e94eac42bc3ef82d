// The system's C++ compiler, and the flags that make it compile kernels as CUDA's would.
#pragma once

#include <string>
#include <vector>

#include "tuner/device/host/host_device.hpp"

namespace rooftune::host {

struct FoundCompiler {
  std::vector<std::string> command;
  std::string version;  ///< "12.2.0"
  /// "g++ 12.2.0".
  std::string description() const;
};

/// CXX where that is g++, else g++ from PATH. Throws InputError where there is none.
FoundCompiler find_compiler();

/// What a build adds to the flags that all builds share.
std::vector<std::string> build_flags(HostBuild build);

/// NVRTC's options that mean something on the host: definitions, includes and fast arithmetic.
std::vector<std::string> host_options(const std::vector<std::string>& options);

}  // namespace rooftune::host
