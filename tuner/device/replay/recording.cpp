#include "tuner/device/replay/recording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>

#include "tuner/codec/codec.hpp"
#include "tuner/core/error.hpp"
#include "tuner/device/replay/formats.hpp"
#include "tuner/device/replay/json_file.hpp"

namespace rooftune {
namespace {

constexpr const char* known_formats =
    "known: Kernel Tuner cache, T4 results, KTT results (JSON, plain or gzip)";

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

bool value_less(const Value& a, const Value& b) {
  if (a.is_number() && b.is_number()) {
    return a.as_real() < b.as_real();
  }
  return a.is_number() != b.is_number() ? a.is_number() : false;  // texts keep their order
}

/// Parameters and the values that occur, from the points; the formats' own lists are not trusted,
/// as a cache can hold fewer values than were asked for.
void collect_parameters(Recording& recording) {
  for (const NamedValue& named : recording.points.front().parameters) {
    Parameter parameter;
    parameter.name = named.name;
    recording.parameters.push_back(std::move(parameter));
  }
  for (const RecordedPoint& point : recording.points) {
    for (Parameter& parameter : recording.parameters) {
      const Value* value = find_value(point.parameters, parameter.name);
      if (value == nullptr || point.parameters.size() != recording.parameters.size()) {
        throw InputError(
            fmt::format("{}: the configuration \"{}\" has other parameters than the first one",
                        recording.file.string(), to_string(point.parameters)),
            "one recording holds one tuning space");
      }
      if (std::find(parameter.values.begin(), parameter.values.end(), *value) ==
          parameter.values.end()) {
        parameter.values.push_back(*value);
      }
    }
  }
  for (Parameter& parameter : recording.parameters) {
    std::stable_sort(parameter.values.begin(), parameter.values.end(), value_less);
  }
}

void refuse_repeats(const Recording& recording) {
  std::set<std::string> seen;
  for (const RecordedPoint& point : recording.points) {
    if (!seen.insert(to_string(point.parameters)).second) {
      throw InputError(fmt::format("{}: the configuration \"{}\" is recorded twice",
                                   recording.file.string(), to_string(point.parameters)),
                       "keep one of the two entries");
    }
  }
}

/// "convolution_milo-A100.t4.json.gz" names its device after the last dash; used where the format
/// does not hold it.
std::string device_from_file_name(const std::filesystem::path& file) {
  std::string stem = file.filename().string();
  stem = stem.substr(0, stem.find(".t4"));
  stem = stem.substr(0, stem.find(".json"));
  const std::size_t dash = stem.rfind('-');
  return dash == std::string::npos ? "" : stem.substr(dash + 1);
}

}  // namespace

Value value_from_json(const RecordedJson& json, const std::string& what) {
  try {
    return codec::decode_value(json, what);
  } catch (const codec::CodecError& error) {
    throw InputError(error.what());
  }
}

std::optional<double> number_from_json(const RecordedJson& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number()) {
    return std::nullopt;
  }
  const auto number = found->get<double>();
  return std::isfinite(number) ? std::optional(number) : std::nullopt;
}

double seconds_per_unit(const std::string& unit, const std::filesystem::path& file) {
  const std::string word = lower(unit);
  if (word == "nanoseconds" || word == "ns") {
    return 1e-9;
  }
  if (word == "microseconds" || word == "us") {
    return 1e-6;
  }
  // "miliseconds" is how published T4 files spell it.
  if (word == "milliseconds" || word == "miliseconds" || word == "ms") {
    return 1e-3;
  }
  if (word == "seconds" || word == "s") {
    return 1;
  }
  throw InputError(fmt::format("{}: unknown unit of time \"{}\"", file.string(), unit),
                   "known: nanoseconds, microseconds, milliseconds, seconds");
}

Outcome outcome_from_recorder(const std::string& word) {
  const std::string text = lower(word);
  const auto says = [&](const char* part) { return text.find(part) != std::string::npos; };
  if (says("compil")) {
    return Outcome::compile_failed;
  }
  if (says("correctness") || says("validation") || says("verification")) {
    return Outcome::wrong_result;
  }
  if (says("timeout")) {
    return Outcome::timed_out;
  }
  if (says("constraint") || says("invalidconfig") || says("devicelimits")) {
    return Outcome::skipped;
  }
  if (says("memory")) {
    return Outcome::out_of_memory;
  }
  // Kernel Tuner's RuntimeFailedConfig and KTT's ComputationFailed: most often a launch refused
  // for its resources, but neither says so.
  return Outcome::crashed;
}

const RecordedPoint* Recording::best() const {
  const RecordedPoint* best = nullptr;
  for (const RecordedPoint& point : points) {
    if (point.outcome == Outcome::ok && (best == nullptr || point.seconds < best->seconds)) {
      best = &point;
    }
  }
  return best;
}

namespace {

void read_points(const RecordedJson& document, Recording& recording) {
  if (is_kernel_tuner(document)) {
    read_kernel_tuner(document, recording);
  } else if (is_ktt(document)) {
    read_ktt(document, recording);
  } else if (is_t4(document)) {
    read_t4(document, recording);
  } else {
    throw InputError(fmt::format("{}: not a recording in a known format", recording.file.string()),
                     known_formats);
  }
}

}  // namespace

Recording read_recording(const std::filesystem::path& file) {
  Recording recording;
  recording.file = file;
  const RecordedJson document = parse_recorded_json(read_maybe_gzip(file), file, recording.remarks);
  try {
    read_points(document, recording);
  } catch (const RecordedJson::exception& error) {
    throw InputError(
        fmt::format("{}: an entry has an unexpected type ({})", file.string(), error.what()),
        known_formats);
  }
  if (recording.device_name.empty()) {
    recording.device_name = device_from_file_name(file);
  }
  finish_recording(recording);
  return recording;
}

void finish_recording(Recording& recording) {
  if (recording.points.empty()) {
    throw InputError(fmt::format("{}: holds no configuration", recording.file.string()));
  }
  collect_parameters(recording);
  refuse_repeats(recording);
}

}  // namespace rooftune
