// What the host device's runtime costs a kernel: starting a thread, a barrier, a shuffle. Each is
// the CPU time of one worker, per thread and per event.

#include <benchmark/benchmark.h>
#include <mma.h>

#include "launch.hpp"
#include "prelude.hpp"

namespace rooftune_host {
namespace {

template <class Body>
double cpu_seconds(const LaunchShape& shape, const Body& body) {
  const void* args[] = {&body};
  LaunchOptions options;
  options.workers = 1;
  const LaunchReport report = launch(
      shape, [](void** arguments) { (*static_cast<const Body*>(arguments[0]))(); },
      const_cast<void**>(args), options);
  return report.cpu_seconds[0];
}

/// `events` a thread: the time of one is reported, in nanoseconds.
template <class Body>
void measure(benchmark::State& state, unsigned blocks, unsigned events, const Body& body) {
  const auto threads = static_cast<unsigned>(state.range(0));
  double seconds = 0;
  for (auto _ : state) {
    const double once = cpu_seconds({blocks, threads}, body);
    seconds += once;
    state.SetIterationTime(once);
  }
  state.counters["ns_each"] =
      1e9 * seconds / static_cast<double>(state.iterations()) / blocks / threads / events;
}

void thread_without_barrier(benchmark::State& state) {
  measure(state, 1000, 1, [] { benchmark::DoNotOptimize(threadIdx.x); });
}
BENCHMARK(thread_without_barrier)->UseManualTime()->Arg(32)->Arg(256)->Arg(1024);

void barrier(benchmark::State& state) {
  constexpr unsigned barriers = 100;
  measure(state, 10, barriers, [] {
    for (unsigned i = 0; i < barriers; ++i) {
      __syncthreads();
    }
  });
}
BENCHMARK(barrier)->UseManualTime()->Arg(32)->Arg(128)->Arg(256)->Arg(512)->Arg(1024);

/// With locals that each thread keeps over the barrier, as a tiled product does.
void barrier_with_locals(benchmark::State& state) {
  constexpr unsigned barriers = 100;
  measure(state, 10, barriers, [] {
    float sums[64];
    for (float& sum : sums) {
      sum = static_cast<float>(threadIdx.x);
    }
    for (unsigned i = 0; i < barriers; ++i) {
      __syncthreads();
      for (float& sum : sums) {
        sum = sum * 1.5F + 1;
      }
      benchmark::DoNotOptimize(sums);
    }
  });
}
BENCHMARK(barrier_with_locals)->UseManualTime()->Arg(256)->Arg(1024);

void shuffle(benchmark::State& state) {
  constexpr unsigned shuffles = 100;
  measure(state, 10, shuffles, [] {
    float value = 1;
    for (unsigned i = 0; i < shuffles; ++i) {
      value += __shfl_xor_sync(0xFFFFFFFFU, value, 1);
    }
    benchmark::DoNotOptimize(value);
  });
}
BENCHMARK(shuffle)->UseManualTime()->Arg(32)->Arg(256);

/// 16 x 16 x 16, half: 8,192 floating-point operations a warp, 256 of them a lane's share.
void multiply_matrices(benchmark::State& state) {
  constexpr unsigned products = 100;
  measure(state, 10, products, [] {
    using namespace nvcuda;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> b;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
    wmma::fill_fragment(a, 0.5F);
    wmma::fill_fragment(b, 0.5F);
    wmma::fill_fragment(c, 0.0F);
    for (unsigned i = 0; i < products; ++i) {
      wmma::mma_sync(c, a, b, c);
    }
    benchmark::DoNotOptimize(c);
  });
}
BENCHMARK(multiply_matrices)->UseManualTime()->Arg(32)->Arg(128);

void launch_of_one_block(benchmark::State& state) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(cpu_seconds({1, 1}, [] {}));
  }
}
BENCHMARK(launch_of_one_block);

}  // namespace
}  // namespace rooftune_host
