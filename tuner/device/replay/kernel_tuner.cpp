// Kernel Tuner's cache: {device_name, kernel_name, problem_size, tune_params_keys, tune_params,
// objective, cache{"v1,v2,...": {params..., time (ms) or "CompilationFailedConfig", times[],
// compile_time (ms)}}}.
#include <fmt/format.h>

#include "tuner/core/error.hpp"
#include "tuner/device/replay/formats.hpp"

namespace rooftune {
namespace {

constexpr double millisecond = 1e-3;

RecordedPoint read_entry(const std::string& key, const RecordedJson& entry,
                         const std::vector<std::string>& names, const std::string& file) {
  const auto refuse = [&](const std::string& problem) {
    throw InputError(fmt::format("{}: cache entry \"{}\" {}", file, key, problem));
  };
  RecordedPoint point;
  if (!entry.is_object()) {
    refuse("is not an object");
  }
  for (const std::string& name : names) {
    if (!entry.contains(name)) {
      refuse(fmt::format("lacks its parameter \"{}\"", name));
    }
    point.parameters.push_back(
        {name, value_from_json(entry[name], fmt::format("{}: {} of \"{}\"", file, name, key))});
  }
  point.compile_seconds = number_from_json(entry, "compile_time").value_or(0) * millisecond;
  // Newer versions name a failure apart from the time, older ones in its place.
  const auto error = entry.find("__error__");
  const auto time = error != entry.end() ? error : entry.find("time");
  if (time == entry.end()) {
    refuse("has no \"time\"");
  }
  if (time->is_string()) {
    point.reason = time->get<std::string>();
    point.outcome = outcome_from_recorder(point.reason);
    read_details(entry, point);
    return point;
  }
  const auto seconds = number_from_json(entry, "time");
  if (!seconds || *seconds <= 0) {
    // A time that is NaN, null or not positive was not measured.
    point.outcome = Outcome::crashed;
    point.reason = "the recording holds no usable time";
    return point;
  }
  point.seconds = *seconds * millisecond;
  if (const auto times = entry.find("times"); times != entry.end() && times->is_array()) {
    for (const RecordedJson& sample : *times) {
      if (sample.is_number()) {
        point.samples.push_back(sample.get<double>() * millisecond);
      }
    }
  }
  read_details(entry, point);
  return point;
}

}  // namespace

bool is_kernel_tuner(const RecordedJson& document) {
  return document.is_object() && document.contains("cache") && document["cache"].is_object() &&
         document.contains("tune_params_keys") && document["tune_params_keys"].is_array();
}

void read_kernel_tuner(const RecordedJson& document, Recording& recording) {
  recording.format = "kernel-tuner";
  recording.device_name = document.value("device_name", "");
  recording.kernel_name = document.value("kernel_name", "");
  if (const auto size = document.find("problem_size"); size != document.end() && size->is_array()) {
    for (const RecordedJson& extent : *size) {
      if (extent.is_number_integer()) {
        recording.problem_size.push_back(extent.get<std::int64_t>());
      }
    }
  }
  std::vector<std::string> names;
  for (const RecordedJson& name : document["tune_params_keys"]) {
    names.push_back(value_from_json(name, "an element of tune_params_keys").to_string());
  }
  for (const auto& [key, entry] : document["cache"].items()) {
    recording.points.push_back(read_entry(key, entry, names, recording.file.string()));
  }
}

}  // namespace rooftune
