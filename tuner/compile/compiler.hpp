// Compile: a kernel instance and an architecture in, a binary with its resources out. NVRTC needs
// no device.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "tuner/core/outcome.hpp"
#include "tuner/core/value.hpp"
#include "tuner/spec/instance.hpp"

namespace rooftune {

/// What a compiled kernel takes, as ptxas reports it. Bytes, unless said.
struct Resources {
  int registers = 0;  ///< a thread
  std::int64_t spill_stores = 0;
  std::int64_t spill_loads = 0;
  std::int64_t stack_frame = 0;
  std::int64_t static_shared = 0;
  std::int64_t constant = 0;
};

struct KernelBinary {
  std::vector<char> image;        ///< cubin; empty where the device keeps a file instead
  std::filesystem::path program;  ///< host device: the executable
  std::string entry;              ///< lowered name
  std::string architecture;       ///< "sm_90", "host"
  std::optional<Resources> resources;
  std::string log;
  double compile_seconds = 0;
};

using CompileResult = std::variant<KernelBinary, Failure>;

/// The instance's source as any compiler gets it: the text with the instance's #define lines after
/// its leading includes, and a #line so that messages keep the user's line numbers. Throws
/// InputError for a name that cannot be made safe (`x` in a source that uses threadIdx.x), naming
/// it, and for a source that cannot be read.
std::string source_with_defines(const std::string& text, const std::filesystem::path& file,
                                const NamedValues& defines);
/// The file's text without a UTF-8 byte order mark; throws InputError.
std::string read_source(const std::filesystem::path& file);

/// "13.0".
std::string nvrtc_version();
/// "sm_75", ..., ascending.
std::vector<std::string> nvrtc_architectures();

/// Compiles with NVRTC to a cubin. Thread-safe. An invalid configuration is a Failure
/// (compile_failed, or cannot_launch for what ptxas refuses as too large); a fault of the user
/// (kernel name not in the source, refused option, missing header) is an InputError.
CompileResult compile_nvrtc(const KernelInstance& instance, const std::string& architecture);

/// Compiles instances on `jobs` threads (0: all cores), results in order. An InputError of any of
/// them is thrown.
std::vector<CompileResult> compile_all(const std::vector<KernelInstance>& instances,
                                       const std::string& architecture, unsigned jobs = 0);

/// Occupancy and launchability of a compiled instance; cannot_launch with resource, need, limit.
std::optional<Failure> launch_failure(const KernelInstance& instance, const Resources& resources,
                                      const std::string& architecture);
/// The same before compiling, from what the launch alone tells.
std::optional<Failure> launch_failure(const KernelInstance& instance,
                                      const std::string& architecture);

}  // namespace rooftune
