// Compile: a kernel instance and an architecture in, a binary with its resources out. NVRTC needs
// no device.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "tuner/core/outcome.hpp"
#include "tuner/core/value.hpp"
#include "tuner/occupancy/occupancy.hpp"
#include "tuner/spec/instance.hpp"

namespace rooftune {

/// What a compiled kernel takes, as ptxas reports it. Bytes, unless said.
struct Resources {
  int registers = 0;  ///< a thread
  std::int64_t spill_stores = 0;
  std::int64_t spill_loads = 0;
  std::int64_t stack_frame = 0;
  std::int64_t static_shared = 0;
  std::int64_t constant = 0;  ///< parameters and constants of the entry (cmem[0])
  int max_threads = 0;        ///< a block, by __launch_bounds__; 0 where the kernel gives none
};

struct KernelBinary {
  std::vector<char> image;        ///< cubin or PTX; empty where the device keeps a file instead
  std::filesystem::path program;  ///< host device: the executable
  std::string entry;              ///< lowered name
  std::string architecture;       ///< "sm_90", "host"
  std::optional<Resources> resources;
  std::vector<std::string> notes;  ///< of the compiler: "asked for 8 registers a thread, got 24"
  std::string log;
  double compile_seconds = 0;
  bool cached = false;  ///< taken from a BinaryCache
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

/// Binaries on disk, kept from run to run. An entry that is empty, damaged or of another format is
/// a miss. Processes may share a folder; threads may share an object. A folder that cannot be
/// written is no error: problem() says why, and everything is a miss.
class BinaryCache {
 public:
  /// Entries that were not used for longest go when there are more than `maximum_bytes`.
  explicit BinaryCache(std::filesystem::path folder = default_folder(),
                       std::uint64_t maximum_bytes = std::uint64_t{1} << 30);
  ~BinaryCache();
  BinaryCache(const BinaryCache&) = delete;
  BinaryCache& operator=(const BinaryCache&) = delete;

  /// $XDG_CACHE_HOME/rooftune/binaries, else ~/.cache/rooftune/binaries.
  static std::filesystem::path default_folder();

  /// `key` is a file name: binary_key() makes one.
  std::optional<KernelBinary> find(const std::string& key);
  void store(const std::string& key, const KernelBinary& binary);

  struct Statistics {
    std::uint64_t hits = 0;
    std::uint64_t misses = 0;
    std::uint64_t removed = 0;  ///< to keep within the bound
  };
  Statistics statistics() const;
  /// "12 hits, 3 misses".
  std::string summary() const;
  /// Why nothing can be stored; empty where it can.
  const std::string& problem() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// "13.0".
std::string nvrtc_version();
/// "sm_75", ..., ascending.
std::vector<std::string> nvrtc_architectures();
/// Throws InputError, with the list, where NVRTC cannot compile for it.
void require_nvrtc_architecture(const std::string& architecture);

/// Compiles with NVRTC to a cubin, or, for "compute_90" and the like, to PTX, of which no resources
/// are known. Thread-safe. An invalid configuration is a Failure
/// (compile_failed, or cannot_launch for what ptxas refuses as too large); a fault of the user
/// (kernel name not in the source, refused option, missing header, unknown architecture) is an
/// InputError. Takes the binary from `cache` where it has it, and leaves it there.
CompileResult compile_nvrtc(const KernelInstance& instance, const std::string& architecture,
                            BinaryCache* cache = nullptr);

/// Compiles instances on `jobs` threads (0: all cores), results in order. An InputError of any of
/// them is thrown, the first in their order. `progress` is told how many are done, from any thread,
/// one call at a time.
std::vector<CompileResult> compile_all(const std::vector<KernelInstance>& instances,
                                       const std::string& architecture, unsigned jobs = 0,
                                       BinaryCache* cache = nullptr,
                                       const std::function<void(std::size_t)>& progress = {});

/// Occupancy of a compiled instance, opted in to the shared memory that it asks for.
Occupancy occupancy_of(const KernelInstance& instance, const Resources& resources,
                       const std::string& architecture);

/// Whether a compiled instance can launch; cannot_launch with resource, need, limit.
std::optional<Failure> launch_failure(const KernelInstance& instance, const Resources& resources,
                                      const std::string& architecture);
/// The same before compiling, from what the launch alone tells.
std::optional<Failure> launch_failure(const KernelInstance& instance,
                                      const std::string& architecture);

}  // namespace rooftune
