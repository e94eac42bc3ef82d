#include "tuner/session/prior.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tuner/core/error.hpp"
#include "tuner/session/recorded.hpp"

namespace rooftune {
namespace {

bool has(const std::vector<Parameter>& parameters, const std::string& name) {
  return std::any_of(parameters.begin(), parameters.end(),
                     [&](const Parameter& parameter) { return parameter.name == name; });
}

std::vector<std::string> names_of(const std::vector<Parameter>& parameters) {
  std::vector<std::string> names;
  for (const Parameter& parameter : parameters) {
    names.push_back(parameter.name);
  }
  return names;
}

/// Parameters of the spec with one value are the same everywhere, and need not be recorded.
void check_parameters(const Spec& spec, const Recording& recording) {
  for (const Parameter& parameter : spec.parameters) {
    if (parameter.values.size() > 1 && !has(recording.parameters, parameter.name)) {
      throw InputError(fmt::format("the prior {} does not have the spec's parameter \"{}\"",
                                   recording.file.string(), parameter.name),
                       suggest(parameter.name, names_of(recording.parameters)));
    }
  }
  for (const Parameter& parameter : recording.parameters) {
    if (parameter.values.size() > 1 && !has(spec.parameters, parameter.name)) {
      throw InputError(
          fmt::format("the prior {} has a parameter \"{}\" that the spec does not have",
                      recording.file.string(), parameter.name),
          suggest(parameter.name, names_of(spec.parameters)));
    }
  }
}

/// With the spec's own value where it has but one: a size may be a parameter.
std::optional<Configuration> configuration_of(const Spec& spec, const Space& space,
                                              const NamedValues& recorded) {
  NamedValues values;
  for (const Parameter& parameter : spec.parameters) {
    const Value* value = parameter.values.size() == 1 ? &parameter.values.front()
                                                      : find_value(recorded, parameter.name);
    if (value == nullptr) {
      return std::nullopt;
    }
    values.push_back({parameter.name, *value});
  }
  return space.find(values);
}

}  // namespace

std::shared_ptr<const Prior> load_prior(const std::filesystem::path& file, const Spec& spec,
                                        const Space& space) {
  const Recording recording = open_recording(file);
  check_parameters(spec, recording);
  auto prior = std::make_shared<Prior>();
  prior->name = recording.device_name;
  bool succeeded = false;
  for (const RecordedPoint& point : recording.points) {
    if (const auto configuration = configuration_of(spec, space, point.parameters)) {
      const bool ok = point.outcome == Outcome::ok && point.seconds > 0;
      succeeded = succeeded || ok;
      prior->points.push_back({*configuration, ok ? std::optional(point.seconds) : std::nullopt});
    }
  }
  if (!succeeded) {
    throw InputError(
        fmt::format("the prior {} has no configuration of this space that succeeded",
                    file.string()),
        "its parameters are the spec's, but their values, or the spec's rules, differ");
  }
  return prior;
}

}  // namespace rooftune
