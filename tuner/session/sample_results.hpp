// Results for tests, with every field set to something that its default is not.
#pragma once

#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <string>

#include "tuner/session/results.hpp"

namespace rooftune::testing {

/// Reproducible values of any kind, hostile ones among them.
class Sampler {
 public:
  explicit Sampler(std::uint64_t seed) : random_(seed) {}

  double real() {
    constexpr std::array hostile = {0.1, 1e-300, 1e300, 5e-324, 3.0, -0.0, 1.0 / 3};
    const auto i = random_() % 12;
    return i < hostile.size() ? hostile[i] : std::ldexp(static_cast<double>(random_()), -70);
  }
  std::uint64_t natural() { return random_() >> (random_() % 64); }
  int small() { return static_cast<int>(random_() % 1000); }
  bool flag() { return random_() % 2 == 0; }
  std::string text() {
    const std::array hostile = {
        "plain", "with \"quotes\" and \\", "line\nbreak\ttab", "\xc3\xa9 umlaut", "*/ // {}", " "};
    return hostile[random_() % hostile.size()];
  }
  Value value() {
    switch (random_() % 4) {
      case 0:
        return static_cast<std::int64_t>(natural());
      case 1:
        return real();
      case 2:
        return flag();
      default:
        return text();
    }
  }
  template <class E>
  E any(E last) {
    return static_cast<E>(random_() % (static_cast<std::size_t>(last) + 1));
  }
  std::size_t size() { return random_() % 3; }

 private:
  std::mt19937_64 random_;
};

inline NamedValues sample_values(Sampler& sample) {
  NamedValues values = {{"BM", sample.value()}, {"T", sample.value()}};
  return values;
}

inline Measurement sample_measurement(Sampler& sample) {
  Measurement it;
  it.seconds = sample.real();
  it.samples = {sample.real(), sample.real()};
  it.relative_noise = sample.real();
  it.wall_seconds = sample.real();
  it.clock = sample.text();
  it.verification_seconds = sample.real();
  it.max_error = std::numeric_limits<double>::infinity();
  it.max_error_where = sample.text();
  it.verified = sample.flag();
  it.counters = {{"dram__bytes.sum", sample.real()}, {"b", sample.real()}};
  it.dropped_samples = sample.small();
  it.slowest_clock = sample.real();
  it.fastest_clock = sample.real();
  it.joules = sample.real();
  it.note = sample.text();
  return it;
}

inline Placement sample_placement(Sampler& sample) {
  Placement it;
  it.achieved_flops = sample.real();
  it.achieved_dram = sample.real();
  it.levels.push_back({sample.any(Level::shared),
                       {Precision::fp16, sample.flag()},
                       sample.real(),
                       sample.real(),
                       sample.real(),
                       sample.real(),
                       sample.any(AmountSource::counters)});
  it.roof = sample.text();
  it.attainable_seconds = sample.real();
  it.fraction = sample.real();
  if (sample.flag()) {
    it.contradiction = sample.text();
  }
  it.unplaced = {sample.text()};
  return it;
}

inline Diagnosis sample_diagnosis(Sampler& sample) {
  Diagnosis it;
  it.verdict = sample.any(Diagnosis::Verdict::not_enough_evidence);
  Finding finding;
  finding.bound = sample.any(Bound::launch);
  finding.utilisation = sample.real();
  finding.weight = sample.real();
  finding.evidence = sample.text();
  finding.source = sample.text();
  finding.speedup_at_most = sample.real();
  finding.remedies = {{sample.text(), {sample.any(Role::other), Role::tile}}};
  it.findings = {finding};
  it.missing = sample.text();
  it.summary = sample.text();
  return it;
}

inline Record sample_record(Sampler& sample, std::uint64_t number) {
  Record it;
  it.number = number;
  it.parameters = sample_values(sample);
  it.in_space = sample.flag();
  it.outcome = sample.any(Outcome::skipped);
  it.reason = sample.text();
  it.log = sample.text();
  it.proposal = {sample.any(Bound::launch),
                 sample.text(),
                 sample.text(),
                 sample.text(),
                 sample.real(),
                 sample.text()};
  it.resources = Resources{sample.small(), sample.small(), sample.small(), sample.small(),
                           sample.small(), sample.small(), sample.small()};
  it.occupancy = Occupancy{sample.small(), sample.small(),
                           sample.real(),  sample.small(),
                           std::nullopt,   sample.small(),
                           std::nullopt,   {Resource::registers, sample.any(Resource::shared)},
                           sample.flag(),  sample.text()};
  for (std::size_t i = 0; i < 1 + sample.size(); ++i) {
    ProblemResult result;
    result.problem = sample_values(sample);
    result.launch = {{sample.natural(), 2, 3}, {4, sample.natural(), 6}, sample.natural()};
    result.measurement = sample_measurement(sample);
    result.placement = sample_placement(sample);
    result.bounds = {{sample.any(Bound::launch), sample.real(), sample.flag(), sample.text()}};
    it.problems.push_back(result);
  }
  it.seconds = sample.real();
  it.finals = {sample.real(), sample.real()};
  it.diagnosis = sample_diagnosis(sample);
  it.compile_seconds = sample.real();
  it.elapsed_seconds = sample.real();
  it.timestamp = sample.text();
  return it;
}

inline DeviceProfile sample_device(Sampler& sample) {
  DeviceProfile it;
  it.id = sample.text();
  it.name = sample.text();
  it.kind = sample.any(DeviceKind::host);
  it.match = {sample.text()};
  it.cc = {sample.small(), sample.small()};
  it.multiprocessors = sample.small();
  it.clock_hz = sample.real();
  it.memory_bytes = sample.natural();
  it.l2_bytes = sample.natural();
  it.roofs = {{sample.any(RoofKind::latency), sample.text(), sample.real(),
               sample.any(RoofSource::given), sample.text(), sample.real(), sample.real()}};
  it.source = sample.text();
  return it;
}

inline Results sample_results(std::uint64_t seed) {
  Sampler sample(seed);
  Results it;
  it.tool_version = sample.text();
  it.spec_name = sample.text();
  it.spec_file = "/somewhere/spec.yaml";
  it.spec_text = sample.text();
  it.spec_hash = "0123456789abcdef";
  it.overrides = {"M=1", sample.text()};
  it.command = sample.text();
  it.policy = sample.text();
  it.seed = sample.natural();
  it.objective = sample.any(Objective::energy);
  it.device = sample_device(sample);
  it.environment = sample.text();
  it.parameters = {{"BM", {sample.value(), sample.value()}, sample.any(Role::other), SourceSpot{}},
                   {"T", {"float"}, Role::precision, SourceSpot{}}};
  it.problems = {sample_values(sample)};
  it.launch = {{"threads"}, {"ceil_div(N, BN)"}, "0", {{"threads", "BM // TM"}}, "k<{BM}>"};
  it.raw_size = std::numeric_limits<std::uint64_t>::max();
  it.space_size = sample.natural();
  it.removed = {{sample.text(), sample.natural()}};
  it.dropped = {{Outcome::cannot_launch, sample.text(), sample.natural()}};
  for (std::size_t i = 0; i < sample.size(); ++i) {
    it.records.push_back(sample_record(sample, i + 1));
  }
  it.baseline = sample_values(sample);
  if (sample.flag()) {
    it.stop = sample.any(StopReason::device_lost);
  }
  it.stop_text = sample.text();
  it.elapsed_seconds = sample.real();
  return it;
}

}  // namespace rooftune::testing
