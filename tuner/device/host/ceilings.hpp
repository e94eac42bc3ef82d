// Internal to the host device: this machine's CPU, its ceilings measured, and where they are kept.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tuner/device/ceiling_store.hpp"
#include "tuner/roofline/profile.hpp"

namespace rooftune::ceilings {

/// A data cache as one core sees it.
struct Cache {
  int level = 1;
  std::uint64_t bytes = 0;
  unsigned shared_by = 1;  ///< cores
};

struct Cpu {
  std::string name;           ///< "AMD EPYC 9654", "unknown CPU" where the system does not say
  std::vector<Cache> caches;  ///< ascending levels
  std::uint64_t memory_bytes = 0;
};
/// Reads /proc/cpuinfo and the `cache` folder of a CPU in sysfs; common sizes where it is absent.
Cpu read_cpu(const std::filesystem::path& cpuinfo = "/proc/cpuinfo",
             const std::filesystem::path& cache_folder = "/sys/devices/system/cpu/cpu0/cache");

/// How much is done; the defaults take a few seconds on an idle machine.
struct Effort {
  double seconds = 0.02;  ///< CPU time of a repetition
  int repetitions = 9;
  std::uint64_t largest_working_set = std::uint64_t{1} << 30;  ///< of DRAM, all workers together
};

/// Measures every ceiling on `workers` threads at once. Each is warmed up by itself.
DeviceProfile measure(const Cpu& cpu, unsigned workers, const Effort& effort);

/// What stored ceilings are good for: another CPU, worker count or version measures anew.
struct Key {
  std::string cpu;
  unsigned workers = 0;
  std::string version;
  std::string host;
};
Key this_machine(unsigned workers);
std::filesystem::path file_for(const std::filesystem::path& folder, const Key& key);

/// The profile stored for the key, or a new one, which is then stored in the folder.
DeviceProfile stored_or_measured(const std::optional<std::filesystem::path>& folder, const Key& key,
                                 bool refresh, const Measurer& measurer);

}  // namespace rooftune::ceilings
