#include "tuner/roofline/amounts.hpp"

#include <algorithm>
#include <cmath>

#include "tuner/roofline/counters.hpp"
#include "tuner/roofline/model.hpp"

namespace rooftune {
namespace {

// A multiprocessor's scheduler starts a special function of a warp every eighth clock at most: 16
// lanes a multiprocessor, four schedulers.
constexpr double special_rate = 1.0 / 8;

/// Special-function instructions of warps. Where they were not counted themselves: the pipe's share
/// of its peak over that of the issue slots, whose number the instructions give.
std::optional<double> counted_special(const Counters& counters) {
  if (const auto direct = counter(counters, "smsp__inst_executed_pipe_xu.sum")) {
    return direct;
  }
  const auto pipe =
      counter(counters, "smsp__inst_executed_pipe_xu.avg.pct_of_peak_sustained_active");
  const auto issue = counter(counters, "smsp__issue_active.avg.pct_of_peak_sustained_active");
  const auto instructions = counter(counters, "smsp__inst_executed.sum");
  if (!pipe || !issue || !instructions || *issue <= 0) {
    return std::nullopt;
  }
  return *pipe / *issue * *instructions * special_rate;
}

/// FP32 instructions of threads.
std::optional<double> counted_fp32(const Counters& counters) {
  if (const auto all = counter(counters, "smsp__sass_thread_inst_executed_op_fp32_pred_on.sum")) {
    return all;
  }
  double sum = 0;
  for (const char* op : {"fadd", "fmul", "ffma"}) {
    const auto count =
        counter(counters, std::string("smsp__sass_thread_inst_executed_op_") + op + "_pred_on.sum");
    if (!count) {
      return std::nullopt;
    }
    sum += *count;
  }
  return sum;
}

bool uses_local_memory(const Counted& counted) {
  const bool spills = counted.resources && counted.resources->spill_stores > 0;
  const std::string sectors = "l1tex__t_sectors_pipe_lsu_mem_local_op_";
  return spills || local_instructions(counted.counters).value_or(0) > 0 ||
         counter(counted.counters, sectors + "ld.sum").value_or(0) > 0 ||
         counter(counted.counters, sectors + "st.sum").value_or(0) > 0;
}

class Comparison {
 public:
  Comparison(const Geometry& geometry, const Counted& counted)
      : geometry_(geometry), counted_(counted), work_(counted_work(counted.counters)) {}

  std::vector<Amount> run() {
    add_warp_counts();
    add_flops();
    for (const Level level : {Level::dram, Level::l2, Level::l1, Level::shared}) {
      add_bytes(level);
    }
    add_resources();
    add_launch();
    return std::move(amounts_);
  }

 private:
  void add(std::string name, std::string formula, std::string counter, double expected,
           double counted) {
    amounts_.push_back(
        {std::move(name), std::move(formula), std::move(counter), expected, counted, false});
  }

  void add_warp_counts() {
    const std::optional<Launch>& launch = geometry_.launch ? geometry_.launch : counted_.launch;
    if (!launch) {
      return;
    }
    const auto threads = static_cast<double>(launch->block.count());
    const double warps =
        static_cast<double>(launch->grid.count()) * std::ceil(threads / model::warp_lanes);
    const auto add_count = [&](const char* name, double formula, const char* words,
                               std::optional<double> count) {
      if (formula > 0 && count) {
        add(name, std::string("work.warp.") + name, words, formula * warps, *count);
      }
    };
    const WarpWork& warp = geometry_.work.warp;
    const Counters& counters = counted_.counters;
    add_count("instructions", warp.instructions, "warp instructions",
              counter(counters, "smsp__inst_executed.sum"));
    const auto fp = counted_fp32(counters);
    add_count("fp", warp.fp, "FP32 instructions of threads / 32",
              fp ? std::optional(*fp / model::warp_lanes) : std::nullopt);
    add_count("special", warp.special, "use of the special-function pipe",
              counted_special(counters));
  }

  void add_flops() {
    for (const auto& [unit, flops] : geometry_.work.flops) {
      const auto exact = work_.flops.find(unit);
      if (exact != work_.flops.end()) {
        add("flops." + to_string(unit), "work.flops." + to_string(unit),
            "floating-point operations", flops, exact->second);
        continue;
      }
      const auto fp = counted_fp32(counted_.counters);
      if (unit == ComputeUnit{Precision::fp32, false} && fp) {
        // The counter does not tell a multiply-add from an add: what lies between is possible.
        add("flops.fp32", "work.flops.fp32", "FP32 instructions, each one or two operations", flops,
            std::clamp(flops, *fp, 2 * *fp));
      }
    }
  }

  void add_bytes(Level level) {
    const std::string name(to_string(level));
    const bool moved = geometry_.work.traffic.count(level) > 0;
    if (!moved && geometry_.work.bytes.count(level) == 0) {
      return;
    }
    const std::string formula = (moved ? "work.traffic." : "work.bytes.") + name;
    const auto& amounts = moved ? geometry_.work.traffic : geometry_.work.bytes;
    // Where nothing was moved the counters say so, and counted_work has no entry.
    const auto found = work_.traffic.find(level);
    if (found != work_.traffic.end() || counts(level)) {
      add(name, formula, "bytes", amounts.at(level),
          found == work_.traffic.end() ? 0 : found->second);
      amounts_.back().spilled = level != Level::shared && uses_local_memory(counted_);
    }
  }

  /// Whether a counter that is zero would have counted the level.
  bool counts(Level level) const {
    const std::string wavefronts = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum";
    const Counters& counters = counted_.counters;
    return level == Level::shared && (counters.count(wavefronts) > 0 ||
                                      counters.count("smsp__sass_data_bytes_mem_shared.sum") > 0);
  }

  void add_resources() {
    if (!counted_.resources) {
      return;
    }
    if (geometry_.registers && counted_.resources->registers > 0) {
      add("registers", "resources.registers", "registers a thread, compiled", *geometry_.registers,
          counted_.resources->registers);
    }
    if (geometry_.shared_bytes) {
      add("shared memory", "resources.shared_bytes", "static bytes a block, compiled",
          static_cast<double>(*geometry_.shared_bytes),
          static_cast<double>(counted_.resources->static_shared));
    }
  }

  void add_launch() {
    if (!geometry_.launch || !counted_.launch) {
      return;
    }
    add("threads", "launch.block", "threads a block, as launched",
        static_cast<double>(geometry_.launch->block.count()),
        static_cast<double>(counted_.launch->block.count()));
    add("blocks", "launch.grid", "blocks, as launched",
        static_cast<double>(geometry_.launch->grid.count()),
        static_cast<double>(counted_.launch->grid.count()));
  }

  const Geometry& geometry_;
  const Counted& counted_;
  const Work work_;
  std::vector<Amount> amounts_;
};

}  // namespace

std::vector<Amount> compare_amounts(const Geometry& geometry, const Counted& counted) {
  return Comparison(geometry, counted).run();
}

}  // namespace rooftune
