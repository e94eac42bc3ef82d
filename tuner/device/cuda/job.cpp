#include "tuner/device/cuda/job.hpp"

#include <cmath>
#include <map>
#include <stdexcept>

#include "tuner/codec/fields.hpp"
#include "tuner/device/fields.hpp"

namespace rooftune::codec {

ROOFTUNE_DECLARE_FIELDS(ElementType);
ROOFTUNE_DECLARE_FIELDS(Fill);
ROOFTUNE_DECLARE_FIELDS(Argument);
ROOFTUNE_DECLARE_FIELDS(ErrorLimits);
ROOFTUNE_DECLARE_FIELDS(MeasureOptions);
ROOFTUNE_DECLARE_FIELDS(cuda::Program);
ROOFTUNE_DECLARE_FIELDS(cuda::Job);
ROOFTUNE_DECLARE_FIELDS(cuda::Step);
ROOFTUNE_DECLARE_FIELDS(cuda::SpecFault);
ROOFTUNE_DECLARE_FIELDS(cuda::Answer);

template <>
struct LastOf<Access> : std::integral_constant<Access, Access::inout> {};
template <>
struct LastOf<CounterLevel> : std::integral_constant<CounterLevel, CounterLevel::full> {};

namespace {

template <class A, Is<Fill> T>
void members(A& archive, T& it) {
  auto kind = static_cast<int>(it.kind);
  archive("kind", kind);
  if constexpr (!std::is_const_v<T>) {
    it.kind = static_cast<Fill::Kind>(kind);
  }
  archive("low", it.low);
  archive("high", it.high);
}

template <class A, Is<Argument> T>
void members(A& archive, T& it) {
  archive("name", it.name);
  archive("type", it.type);
  archive("is_buffer", it.is_buffer);
  archive("count", it.count);
  archive("value", it.value);
  archive("fill", it.fill);
  archive("file", it.file);
  archive("access", it.access);
}

template <class A, Is<ErrorLimits> T>
void members(A& archive, T& it) {
  archive("relative", it.relative);
  archive("absolute", it.absolute);
}

template <class A, Is<MeasureOptions> T>
void members(A& archive, T& it) {
  archive("minimum_seconds", it.minimum_seconds);
  archive("timeout_seconds", it.timeout_seconds);
  archive("minimum_samples", it.minimum_samples);
  archive("maximum_samples", it.maximum_samples);
  archive("relative_noise", it.relative_noise);
  archive("seed", it.seed);
  archive("warm", it.warm);
  archive("best_seconds", it.best_seconds);
  archive("counters", it.counters);
  archive("energy", it.energy);
  archive("rank_by_energy", it.rank_by_energy);
}

template <class A, Is<cuda::Program> T>
void members(A& archive, T& it) {
  archive("file", it.file);
  archive("entry", it.entry);
  archive("launch", it.launch);
}

template <class A, Is<cuda::Job> T>
void members(A& archive, T& it) {
  archive("kernel", it.kernel);
  archive("reference", it.reference);
  archive("arguments", it.arguments);
  archive("limits", it.limits);
  archive("expected_files", it.expected_files);
  archive("argument_keys", it.argument_keys);
  archive("expected_key", it.expected_key);
  archive("options", it.options);
}

template <class A, Is<cuda::Step> T>
void members(A& archive, T& it) {
  archive("what", it.what);
  archive("limit", it.limit);
  archive("launch", it.launch);
  archive("reference", it.reference);
}

template <class A, Is<cuda::SpecFault> T>
void members(A& archive, T& it) {
  archive("problem", it.problem);
  archive("hint", it.hint);
}

/// One of the alternatives, under its name.
template <class T, class... Types>
void alternative(Writer& archive, const char* name, const std::variant<Types...>& it) {
  if (const T* held = std::get_if<T>(&it)) {
    archive(name, *held);
  }
}
template <class T, class... Types>
void alternative(Reader& archive, const char* name, std::variant<Types...>& it) {
  std::optional<T> held;
  archive(name, held);
  if (held) {
    it = *std::move(held);
  }
}

template <class A, Is<cuda::Answer> T>
void members(A& archive, T& it) {
  alternative<Measurement>(archive, "measurement", it.result);
  alternative<Failure>(archive, "failure", it.result);
  alternative<cuda::SpecFault>(archive, "fault", it.result);
  archive("worker_ends", it.worker_ends);
  archive("device_lost", it.device_lost);
  archive("counter_refusal", it.counter_refusal);
  archive("counter_note", it.counter_note);
}

}  // namespace

void fields(Writer& archive, const ElementType& it) {
  archive("name", it.name);
}

void fields(Reader& archive, ElementType& it) {
  std::string name;
  archive("name", name);
  const ElementType* type = element_type(name);
  if (type == nullptr) {
    throw CodecError("type", "\"" + name + "\" is unknown");
  }
  it = *type;
}

ROOFTUNE_FIELDS(Fill)
ROOFTUNE_FIELDS(Argument)
ROOFTUNE_FIELDS(ErrorLimits)
ROOFTUNE_FIELDS(MeasureOptions)
ROOFTUNE_FIELDS(cuda::Program)
ROOFTUNE_FIELDS(cuda::Job)
ROOFTUNE_FIELDS(cuda::Step)
ROOFTUNE_FIELDS(cuda::SpecFault)
ROOFTUNE_FIELDS(cuda::Answer)

}  // namespace rooftune::codec

namespace rooftune::cuda {
namespace {

using codec::Json;

/// A counter that is not a number is no data.
void drop_missing_counters(Answer& answer) {
  if (auto* measurement = std::get_if<Measurement>(&answer.result)) {
    std::erase_if(measurement->counters,
                  [](const auto& counter) { return std::isnan(counter.second); });
  }
}

}  // namespace

std::string to_text(const Job& job) {
  return codec::dump(codec::encode(job));
}

Job job_from(const std::string& text) {
  auto job = codec::read<Job>(Json::parse(text));
  if (job.limits.size() != job.arguments.size() ||
      job.argument_keys.size() != job.arguments.size()) {
    throw std::invalid_argument("job: each argument has its limits and its key");
  }
  return job;
}

std::string to_text(const Message& message) {
  Json json = {{"ready", true}};
  if (const auto* step = std::get_if<Step>(&message)) {
    json = {{"step", codec::encode(*step)}};
  } else if (const auto* answer = std::get_if<Answer>(&message)) {
    json = {{"answer", codec::encode(*answer)}};
  }
  return codec::dump(json);
}

Message message_from(const std::string& text) {
  const Json json = Json::parse(text);
  if (json.contains("step")) {
    return codec::read<Step>(json["step"], "step");
  }
  if (json.contains("answer")) {
    auto answer = codec::read<Answer>(json["answer"], "answer");
    drop_missing_counters(answer);
    return answer;
  }
  if (json.contains("ready")) {
    return Ready{};
  }
  throw std::invalid_argument("the worker says what is no message");
}

}  // namespace rooftune::cuda
