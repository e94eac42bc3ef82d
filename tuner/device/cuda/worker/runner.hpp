// Runs jobs on a GPU: buffers, reference, proof, timing, counters.
#pragma once

#include <functional>
#include <list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tuner/device/cuda/counters.hpp"
#include "tuner/device/cuda/job.hpp"
#include "tuner/device/cuda/nvml.hpp"
#include "tuner/device/cuda/worker/buffers.hpp"
#include "tuner/device/cuda/worker/gpu.hpp"
#include "tuner/measure/timing.hpp"

namespace rooftune::cuda {

class Runner {
 public:
  using Tell = std::function<void(const Step&)>;

  /// `tell` learns what comes next, before it is done.
  Runner(const Gpu& gpu, std::unique_ptr<Nvml> nvml, Tell tell);
  ~Runner();

  /// Never throws: whatever happens is an answer.
  Answer run(const Job& job);

 private:
  class Launchable;
  class Steps;
  using Outputs = std::vector<std::vector<char>>;  ///< by argument; empty where nothing is known

  Answer measure(const Job& job);
  const Outputs* expected_outputs(const Job& job, const std::vector<Buffer*>& buffers);
  Outputs read_expected_files(const Job& job) const;
  Outputs run_reference(const Job& job, const std::vector<Buffer*>& buffers);
  void check_canaries(const std::vector<Buffer*>& buffers);
  void verify(const Job& job, const std::vector<Buffer*>& buffers, const Outputs& expected,
              Measurement& measurement);
  /// Whether it was abandoned.
  bool time(const Job& job, Steps& steps, double first_seconds, Measurement& measurement);
  void read_energy(const Job& job, Steps& steps, Measurement& measurement);
  void read_counters(const Job& job, Steps& steps, Answer& answer);
  static CounterLevel counter_level(const MeasureOptions& options, double seconds);
  const Memory& flush_memory();

  const Gpu& gpu_;
  std::unique_ptr<Nvml> nvml_;
  Tell tell_;
  BufferStore store_;
  StreamHold hold_;
  Events events_;
  std::unique_ptr<Memory> flush_;
  std::unique_ptr<CounterReader> counters_;
  std::list<std::pair<std::string, Outputs>> expected_;  ///< the latest first
};

}  // namespace rooftune::cuda
