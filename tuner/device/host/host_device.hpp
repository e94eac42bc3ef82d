// The host device: CUDA C++ compiled by the system's C++ compiler and run on the CPU, each kernel
// in a process of its own.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tuner/device/device.hpp"

namespace rooftune {

/// How a variant is built.
enum class HostBuild {
  time,   ///< -O3: for measuring
  check,  ///< AddressSanitizer and UBSan, permuted thread order, NaN-filled shared memory
  race,   ///< ThreadSanitizer with fibers: missing barriers and missing atomics
  /// Counts accesses to memory: measurements have counters "host__dram_bytes.sum" (sectors of
  /// buffers, each once), "host__l2_bytes.sum" (each once a block), "host__l1_bytes.sum" (each
  /// warp's), "host__shared_bytes.sum", "host__shared_wavefronts.sum", and
  /// "host__static_shared_bytes.sum" (of a block). Those of warps are absent where a block does
  /// more than a million.
  count,
};
std::string_view to_string(HostBuild build);

struct HostOptions {
  HostBuild build = HostBuild::time;
  unsigned workers = 0;               ///< OS threads that run blocks; 0: all cores
  std::filesystem::path work_folder;  ///< variants, inputs and logs; a temporary one when empty
  /// measure() runs each kernel once, with every check that the runtime has, and does not time it.
  /// Always so in the builds that are not for measuring.
  bool proof_only = false;
};

/// Throws InputError where no C++ compiler can be found or it cannot build (with what to install).
std::unique_ptr<Device> make_host_device(const HostOptions& options = {});

/// "g++ 12.2.0": what variants are compiled with. Throws InputError where there is nothing.
std::string host_toolchain();

/// This machine without its roofs: what the operating system tells, nothing measured.
DeviceProfile host_identity(unsigned workers = 0);

/// Preprocessed CUDA C++ as the host's compiler gets it; `file` is where the text is from, as far
/// as no line marker in it says otherwise. Every line stays where it is. Throws InputError
/// (file:line:column) for CUDA that has no counterpart on the host, naming it.
std::string rewrite_for_host(const std::string& source, const std::filesystem::path& file);

/// Measures this machine's ceilings: FMA peaks (fp32, fp64) and read and triad bandwidth of each
/// cache level and DRAM, with the spread over repetitions. All workers run at once; rates are per
/// CPU time, so that other load counts as little as it can. Levels: "l1" and "shared" are the L1,
/// "l2" is the last-level cache, "core_l2" what lies between. A few seconds; under 40.
DeviceProfile measure_host_ceilings(unsigned workers = 0);
/// The stored ceilings of this machine (user's cache folder), measured and stored where there are
/// none for this CPU, worker count and version. `refresh` measures anew.
DeviceProfile host_profile(unsigned workers = 0, bool refresh = false);
/// Where host_profile keeps them; nullopt where there is no cache folder.
std::optional<std::filesystem::path> host_ceilings_file(unsigned workers = 0);

}  // namespace rooftune
