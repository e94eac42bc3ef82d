#include "tuner/session/advice.hpp"

#include <algorithm>
#include <map>
#include <random>

#include "tuner/device/replay/replay_device.hpp"
#include "tuner/session/model.hpp"

namespace rooftune {
namespace {

constexpr double worth_it = 0.02;
constexpr int resamples = 1000;

/// The steps from one point.
struct Tally {
  std::uint64_t steps = 0;
  std::uint64_t improved = 0;
  std::uint64_t recommended = 0;
  std::uint64_t recommended_improved = 0;

  void operator+=(const Tally& other) {
    steps += other.steps;
    improved += other.improved;
    recommended += other.recommended;
    recommended_improved += other.recommended_improved;
  }
  std::optional<double> lift() const {
    if (recommended == 0 || improved == 0) {
      return std::nullopt;
    }
    const double advised =
        static_cast<double>(recommended_improved) / static_cast<double>(recommended);
    return advised * static_cast<double>(steps) / static_cast<double>(improved);
  }
};

Role changed_role(const Space& space, const Configuration& from, const Configuration& to) {
  const auto at = std::mismatch(from.choice.begin(), from.choice.end(), to.choice.begin());
  return space.parameters()[static_cast<std::size_t>(at.first - from.choice.begin())].role;
}

bool can_launch(const ModelInput& input) {
  return !input.occupancy || input.occupancy->launchable;
}

AdviceRow row_of(std::string diagnosis, const std::vector<Tally>& tallies) {
  Tally sum;
  for (const Tally& tally : tallies) {
    sum += tally;
  }
  AdviceRow row{std::move(diagnosis),
                tallies.size(),
                sum.steps,
                sum.improved,
                sum.recommended,
                sum.recommended_improved,
                sum.lift(),
                0,
                0};
  std::mt19937_64 random(1);
  std::vector<double> lifts;
  for (int i = 0; row.lift && i < resamples; ++i) {
    Tally drawn;
    for (std::size_t n = 0; n < tallies.size(); ++n) {
      drawn += tallies[random() % tallies.size()];
    }
    if (const auto lift = drawn.lift()) {
      lifts.push_back(*lift);
    }
  }
  if (!lifts.empty()) {
    std::sort(lifts.begin(), lifts.end());
    row.lift_low = lifts[lifts.size() / 40];
    row.lift_high = lifts[lifts.size() - 1 - lifts.size() / 40];
  }
  return row;
}

std::string name_of(const Diagnosis& diagnosis) {
  switch (diagnosis.verdict) {
    case Diagnosis::Verdict::bound:
      return std::string(to_string(diagnosis.findings.front().bound));
    case Diagnosis::Verdict::near_ceiling:
      return "near its ceiling";
    default:
      return "not enough evidence";
  }
}

}  // namespace

AdviceReport measure_advice(const Spec& spec, const Space& space, const Recording& recording,
                            const DeviceProfile& device, bool use_counters) {
  const RecordedSpace matched = match_recording(spec, space, recording);
  const Model model(spec, space, device);
  std::vector<BoundTimes> bounds;
  std::vector<bool> launchable;
  for (std::uint64_t i = 0; i < space.size(); ++i) {
    bounds.push_back(model.bounds(space.at(i)));
    launchable.push_back(can_launch(model_input(model.geometry(space.at(i)), device)));
  }
  std::map<std::string, std::vector<Tally>> by_diagnosis;
  std::vector<Tally> all;
  for (std::uint64_t i = 0; i < space.size(); ++i) {
    const RecordedPoint& point = *matched.points[i];
    if (point.outcome != Outcome::ok) {
      continue;
    }
    const Configuration from = space.at(i);
    DiagnosisInput input;
    input.model = model_input(model.geometry(from), device, point.resources);
    input.seconds = point.seconds;
    input.counters = use_counters ? point.counters : Counters{};
    const Diagnosis diagnosis = diagnose(input, device);
    Tally tally;
    for (const Configuration& to : space.neighbours(from)) {
      const std::uint64_t j = *space.index_of(to);
      const RecordedPoint& other = *matched.points[j];
      const bool improved =
          other.outcome == Outcome::ok && other.seconds < point.seconds * (1 - worth_it);
      const bool recommended =
          launchable[j] &&
          recommends(diagnosis, point.seconds, bounds[i], bounds[j], changed_role(space, from, to));
      ++tally.steps;
      tally.improved += improved ? 1 : 0;
      tally.recommended += recommended ? 1 : 0;
      tally.recommended_improved += recommended && improved ? 1 : 0;
    }
    by_diagnosis[name_of(diagnosis)].push_back(tally);
    all.push_back(tally);
  }
  AdviceReport report;
  report.all = row_of("all", all);
  for (const auto& [name, tallies] : by_diagnosis) {
    report.rows.push_back(row_of(name, tallies));
  }
  std::stable_sort(report.rows.begin(), report.rows.end(),
                   [](const AdviceRow& a, const AdviceRow& b) { return a.points > b.points; });
  return report;
}

}  // namespace rooftune
