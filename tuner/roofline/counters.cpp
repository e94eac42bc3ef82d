#include "tuner/roofline/counters.hpp"

#include <array>

namespace rooftune {
namespace {

std::optional<double> sum(const Counters& counters, const std::string& a, const std::string& b) {
  const auto first = counter(counters, a);
  const auto second = counter(counters, b);
  return first && second ? std::optional(*first + *second) : std::nullopt;
}

std::optional<double> ratio(std::optional<double> part, std::optional<double> whole) {
  return part && whole && *whole > 0 ? std::optional(*part / *whole) : std::nullopt;
}

std::string executed(const std::string& op) {
  return "smsp__sass_thread_inst_executed_op_" + op + "_pred_on.sum";
}

/// Adds, multiplies and FMAs of a precision; `pack` values an instruction.
std::optional<double> operations(const Counters& counters, const std::string& letter, double pack) {
  const auto others = sum(counters, executed(letter + "add"), executed(letter + "mul"));
  const auto fma = counter(counters, executed(letter + "fma"));
  return others && fma ? std::optional(pack * (*others + 2 * *fma)) : std::nullopt;
}

std::string stall_name(const std::string& reason) {
  return "smsp__average_warps_issue_stalled_" + reason + "_per_issue_active.ratio";
}

}  // namespace

std::optional<double> counter(const Counters& counters, const std::string& name) {
  const auto found = counters.find(name);
  return found == counters.end() ? std::nullopt : std::optional(found->second);
}

Work counted_work(const Counters& counters) {
  Work work;
  const auto add_flops = [&](Precision precision, std::optional<double> flops) {
    if (flops && *flops > 0) {
      work.flops[{precision, false}] = *flops;
    }
  };
  add_flops(Precision::fp32, operations(counters, "f", 1));
  add_flops(Precision::fp64, operations(counters, "d", 1));
  add_flops(Precision::fp16, operations(counters, "h", 2));
  const auto add_bytes = [&](Level level, std::optional<double> bytes) {
    if (bytes && *bytes > 0) {
      work.traffic[level] = *bytes;
    }
  };
  // Bytes, or the units that they move in.
  const auto add_units = [&](Level level, const std::string& a, const std::string& b,
                             double bytes) {
    if (const auto units = sum(counters, a, b); units && work.traffic.count(level) == 0) {
      add_bytes(level, *units * bytes);
    }
  };
  constexpr double sector = 32;
  constexpr double wavefront = 128;
  add_bytes(Level::dram, counter(counters, "dram__bytes.sum"));
  add_bytes(Level::l2, counter(counters, "lts__t_bytes.sum"));
  add_bytes(Level::l1, counter(counters, "l1tex__t_bytes.sum"));
  add_bytes(Level::shared, counter(counters, "smsp__sass_data_bytes_mem_shared.sum"));
  add_units(Level::dram, "dram__sectors_read.sum", "dram__sectors_write.sum", sector);
  add_units(Level::l2, "lts__t_sectors_op_read.sum", "lts__t_sectors_op_write.sum", sector);
  const std::string shared = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_";
  add_units(Level::shared, shared + "ld.sum", shared + "st.sum", wavefront);
  return work;
}

std::optional<double> counted_utilisation(const Counters& counters, Bound bound) {
  // sm__throughput is not here: it is the busiest of many pipes, so 96% of it says nothing about
  // floating point.
  struct Row {
    Bound bound;
    const char* name;
  };
  // The first one that was collected counts, of each bound.
  constexpr auto rows = std::to_array<Row>({
      {Bound::dram, "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed"},
      {Bound::dram, "dram__throughput.avg.pct_of_peak_sustained_elapsed"},
      {Bound::l2, "lts__throughput.avg.pct_of_peak_sustained_elapsed"},
      {Bound::l2, "lts__t_sectors.avg.pct_of_peak_sustained_elapsed"},
      {Bound::l1, "l1tex__throughput.avg.pct_of_peak_sustained_elapsed"},
      {Bound::shared,
       "l1tex__data_pipe_lsu_wavefronts_mem_shared.avg.pct_of_peak_sustained_elapsed"},
      {Bound::fp, "smsp__pipe_fma_cycles_active.avg.pct_of_peak_sustained_active"},
      {Bound::special, "smsp__inst_executed_pipe_xu.avg.pct_of_peak_sustained_active"},
      {Bound::issue, "smsp__issue_active.avg.pct_of_peak_sustained_active"},
  });
  for (const Row& row : rows) {
    const auto percent = row.bound == bound ? counter(counters, row.name) : std::nullopt;
    if (percent) {
      return *percent / 100;
    }
  }
  return std::nullopt;
}

std::optional<double> sectors_per_request(const Counters& counters) {
  const std::string sectors = "l1tex__t_sectors_pipe_lsu_mem_global_op_";
  const std::string requests = "l1tex__t_requests_pipe_lsu_mem_global_op_";
  return ratio(sum(counters, sectors + "ld.sum", sectors + "st.sum"),
               sum(counters, requests + "ld.sum", requests + "st.sum"));
}

std::optional<double> bank_conflict_share(const Counters& counters) {
  return ratio(counter(counters, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"),
               counter(counters, "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"));
}

std::optional<double> local_instructions(const Counters& counters) {
  return sum(counters, "smsp__inst_executed_op_local_ld.sum",
             "smsp__inst_executed_op_local_st.sum");
}

std::optional<double> stall_share(const Counters& counters, const std::string& reason) {
  constexpr std::array reasons = {
      "long_scoreboard",    "short_scoreboard", "lg_throttle",    "mio_throttle", "tex_throttle",
      "math_pipe_throttle", "barrier",          "membar",         "wait",         "not_selected",
      "no_instruction",     "branch_resolving", "dispatch_stall", "drain"};
  const auto wanted = counter(counters, stall_name(reason));
  double all = 1;  // the clock in which the warp is selected
  int collected = 0;
  for (const char* each : reasons) {
    const auto stall = counter(counters, stall_name(each));
    all += stall.value_or(0);
    collected += stall ? 1 : 0;
  }
  // A share of the few reasons that were collected would be too large.
  constexpr int enough = 6;
  return wanted && collected >= enough ? std::optional(*wanted / all) : std::nullopt;
}

}  // namespace rooftune
