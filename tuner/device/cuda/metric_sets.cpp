#include <fmt/format.h>

#include "tuner/device/cuda/counters.hpp"

namespace rooftune::cuda {
namespace {

/// Tensor instructions are counted by one name on every architecture; the operations behind them
/// are not, so work on tensor cores stays the spec's.
const std::vector<std::string> roofline_metrics = {
    "gpu__time_duration.sum",
    "dram__bytes.sum",
    "lts__t_bytes.sum",
    "l1tex__t_bytes.sum",
    "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum",
    "smsp__sass_thread_inst_executed_op_fmul_pred_on.sum",
    "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum",
    "smsp__sass_thread_inst_executed_op_dadd_pred_on.sum",
    "smsp__sass_thread_inst_executed_op_dmul_pred_on.sum",
    "smsp__sass_thread_inst_executed_op_dfma_pred_on.sum",
    "smsp__sass_thread_inst_executed_op_hadd_pred_on.sum",
    "smsp__sass_thread_inst_executed_op_hmul_pred_on.sum",
    "smsp__sass_thread_inst_executed_op_hfma_pred_on.sum",
};

const std::vector<std::string> diagnosis_metrics = {
    "sm__throughput.avg.pct_of_peak_sustained_elapsed",
    "lts__throughput.avg.pct_of_peak_sustained_elapsed",
    "l1tex__throughput.avg.pct_of_peak_sustained_elapsed",
    "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed",
    "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed",
    "sm__inst_executed_pipe_tensor.sum",
    "smsp__inst_executed.sum",
    "smsp__inst_executed_pipe_xu.sum",
    "smsp__sass_data_bytes_mem_shared.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",
    "smsp__inst_executed_op_local_ld.sum",
    "smsp__inst_executed_op_local_st.sum",
    "smsp__average_thread_inst_executed_per_inst_executed.ratio",
    "sm__warps_active.avg.pct_of_peak_sustained_active",
    "smsp__issue_active.avg.pct_of_peak_sustained_active",
    "smsp__warps_eligible.avg.per_cycle_active",
};

/// All of them: a share of the few reasons that were collected would be too large.
constexpr const char* stall_reasons[] = {
    "long_scoreboard",    "short_scoreboard", "lg_throttle",    "mio_throttle", "tex_throttle",
    "math_pipe_throttle", "barrier",          "membar",         "wait",         "not_selected",
    "no_instruction",     "branch_resolving", "dispatch_stall", "drain",
};

}  // namespace

std::vector<std::string> metric_set(CounterLevel level) {
  std::vector<std::string> metrics;
  if (level == CounterLevel::off) {
    return metrics;
  }
  metrics = roofline_metrics;
  if (level == CounterLevel::full) {
    metrics.insert(metrics.end(), diagnosis_metrics.begin(), diagnosis_metrics.end());
    for (const char* reason : stall_reasons) {
      metrics.push_back(
          fmt::format("smsp__average_warps_issue_stalled_{}_per_issue_active.ratio", reason));
    }
  }
  return metrics;
}

}  // namespace rooftune::cuda
