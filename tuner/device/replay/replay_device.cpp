#include "tuner/device/replay/replay_device.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <unordered_map>

#include "tuner/core/error.hpp"

namespace rooftune {
namespace {

/// The text of the values of `names`, for look-up. Numbers that are equal print alike.
std::string key_of(const std::vector<std::string>& names, const NamedValues& values,
                   const NamedValues& constants) {
  std::string key;
  for (const std::string& name : names) {
    const Value* value = find_value(values, name);
    if (value == nullptr) {
      value = find_value(constants, name);
    }
    if (value == nullptr) {
      throw InputError(fmt::format("the recording's parameter \"{}\" is not in the spec", name),
                       "add it to the spec's parameters or constants");
    }
    // 2 and 2.0 and true are one value.
    key += value->is_number() ? fmt::format("{};", value->as_real()) : value->as_text() + ";";
  }
  return key;
}

class RecordingIndex {
 public:
  explicit RecordingIndex(const Recording& recording) {
    for (const Parameter& parameter : recording.parameters) {
      names_.push_back(parameter.name);
    }
    for (const RecordedPoint& point : recording.points) {
      points_.emplace(key_of(names_, point.parameters, {}), &point);
    }
  }

  const RecordedPoint* find(const NamedValues& values, const NamedValues& constants) const {
    const auto found = points_.find(key_of(names_, values, constants));
    return found == points_.end() ? nullptr : found->second;
  }

  const std::vector<std::string>& names() const { return names_; }

 private:
  std::vector<std::string> names_;
  std::unordered_map<std::string, const RecordedPoint*> points_;
};

/// A parameter of the spec that the recording does not have would make the look-up ambiguous.
void refuse_unrecorded_parameters(const Spec& spec, const std::vector<std::string>& recorded,
                                  const Recording& recording) {
  for (const Parameter& parameter : spec.parameters) {
    if (std::find(recorded.begin(), recorded.end(), parameter.name) == recorded.end()) {
      throw InputError(parameter.spot,
                       fmt::format("parameter \"{}\" is not in the recording {}", parameter.name,
                                   recording.file.string()),
                       suggest(parameter.name, recorded));
    }
  }
}

class ReplayDevice : public Device {
 public:
  ReplayDevice(Recording recording, DeviceProfile profile)
      : recording_(std::move(recording)), index_(recording_), profile_(std::move(profile)) {}

  const DeviceProfile& profile() const override { return profile_; }

  CompileResult compile(const KernelInstance& instance) override {
    const RecordedPoint& point = point_of(instance);
    if (point.outcome == Outcome::compile_failed) {
      return Failure{point.outcome, point.reason, ""};
    }
    KernelBinary binary;
    binary.architecture = "recorded";
    binary.resources = point.resources;
    binary.compile_seconds = point.compile_seconds;
    return binary;
  }

  MeasureResult measure(const KernelInstance& instance, const KernelBinary&,
                        const MeasureOptions&) override {
    const RecordedPoint& point = point_of(instance);
    if (point.outcome != Outcome::ok) {
      return Failure{point.outcome, point.reason, ""};
    }
    Measurement measurement;
    measurement.seconds = point.seconds;
    measurement.wall_seconds = point.seconds;
    measurement.samples = point.samples.empty() ? std::vector{point.seconds} : point.samples;
    measurement.clock = "recorded";
    measurement.counters = point.counters;
    return measurement;
  }

  unsigned compile_jobs() const override { return 1; }

 private:
  const RecordedPoint& point_of(const KernelInstance& instance) const {
    const RecordedPoint* point = index_.find(instance.parameters, instance.problem);
    if (point == nullptr) {
      throw InputError(fmt::format("{}: the configuration \"{}\" was not recorded",
                                   recording_.file.string(), to_string(instance.parameters)),
                       "a replay answers only what was measured; narrow the spec's rules");
    }
    return *point;
  }

  Recording recording_;
  RecordingIndex index_;
  DeviceProfile profile_;
};

}  // namespace

RecordedSpace match_recording(const Spec& spec, const Space& space, const Recording& recording) {
  const RecordingIndex index(recording);
  refuse_unrecorded_parameters(spec, index.names(), recording);
  RecordedSpace matched;
  std::uint64_t absent = 0;
  std::string example;
  for (std::uint64_t i = 0; i < space.size(); ++i) {
    const NamedValues values = space.values(space.at(i));
    const RecordedPoint* point = index.find(values, spec.problems.front());
    if (point == nullptr && absent++ == 0) {
      example = to_string(values);
    }
    matched.points.push_back(point);
  }
  if (absent > 0) {
    throw InputError(
        fmt::format("{}: lacks {} of the spec's {} configurations, such as \"{}\"",
                    recording.file.string(), absent, space.size(), example),
        "a replay answers only what was measured; make the spec's rules fit the recording");
  }
  matched.outside = recording.points.size() - matched.points.size();
  return matched;
}

std::unique_ptr<Device> make_replay_device(Recording recording, DeviceProfile profile) {
  return std::make_unique<ReplayDevice>(std::move(recording), std::move(profile));
}

}  // namespace rooftune
