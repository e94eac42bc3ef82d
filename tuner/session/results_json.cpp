#include <fmt/format.h>

#include "tuner/core/error.hpp"
#include "tuner/device/replay/export.hpp"
#include "tuner/device/replay/json_file.hpp"
#include "tuner/session/fields.hpp"
#include "tuner/session/files.hpp"
#include "tuner/session/results.hpp"

namespace rooftune {
namespace {

using codec::Json;

constexpr int schema_version = 1;
constexpr double milliseconds = 1e3;  // of a second; T4 files count in milliseconds
constexpr const char* own_key = "rooftune";

/// The runs that T4 calls runtimes. With several problems a run is one of each, so their medians
/// are all there is to tell.
std::vector<double> runtimes(const Record& record) {
  std::vector<double> out;
  for (const ProblemResult& result : record.problems) {
    if (!result.measurement) {
      continue;
    }
    if (record.problems.size() == 1) {
      out = result.measurement->samples;
    } else {
      out.push_back(result.measurement->seconds);
    }
  }
  for (double& seconds : out) {
    seconds *= milliseconds;
  }
  return out;
}

double verification_seconds(const Record& record) {
  double total = 0;
  for (const ProblemResult& result : record.problems) {
    total += result.measurement ? result.measurement->verification_seconds : 0;
  }
  return total;
}

Json t4_result(const Record& record, Objective objective) {
  Json times = {{"compilation", record.compile_seconds * milliseconds},
                {"framework", 0},
                {"search_algorithm", 0},
                {"validation", verification_seconds(record) * milliseconds},
                {"runtimes", runtimes(record)}};
  Json measurements = Json::array();
  if (record.outcome == Outcome::ok) {
    measurements.push_back(
        {{"name", "time"}, {"value", record.ranked_seconds() * milliseconds}, {"unit", "ms"}});
    if (const double joules = record.joules(); joules > 0) {
      measurements.push_back({{"name", "energy"}, {"value", joules}, {"unit", "J"}});
    }
  }
  return {{"timestamp", record.timestamp},
          {"configuration", codec::encode(record.parameters)},
          {"times", std::move(times)},
          {"invalidity", t4_invalidity(record.outcome)},
          {"correctness", record.outcome == Outcome::ok ? 1 : 0},
          {"measurements", std::move(measurements)},
          {"objectives", Json::array({to_string(objective)})}};
}

Json to_json(const Results& results) {
  Json out = codec::encode(results);
  out["metadata"] = {{"timeunit", "milliseconds"}};
  out["results"] = Json::array();
  for (const Record& record : results.records) {
    Json result = t4_result(record, results.objective);
    result[own_key] = codec::encode(record);
    out["results"].push_back(std::move(result));
  }
  return out;
}

/// Throws CodecError.
Results from_json(const Json& in) {
  auto results = codec::read<Results>(in);
  const auto list = in.find("results");
  if (list == in.end() || !list->is_array()) {
    throw codec::CodecError("results", "a list is expected");
  }
  for (std::size_t i = 0; i < list->size(); ++i) {
    const std::string where = fmt::format("results[{}]", i);
    if (!(*list)[i].is_object() || !(*list)[i].contains(own_key)) {
      throw codec::CodecError(where, fmt::format("\"{}\" is missing", own_key));
    }
    results.records.push_back(
        codec::read<Record>((*list)[i][own_key], fmt::format("{}.{}", where, own_key)));
  }
  return results;
}

Json parse(const std::string& text, const std::string& file) {
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& error) {
    throw InputError(fmt::format("{}: not a complete JSON document (byte {})", file, error.byte),
                     "the file is damaged or cut short; `rooftune tune --resume` writes it again "
                     "from the journal beside it");
  }
}

void check_schema(const Json& json, const std::string& file) {
  const bool ours = json.is_object() && json.contains("schema_version") &&
                    json["schema_version"].is_number_integer() && json.contains("spec_hash");
  if (!ours) {
    throw InputError(fmt::format("{}: not a results file of rooftune", file),
                     "give a results.json that `rooftune tune` wrote; results of other tuners come "
                     "in by `rooftune import`");
  }
  if (const auto version = json["schema_version"].get<std::int64_t>(); version > schema_version) {
    throw InputError(
        fmt::format("{}: schema version {} is newer than this rooftune reads ({})", file, version,
                    schema_version),
        fmt::format("use the rooftune that wrote it, or a newer one; this is {}", tool_version()));
  }
}

}  // namespace

void write_results(const Results& results, const std::filesystem::path& file) {
  write_file_durably(file, packed_for(file, codec::dump(to_json(results), true) + "\n"));
}

Results read_results(const std::filesystem::path& file) {
  const bool packed = file.extension() == ".gz";
  const Json json = parse(packed ? read_maybe_gzip(file) : read_file(file), file.string());
  check_schema(json, file.string());
  try {
    return from_json(json);
  } catch (const codec::CodecError& error) {
    throw InputError(fmt::format("{}: {}", file.string(), error.what()),
                     "the file is damaged, or was changed by hand");
  }
}

}  // namespace rooftune
