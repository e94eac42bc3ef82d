// KTT's results: {Metadata{Device, TimeUnit, GlobalSizeType}, Results[] {Configuration[{Name,
// Value}], Status, TotalDuration, ComputationResults[0] {Duration, GlobalSize, LocalSize,
// CompilationData{RegistersCount, LocalMemorySize}, ProfilingData{Counters[{Name, Value}]}}}}.
#include <fmt/format.h>

#include <cmath>

#include "tuner/core/error.hpp"
#include "tuner/device/replay/formats.hpp"

namespace rooftune {
namespace {

Dim3 read_dim(const RecordedJson& size) {
  const auto extent = [&](const char* axis) {
    const double number = number_from_json(size, axis).value_or(1);
    return number >= 1 ? static_cast<std::uint64_t>(number) : 1;
  };
  return {extent("X"), extent("Y"), extent("Z")};
}

void read_computation(const RecordedJson& computation, bool grid_in_blocks, RecordedPoint& point) {
  if (const auto data = computation.find("CompilationData"); data != computation.end()) {
    Resources resources;
    resources.registers = static_cast<int>(number_from_json(*data, "RegistersCount").value_or(0));
    // KTT's "local memory" is OpenCL's word for CUDA's static shared memory.
    resources.static_shared =
        static_cast<std::int64_t>(number_from_json(*data, "LocalMemorySize").value_or(0));
    resources.constant =
        static_cast<std::int64_t>(number_from_json(*data, "ConstantMemorySize").value_or(0));
    point.resources = resources;
  }
  if (computation.contains("GlobalSize") && computation.contains("LocalSize")) {
    Launch launch;
    launch.block = read_dim(computation["LocalSize"]);
    launch.grid = read_dim(computation["GlobalSize"]);
    if (!grid_in_blocks) {
      launch.grid.x /= launch.block.x;
      launch.grid.y /= launch.block.y;
      launch.grid.z /= launch.block.z;
    }
    point.launch = launch;
  }
  const RecordedJson profiling = computation.value("ProfilingData", RecordedJson::object());
  for (const RecordedJson& counter : profiling.value("Counters", RecordedJson::array())) {
    const auto value = number_from_json(counter, "Value");
    if (value && counter.contains("Name")) {  // NaN and missing are "no data", never 0
      point.counters.emplace(counter.value("Name", ""), *value);
    }
  }
}

RecordedPoint read_entry(const RecordedJson& entry, std::size_t number, double unit,
                         bool grid_in_blocks, const std::string& file) {
  const std::string where = fmt::format("{}: result {}", file, number);
  if (!entry.is_object() || !entry.contains("Configuration") ||
      !entry["Configuration"].is_array()) {
    throw InputError(where + " has no configuration");
  }
  RecordedPoint point;
  for (const RecordedJson& pair : entry["Configuration"]) {
    if (!pair.is_object() || !pair.contains("Name") || !pair.contains("Value")) {
      throw InputError(where + " has a parameter without name or value");
    }
    const std::string name = pair.value("Name", "");
    point.parameters.push_back({name, value_from_json(pair["Value"], where + ", " + name)});
  }
  const std::string status = entry.value("Status", "");
  const RecordedJson computations = entry.value("ComputationResults", RecordedJson::array());
  if (!computations.empty()) {
    read_computation(computations.front(), grid_in_blocks, point);
  }
  if (status != "Ok") {
    point.outcome = outcome_from_recorder(status);
    point.reason = status.empty() ? "the recording holds no status" : status;
    return point;
  }
  // The kernel's own duration; TotalDuration counts what the host does between several kernels.
  auto duration =
      computations.size() == 1 ? number_from_json(computations.front(), "Duration") : std::nullopt;
  if (!duration) {
    duration = number_from_json(entry, "TotalDuration");
  }
  if (!duration || *duration <= 0) {
    point.outcome = Outcome::crashed;
    point.reason = "the recording holds no usable time";
    return point;
  }
  point.seconds = *duration * unit;
  return point;
}

}  // namespace

bool is_ktt(const RecordedJson& document) {
  return document.is_object() && document.contains("Results") && document["Results"].is_array() &&
         document.contains("Metadata") && document["Metadata"].is_object();
}

void read_ktt(const RecordedJson& document, Recording& recording) {
  recording.format = "ktt";
  const RecordedJson& metadata = document["Metadata"];
  recording.device_name = metadata.value("Device", "");
  const double unit = seconds_per_unit(metadata.value("TimeUnit", "Nanoseconds"), recording.file);
  const bool grid_in_blocks = metadata.value("GlobalSizeType", "CUDA") == "CUDA";
  std::size_t number = 0;
  for (const RecordedJson& entry : document["Results"]) {
    recording.points.push_back(
        read_entry(entry, ++number, unit, grid_in_blocks, recording.file.string()));
    if (recording.kernel_name.empty()) {
      recording.kernel_name = entry.value("KernelName", "");
    }
  }
}

}  // namespace rooftune
