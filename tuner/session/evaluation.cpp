#include "tuner/session/evaluation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tuner/core/error.hpp"

namespace rooftune {
namespace {

/// Empty for a device that is not a GPU, or a newer one than the limits are known of: it checks
/// launches itself.
std::string architecture_of(const DeviceProfile& device) {
  const auto& known = all_limits();
  const bool is_known =
      std::any_of(known.begin(), known.end(),
                  [&](const MultiprocessorLimits& limits) { return limits.cc == device.cc; });
  return is_known ? architecture(device.cc) : "";
}

bool same_program(const KernelInstance& a, const KernelInstance& b) {
  return a.source == b.source && a.name_expression == b.name_expression && a.defines == b.defines &&
         a.options == b.options;
}

void fail(Record& record, const Failure& failure) {
  record.outcome = failure.outcome;
  record.reason = failure.reason;
  record.log = failure.log;
}

/// Which problem it was, where there are several.
Failure at_problem(Failure failure, const Spec& spec, const Problem& problem) {
  if (spec.problems.size() > 1) {
    failure.reason += fmt::format(" (at {})", to_string(problem));
  }
  return failure;
}

double geometric_mean(const std::vector<ProblemResult>& results) {
  double logarithms = 0;
  for (const ProblemResult& result : results) {
    logarithms += std::log(result.measurement->seconds);
  }
  return results.size() == 1 ? results.front().measurement->seconds
                             : std::exp(logarithms / static_cast<double>(results.size()));
}

}  // namespace

std::optional<Failure> Evaluator::launch_failure(const NamedValues& parameters) const {
  const std::string architecture = architecture_of(device_.profile());
  if (architecture.empty()) {
    return std::nullopt;
  }
  for (const Problem& problem : spec_.problems) {
    const KernelInstance instance = instantiate(spec_, parameters, problem);
    if (auto failure = rooftune::launch_failure(instance, architecture)) {
      return at_problem(std::move(*failure), spec_, problem);
    }
  }
  return std::nullopt;
}

std::optional<Failure> Evaluator::check_launch(const KernelInstance& instance,
                                               const KernelBinary& binary) const {
  const std::string architecture = architecture_of(device_.profile());
  if (architecture.empty() || !binary.resources) {
    return std::nullopt;
  }
  return rooftune::launch_failure(instance, *binary.resources, architecture);
}

std::optional<Failure> Evaluator::add_binary(Prepared& prepared, KernelInstance instance) {
  if (!prepared.instances.empty() && same_program(prepared.instances.back(), instance)) {
    prepared.binaries.push_back(prepared.binaries.back());
  } else {
    CompileResult compiled = device_.compile(instance);
    if (auto* failure = std::get_if<Failure>(&compiled)) {
      return std::move(*failure);
    }
    prepared.binaries.push_back(std::get<KernelBinary>(std::move(compiled)));
    prepared.compile_seconds += prepared.binaries.back().compile_seconds;
  }
  prepared.instances.push_back(std::move(instance));
  return check_launch(prepared.instances.back(), prepared.binaries.back());
}

std::variant<Prepared, Failure> Evaluator::prepare(const NamedValues& parameters) {
  Prepared prepared;
  for (const Problem& problem : spec_.problems) {
    if (auto failure = add_binary(prepared, instantiate(spec_, parameters, problem))) {
      return at_problem(std::move(*failure), spec_, problem);
    }
  }
  return prepared;
}

MeasureResult Evaluator::measure(const KernelInstance& instance, const KernelBinary& binary,
                                 const MeasureOptions& options) {
  try {
    return device_.measure(instance, binary, options);
  } catch (const InputError&) {
    throw;
  } catch (const DeviceLost&) {
    throw;
  } catch (const std::exception& error) {
    // Whatever breaks while a configuration runs is this configuration's failure, not the end.
    return Failure{Outcome::crashed, error.what(), ""};
  }
}

std::variant<double, Failure> Evaluator::time(const Prepared& prepared) {
  std::vector<ProblemResult> results;
  for (std::size_t i = 0; i < prepared.instances.size(); ++i) {
    MeasureResult measured = measure(prepared.instances[i], prepared.binaries[i], options_);
    if (auto* failure = std::get_if<Failure>(&measured)) {
      return std::move(*failure);
    }
    results.emplace_back().measurement = std::get<Measurement>(std::move(measured));
  }
  return geometric_mean(results);
}

ModelInput Evaluator::model_input(const KernelInstance& instance,
                                  const KernelBinary& binary) const {
  ModelInput input{instance.work, instance.launch, binary.resources, std::nullopt};
  const std::string architecture = architecture_of(device_.profile());
  if (!architecture.empty() && binary.resources) {
    input.occupancy = occupancy_of(instance, *binary.resources, architecture);
  }
  return input;
}

/// Of several problems, a configuration may lose one and win in all.
MeasureOptions Evaluator::options_against(const Record* best) const {
  MeasureOptions options = options_;
  options.energy = true;
  const bool is_time = spec_.objective == Objective::time;  // what is slow may take little energy
  if (is_time && best != nullptr && spec_.problems.size() == 1) {
    options.best_seconds = best->seconds;
  }
  return options;
}

void Evaluator::run(const Prepared& prepared, const Record* best, Record& record) {
  const MeasureOptions options = options_against(best);
  for (std::size_t i = 0; i < prepared.instances.size(); ++i) {
    const KernelInstance& instance = prepared.instances[i];
    const ModelInput input = model_input(instance, prepared.binaries[i]);
    if (i == 0) {
      record.resources = input.resources;
      record.occupancy = input.occupancy;
    }
    ProblemResult& result = record.problems.emplace_back();
    result.problem = instance.problem;
    result.launch = instance.launch;
    result.bounds = bound_times(input, device_.profile());
    MeasureResult measured = measure(instance, prepared.binaries[i], options);
    if (auto* failure = std::get_if<Failure>(&measured)) {
      return fail(record, at_problem(std::move(*failure), spec_, instance.problem));
    }
    result.measurement = std::get<Measurement>(std::move(measured));
    result.placement =
        place(input, result.measurement->seconds, device_.profile(), result.measurement->counters);
  }
  record.seconds = geometric_mean(record.problems);
  diagnose_slowest(prepared, record);
}

void Evaluator::diagnose_slowest(const Prepared& prepared, Record& record) const {
  const auto slowest = std::min_element(
      record.problems.begin(), record.problems.end(),
      [](const auto& a, const auto& b) { return a.placement->fraction < b.placement->fraction; });
  const auto i = static_cast<std::size_t>(slowest - record.problems.begin());
  DiagnosisInput input;
  input.model = model_input(prepared.instances[i], prepared.binaries[i]);
  input.seconds = slowest->measurement->seconds;
  input.counters = slowest->measurement->counters;
  input.near_ceiling = spec_.stop.ceiling;
  record.diagnosis = diagnose(input, device_.profile());
}

Record Evaluator::evaluate(const NamedValues& parameters,
                           const std::variant<Prepared, Failure>& prepared, const Record* best,
                           const std::function<void()>& before_launch) {
  Record record;
  record.parameters = parameters;
  if (const auto* failure = std::get_if<Failure>(&prepared)) {
    fail(record, *failure);
    return record;
  }
  record.compile_seconds = std::get<Prepared>(prepared).compile_seconds;
  before_launch();
  run(std::get<Prepared>(prepared), best, record);
  return record;
}

}  // namespace rooftune
