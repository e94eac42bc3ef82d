// One configuration through the pipeline: compile, launch checks, measure, place, diagnose.
#pragma once

#include <functional>
#include <optional>
#include <variant>
#include <vector>

#include "tuner/session/results.hpp"

namespace rooftune {

/// Ready to launch, one of each for every problem of the spec.
struct Prepared {
  std::vector<KernelInstance> instances;
  std::vector<KernelBinary> binaries;
  double compile_seconds = 0;
};

/// Keeps references to its arguments.
class Evaluator {
 public:
  Evaluator(const Spec& spec, Device& device, const MeasureOptions& options)
      : spec_(spec), device_(device), options_(options) {
    options_.rank_by_energy = spec.objective == Objective::energy;
  }

  /// What the launch alone tells, before anything is compiled. Throws InputError.
  std::optional<Failure> launch_failure(const NamedValues& parameters) const;

  /// Compiles and checks the launch. Thread-safe. Throws InputError for faults that are the spec's
  /// and not the configuration's.
  std::variant<Prepared, Failure> prepare(const NamedValues& parameters);

  /// The rest of the way. `best`, the best record so far, may be nullptr: what is certainly slower
  /// may be abandoned early. `before_launch` is called once, where there is anything to launch.
  /// Throws DeviceLost and InputError.
  Record evaluate(const NamedValues& parameters, const std::variant<Prepared, Failure>& prepared,
                  const Record* best, const std::function<void()>& before_launch);

  /// Geometric mean over the problems, in seconds.
  std::variant<double, Failure> time(const Prepared& prepared);

 private:
  std::optional<Failure> add_binary(Prepared& prepared, KernelInstance instance);
  std::optional<Failure> check_launch(const KernelInstance& instance,
                                      const KernelBinary& binary) const;
  MeasureResult measure(const KernelInstance& instance, const KernelBinary& binary,
                        const MeasureOptions& options);
  MeasureOptions options_against(const Record* best) const;
  void run(const Prepared& prepared, const Record* best, Record& record);
  ModelInput model_input(const KernelInstance& instance, const KernelBinary& binary) const;
  void diagnose_slowest(const Prepared& prepared, Record& record) const;

  const Spec& spec_;
  Device& device_;
  MeasureOptions options_;
};

}  // namespace rooftune
