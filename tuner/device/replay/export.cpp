#include "tuner/device/replay/export.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "tuner/codec/codec.hpp"
#include "tuner/core/error.hpp"
#include "tuner/device/replay/formats.hpp"

namespace rooftune {
namespace {

constexpr double milliseconds = 1e3;  // of a second

RecordedJson samples_json(const RecordedPoint& point) {
  RecordedJson json = RecordedJson::array();
  for (const double sample : point.samples) {
    json.push_back(sample * milliseconds);
  }
  return json;
}

std::string dump(const RecordedJson& json, int indent) {
  // Reasons may hold a compiler's bytes.
  return json.dump(indent, ' ', false, RecordedJson::error_handler_t::replace);
}

std::string t4_text(const Recording& recording) {
  RecordedJson results = RecordedJson::array();
  for (const RecordedPoint& point : recording.points) {
    const bool ok = point.outcome == Outcome::ok;
    RecordedJson measurements = RecordedJson::array();
    if (ok) {
      measurements.push_back(
          {{"name", "time"}, {"value", point.seconds * milliseconds}, {"unit", "ms"}});
    }
    results.push_back({{"timestamp", ""},
                       {"configuration", codec::encode_values(point.parameters)},
                       // The schema says compilation_time, published files say compilation.
                       {"times",
                        {{"compilation_time", point.compile_seconds * milliseconds},
                         {"compilation", point.compile_seconds * milliseconds},
                         {"framework", 0},
                         {"search_algorithm", 0},
                         {"validation", 0},
                         {"runtimes", samples_json(point)}}},
                       {"invalidity", t4_invalidity(point.outcome)},
                       {"correctness", ok ? 1 : 0},
                       {"measurements", measurements},
                       {"objectives", {"time"}},
                       {details_key, write_details(point)}});
  }
  return dump({{"schema_version", "1.0.0"},
               {"metadata",
                {{"timeunit", "milliseconds"},
                 {"device_name", recording.device_name},
                 {"kernel_name", recording.kernel_name},
                 {"problem_size", recording.problem_size}}},
               {"results", results}},
              1) +
         "\n";
}

/// str() of Python, which makes Kernel Tuner's keys.
std::string python_text(const Value& value) {
  return value.kind() == Value::Kind::boolean ? (value.truthy() ? "True" : "False")
                                              : value.to_string();
}

/// The kinds of failure that Kernel Tuner tells apart.
const char* kernel_tuner_error(Outcome outcome) {
  switch (outcome) {
    case Outcome::compile_failed:
      return "CompilationFailedConfig";
    case Outcome::skipped:
    case Outcome::cannot_launch:
      return "InvalidConfig";
    default:
      return "RuntimeFailedConfig";
  }
}

RecordedJson kernel_tuner_entry(const RecordedPoint& point) {
  RecordedJson entry = codec::encode_values(point.parameters);
  double sampled = 0;
  if (point.outcome == Outcome::ok) {
    entry["time"] = point.seconds * milliseconds;
    entry["times"] = samples_json(point);
    for (const double sample : point.samples) {
      sampled += sample * milliseconds;
    }
  } else {
    entry["time"] = kernel_tuner_error(point.outcome);
    entry["__error__"] = kernel_tuner_error(point.outcome);
  }
  // A simulation with a limit of time needs all of these.
  entry["compile_time"] = point.compile_seconds * milliseconds;
  entry["verification_time"] = 0.0;
  entry["benchmark_time"] = sampled;
  entry["strategy_time"] = 0.0;
  entry["framework_time"] = 0.0;
  entry["timestamp"] = "";
  entry[details_key] = write_details(point);
  return entry;
}

void refuse_clashing_names(const Recording& recording) {
  for (const Parameter& parameter : recording.parameters) {
    for (const char* taken :
         {"time", "times", "compile_time", "verification_time", "benchmark_time", "strategy_time",
          "framework_time", "timestamp", "__error__", details_key}) {
      if (parameter.name == taken) {
        throw InputError(fmt::format("{}: a parameter is named \"{}\", a key of Kernel Tuner's "
                                     "cache entries",
                                     recording.file.string(), parameter.name),
                         "export as t4 or csv");
      }
    }
  }
}

std::string kernel_tuner_text(const Recording& recording) {
  refuse_clashing_names(recording);
  RecordedJson keys = RecordedJson::array();
  RecordedJson values = RecordedJson::object();
  for (const Parameter& parameter : recording.parameters) {
    keys.push_back(parameter.name);
    RecordedJson list = RecordedJson::array();
    for (const Value& value : parameter.values) {
      list.push_back(codec::encode_value(value));
    }
    values[parameter.name] = list;
  }
  RecordedJson cache = RecordedJson::object();
  for (const RecordedPoint& point : recording.points) {
    std::vector<std::string> key;
    for (const Parameter& parameter : recording.parameters) {
      key.push_back(python_text(*find_value(point.parameters, parameter.name)));
    }
    cache[fmt::format("{}", fmt::join(key, ","))] = kernel_tuner_entry(point);
  }
  // Kernel Tuner compares the size with the one that it is called with, and has always one.
  const std::vector<std::int64_t> size =
      recording.problem_size.empty() ? std::vector<std::int64_t>{1} : recording.problem_size;
  return dump({{"device_name", recording.device_name},
               {"kernel_name", recording.kernel_name},
               {"problem_size", size},
               {"tune_params_keys", keys},
               {"tune_params", values},
               {"objective", "time"},
               {"cache", cache}},
              0) +
         "\n";
}

/// RFC 4180.
std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) {
    return text;
  }
  std::string cell = "\"";
  for (const char c : text) {
    cell += c == '"' ? std::string("\"\"") : std::string(1, c);
  }
  return cell + '"';
}

std::string csv_line(const std::vector<std::string>& cells) {
  std::vector<std::string> quoted;
  std::transform(cells.begin(), cells.end(), std::back_inserter(quoted), csv_cell);
  return fmt::format("{}\r\n", fmt::join(quoted, ","));
}

std::string csv_text(const Recording& recording) {
  std::set<std::string> counters;
  for (const RecordedPoint& point : recording.points) {
    for (const auto& [name, value] : point.counters) {
      counters.insert(name);
    }
  }
  std::vector<std::string> header;
  for (const Parameter& parameter : recording.parameters) {
    header.push_back(parameter.name);
  }
  const auto fixed = std::to_array<const char*>(
      {"outcome", "reason", "time_ms", "compile_ms", "registers", "static_shared_bytes"});
  header.insert(header.end(), fixed.begin(), fixed.end());
  header.insert(header.end(), counters.begin(), counters.end());
  std::string text = csv_line(header);
  for (const RecordedPoint& point : recording.points) {
    std::vector<std::string> cells;
    for (const Parameter& parameter : recording.parameters) {
      cells.push_back(find_value(point.parameters, parameter.name)->to_string());
    }
    const bool ok = point.outcome == Outcome::ok;
    cells.emplace_back(to_string(point.outcome));
    cells.push_back(point.reason);
    cells.push_back(ok ? fmt::format("{}", point.seconds * milliseconds) : "");
    cells.push_back(fmt::format("{}", point.compile_seconds * milliseconds));
    cells.push_back(point.resources ? fmt::format("{}", point.resources->registers) : "");
    cells.push_back(point.resources ? fmt::format("{}", point.resources->static_shared) : "");
    for (const std::string& name : counters) {
      const auto found = point.counters.find(name);
      cells.push_back(found == point.counters.end() ? "" : fmt::format("{}", found->second));
    }
    text += csv_line(cells);
  }
  return text;
}

struct FormatRow {
  const char* name;
  std::string (*text)(const Recording&);
};
constexpr std::array formats = {FormatRow{"t4", t4_text},
                                FormatRow{"kernel-tuner", kernel_tuner_text},
                                FormatRow{"csv", csv_text}};

}  // namespace

std::vector<std::string> export_formats() {
  std::vector<std::string> names;
  for (const FormatRow& row : formats) {
    names.emplace_back(row.name);
  }
  return names;
}

std::string export_text(const Recording& recording, const std::string& format) {
  const auto* found = std::find_if(formats.begin(), formats.end(),
                                   [&](const FormatRow& row) { return row.name == format; });
  if (found == formats.end()) {
    throw InputError(fmt::format("unknown format \"{}\"", format),
                     suggest(format, export_formats()));
  }
  return found->text(recording);
}

std::string packed_for(const std::filesystem::path& file, const std::string& text) {
  if (file.extension() != ".gz") {
    return text;
  }
  z_stream stream{};
  constexpr int gzip_header = 16;  // added to the window's bits
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + gzip_header,
                   MAX_MEM_LEVEL, Z_DEFAULT_STRATEGY) != Z_OK) {
    throw InputError(fmt::format("{}: cannot be packed", file.string()));
  }
  std::string packed(deflateBound(&stream, text.size()), '\0');
  std::string source = text;  // zlib's interface wants it mutable
  stream.next_in = reinterpret_cast<Bytef*>(source.data());
  stream.avail_in = static_cast<uInt>(source.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  const int status = deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  if (status != Z_STREAM_END) {
    throw InputError(fmt::format("{}: cannot be packed", file.string()));
  }
  return packed;
}

}  // namespace rooftune
