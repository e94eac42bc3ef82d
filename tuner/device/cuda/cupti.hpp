// CUPTI as a table of functions, loaded at run time, and what its host API tells of metrics.
#pragma once

#include <cuda.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_result.h>
#include <cupti_target.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace rooftune::cuda {

#define ROOFTUNE_CUPTI_FUNCTIONS(X)       \
  X(cuptiProfilerInitialize)              \
  X(cuptiProfilerDeviceSupported)         \
  X(cuptiProfilerGetCounterAvailability)  \
  X(cuptiDeviceGetChipName)               \
  X(cuptiProfilerHostInitialize)          \
  X(cuptiProfilerHostDeinitialize)        \
  X(cuptiProfilerHostGetSupportedChips)   \
  X(cuptiProfilerHostConfigAddMetrics)    \
  X(cuptiProfilerHostGetConfigImageSize)  \
  X(cuptiProfilerHostGetConfigImage)      \
  X(cuptiProfilerHostGetNumOfPasses)      \
  X(cuptiProfilerHostEvaluateToGpuValues) \
  X(cuptiRangeProfilerEnable)             \
  X(cuptiRangeProfilerDisable)            \
  X(cuptiRangeProfilerSetConfig)          \
  X(cuptiRangeProfilerStart)              \
  X(cuptiRangeProfilerStop)               \
  X(cuptiRangeProfilerDecodeData)         \
  X(cuptiRangeProfilerGetCounterDataSize) \
  X(cuptiRangeProfilerCounterDataImageInitialize)

struct CuptiApi {
#define ROOFTUNE_MEMBER(name) decltype(&::name) name = nullptr;
  ROOFTUNE_CUPTI_FUNCTIONS(ROOFTUNE_MEMBER)
#undef ROOFTUNE_MEMBER
};

/// nullptr, and `why`, where there is none or it is too old.
std::shared_ptr<const CuptiApi> load_cupti(std::string& why);

/// A parameter struct of CUPTI's, with its size set.
#define ROOFTUNE_CUPTI_PARAMS(type, name) \
  type name{};                            \
  name.structSize = type##_STRUCT_SIZE

/// CUPTI said no; what() is refusal_text.
class CuptiError : public std::runtime_error {
 public:
  explicit CuptiError(CUptiResult code);
  CUptiResult code() const { return code_; }

 private:
  CUptiResult code_;
};
/// Throws CuptiError unless `result` is success.
void check(CUptiResult result);

/// Metrics of a chip, ready to be collected.
class MetricPlan {
 public:
  /// `availability` may be empty where the chip is known to CUPTI. Metrics that the chip does not
  /// have are put aside. Throws CuptiError.
  MetricPlan(std::shared_ptr<const CuptiApi> api, const std::string& chip,
             const std::vector<std::uint8_t>& availability,
             const std::vector<std::string>& metrics);
  ~MetricPlan();
  MetricPlan(const MetricPlan&) = delete;
  MetricPlan& operator=(const MetricPlan&) = delete;

  const std::vector<std::string>& metrics() const { return metrics_; }
  const std::vector<std::string>& unknown() const { return unknown_; }
  /// Replays of the kernel.
  std::size_t passes() const { return passes_; }
  const std::vector<std::uint8_t>& config() const { return config_; }
  /// Values of the first range, in the metrics' order.
  std::vector<double> evaluate(const std::vector<std::uint8_t>& counter_data) const;

 private:
  std::shared_ptr<const CuptiApi> api_;
  CUpti_Profiler_Host_Object* host_ = nullptr;
  std::vector<std::string> metrics_;
  std::vector<std::string> unknown_;
  std::vector<std::uint8_t> config_;
  std::size_t passes_ = 0;
};

/// As C strings, which live as long as `texts`.
std::vector<const char*> pointers(const std::vector<std::string>& texts);

/// Names of the chips that CUPTI knows: "GA100".
std::vector<std::string> known_chips(const CuptiApi& api);

}  // namespace rooftune::cuda
