// How long the roofline policy thinks: a proposal in a space of more than 20,000 configurations
// with the formulas of a real kernel, once 300 configurations are measured.
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <cmath>
#include <fstream>
#include <random>
#include <sstream>

#include "search/policy.hpp"
#include "tuner/roofline/profile.hpp"
#include "tuner/session/model.hpp"

namespace rooftune {
namespace {

constexpr int measured = 300;

/// SGEMM as it was recorded, with a second tile depth.
Spec large_gemm() {
  const auto file = config_folder() / "recorded" / "kernel_tuner" / "gemm.yaml";
  std::ifstream stream(file);
  std::stringstream text;
  text << stream.rdbuf();
  std::string yaml = text.str();
  const std::string one = "KWG: {values: [32]";
  yaml.replace(yaml.find(one), one.size(), "KWG: {values: [16, 32]");
  return parse_spec(yaml, file.string());
}

/// The longest bound, and effects that the formulas know nothing of.
Observation answer(const Model& model, const Configuration& configuration) {
  double longest = 0;
  for (const BoundTime& time : model.bounds(configuration)) {
    longest = std::max(longest, time.seconds);
  }
  double unknown = 0;
  for (std::size_t i = 0; i < configuration.choice.size(); ++i) {
    unknown += std::sin(static_cast<double>((i + 1) * (configuration.choice[i] + 1)));
  }
  Observation observation;
  observation.configuration = configuration;
  observation.seconds = longest * std::exp(0.2 * unknown);
  return observation;
}

double peak_mebibytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

void proposal(benchmark::State& state) {
  const Spec spec = large_gemm();
  const Space space(spec);
  const DeviceProfile device = load_device("rtx-3090");
  const Model model(spec, space, device);
  SearchContext context;
  context.space = &space;
  context.seed = 1;
  context.bounds = [&](const Configuration& c) { return model.bounds(c); };
  context.geometry = [&](const Configuration& c) { return model.geometry(c); };
  context.device = &device;
  const auto policy = make_policy("roofline", context);
  std::mt19937_64 random(1);
  for (const Configuration& configuration : space.sample(measured, random)) {
    policy->tell(answer(model, configuration));
  }
  policy->ask();  // the first fit starts from the prior
  const double before = peak_mebibytes();
  for (auto iteration : state) {
    const auto next = policy->ask();
    state.PauseTiming();
    policy->tell(answer(model, next->configuration));
    state.ResumeTiming();
  }
  state.counters["configurations"] = static_cast<double>(space.size());
  state.counters["MiB more"] = peak_mebibytes() - before;
}
BENCHMARK(proposal)->Unit(benchmark::kMillisecond)->Iterations(100);

}  // namespace
}  // namespace rooftune

BENCHMARK_MAIN();
