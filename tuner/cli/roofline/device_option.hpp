// The device of a command that needs only its roofs.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "tuner/cli/command.hpp"
#include "tuner/roofline/profile.hpp"

namespace rooftune::cli {

/// "host" or "cuda:N" (with its stored ceilings; measured first where there are none, which is said
/// on `err`), a known device, or a device file. Throws InputError.
DeviceProfile device_with_roofs(const std::string& name, Io& io, bool refresh = false);

/// Where measured ceilings of the device are kept; nullopt for one that is not measured.
std::optional<std::filesystem::path> ceilings_file_of(const std::string& name);

/// "312 TFLOP/s", "1.56 TB/s", "2.00 us": the figure with its unit, by kind.
std::string figure_text(const Roof& roof);

}  // namespace rooftune::cli
