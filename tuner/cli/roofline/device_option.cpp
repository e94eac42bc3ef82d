#include "tuner/cli/roofline/device_option.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <ostream>

#include "tuner/device/cuda/cuda_device.hpp"
#include "tuner/device/host/host_device.hpp"
#include "tuner/device/open.hpp"

namespace rooftune::cli {

DeviceProfile device_with_roofs(const std::string& name, Io& io, bool refresh) {
  if (const auto gpu = gpu_index(name)) {
    return gpu_profile(*gpu, refresh, [&](const std::string& text) {
      io.err << text << '\n' << std::flush;
    });
  }
  if (name != "host") {
    return load_device(name);
  }
  const auto file = host_ceilings_file();
  if (refresh || !file || !std::filesystem::exists(*file)) {
    io.err << "measuring this machine's ceilings: a few seconds, longer under load\n" << std::flush;
  }
  return host_profile(0, refresh);
}

std::optional<std::filesystem::path> ceilings_file_of(const std::string& name) {
  if (const auto gpu = gpu_index(name)) {
    return gpu_ceilings_file(*gpu);
  }
  return name == "host" ? host_ceilings_file() : std::nullopt;
}

std::string figure_text(const Roof& roof) {
  switch (roof.kind) {
    case RoofKind::compute:
      return format_flops(roof.value);
    case RoofKind::bandwidth:
      return format_bandwidth(roof.value);
    case RoofKind::issue:
      return fmt::format("{:.4g} warp instr/s", roof.value);
    case RoofKind::latency:
      break;
  }
  return format_seconds(roof.value);
}

}  // namespace rooftune::cli
