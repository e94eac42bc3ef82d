#include "tuner/device/host/ceilings.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <sstream>
#include <system_error>
#include <thread>

#include "tuner/core/error.hpp"
#include "tuner/core/hash.hpp"
#include "tuner/device/host/host_device.hpp"

namespace rooftune {
namespace ceilings {
namespace {

namespace fs = std::filesystem;

std::optional<DeviceProfile> read_stored(const fs::path& file) {
  std::ifstream in(file);
  if (!in) {
    return std::nullopt;
  }
  std::ostringstream text;
  text << in.rdbuf();
  try {
    DeviceProfile profile = parse_device(text.str(), file);
    profile.id = "host";
    return profile;
  } catch (const InputError&) {
    return std::nullopt;  // of another version, or cut short: measured anew
  }
}

/// Written beside and renamed, so that another run never reads half a file.
bool write_stored(const fs::path& file, const DeviceProfile& profile) {
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  const fs::path draft = file.string() + fmt::format(".{}", getpid());
  {
    std::ofstream out(draft);
    out << device_yaml(profile);
    out.close();
    if (!out) {
      fs::remove(draft, error);
      return false;
    }
  }
  fs::rename(draft, file, error);
  return !error;
}

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  std::array<char, 16> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%d", &utc);
  return text.data();
}

unsigned worker_count(unsigned wanted) {
  return wanted > 0 ? wanted : std::max(1U, std::thread::hardware_concurrency());
}

}  // namespace

Key this_machine(unsigned workers) {
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  return {read_cpu().name, worker_count(workers), ROOFTUNE_VERSION, host.data()};
}

std::optional<fs::path> cache_folder() {
  if (const std::string xdg = environment("XDG_CACHE_HOME"); !xdg.empty()) {
    return fs::path(xdg) / "rooftune";
  }
  if (const std::string home = environment("HOME"); !home.empty()) {
    return fs::path(home) / ".cache" / "rooftune";
  }
  return std::nullopt;
}

fs::path file_for(const fs::path& folder, const Key& key) {
  const std::string all = fmt::format("{}\n{}\n{}", key.cpu, key.workers, key.version);
  return folder / fmt::format("ceilings-{}-{}.yaml", key.host, hash_text(all));
}

DeviceProfile stored_or_measured(const std::optional<fs::path>& folder, const Key& key,
                                 bool refresh, const Measurer& measurer) {
  const fs::path file = folder ? file_for(*folder, key) : fs::path();
  if (folder && !refresh) {
    if (auto stored = read_stored(file)) {
      return *stored;
    }
  }
  DeviceProfile profile = measurer();
  profile.source =
      fmt::format("measured by rooftune {} on {}, {} workers", key.version, today(), key.workers);
  if (!folder) {
    profile.source += "; not stored: neither XDG_CACHE_HOME nor HOME is set";
  } else if (!write_stored(file, profile)) {
    profile.source += fmt::format("; not stored: {} cannot be written", file.string());
  }
  return profile;
}

}  // namespace ceilings

DeviceProfile measure_host_ceilings(unsigned workers) {
  return ceilings::measure(ceilings::read_cpu(), ceilings::worker_count(workers), {});
}

DeviceProfile host_profile(unsigned workers, bool refresh) {
  return ceilings::stored_or_measured(ceilings::cache_folder(), ceilings::this_machine(workers),
                                      refresh,
                                      [workers] { return measure_host_ceilings(workers); });
}

std::optional<std::filesystem::path> host_ceilings_file(unsigned workers) {
  const auto folder = ceilings::cache_folder();
  return folder ? std::optional(ceilings::file_for(*folder, ceilings::this_machine(workers)))
                : std::nullopt;
}

}  // namespace rooftune
