#include "tuner/device/ceiling_store.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <sstream>
#include <system_error>

#include "tuner/core/error.hpp"
#include "tuner/core/hash.hpp"

namespace rooftune::ceilings {
namespace {

namespace fs = std::filesystem;

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
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

}  // namespace

std::optional<fs::path> cache_folder() {
  if (const std::string xdg = environment("XDG_CACHE_HOME"); !xdg.empty()) {
    return fs::path(xdg) / "rooftune";
  }
  if (const std::string home = environment("HOME"); !home.empty()) {
    return fs::path(home) / ".cache" / "rooftune";
  }
  return std::nullopt;
}

std::string this_host() {
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  return host.data();
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  std::array<char, 16> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%d", &utc);
  return text.data();
}

fs::path file_for(const fs::path& folder, const std::string& host, const std::string& key) {
  return folder / fmt::format("ceilings-{}-{}.yaml", host, hash_text(key));
}

std::optional<DeviceProfile> read_stored(const fs::path& file) {
  std::ifstream in(file);
  if (!in) {
    return std::nullopt;
  }
  std::ostringstream text;
  text << in.rdbuf();
  try {
    return parse_device(text.str(), file);
  } catch (const InputError&) {
    return std::nullopt;
  }
}

DeviceProfile stored_or_measured(const std::optional<fs::path>& file, bool refresh,
                                 const Measurer& measurer) {
  if (file && !refresh) {
    if (auto stored = read_stored(*file)) {
      return *stored;
    }
  }
  DeviceProfile profile = measurer();
  if (!file) {
    profile.source += "; not stored: neither XDG_CACHE_HOME nor HOME is set";
  } else if (!write_stored(*file, profile)) {
    profile.source += fmt::format("; not stored: {} cannot be written", file->string());
  }
  return profile;
}

}  // namespace rooftune::ceilings
