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
constexpr double wavefront_bytes = 128;

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

  struct CountedBytes {
    double bytes = 0;
    const char* words = "bytes";
    bool compulsory = false;  ///< each byte once, whatever the configuration
    double at_most = 0;       ///< where all between is possible; else 0
  };

  std::optional<CountedBytes> counted_bytes(Level level) const {
    const auto wavefronts =
        counter(counted_.counters, "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum");
    if (level == Level::shared && wavefronts) {
      // Not the bytes that threads ask for: formulas count passes through the banks.
      return CountedBytes{*wavefronts * wavefront_bytes, "wavefronts of 128 bytes", false, 0};
    }
    const auto found = work_.traffic.find(level);
    if (found != work_.traffic.end()) {
      return CountedBytes{found->second};
    }
    const Counters& counters = counted_.counters;
    if (level == Level::shared &&
        (counters.count("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum") > 0 ||
         counters.count("smsp__sass_data_bytes_mem_shared.sum") > 0)) {
      return CountedBytes{};  // it was counted, and there was none
    }
    return host_bytes(level);
  }

  /// As the host device's count build has them. `from` takes the bytes of a unit.
  std::optional<CountedBytes> host_bytes(Level level) const {
    const Counters& counters = counted_.counters;
    const auto from = [&](const char* name, CountedBytes counted) -> std::optional<CountedBytes> {
      const auto count = counter(counters, name);
      if (!count) {
        return std::nullopt;
      }
      counted.bytes = *count * counted.bytes;
      return counted;
    };
    const double accesses = counter(counters, "host__l1_bytes.sum").value_or(0);
    switch (level) {
      case Level::dram:
        return from("host__dram_bytes.sum", {1, "sectors touched, each once", true, 0});
      case Level::l2:
        // What of a block's repeated accesses its L1 answers is not known here.
        return from("host__l2_bytes.sum",
                    {1, "sectors of a block, once or at every access", false, accesses});
      case Level::l1:
        return from("host__l1_bytes.sum", {1, "sectors of each warp's accesses", false, 0});
      case Level::shared:
        return from("host__shared_wavefronts.sum",
                    {wavefront_bytes, "wavefronts of 128 bytes", false, 0});
    }
    return std::nullopt;
  }

  void add_bytes(Level level) {
    const std::string name(to_string(level));
    const auto& [flops, bytes, traffic, warp] = geometry_.work;
    const auto counted = counted_bytes(level);
    if (!counted) {
      return;
    }
    const bool moved = traffic.count(level) > 0 && !(counted->compulsory && bytes.count(level) > 0);
    if (!moved && bytes.count(level) == 0) {
      return;
    }
    const double expected = (moved ? traffic : bytes).at(level);
    add(name, (moved ? "work.traffic." : "work.bytes.") + name, counted->words, expected,
        std::clamp(expected, counted->bytes, std::max(counted->bytes, counted->at_most)));
    amounts_.back().spilled = level != Level::shared && uses_local_memory(counted_);
  }

  void add_resources() {
    if (counted_.resources && geometry_.registers && counted_.resources->registers > 0) {
      add("registers", "resources.registers", "registers a thread, compiled", *geometry_.registers,
          counted_.resources->registers);
    }
    std::optional<double> shared = counter(counted_.counters, "host__static_shared_bytes.sum");
    if (counted_.resources) {
      shared = static_cast<double>(counted_.resources->static_shared);
    }
    if (geometry_.shared_bytes && shared) {
      add("shared memory", "resources.shared_bytes", "static bytes a block, compiled",
          static_cast<double>(*geometry_.shared_bytes), *shared);
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
