// Results for the header's tests: made up times of real specs and device files. Test data; nothing
// here was measured.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tuner/report/report.hpp"
#include "tuner/session/begin.hpp"
#include "tuner/session/fake_device.hpp"
#include "tuner/session/temporary_folder.hpp"
#include "tuner/spec/instance.hpp"

namespace rooftune::testing {

inline Record made_up_record(const Spec& spec, NamedValues parameters,
                             const std::vector<double>& seconds) {
  Record record;
  record.parameters = std::move(parameters);
  record.timestamp = "2025-01-31T12:00:00Z";
  for (std::size_t i = 0; i < spec.problems.size(); ++i) {
    ProblemResult& result = record.problems.emplace_back();
    result.problem = spec.problems[i];
    result.launch = instantiate(spec, record.parameters, spec.problems[i]).launch;
    result.measurement = measured(seconds.at(i));
    result.measurement->max_error = 1e-6;
    result.placement.emplace().fraction = 0.5;
    record.seconds = seconds.at(i);
  }
  return record;
}

/// A configuration with its seconds at each size.
using MadeUp = std::vector<std::pair<NamedValues, std::vector<double>>>;

/// As a run on that device would leave them: written, and read back.
inline Results made_up_results(const Spec& spec, const DeviceProfile& device, const MadeUp& times) {
  FakeDevice fake([](const KernelInstance&) { return measured(1); });
  fake.device = device;
  Results results = begin_results(spec, Space(spec), fake, {});
  results.environment = "test data, not measured";
  for (const auto& [parameters, seconds] : times) {
    results.records.push_back(made_up_record(spec, parameters, seconds));
    results.records.back().number = results.records.size();
  }
  const TemporaryFolder folder;
  write_results(results, folder.path() / "results.json");
  return read_results(folder.path() / "results.json");
}

/// A spec of one parameter B and sizes of M and N, without a kernel's file behind it.
inline Spec small_spec(const std::vector<std::pair<int, int>>& sizes) {
  const TemporaryFolder folder;
  folder.write("k.cu", "template <int B> __global__ void k(float* a) {}\n");
  std::string problems;
  for (const auto& [m, n] : sizes) {
    problems += (problems.empty() ? "" : ", ") + ("{M: " + std::to_string(m) + ", N: ") +
                std::to_string(n) + "}";
  }
  Spec spec = parse_spec(
      "kernel: {source: k.cu, name: \"k<{B}>\"}\n"
      "constants: {M: 1, N: 1}\n"
      "parameters: {B: {values: [1, 2, 3, 4, 5, 32, 64]}}\n"
      "constraints: [M % B == 0 or B > 3]\n"
      "launch: {block: [B], grid: [\"ceil_div(M, B)\", N]}\n"
      "arguments: [{name: a, type: float, count: M * N, access: inout}]\n"
      "problems: [" +
          problems + "]\n",
      folder.path() / "small.yaml");
  spec.hash = "0123456789abcdef";  // the same whatever the sizes
  return spec;
}

inline DeviceProfile named_device(const std::string& name, int major, int minor) {
  DeviceProfile device = fake_profile();
  device.name = name;
  device.cc = {major, minor};
  return device;
}

}  // namespace rooftune::testing
