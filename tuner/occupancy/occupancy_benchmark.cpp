// Exploring must feel instant: a heat map of every block size and register count.
#include <benchmark/benchmark.h>

#include <numeric>

#include "tuner/occupancy/explore.hpp"

namespace rooftune {
namespace {

void whole_heat_map(benchmark::State& state) {
  std::vector<std::int64_t> blocks(1024);
  std::vector<std::int64_t> registers(255);
  std::iota(blocks.begin(), blocks.end(), 1);
  std::iota(registers.begin(), registers.end(), 1);
  OccupancyRequest request;
  request.cc = {9, 0};
  request.static_shared = 8192;
  for (auto _ : state) {
    benchmark::DoNotOptimize(heat_map(request, Axis::block, blocks, Axis::registers, registers));
  }
  state.SetItemsProcessed(state.iterations() * 1024 * 255);
}
BENCHMARK(whole_heat_map)->Unit(benchmark::kMillisecond);

void one_answer(benchmark::State& state) {
  OccupancyRequest request;
  request.cc = {9, 0};
  for (auto _ : state) {
    benchmark::DoNotOptimize(occupancy(request));
  }
}
BENCHMARK(one_answer);

}  // namespace
}  // namespace rooftune
