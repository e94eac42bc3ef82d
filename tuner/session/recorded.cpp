#include "tuner/session/recorded.hpp"

#include <fmt/format.h>

#include "tuner/device/replay/json_file.hpp"
#include "tuner/session/fields.hpp"
#include "tuner/space/space.hpp"

namespace rooftune {
namespace {

/// results.json says on its first lines which version of rooftune wrote it.
bool is_own(const std::string& text) {
  constexpr std::size_t head = 256;
  return std::string_view(text).substr(0, head).find("\"tool_version\"") != std::string_view::npos;
}

RecordedPoint point_of(const Record& record) {
  RecordedPoint point;
  point.parameters = record.parameters;
  point.outcome = record.outcome;
  point.reason = record.reason;
  point.seconds = record.outcome == Outcome::ok ? record.ranked_seconds() : 0;
  point.compile_seconds = record.compile_seconds;
  point.resources = record.resources;
  if (record.problems.size() == 1) {
    point.launch = record.problems.front().launch;
    if (const auto& measurement = record.problems.front().measurement) {
      point.samples = measurement->samples;
      point.counters = measurement->counters;
    }
  }
  return point;
}

Record record_of(const RecordedPoint& point, std::uint64_t number) {
  Record record;
  record.number = number;
  record.parameters = point.parameters;
  record.outcome = point.outcome;
  record.reason = point.reason;
  record.proposal.summary = "recorded";
  record.resources = point.resources;
  record.seconds = point.seconds;
  record.compile_seconds = point.compile_seconds;
  ProblemResult result;
  result.launch = point.launch.value_or(Launch{});
  if (point.outcome == Outcome::ok) {
    Measurement measurement;
    measurement.seconds = point.seconds;
    measurement.samples = point.samples;
    measurement.wall_seconds = point.seconds;
    measurement.clock = "recorded";
    measurement.counters = point.counters;
    result.measurement = std::move(measurement);
  }
  record.problems.push_back(std::move(result));
  return record;
}

}  // namespace

Recording open_recording(const std::filesystem::path& file_or_folder) {
  const std::filesystem::path file =
      is_directory(file_or_folder) ? file_or_folder / "results.json" : file_or_folder;
  return is_own(read_maybe_gzip(file)) ? recording_of(read_results(file), file)
                                       : read_recording(file);
}

Recording recording_of(const Results& results, const std::filesystem::path& file) {
  Recording recording;
  recording.file = file;
  recording.format = "rooftune";
  recording.device_name = results.device.name;
  recording.device = results.device;
  recording.kernel_name = results.spec_name;
  for (const Record& record : results.records) {
    if (record.in_space) {
      recording.points.push_back(point_of(record));
    }
  }
  if (results.problems.size() > 1) {
    recording.remarks.push_back(
        fmt::format("{} problem sizes: times are their geometric means", results.problems.size()));
  }
  finish_recording(recording);
  return recording;
}

Results results_of(const Recording& recording, const Spec& spec) {
  const Space space(spec);
  Results results;
  results.tool_version = tool_version();
  results.spec_name = spec.name;
  results.spec_file = spec.file.filename();
  results.spec_text = spec.text;
  results.spec_hash = spec.hash;
  results.policy = "recorded";
  if (recording.device) {
    results.device = *recording.device;
  } else if (auto known = match_device(recording.device_name)) {
    results.device = *known;
  }
  results.device.name = recording.device_name;
  results.environment =
      fmt::format("imported from {} ({})", recording.file.filename().string(), recording.format);
  results.parameters = spec.parameters;
  results.problems = spec.problems;
  results.raw_size = space.raw_size();
  results.space_size = space.size();
  results.removed = space.removed();
  for (const RecordedPoint& point : recording.points) {
    results.records.push_back(record_of(point, results.records.size() + 1));
  }
  results.stop = StopReason::space_used_up;
  results.stop_text = "recorded elsewhere";
  return results;
}

}  // namespace rooftune
