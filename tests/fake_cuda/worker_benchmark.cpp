// What a configuration costs beside its kernel: a job to the worker and back, with a kernel on the
// double of the driver that does next to nothing. Says nothing about any GPU.
#include <benchmark/benchmark.h>

#include <cstdlib>

#include "tuner/device/open.hpp"
#include "tuner/spec/spec.hpp"

namespace rooftune {
namespace {

constexpr const char* spec_text =
    "kernel: {source: SOURCE, name: \"scale<{BLOCK}>\"}\n"
    "constants: {n: 32}\n"
    "parameters: {BLOCK: {values: [32]}}\n"
    "launch: {block: [BLOCK], grid: [1]}\n"
    "arguments:\n"
    "  - {name: in, type: float, count: n, fill: \"uniform(-1, 1)\"}\n"
    "  - {name: out, type: float, count: n, access: out}\n"
    "  - {name: n, type: int, value: n}\n"
    "verify: {kernel: scale_reference, block: [32], grid: [1]}\n";

void round_trip(benchmark::State& state) {
  setenv("ROOFTUNE_CUDA_DRIVER", FAKE_CUDA_LIBRARY, 1);
  setenv("ROOFTUNE_NVML", FAKE_CUDA_LIBRARY, 1);
  std::string text = spec_text;
  text.replace(text.find("SOURCE"), 6, ROOFTUNE_SOURCE_DIR "/tests/fake_cuda/kernels.cu");
  const Spec spec = parse_spec(text, "benchmark.yaml");
  const KernelInstance instance = instantiate(spec, {{"BLOCK", 32}}, spec.problems.front());
  const std::unique_ptr<Device> device = open_device("cuda:0");
  const KernelBinary binary = std::get<KernelBinary>(device->compile(instance));
  MeasureOptions options;
  options.warm = true;
  options.minimum_seconds = 0;
  options.minimum_samples = 1;
  options.maximum_samples = 1;
  for (auto _ : state) {
    const MeasureResult result = device->measure(instance, binary, options);
    if (!std::holds_alternative<Measurement>(result)) {
      state.SkipWithError("the kernel failed");
    }
  }
}
BENCHMARK(round_trip)->Unit(benchmark::kMicrosecond)->UseRealTime();

}  // namespace
}  // namespace rooftune
