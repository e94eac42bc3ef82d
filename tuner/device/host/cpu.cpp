// The CPU as Linux describes it.
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <fstream>

#include "tuner/device/host/ceilings.hpp"

namespace rooftune::ceilings {
namespace {

namespace fs = std::filesystem;

std::string first_line(const fs::path& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return line;
}

/// "48K", "1024K", "32M".
std::uint64_t parse_size(const std::string& text) {
  std::uint64_t size = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
  if (error != std::errc{}) {
    return 0;
  }
  const char unit = end == text.data() + text.size() ? ' ' : *end;
  return unit == 'K' ? size << 10 : unit == 'M' ? size << 20 : size;
}

/// CPUs in a list such as "0-3,8".
unsigned count_cpus(const std::string& list) {
  unsigned count = 0;
  const char* at = list.data();
  const char* const end = at + list.size();
  while (at < end) {
    unsigned first = 0;
    const auto [stop, error] = std::from_chars(at, end, first);
    if (error != std::errc{}) {
      break;
    }
    unsigned last = first;
    at = stop;
    if (at < end && *at == '-') {
      at = std::from_chars(at + 1, end, last).ptr;
    }
    count += last >= first ? last - first + 1 : 1;
    at += at < end && *at == ',' ? 1 : 0;
  }
  return std::max(1U, count);
}

std::vector<Cache> read_caches(const fs::path& folder) {
  std::vector<Cache> caches;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder, none)) {
    const std::string type = first_line(entry.path() / "type");
    if (type != "Data" && type != "Unified") {
      continue;
    }
    Cache cache;
    const std::string level = first_line(entry.path() / "level");
    std::from_chars(level.data(), level.data() + level.size(), cache.level);
    cache.bytes = parse_size(first_line(entry.path() / "size"));
    cache.shared_by = count_cpus(first_line(entry.path() / "shared_cpu_list"));
    if (cache.bytes > 0) {
      caches.push_back(cache);
    }
  }
  std::sort(caches.begin(), caches.end(),
            [](const Cache& a, const Cache& b) { return a.level < b.level; });
  return caches;
}

std::string model_name(const fs::path& cpuinfo) {
  std::ifstream in(cpuinfo);
  for (std::string line; std::getline(in, line);) {
    const std::size_t colon = line.find(':');
    if (line.starts_with("model name") && colon != std::string::npos) {
      const std::size_t start = line.find_first_not_of(' ', colon + 1);
      return start == std::string::npos ? "unknown CPU" : line.substr(start);
    }
  }
  return "unknown CPU";
}

}  // namespace

Cpu read_cpu(const fs::path& cpuinfo, const fs::path& cache_folder) {
  Cpu cpu;
  cpu.name = model_name(cpuinfo);
  cpu.caches = read_caches(cache_folder);
  if (cpu.caches.empty()) {
    // Some containers hide sysfs: sizes below those of any CPU of the last ten years.
    cpu.caches = {{1, 32U << 10, 1}, {2, 256U << 10, 1}, {3, 8U << 20, 4}};
  }
  cpu.memory_bytes = static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) *
                     static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  return cpu;
}

}  // namespace rooftune::ceilings
