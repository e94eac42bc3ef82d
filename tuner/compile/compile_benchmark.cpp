// What a compilation costs, by threads, and what a hit of the cache costs.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "tuner/compile/compiler.hpp"

namespace rooftune {
namespace {

/// A tile-sized kernel with a header of CUDA's, in a folder of its own.
class Kernel {
 public:
  Kernel() {
    std::filesystem::create_directories(folder_);
    std::ofstream(folder_ / "k.cu")
        << "#include <cuda_fp16.h>\n"
           "template <int N> __global__ void __launch_bounds__(256) k(float* a, const half* b) {\n"
           "  __shared__ float tile[N][N + 1];\n"
           "  float r[N];\n"
           "  #pragma unroll\n"
           "  for (int i = 0; i < N; ++i) r[i] = __half2float(b[i * 256 + threadIdx.x]);\n"
           "  for (int k = 0; k < 100; ++k) {\n"
           "    tile[threadIdx.x % N][threadIdx.y] = r[k % N];\n"
           "    __syncthreads();\n"
           "    #pragma unroll\n"
           "    for (int i = 0; i < N; ++i) r[i] += tile[i][threadIdx.x % N] * r[N - 1 - i];\n"
           "    __syncthreads();\n"
           "  }\n"
           "  #pragma unroll\n"
           "  for (int i = 0; i < N; ++i) a[i * 256 + threadIdx.x] = r[i];\n"
           "}\n";
  }
  ~Kernel() { std::filesystem::remove_all(folder_); }
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;

  std::vector<KernelInstance> instances(int count) const {
    std::vector<KernelInstance> made;
    for (int i = 0; i < count; ++i) {
      KernelInstance instance;
      instance.source = folder_ / "k.cu";
      instance.name_expression = "k<" + std::to_string(16 + i) + ">";
      made.push_back(instance);
    }
    return made;
  }
  std::filesystem::path cache() const { return folder_ / "cache"; }

 private:
  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("rooftune_benchmark_" + std::to_string(getpid()));
};

void compile(benchmark::State& state) {
  const Kernel kernel;
  const auto instances = kernel.instances(16);
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        compile_all(instances, "sm_90", static_cast<unsigned>(state.range(0))));
  }
  state.SetItemsProcessed(state.iterations() * 16);
}
BENCHMARK(compile)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime()
    ->RangeMultiplier(2)
    ->Range(1, std::max(1U, std::thread::hardware_concurrency()));

void cache_hit(benchmark::State& state) {
  const Kernel kernel;
  const auto instance = kernel.instances(1).front();
  BinaryCache cache(kernel.cache());
  compile_nvrtc(instance, "sm_90", &cache);
  for (auto _ : state) {
    benchmark::DoNotOptimize(compile_nvrtc(instance, "sm_90", &cache));
  }
}
BENCHMARK(cache_hit)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace rooftune
