// How long a spec takes to read, and one configuration's formulas to evaluate: the search model
// evaluates them for every configuration of a space.
#include <benchmark/benchmark.h>

#include "tuner/spec/instance.hpp"

namespace rooftune {
namespace {

const char* const file = ROOFTUNE_SOURCE_DIR "/configs/kernels/sgemm.yaml";

void read_spec(benchmark::State& state) {
  for (auto iteration : state) {
    benchmark::DoNotOptimize(load_spec(file));
  }
}
BENCHMARK(read_spec)->Unit(benchmark::kMicrosecond);

void geometry_of_a_configuration(benchmark::State& state) {
  const Spec spec = load_spec(file);
  for (auto iteration : state) {
    benchmark::DoNotOptimize(evaluate_geometry(spec, spec.baseline, spec.problems.front()));
  }
}
BENCHMARK(geometry_of_a_configuration)->Unit(benchmark::kNanosecond);

void instance_of_a_configuration(benchmark::State& state) {
  const Spec spec = load_spec(file);
  for (auto iteration : state) {
    benchmark::DoNotOptimize(instantiate(spec, spec.baseline, spec.problems.front()));
  }
}
BENCHMARK(instance_of_a_configuration)->Unit(benchmark::kNanosecond);

}  // namespace
}  // namespace rooftune
