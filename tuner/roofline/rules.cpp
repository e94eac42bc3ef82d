#include "tuner/roofline/rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tuner/roofline/counters.hpp"

namespace rooftune {
namespace {

using Judged = std::optional<Judgement>;

/// By the roof's own utilisation.
Judged roof_used(const Facts& facts, const DiagnosisRule& rule) {
  const auto found = facts.uses.find(rule.bound);
  if (found == facts.uses.end() || found->second.share < rule.threshold) {
    return std::nullopt;
  }
  const Use& use = found->second;
  return Judgement{std::min(1.0, use.share),
                   fmt::format("{} at {} of its roof ({}: {})", to_string(rule.bound),
                               format_percent(use.share), to_string(use.source), use.text),
                   facts.room_above(rule.bound)};
}

Judged excess_traffic(const Facts& facts, const DiagnosisRule& rule) {
  const auto& bytes = facts.input.model.work.bytes;
  const auto compulsory = bytes.find(Level::dram);
  if (compulsory == bytes.end() || compulsory->second <= 0) {
    return std::nullopt;
  }
  const double counted = model::moved_bytes(facts.counted, Level::dram);
  const double moved =
      counted > 0 ? counted : model::moved_bytes(facts.input.model.work, Level::dram);
  const double ratio = moved / compulsory->second;
  if (ratio < rule.threshold) {
    return std::nullopt;
  }
  // Less traffic helps as far as DRAM is what the kernel waits for.
  const double weight = facts.use(Bound::dram) * (1 - 1 / ratio);
  return Judgement{
      weight,
      fmt::format("{} moved at DRAM for {} that are compulsory: {:.1f} times",
                  model::bytes_text(moved), model::bytes_text(compulsory->second), ratio),
      std::min(ratio, facts.room_above(Bound::dram))};
}

Judged uncoalesced(const Facts& facts, const DiagnosisRule& rule) {
  const auto sectors = sectors_per_request(facts.input.counters);
  if (!sectors || *sectors <= rule.threshold) {
    return std::nullopt;
  }
  const double excess = *sectors / rule.threshold;
  return Judgement{1 - 1 / excess,
                   fmt::format("{:.1f} sectors a request (4 serve 4-byte words, 16 serve 16-byte "
                               "words, 32 is the worst)",
                               *sectors),
                   std::min(*sectors / 4, facts.room_above(Bound::dram))};
}

/// Left of the ridge and far below the roof, with no counter to say why.
Judged below_slanted_roof(const Facts& facts, const DiagnosisRule& rule) {
  const bool left = facts.placement.roof == "dram";
  if (!left || facts.busiest() >= rule.threshold || sectors_per_request(facts.input.counters)) {
    return std::nullopt;
  }
  return Judgement{0.4 * (1 - facts.busiest()),
                   fmt::format("left of the ridge at {} of the DRAM roof, and no roof above {}: "
                               "scattered or strided accesses would look like this",
                               format_percent(facts.placement.fraction), threshold_text(rule)),
                   facts.room_above()};
}

Judged bank_conflicts(const Facts& facts, const DiagnosisRule& rule) {
  const auto share = bank_conflict_share(facts.input.counters);
  if (!share || *share < rule.threshold) {
    return std::nullopt;
  }
  return Judgement{
      *share * std::max(facts.use(Bound::shared), facts.use(Bound::l1)),
      fmt::format("{} of the shared-memory wavefronts are conflicts", format_percent(*share)),
      *share < 1 ? std::min(1 / (1 - *share), facts.room_above(Bound::shared)) : 1};
}

/// The tensor-core unit that could do a CUDA-core unit's work, and whether results would change.
std::optional<ComputeUnit> tensor_counterpart(const DeviceProfile& device, ComputeUnit unit) {
  const Precision precision = unit.precision == Precision::fp32 ? Precision::tf32 : unit.precision;
  const ComputeUnit tensor{precision, true};
  return unit.tensor || model::compute_roof(device, tensor) == nullptr ? std::nullopt
                                                                       : std::optional(tensor);
}

Judged tensor_unused(const Facts& facts, const DiagnosisRule& rule) {
  const auto& flops = facts.input.model.work.flops;
  const auto heaviest = std::max_element(flops.begin(), flops.end(),
                                         [](auto& a, auto& b) { return a.second < b.second; });
  // Worth saying only where arithmetic is what stands above the point.
  const bool compute_above =
      heaviest != flops.end() && facts.placement.roof.find("fp") != std::string::npos;
  if (!compute_above || facts.device.kind == DeviceKind::host) {
    return std::nullopt;
  }
  const auto tensor = tensor_counterpart(facts.device, heaviest->first);
  if (!tensor) {
    return std::nullopt;
  }
  const double gain = model::compute_roof(facts.device, *tensor)->value /
                      model::compute_roof(facts.device, heaviest->first)->value;
  if (gain < rule.threshold) {
    return std::nullopt;
  }
  const std::string changes =
      tensor->precision == heaviest->first.precision ? "" : ", at the price of precision";
  return Judgement{
      facts.use(Bound::fp) * (1 - 1 / gain),
      fmt::format("all of the {} work is on the CUDA cores; {} is {:.1f} times as fast{}",
                  to_string(heaviest->first), to_string(*tensor), gain, changes),
      std::min(gain / std::max(facts.use(Bound::fp), 1e-9), facts.room_above(Bound::fp))};
}

Judged divergence(const Facts& facts, const DiagnosisRule& rule) {
  auto threads =
      counter(facts.input.counters, "smsp__average_thread_inst_executed_per_inst_executed.ratio");
  if (!threads) {  // as older profilers call it
    threads = counter(facts.input.counters, "smsp__thread_inst_executed_per_inst_executed.ratio");
  }
  if (!threads || *threads >= rule.threshold || *threads <= 0) {
    return std::nullopt;
  }
  return Judgement{1 - *threads / model::warp_lanes,
                   fmt::format("{:.1f} of 32 threads take part in an instruction", *threads),
                   std::min(model::warp_lanes / *threads, facts.room_above(Bound::issue))};
}

Judged spills(const Facts& facts, const DiagnosisRule&) {
  const Resources resources = facts.input.model.resources.value_or(Resources{});
  const std::int64_t bytes = resources.spill_stores + resources.spill_loads;
  const double counted = local_instructions(facts.input.counters).value_or(0);
  if (bytes <= 0 && counted <= 0) {
    return std::nullopt;
  }
  std::string evidence =
      bytes > 0 ? fmt::format("{} B of spill stores and {} B of loads a thread at {} registers",
                              resources.spill_stores, resources.spill_loads, resources.registers)
                : fmt::format("{:.3g} warp instructions on local memory", counted);
  // How often they run is not known from the compiler: a prior, below whatever is measured.
  return Judgement{0.3, std::move(evidence), facts.room_above()};
}

std::string limiters(const Occupancy& occupancy) {
  std::string text;
  for (const Resource resource : occupancy.limited_by) {
    text += (text.empty() ? "" : " and ") + std::string(to_string(resource));
  }
  return text.empty() ? "" : ", limited by " + text;
}

Judged low_occupancy(const Facts& facts, const DiagnosisRule& rule) {
  const auto& occupancy = facts.input.model.occupancy;
  if (!occupancy || !occupancy->launchable || occupancy->fraction >= rule.threshold ||
      occupancy->fraction <= 0) {
    return std::nullopt;
  }
  const double idle = 1 - facts.busiest();
  return Judgement{
      std::max(0.0, idle) * (1 - occupancy->fraction),
      fmt::format("{} warps, {} of what a multiprocessor holds{}", occupancy->active_warps,
                  format_percent(occupancy->fraction), limiters(*occupancy)),
      std::min(1 / occupancy->fraction, facts.room_above())};
}

Judged occupancy_gap(const Facts& facts, const DiagnosisRule& rule) {
  const auto& occupancy = facts.input.model.occupancy;
  const auto percent =
      counter(facts.input.counters, "sm__warps_active.avg.pct_of_peak_sustained_active");
  if (!occupancy || !percent || occupancy->fraction - *percent / 100 <= rule.threshold) {
    return std::nullopt;
  }
  const double achieved = std::max(*percent / 100, 0.01);
  return Judgement{std::max(0.0, 1 - facts.busiest()) * (occupancy->fraction - achieved),
                   fmt::format("{} of the warps that fit are active, {} were possible: blocks end "
                               "at different times, or are too few",
                               format_percent(achieved), format_percent(occupancy->fraction)),
                   std::min(occupancy->fraction / achieved, facts.room_above())};
}

Judged nothing_busy(const Facts& facts, const DiagnosisRule& rule) {
  const double busiest = facts.busiest();
  if (facts.uses.empty() || busiest >= rule.threshold) {
    return std::nullopt;
  }
  const auto most = std::max_element(
      facts.uses.begin(), facts.uses.end(),
      [](const auto& a, const auto& b) { return a.second.share < b.second.share; });
  return Judgement{
      0.5 * (1 - busiest),
      fmt::format("no roof is used to {}; the busiest is {} with {}", threshold_text(rule),
                  to_string(most->first), format_percent(busiest)),
      facts.room_above()};
}

Judged stalled(const Facts& facts, const DiagnosisRule& rule, const std::string& reason,
               const std::string& words) {
  const auto share = stall_share(facts.input.counters, reason);
  const double issue = facts.use(Bound::issue);
  constexpr double scheduler_busy = 0.8;
  if (!share || *share <= rule.threshold || issue >= scheduler_busy) {
    return std::nullopt;
  }
  return Judgement{
      *share * (1 - issue),
      fmt::format("{} of a warp's time between issues it waits {}", format_percent(*share), words),
      std::min(1 / (1 - std::min(*share, 0.99)), facts.room_above())};
}

Judged barrier_stall(const Facts& facts, const DiagnosisRule& rule) {
  return stalled(facts, rule, "barrier", "at barriers");
}

Judged memory_stall(const Facts& facts, const DiagnosisRule& rule) {
  return stalled(facts, rule, "long_scoreboard", "for L2 or DRAM");
}

Judged grid_too_small(const Facts& facts, const DiagnosisRule& rule) {
  if (!facts.grid || facts.grid->blocks >= rule.threshold * facts.grid->multiprocessors) {
    return std::nullopt;
  }
  const double factor = std::max(facts.grid->imbalance(), facts.grid->idle_factor(facts.device));
  // A grid of exactly one block a multiprocessor is small but wastes nothing.
  constexpr double worth_naming = 1.05;
  if (factor < worth_naming) {
    return std::nullopt;
  }
  return Judgement{
      1 - 1 / factor,
      fmt::format("{:.0f} blocks for {:.0f} {}", facts.grid->blocks, facts.grid->multiprocessors,
                  facts.device.kind == DeviceKind::host ? "workers" : "multiprocessors"),
      std::min(factor, facts.room_above())};
}

Judged tail_effect(const Facts& facts, const DiagnosisRule& rule) {
  if (!facts.grid || facts.grid->waves() <= 1) {
    return std::nullopt;
  }
  const double waves = facts.grid->waves();
  const double gain = 1 - waves / std::ceil(waves);
  if (gain < rule.threshold) {
    return std::nullopt;
  }
  return Judgement{gain,
                   fmt::format("{:.2f} waves of blocks: the last one leaves {} of the time unused",
                               waves, format_percent(gain)),
                   std::min(1 / (1 - gain), facts.room_above())};
}

Judged launch_overhead(const Facts& facts, const DiagnosisRule& rule) {
  const double launch = seconds_of(facts.times, Bound::launch);
  const double share = std::min(1.0, launch / facts.input.seconds);
  if (share < rule.threshold) {
    return std::nullopt;
  }
  const double rest = std::max(1 - share, facts.busiest());
  return Judgement{share,
                   fmt::format("a launch alone takes about {}, {} of the time",
                               format_seconds(launch), format_percent(share)),
                   rest > 0 ? std::max(1.0, 1 / rest) : 1};
}

constexpr const char* speed_of_light = "Nsight Compute, speed of light: below 60% is latency";

}  // namespace

const std::vector<DiagnosisRule>& rules() {
  const char* used = "use of its roof >= {}";
  const char* model_or_counters = "model or counters";
  static const std::vector<DiagnosisRule> table = {
      {Bound::dram, 0.6, used, model_or_counters, speed_of_light, roof_used},
      {Bound::l2, 0.6, used, model_or_counters, speed_of_light, roof_used},
      {Bound::l1, 0.6, used, model_or_counters, speed_of_light, roof_used},
      {Bound::shared, 0.6, used, model_or_counters, speed_of_light, roof_used},
      {Bound::fp, 0.6, used, model_or_counters, speed_of_light, roof_used},
      {Bound::tensor, 0.6, used, "model", speed_of_light, roof_used},
      {Bound::special, 0.6, used, model_or_counters, speed_of_light, roof_used},
      {Bound::issue, 0.6, used, model_or_counters, speed_of_light, roof_used},
      {Bound::fetch, 0.6, used, "model", speed_of_light, roof_used},
      {Bound::access, 1.5, "DRAM traffic >= {} times the compulsory bytes", model_or_counters,
       "own: half as much again as needed", excess_traffic, false},
      {Bound::access, 16, "more than {} sectors a global request", "counters",
       "32-byte sectors: 16 serve a warp of 16-byte words", uncoalesced, false},
      {Bound::access, 0.6, "DRAM is the roof above, and no roof is used to {}", "model",
       speed_of_light, below_slanted_roof, true, true},
      {Bound::bank_conflicts, 0.1, "conflicts >= {} of shared-memory wavefronts", "counters",
       "Nsight Compute, memory tables", bank_conflicts},
      {Bound::tensor_unused, 1.5,
       "arithmetic is the roof above, and tensor cores are >= {} times as "
       "fast",
       "model", "own: a gain worth a rewrite", tensor_unused, false},
      {Bound::divergence, 24, "fewer than {} threads an instruction", "counters",
       "Nsight Compute, warp state statistics", divergence, false},
      {Bound::spills, 0, "more than {} bytes of spills", "resources or counters",
       "Nsight Compute, source counters: local memory is traffic", spills, false},
      {Bound::occupancy, 0.8, "theoretical occupancy < {}", "occupancy",
       "Nsight Compute, occupancy", low_occupancy},
      {Bound::occupancy, 0.1, "theoretical above achieved occupancy by more than {}",
       "occupancy and counters", "Nsight Compute, achieved occupancy", occupancy_gap},
      {Bound::latency, 0.6, "no roof is used to {}", model_or_counters, speed_of_light,
       nothing_busy, true, true},
      {Bound::latency, 0.3, "more than {} of a warp's time waits for L2 or DRAM, issue below 80%",
       "counters", "Nsight Compute, warp state statistics", memory_stall},
      {Bound::barriers, 0.3, "more than {} of a warp's time waits at barriers, issue below 80%",
       "counters", "Nsight Compute, warp state statistics", barrier_stall},
      {Bound::grid_size, 2, "fewer blocks than {} times the multiprocessors, unevenly spread",
       "launch", "Nsight Compute, launch statistics", grid_too_small, false},
      {Bound::tail, 0.2, "a full last wave would gain >= {}", "launch, better with occupancy",
       "Nsight Compute, tail effect", tail_effect},
      {Bound::launch, 0.2, "a launch takes >= {} of the time", "time", "own: a fifth of the time",
       launch_overhead},
  };
  return table;
}

std::string threshold_text(const DiagnosisRule& rule) {
  return rule.percent ? format_percent(rule.threshold) : fmt::format("{:g}", rule.threshold);
}

}  // namespace rooftune
