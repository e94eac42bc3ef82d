// A run for the report's tests, with as many records as wanted and strings hostile to HTML.
#pragma once

#include <cmath>
#include <random>

#include "tuner/session/results.hpp"

namespace rooftune::testing {

inline Record sample_run_record(std::uint64_t number, const std::vector<Parameter>& parameters,
                                std::mt19937_64& random) {
  Record record;
  record.number = number;
  std::size_t sum = 0;
  for (const Parameter& parameter : parameters) {
    const std::size_t choice = random() % parameter.values.size();
    sum += choice;
    record.parameters.push_back({parameter.name, parameter.values[choice]});
  }
  record.proposal.summary =
      "shared memory binds: larger thread tile </li><script>alert(1)</script>";
  if (random() % 20 == 0) {
    record.outcome = Outcome::crashed;
    record.reason = "out of bounds <img src=x onerror=alert(1)>";
    return record;
  }
  record.seconds = 0.02 * std::exp(-0.2 * static_cast<double>(sum)) *
                   (1 + static_cast<double>(random() % 1000) / 2000);
  ProblemResult problem;
  problem.launch = {{8, 8, 1}, {16, 16, 1}, 0};
  Placement placement;
  placement.achieved_flops = 2.7e7 / record.seconds;
  placement.roof = "fp32";
  placement.attainable_seconds = 2.2e-4;
  placement.fraction = placement.attainable_seconds / record.seconds;
  placement.levels.push_back(
      {Level::dram, {}, 85.3, 5.7, 1.2e11, placement.fraction, AmountSource::model});
  problem.placement = placement;
  record.problems.push_back(problem);
  Diagnosis diagnosis;
  diagnosis.verdict = Diagnosis::Verdict::bound;
  Finding finding;
  finding.bound = random() % 2 == 0 ? Bound::shared : Bound::latency;
  finding.utilisation = 0.71;
  finding.evidence = "takes 71% of the time";
  finding.speedup_at_most = 1.4;
  finding.remedies = {{"larger thread tiles", {Role::tile}}};
  diagnosis.findings = {finding};
  diagnosis.summary = "bound by shared memory";
  record.diagnosis = diagnosis;
  return record;
}

inline Results sample_run(std::uint64_t evaluations) {
  Results results;
  results.spec_name = "sgemm";
  results.tool_version = "0.0.0";
  results.policy = "roofline";
  results.space_size = 5120;
  results.raw_size = 9000;
  results.device.name = "GPU </script><b>\"quoted\" & co.";
  results.device.kind = DeviceKind::cuda;
  results.device.roofs = {{RoofKind::compute, "fp32", 1.2e11, RoofSource::data_sheet, "", 0},
                          {RoofKind::bandwidth, "dram", 2.1e10, RoofSource::measured, "", 0.02},
                          {RoofKind::bandwidth, "l2", 6e10, RoofSource::measured, "", 0}};
  for (const char* name : {"BM", "BN", "BK", "TM"}) {
    Parameter parameter;
    parameter.name = name;
    parameter.values = {16, 32, 64, 128};
    parameter.role = Role::tile;
    results.parameters.push_back(parameter);
  }
  std::mt19937_64 random(1);
  for (std::uint64_t number = 1; number <= evaluations; ++number) {
    results.records.push_back(sample_run_record(number, results.parameters, random));
  }
  results.stop_text = "the budget is used up";
  results.command = "rooftune tune sgemm.yaml --seed 1";
  results.spec_text = "kernel: </pre><script>alert(1)</script>\n";
  return results;
}

}  // namespace rooftune::testing
