// T4 results: {results[] {configuration{}, times{compilation, runtimes[]}, invalidity, correctness,
// measurements[{name, value, unit}], objectives[]}, metadata{timeunit}}; and T1 inputs.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "tuner/core/error.hpp"
#include "tuner/device/replay/formats.hpp"
#include "tuner/device/replay/json_file.hpp"
#include "tuner/spec/expression.hpp"

namespace rooftune {
namespace {

/// The measurement that the entry's first objective names; `time` where it names none, and where it
/// is an energy: what is replayed are times.
const RecordedJson* objective_of(const RecordedJson& entry) {
  std::string wanted = "time";
  if (const auto objectives = entry.find("objectives");
      objectives != entry.end() && objectives->is_array() && !objectives->empty() &&
      objectives->front().is_string()) {
    wanted = objectives->front().get<std::string>();
    wanted = wanted == "energy" ? "time" : wanted;
  }
  if (const auto list = entry.find("measurements"); list != entry.end() && list->is_array()) {
    for (const RecordedJson& measurement : *list) {
      if (measurement.is_object() && measurement.value("name", "") == wanted) {
        return &measurement;
      }
    }
  }
  return nullptr;
}

void read_time(const RecordedJson& entry, double default_unit, const Recording& recording,
               RecordedPoint& point) {
  const RecordedJson* measurement = objective_of(entry);
  const auto number =
      measurement == nullptr ? std::nullopt : number_from_json(*measurement, "value");
  if (!number || *number <= 0) {
    point.outcome = Outcome::crashed;
    point.reason = "the recording holds no usable time";
    return;
  }
  const std::string unit = measurement->value("unit", "");
  point.seconds = *number * (unit.empty() ? default_unit : seconds_per_unit(unit, recording.file));
}

RecordedPoint read_entry(const RecordedJson& entry, std::size_t number, double unit,
                         const Recording& recording) {
  const std::string where = fmt::format("{}: result {}", recording.file.string(), number);
  if (!entry.is_object() || !entry.contains("configuration") ||
      !entry["configuration"].is_object()) {
    throw InputError(where + " has no configuration");
  }
  RecordedPoint point;
  for (const auto& [name, value] : entry["configuration"].items()) {
    point.parameters.push_back({name, value_from_json(value, where + ", " + name)});
  }
  const RecordedJson times = entry.value("times", RecordedJson::object());
  // The schema says compilation_time, published files say compilation.
  auto compilation = number_from_json(times, "compilation");
  if (!compilation) {
    compilation = number_from_json(times, "compilation_time");
  }
  point.compile_seconds = compilation.value_or(0) * unit;
  const std::string invalidity = entry.value("invalidity", "correct");
  if (invalidity != "correct") {
    point.outcome = outcome_from_recorder(invalidity);
    point.reason = invalidity;
    read_details(entry, point);
    return point;
  }
  read_time(entry, unit, recording, point);
  if (const auto runs = times.find("runtimes"); runs != times.end() && runs->is_array()) {
    for (const RecordedJson& run : *runs) {
      if (run.is_number()) {
        point.samples.push_back(run.get<double>() * unit);
      }
    }
  }
  read_details(entry, point);
  return point;
}

/// A T1 `Values` text is a Python list of constants; it is read by the spec's own expressions.
std::vector<Value> values_of(const RecordedJson& parameter, const std::string& where) {
  std::vector<Value> values;
  const RecordedJson list = [&] {
    const RecordedJson& raw = parameter["Values"];
    if (!raw.is_string()) {
      return raw;
    }
    std::string text = raw.get<std::string>();
    for (char& c : text) {
      c = c == '\'' ? '"' : c;
    }
    RecordedJson parsed = RecordedJson::parse(text, nullptr, false);
    if (parsed.is_discarded()) {
      throw InputError(fmt::format("{}: cannot read Values \"{}\"", where, text),
                       "write a list of constants, such as [16, 32, 64]");
    }
    return parsed;
  }();
  if (!list.is_array() || list.empty()) {
    throw InputError(where + ": Values is not a list of constants");
  }
  for (const RecordedJson& value : list) {
    values.push_back(value_from_json(value, where));
  }
  return values;
}

RecordedJson t1_document(const std::filesystem::path& file) {
  std::vector<std::string> remarks;
  return parse_recorded_json(read_maybe_gzip(file), file, remarks);
}

bool is_t1_document(const RecordedJson& document) {
  return document.is_object() && document.contains("ConfigurationSpace") &&
         document["ConfigurationSpace"].is_object() &&
         document["ConfigurationSpace"].contains("TuningParameters");
}

}  // namespace

bool is_t4(const RecordedJson& document) {
  return document.is_object() && document.contains("results") && document["results"].is_array();
}

void read_t4(const RecordedJson& document, Recording& recording) {
  recording.format = "t4";
  const RecordedJson metadata = document.value("metadata", RecordedJson::object());
  const double unit = seconds_per_unit(metadata.value("timeunit", "milliseconds"), recording.file);
  // The format has no place for these; our exports name them.
  recording.device_name = metadata.value("device_name", "");
  recording.kernel_name = metadata.value("kernel_name", "");
  for (const RecordedJson& extent : metadata.value("problem_size", RecordedJson::array())) {
    recording.problem_size.push_back(extent.get<std::int64_t>());
  }
  std::size_t number = 0;
  for (const RecordedJson& entry : document["results"]) {
    recording.points.push_back(read_entry(entry, ++number, unit, recording));
  }
}

bool is_t1(const std::filesystem::path& file) {
  return is_t1_document(t1_document(file));
}

namespace {

/// Sizes that are numbers and divisors that are expressions; what is neither is left out.
void read_geometry(const RecordedJson& kernel, T1Input& input) {
  for (const RecordedJson& extent : kernel.value("ProblemSize", RecordedJson::array())) {
    if (extent.is_number_integer()) {
      input.problem_size.push_back(extent.get<std::int64_t>());
    }
  }
  const auto is_expression = [](const RecordedJson& text) {
    try {
      (void)Expression::parse(text.get<std::string>());
      return true;
    } catch (const ExpressionError&) {
      return false;
    }
  };
  const RecordedJson local = kernel.value("LocalSize", RecordedJson::object());
  for (const std::string axis : {"X", "Y", "Z"}) {
    const auto divisors = kernel.find("GridDiv" + axis);
    if (local.contains(axis) && local[axis].is_string() && is_expression(local[axis])) {
      input.block.push_back(local[axis].get<std::string>());
    }
    if (divisors != kernel.end() && divisors->is_array() &&
        std::all_of(divisors->begin(), divisors->end(), is_expression)) {
      input.grid_divisors.push_back(divisors->get<std::vector<std::string>>());
    }
  }
}

T1Input read_t1_document(const RecordedJson& document, const std::filesystem::path& file) {
  T1Input input;
  input.kernel_name =
      document.value("KernelSpecification", RecordedJson::object()).value("KernelName", "");
  read_geometry(document.value("KernelSpecification", RecordedJson::object()), input);
  const RecordedJson& space = document["ConfigurationSpace"];
  for (const RecordedJson& entry : space["TuningParameters"]) {
    const std::string name = entry.value("Name", "");
    const std::string where = fmt::format("{}: parameter \"{}\"", file.string(), name);
    if (name.empty() || !entry.contains("Values")) {
      throw InputError(where + " lacks Name or Values");
    }
    Parameter parameter;
    parameter.name = name;
    parameter.values = values_of(entry, where);
    input.parameters.push_back(std::move(parameter));
  }
  for (const RecordedJson& entry : space.value("Conditions", RecordedJson::array())) {
    input.conditions.push_back(entry.value("Expression", ""));
    try {
      (void)Expression::parse(input.conditions.back());
    } catch (const ExpressionError& error) {
      throw InputError(fmt::format("{}: condition \"{}\": {}", file.string(),
                                   input.conditions.back(), error.what()));
    }
  }
  return input;
}

}  // namespace

T1Input read_t1(const std::filesystem::path& file) {
  const RecordedJson document = t1_document(file);
  if (!is_t1_document(document)) {
    throw InputError(fmt::format("{}: not a T1 input", file.string()),
                     "a T1 input has ConfigurationSpace.TuningParameters");
  }
  try {
    return read_t1_document(document, file);
  } catch (const RecordedJson::exception& error) {
    throw InputError(
        fmt::format("{}: an entry has an unexpected type ({})", file.string(), error.what()));
  }
}

}  // namespace rooftune
