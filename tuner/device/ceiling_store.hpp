// Where measured ceilings are kept from run to run: device files in the user's cache folder.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "tuner/roofline/profile.hpp"

namespace rooftune::ceilings {

/// XDG_CACHE_HOME/rooftune, or HOME/.cache/rooftune; nullopt where neither is set.
std::optional<std::filesystem::path> cache_folder();

/// This machine's name.
std::string this_host();
/// UTC: "2026-01-31".
std::string today();

/// The file for what `key` says of device and version, on the machine of that name.
std::filesystem::path file_for(const std::filesystem::path& folder, const std::string& host,
                               const std::string& key);

/// nullopt where there is none, or it cannot be read: of another version, or cut short.
std::optional<DeviceProfile> read_stored(const std::filesystem::path& file);

using Measurer = std::function<DeviceProfile()>;
/// What the file holds, or, where there is none or on `refresh`, what is measured, which is then
/// stored. Where nothing can be stored the profile's source says so; `file` is nullopt where there
/// is no cache folder.
DeviceProfile stored_or_measured(const std::optional<std::filesystem::path>& file, bool refresh,
                                 const Measurer& measurer);

}  // namespace rooftune::ceilings
