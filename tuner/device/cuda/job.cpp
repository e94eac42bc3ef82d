#include "tuner/device/cuda/job.hpp"

#include <nlohmann/json.hpp>
#include <stdexcept>

namespace rooftune::cuda {
namespace {

using nlohmann::json;

json dim_json(const Dim3& dim) {
  return {dim.x, dim.y, dim.z};
}

Dim3 dim_from(const json& at) {
  return {at.at(0).get<std::uint64_t>(), at.at(1).get<std::uint64_t>(),
          at.at(2).get<std::uint64_t>()};
}

json program_json(const Program& program) {
  return {{"file", program.file},
          {"entry", program.entry},
          {"grid", dim_json(program.launch.grid)},
          {"block", dim_json(program.launch.block)},
          {"shared", program.launch.shared_bytes}};
}

Program program_from(const json& at) {
  return {at.at("file"),
          at.at("entry"),
          {dim_from(at.at("grid")), dim_from(at.at("block")), at.at("shared")}};
}

json value_json(const Value& value) {
  switch (value.kind()) {
    case Value::Kind::integer:
      return value.as_integer();
    case Value::Kind::boolean:
      return value.truthy();
    case Value::Kind::real:
      return value.as_real();
    case Value::Kind::text:
      break;
  }
  return value.as_text();
}

Value value_from(const json& at) {
  if (at.is_boolean()) {
    return at.get<bool>();
  }
  if (at.is_number_integer()) {
    return at.get<std::int64_t>();
  }
  return at.is_string() ? Value(at.get<std::string>()) : Value(at.get<double>());
}

json argument_json(const Argument& argument) {
  return {{"name", argument.name},
          {"type", argument.type.name},
          {"buffer", argument.is_buffer},
          {"count", argument.count},
          {"value", value_json(argument.value)},
          {"fill", {static_cast<int>(argument.fill.kind), argument.fill.low, argument.fill.high}},
          {"file", argument.file.string()},
          {"access", to_string(argument.access)}};
}

Argument argument_from(const json& at) {
  Argument argument;
  argument.name = at.at("name");
  const ElementType* type = element_type(at.at("type").get<std::string>());
  const auto access = access_from(at.at("access").get<std::string>());
  if (type == nullptr || !access) {
    throw std::invalid_argument("job: unknown type or access of " + argument.name);
  }
  argument.type = *type;
  argument.access = *access;
  argument.is_buffer = at.at("buffer");
  argument.count = at.at("count");
  argument.value = value_from(at.at("value"));
  const json& fill = at.at("fill");
  argument.fill = {static_cast<Fill::Kind>(fill.at(0).get<int>()), fill.at(1), fill.at(2)};
  argument.file = at.at("file").get<std::string>();
  return argument;
}

json options_json(const MeasureOptions& options) {
  return {{"minimum_seconds", options.minimum_seconds},
          {"timeout_seconds", options.timeout_seconds},
          {"minimum_samples", options.minimum_samples},
          {"maximum_samples", options.maximum_samples},
          {"relative_noise", options.relative_noise},
          {"seed", options.seed},
          {"warm", options.warm},
          {"best_seconds", options.best_seconds},
          {"counters", to_string(options.counters)}};
}

MeasureOptions options_from(const json& at) {
  MeasureOptions options;
  options.minimum_seconds = at.at("minimum_seconds");
  options.timeout_seconds = at.at("timeout_seconds");
  options.minimum_samples = at.at("minimum_samples");
  options.maximum_samples = at.at("maximum_samples");
  options.relative_noise = at.at("relative_noise");
  options.seed = at.at("seed");
  options.warm = at.at("warm");
  options.best_seconds = at.at("best_seconds");
  options.counters = counter_level_from(at.at("counters").get<std::string>()).value();
  return options;
}

json measurement_json(const Measurement& it) {
  json json = {{"seconds", it.seconds},
               {"samples", it.samples},
               {"relative_noise", it.relative_noise},
               {"wall_seconds", it.wall_seconds},
               {"clock", it.clock},
               {"verification_seconds", it.verification_seconds},
               {"max_error", it.max_error},
               {"max_error_where", it.max_error_where},
               {"verified", it.verified},
               {"counters", it.counters},
               {"dropped_samples", it.dropped_samples},
               {"clock_hz", {it.slowest_clock, it.fastest_clock}},
               {"note", it.note}};
  return json;
}

Measurement measurement_from(const json& at) {
  Measurement it;
  it.seconds = at.at("seconds");
  it.samples = at.at("samples").get<std::vector<double>>();
  it.relative_noise = at.at("relative_noise");
  it.wall_seconds = at.at("wall_seconds");
  it.clock = at.at("clock");
  it.verification_seconds = at.at("verification_seconds");
  it.max_error = at.at("max_error").is_null() ? 0 : at.at("max_error").get<double>();
  it.max_error_where = at.at("max_error_where");
  it.verified = at.at("verified");
  for (const auto& [name, value] : at.at("counters").items()) {
    if (value.is_number()) {  // JSON has no NaN: it comes as null, which is no data
      it.counters[name] = value.get<double>();
    }
  }
  it.dropped_samples = at.at("dropped_samples");
  it.slowest_clock = at.at("clock_hz").at(0);
  it.fastest_clock = at.at("clock_hz").at(1);
  it.note = at.at("note");
  return it;
}

json answer_json(const Answer& answer) {
  json json = {{"worker_ends", answer.worker_ends},
               {"device_lost", answer.device_lost},
               {"counter_refusal", answer.counter_refusal},
               {"counter_note", answer.counter_note}};
  if (const auto* measurement = std::get_if<Measurement>(&answer.result)) {
    json["measurement"] = measurement_json(*measurement);
  } else if (const auto* failure = std::get_if<Failure>(&answer.result)) {
    json["failure"] = {{"outcome", to_string(failure->outcome)},
                       {"reason", failure->reason},
                       {"log", failure->log}};
  } else {
    const auto& fault = std::get<SpecFault>(answer.result);
    json["fault"] = {{"problem", fault.problem}, {"hint", fault.hint}};
  }
  return json;
}

Answer answer_from(const json& at) {
  Answer answer;
  answer.worker_ends = at.at("worker_ends");
  answer.device_lost = at.at("device_lost");
  answer.counter_refusal = at.at("counter_refusal");
  answer.counter_note = at.at("counter_note");
  if (at.contains("measurement")) {
    answer.result = measurement_from(at.at("measurement"));
  } else if (at.contains("failure")) {
    const json& failure = at.at("failure");
    answer.result = Failure{outcome_from(failure.at("outcome").get<std::string>()).value(),
                            failure.at("reason"), failure.at("log")};
  } else {
    const json& fault = at.at("fault");
    answer.result = SpecFault{fault.at("problem"), fault.at("hint")};
  }
  return answer;
}

}  // namespace

json to_json(const Job& job) {
  json json = {{"kernel", program_json(job.kernel)},
               {"arguments", nlohmann::json::array()},
               {"expected_files", job.expected_files},
               {"expected_key", job.expected_key},
               {"options", options_json(job.options)}};
  for (std::size_t i = 0; i < job.arguments.size(); ++i) {
    nlohmann::json argument = argument_json(job.arguments[i]);
    argument["key"] = job.argument_keys.at(i);
    argument["limits"] = {job.limits.at(i).relative, job.limits.at(i).absolute};
    json["arguments"].push_back(std::move(argument));
  }
  if (job.reference) {
    json["reference"] = program_json(*job.reference);
  }
  return json;
}

Job job_from(const json& at) {
  Job job;
  job.kernel = program_from(at.at("kernel"));
  if (at.contains("reference")) {
    job.reference = program_from(at.at("reference"));
  }
  for (const json& argument : at.at("arguments")) {
    job.arguments.push_back(argument_from(argument));
    job.argument_keys.push_back(argument.at("key"));
    job.limits.push_back({argument.at("limits").at(0), argument.at("limits").at(1)});
  }
  job.expected_files = at.at("expected_files").get<std::map<std::string, std::string>>();
  job.expected_key = at.at("expected_key");
  job.options = options_from(at.at("options"));
  return job;
}

json to_json(const Message& message) {
  if (const auto* step = std::get_if<Step>(&message)) {
    return {{"step", step->what},
            {"limit", step->limit},
            {"launch", step->launch},
            {"reference", step->reference}};
  }
  if (const auto* answer = std::get_if<Answer>(&message)) {
    return {{"answer", answer_json(*answer)}};
  }
  return {{"ready", true}};
}

Message message_from(const json& at) {
  if (at.contains("step")) {
    return Step{at.at("step"), at.at("limit"), at.at("launch"), at.at("reference")};
  }
  if (at.contains("answer")) {
    return answer_from(at.at("answer"));
  }
  if (at.contains("ready")) {
    return Ready{};
  }
  throw std::invalid_argument("the worker says what is no message");
}

}  // namespace rooftune::cuda
