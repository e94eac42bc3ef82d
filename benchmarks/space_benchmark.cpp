// How long a space of 1,000,000 raw configurations takes to open, and to look into.
#include <benchmark/benchmark.h>

#include <string>

#include "tuner/space/space.hpp"

namespace rooftune {
namespace {

/// Six parameters of ten values, and three rules.
Spec million(const std::string& rules) {
  std::string text = "parameters:\n";
  for (const char* name : {"a", "b", "c", "d", "e", "f"}) {
    text += std::string("  ") + name + ": {values: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]}\n";
  }
  return parse_spec(text + "constraints:\n" + rules, "benchmark.yaml");
}

/// As in specs of kernels: divisibility, a limit of threads, a limit of memory.
const char* const kernel_rules =
    "  - a % b == 0\n"
    "  - 4 <= (a * c) * (d * e) <= 1024\n"
    "  - 4 * f * (a + d) <= 400\n";
/// Each rule needs all parameters, and no part of it repeats: the worst that there is.
const char* const tangled_rules =
    "  - (a * 7 + b * 13) * (c + 3 ** d) + e * b * f != 17\n"
    "  - a * b + c * d + e * f * (a + 1) % 7 != 13\n"
    "  - (a - f) * (b - e) * (c - d) ** 2 + a * f % 11 != 5\n";

void open_space(benchmark::State& state, const char* rules) {
  const Spec spec = million(rules);
  std::uint64_t size = 0;
  for (auto iteration : state) {
    size = Space(spec).size();
  }
  state.counters["valid"] = static_cast<double>(size);
}
BENCHMARK_CAPTURE(open_space, kernel_rules, kernel_rules)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(open_space, tangled_rules, tangled_rules)->Unit(benchmark::kMillisecond);

void reach_by_index_and_back(benchmark::State& state) {
  const Space space(million(kernel_rules));
  std::uint64_t index = 0;
  for (auto iteration : state) {
    index = (index + 7919) % space.size();
    benchmark::DoNotOptimize(space.index_of(space.at(index)));
  }
}
BENCHMARK(reach_by_index_and_back);

void neighbours(benchmark::State& state) {
  const Space space(million(kernel_rules));
  const Configuration start = space.at(space.size() / 2);
  for (auto iteration : state) {
    benchmark::DoNotOptimize(space.neighbours(start));
  }
}
BENCHMARK(neighbours)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace rooftune
