#include "tuner/roofline/profile.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <system_error>

#include "tuner/core/error.hpp"

namespace rooftune {
namespace {

namespace fs = std::filesystem;

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

/// Whether `*` in the pattern can stand for what the text has there.
bool glob_matches(std::string_view pattern, std::string_view text) {
  if (pattern.empty()) {
    return text.empty();
  }
  if (pattern.front() == '*') {
    return glob_matches(pattern.substr(1), text) ||
           (!text.empty() && glob_matches(pattern, text.substr(1)));
  }
  return !text.empty() && pattern.front() == text.front() &&
         glob_matches(pattern.substr(1), text.substr(1));
}

std::string without_vendor(std::string_view name) {
  constexpr std::string_view vendor = "nvidia ";
  std::string plain = lower(name);
  return plain.starts_with(vendor) ? plain.substr(vendor.size()) : plain;
}

std::string read_text(const fs::path& file) {
  std::ifstream in(file);
  if (!in) {
    throw InputError(file.string() + ": cannot read this device file",
                     "check that it exists and may be read");
  }
  std::ostringstream text;
  text << in.rdbuf();
  return std::move(text).str();
}

fs::path installed_beside_program() {
  std::error_code none;
  const fs::path program = fs::read_symlink("/proc/self/exe", none);
  return program.parent_path().parent_path() / "share" / "rooftune" / "configs";
}

}  // namespace

std::string_view to_string(RoofKind kind) {
  constexpr std::array<std::string_view, 4> names = {"compute", "bandwidth", "issue", "latency"};
  return names[static_cast<std::size_t>(kind)];
}

std::string_view to_string(RoofSource source) {
  constexpr std::array<std::string_view, 3> names = {"data sheet", "measured", "given"};
  return names[static_cast<std::size_t>(source)];
}

std::string_view to_string(DeviceKind kind) {
  return kind == DeviceKind::host ? "host" : "cuda";
}

const Roof* DeviceProfile::roof(RoofKind wanted, std::string_view roof_name,
                                RoofSource source) const {
  const auto found = std::find_if(roofs.begin(), roofs.end(), [&](const Roof& roof) {
    return roof.kind == wanted && roof.name == roof_name && roof.source == source;
  });
  return found == roofs.end() ? nullptr : &*found;
}

const Roof* DeviceProfile::roof(RoofKind wanted, std::string_view roof_name) const {
  for (const RoofSource source : {RoofSource::given, RoofSource::measured}) {
    if (const Roof* known = roof(wanted, roof_name, source)) {
      return known;
    }
  }
  return roof(wanted, roof_name, RoofSource::data_sheet);
}

double DeviceProfile::theoretical(RoofKind wanted, std::string_view roof_name) const {
  double highest = 0;
  bool only_measured = true;
  for (const Roof& known : roofs) {
    if (known.kind == wanted && known.name == roof_name) {
      highest = std::max({highest, known.value, known.rate * multiprocessors * clock_hz});
      only_measured = only_measured && known.source == RoofSource::measured;
    }
  }
  return only_measured ? 0 : highest;
}

fs::path config_folder() {
  if (const char* given = std::getenv("ROOFTUNE_CONFIGS"); given != nullptr && *given != '\0') {
    return given;
  }
  const std::array<fs::path, 3> places = {installed_beside_program(), ROOFTUNE_SOURCE_CONFIGS,
                                          ROOFTUNE_INSTALLED_CONFIGS};
  for (const fs::path& place : places) {
    std::error_code none;
    if (fs::is_directory(place / "devices", none)) {
      return place;
    }
  }
  throw InputError("the folder of device files (configs/devices) is nowhere to be found",
                   "set ROOFTUNE_CONFIGS to the folder that holds devices/ and kernels/");
}

std::vector<std::string> device_ids() {
  const fs::path folder = config_folder() / "devices";
  std::error_code error;
  std::vector<std::string> ids;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".yaml") {
      ids.push_back(entry.path().stem().string());
    }
  }
  if (error) {
    throw InputError(folder.string() + ": cannot list the device files: " + error.message(),
                     "ROOFTUNE_CONFIGS must name the folder that holds devices/");
  }
  std::sort(ids.begin(), ids.end());
  return ids;
}

DeviceProfile load_device(const std::string& id_or_file) {
  const bool is_file = id_or_file.find('/') != std::string::npos || id_or_file.ends_with(".yaml");
  if (is_file) {
    return parse_device(read_text(id_or_file), id_or_file);
  }
  const std::vector<std::string> ids = device_ids();
  if (std::find(ids.begin(), ids.end(), id_or_file) == ids.end()) {
    throw InputError("unknown device \"" + id_or_file + "\"", suggest(id_or_file, ids));
  }
  const fs::path file = config_folder() / "devices" / (id_or_file + ".yaml");
  return parse_device(read_text(file), file);
}

std::optional<DeviceProfile> match_device(const std::string& reported_name) {
  const std::string plain = without_vendor(reported_name);
  for (const std::string& id : device_ids()) {
    DeviceProfile profile = load_device(id);
    const bool fits = std::any_of(
        profile.match.begin(), profile.match.end(),
        [&](const std::string& pattern) { return glob_matches(without_vendor(pattern), plain); });
    if (fits) {
      return profile;
    }
  }
  return std::nullopt;
}

}  // namespace rooftune
