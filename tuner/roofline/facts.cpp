#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "tuner/roofline/counters.hpp"
#include "tuner/roofline/rules.hpp"

namespace rooftune {
namespace {

constexpr std::array roof_bounds = {Bound::dram,    Bound::l2,    Bound::l1,
                                    Bound::shared,  Bound::fp,    Bound::tensor,
                                    Bound::special, Bound::issue, Bound::fetch};

/// Model amounts may be this far above what was possible before they are taken for wrong.
constexpr double refuted_above = 1.1;

}  // namespace

Facts::Facts(const DiagnosisInput& diagnosis_input, const DeviceProfile& profile)
    : input(diagnosis_input),
      device(profile),
      placement(place(input.model, input.seconds, device, input.counters)),
      times(bound_times(input.model, device)),
      grid(model::grid_shape(input.model, device)),
      counted(counted_work(input.counters)) {
  if (input.seconds > 0) {
    add_model_uses();
    add_counted_uses();
  }
}

void Facts::add_model_uses() {
  for (const BoundTime& time : times) {
    const bool is_roof =
        std::find(roof_bounds.begin(), roof_bounds.end(), time.bound) != roof_bounds.end();
    if (!is_roof || uses.count(time.bound) != 0) {
      continue;  // the longest of a bound comes first
    }
    const double share = time.seconds / input.seconds;
    const bool own_traffic = time.bound == Bound::l2 || time.bound == Bound::l1 ||
                             time.bound == Bound::shared || time.bound == Bound::issue ||
                             time.bound == Bound::special || time.bound == Bound::fetch;
    if (own_traffic && share > refuted_above) {
      refuted.push_back(fmt::format("{}: {} would take {}, more than was measured",
                                    to_string(time.bound), time.basis,
                                    format_seconds(time.seconds)));
      continue;
    }
    uses[time.bound] = {share, time.basis, AmountSource::model};
  }
  // The floor of the instructions is mostly the FMAs again: it is news only where loads add to it.
  constexpr double news = 1.05;
  if (use(Bound::issue) < news * use(Bound::fp)) {
    uses.erase(Bound::issue);
  }
}

void Facts::add_counted_uses() {
  ModelInput counted_model;
  counted_model.work = counted;
  for (const BoundTime& time : bound_times(counted_model, device)) {
    if (time.bound == Bound::dram || time.bound == Bound::l2 || time.bound == Bound::fp ||
        time.bound == Bound::shared) {
      Use& use = uses[time.bound];
      // The longest of a bound comes first; a shorter one is only the provable part of it.
      if (use.source != AmountSource::counters) {
        use = {time.seconds / input.seconds, time.basis, AmountSource::counters};
      }
    }
  }
  for (const Bound bound : roof_bounds) {
    const auto share = counted_utilisation(input.counters, bound);
    if (!share) {
      continue;
    }
    // L1 and shared memory are one unit: its load is the one's that moves more.
    const bool is_shared = bound == Bound::l1 && use(Bound::shared) > use(Bound::l1);
    Use& counted_use = uses[is_shared ? Bound::shared : bound];
    // A unit's peak may be more than what the level can move (Turing's shared memory, half of it):
    // the nearer roof binds.
    if (counted_use.source != AmountSource::counters || counted_use.share < *share) {
      counted_use = {*share, "share of the unit's sustained peak", AmountSource::counters};
    }
  }
}

double Facts::use(Bound bound) const {
  const auto found = uses.find(bound);
  return found == uses.end() ? 0 : found->second.share;
}

double Facts::busiest() const {
  double share = 0;
  for (const auto& [bound, use] : uses) {
    share = std::max(share, use.share);
  }
  return share;
}

double Facts::room_above(std::optional<Bound> without) const {
  double share = 0;
  for (const auto& [bound, use] : uses) {
    // The modelled instructions are those of the arithmetic: they go with it.
    const bool goes_too =
        without == Bound::fp && bound == Bound::issue && use.source == AmountSource::model;
    share = bound == without || goes_too ? share : std::max(share, use.share);
  }
  const double launch = seconds_of(times, Bound::launch) / input.seconds;
  share = without == Bound::launch ? share : std::max(share, launch);
  // With no other figure at all, the roofs known here set no limit; the point itself is one.
  return share > 0 ? std::max(1.0, 1 / share) : 1;
}

bool Facts::inner_levels_known() const {
  return uses.count(Bound::l1) + uses.count(Bound::shared) + uses.count(Bound::l2) > 0;
}

}  // namespace rooftune
