#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "tuner/roofline/counters.hpp"
#include "tuner/roofline/model.hpp"

namespace rooftune {
namespace {

/// A roof above the point, with the time of the work at it.
struct Ceiling {
  std::string name;
  double seconds = 0;
  double limit_seconds = 0;  ///< at the highest figure known for the roof: no kernel is faster
  double tolerance = 0;      ///< by which `limit_seconds` may be missed without being wrong
  std::string amount;        ///< "2.15 GB"
};

/// A measured roof is no limit of nature: other load or another mix may have held it down.
constexpr double measured_tolerance = 0.1;
/// Clocks and timers agree within this.
constexpr double sheet_tolerance = 0.02;

void add_levels(Placement& placement, const Work& work, AmountSource source, double seconds,
                const DeviceProfile& device) {
  for (const Level level : {Level::dram, Level::l2, Level::l1, Level::shared}) {
    const double bytes = level == Level::dram ? model::compulsory_bytes(work, level)
                                              : model::moved_bytes(work, level);
    const Roof* bandwidth = device.roof(RoofKind::bandwidth, to_string(level));
    if (bytes <= 0 || bandwidth == nullptr) {
      continue;
    }
    for (const auto& [unit, flops] : work.flops) {
      const Roof* peak = model::compute_roof(device, unit);
      if (peak == nullptr || flops <= 0) {
        continue;
      }
      LevelPlacement at;
      at.level = level;
      at.unit = unit;
      at.source = source;
      at.intensity = flops / bytes;
      at.ridge = peak->value / bandwidth->value;
      at.attainable = std::min(peak->value, at.intensity * bandwidth->value);
      at.fraction = seconds > 0 ? flops / seconds / at.attainable : 0;
      placement.levels.push_back(at);
    }
  }
}

void add_unplaced(Placement& placement, const Work& work, const DeviceProfile& device) {
  for (const auto& [unit, flops] : work.flops) {
    if (model::compute_roof(device, unit) == nullptr) {
      placement.unplaced.push_back(
          fmt::format("{}: {} has no such roof", to_string(unit), device.name));
    }
  }
  for (const auto* amounts : {&work.bytes, &work.traffic}) {
    for (const auto& [level, bytes] : *amounts) {
      if (device.roof(RoofKind::bandwidth, to_string(level)) == nullptr) {
        placement.unplaced.push_back(
            fmt::format("{} bytes: {} has no such roof", to_string(level), device.name));
      }
    }
  }
}

double tolerance_of(const Roof& roof) {
  return roof.source == RoofSource::measured ? measured_tolerance + roof.spread : sheet_tolerance;
}

void add_compute_ceilings(std::vector<Ceiling>& ceilings, const Work& work,
                          const DeviceProfile& device) {
  for (const bool tensor : {false, true}) {
    const auto pipe = model::pipe_time(work, device, tensor);
    if (!pipe) {
      continue;
    }
    Ceiling ceiling{pipe->name, pipe->seconds, pipe->provable_seconds, sheet_tolerance,
                    pipe->basis};
    if (ceiling.limit_seconds <= 0) {
      ceiling.limit_seconds = ceiling.seconds;
      ceiling.tolerance = measured_tolerance;
    }
    ceilings.push_back(ceiling);
  }
}

std::vector<Ceiling> ceilings_of(const Work& work, const DeviceProfile& device) {
  std::vector<Ceiling> ceilings;
  for (const Level level : {Level::dram, Level::l2, Level::l1, Level::shared}) {
    // DRAM traffic stands in for compulsory bytes; above DRAM, traffic is the configuration's own.
    const auto given = work.bytes.find(level);
    const double bytes = given != work.bytes.end()
                             ? given->second
                             : (level == Level::dram ? model::moved_bytes(work, level) : 0);
    const Roof* roof = device.roof(RoofKind::bandwidth, to_string(level));
    if (bytes <= 0 || roof == nullptr) {
      continue;
    }
    const double limit = std::max(roof->value, device.theoretical(roof->kind, roof->name));
    ceilings.push_back(
        {roof->name, bytes / roof->value, bytes / limit, tolerance_of(*roof),
         fmt::format("{} at {}", model::bytes_text(bytes), model::roof_text(*roof))});
  }
  add_compute_ceilings(ceilings, work, device);
  // Only a measured launch: the typical figure of a device file would make every tiny kernel look
  // finished. No limit either: what a launch costs depends on the driver and on the timer.
  const Roof* launch = device.roof(RoofKind::latency, "launch", RoofSource::measured);
  if (launch != nullptr && !ceilings.empty()) {
    ceilings.push_back({"launch", launch->value, 0, 0, "one launch"});
  }
  return ceilings;
}

/// What it may mean that a kernel is faster than a roof allows.
std::string likely_causes(const std::string& roof, const DeviceProfile& device) {
  const bool bandwidth = level_from(roof).has_value();
  if (roof == "dram") {
    return "data that stays in a cache between launches, a bytes formula that counts too much, or "
           "a wrong time";
  }
  if (bandwidth) {
    return "a traffic formula that counts too much (broadcasts, merged accesses, values kept in "
           "registers), or a wrong time";
  }
  std::string text =
      "a FLOP formula that counts too much, a kernel that skips work, or a wrong time";
  if (device.kind == DeviceKind::cuda) {
    text += "; with 2:4 sparsity the peak is twice the dense one";
  }
  return text;
}

std::optional<std::string> contradiction_of(const std::vector<Ceiling>& ceilings, double seconds,
                                            const DeviceProfile& device) {
  for (const Ceiling& ceiling : ceilings) {
    if (ceiling.limit_seconds > seconds * (1 + ceiling.tolerance)) {
      return fmt::format("{} needs {} at the very least ({}), but {} was measured: {}",
                         ceiling.name, format_seconds(ceiling.limit_seconds), ceiling.amount,
                         format_seconds(seconds), likely_causes(ceiling.name, device));
    }
  }
  return std::nullopt;
}

}  // namespace

std::string_view to_string(AmountSource source) {
  return source == AmountSource::counters ? "counters" : "model";
}

Placement place(const ModelInput& input, double seconds, const DeviceProfile& device,
                const Counters& counters) {
  Placement placement;
  add_levels(placement, input.work, AmountSource::model, seconds, device);
  add_levels(placement, counted_work(counters), AmountSource::counters, seconds, device);
  add_unplaced(placement, input.work, device);
  if (seconds > 0) {
    for (const auto& [unit, flops] : input.work.flops) {
      placement.achieved_flops += flops / seconds;
    }
    placement.achieved_dram = model::compulsory_bytes(input.work, Level::dram) / seconds;
  }
  const std::vector<Ceiling> ceilings = ceilings_of(input.work, device);
  const auto highest =
      std::max_element(ceilings.begin(), ceilings.end(),
                       [](const auto& a, const auto& b) { return a.seconds < b.seconds; });
  if (highest != ceilings.end()) {
    placement.roof = highest->name;
    placement.attainable_seconds = highest->seconds;
  }
  if (seconds > 0) {
    placement.fraction = placement.attainable_seconds / seconds;
    placement.contradiction = contradiction_of(ceilings, seconds, device);
  }
  return placement;
}

}  // namespace rooftune
