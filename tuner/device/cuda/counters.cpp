#include "tuner/device/cuda/counters.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <cmath>
#include <fstream>
#include <map>
#include <optional>

#include "tuner/device/cuda/cupti.hpp"

namespace rooftune::cuda {
namespace {

/// What the driver's kernel module says beforehand.
bool is_for_administrators() {
  std::ifstream in("/proc/driver/nvidia/params");
  for (std::string line; std::getline(in, line);) {
    if (line.find("RmProfilingAdminOnly: 1") != std::string::npos) {
      return geteuid() != 0;
    }
  }
  return false;
}

/// Why the device cannot be profiled at all; empty where it can.
std::string device_refusal(const CuptiApi& api, int device) {
  ROOFTUNE_CUPTI_PARAMS(CUpti_Profiler_DeviceSupported_Params, params);
  params.cuDevice = device;
  params.api = CUPTI_PROFILER_RANGE_PROFILING;
  if (const CUptiResult result = api.cuptiProfilerDeviceSupported(&params);
      result != CUPTI_SUCCESS) {
    return refusal_text(result);
  }
  if (params.isSupported == CUPTI_PROFILER_CONFIGURATION_SUPPORTED) {
    return "";
  }
  const auto no = [](CUpti_Profiler_Support_Level level) {
    return level == CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED ||
           level == CUPTI_PROFILER_CONFIGURATION_DISABLED;
  };
  if (no(params.architecture)) {
    return "the GPU is too old for the range profiler: compute capability 7.0 is needed";
  }
  if (no(params.sli)) {
    return refusal_text(CUPTI_ERROR_SLI_DEVICE_NOT_SUPPORTED);
  }
  if (no(params.vGpu)) {
    return refusal_text(params.vGpu == CUPTI_PROFILER_CONFIGURATION_DISABLED
                            ? CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES
                            : CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED);
  }
  if (no(params.confidentialCompute)) {
    return refusal_text(CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED);
  }
  if (no(params.cmp)) {
    return refusal_text(CUPTI_ERROR_CMP_DEVICE_NOT_SUPPORTED);
  }
  return no(params.wsl) ? refusal_text(CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED)
                        : "CUPTI does not support this GPU";
}

CUptiResult start_profiler(const CuptiApi& api) {
  ROOFTUNE_CUPTI_PARAMS(CUpti_Profiler_Initialize_Params, params);
  return api.cuptiProfilerInitialize(&params);
}

/// The range profiler switched on for the current context: it costs time, so only while it counts.
class RangeProfiler {
 public:
  explicit RangeProfiler(const CuptiApi& api) : api_(api) {
    ROOFTUNE_CUPTI_PARAMS(CUpti_RangeProfiler_Enable_Params, params);
    check(api_.cuptiRangeProfilerEnable(&params));
    object_ = params.pRangeProfilerObject;
  }
  ~RangeProfiler() {
    ROOFTUNE_CUPTI_PARAMS(CUpti_RangeProfiler_Disable_Params, params);
    params.pRangeProfilerObject = object_;
    api_.cuptiRangeProfilerDisable(&params);
  }
  RangeProfiler(const RangeProfiler&) = delete;
  RangeProfiler& operator=(const RangeProfiler&) = delete;

  std::vector<double> collect(const MetricPlan& plan, const CountedRun& run) {
    std::vector<std::uint8_t> data = make_counter_data(plan);
    configure(plan, data);
    for (std::size_t i = 0; i <= plan.passes(); ++i) {
      run.prepare();
      start();
      run.launch();
      if (stop()) {
        break;
      }
    }
    ROOFTUNE_CUPTI_PARAMS(CUpti_RangeProfiler_DecodeData_Params, params);
    params.pRangeProfilerObject = object_;
    check(api_.cuptiRangeProfilerDecodeData(&params));
    return plan.evaluate(data);
  }

 private:
  std::vector<std::uint8_t> make_counter_data(const MetricPlan& plan) {
    std::vector<const char*> names = pointers(plan.metrics());
    ROOFTUNE_CUPTI_PARAMS(CUpti_RangeProfiler_GetCounterDataSize_Params, size);
    size.pRangeProfilerObject = object_;
    size.pMetricNames = names.data();
    size.numMetrics = names.size();
    size.maxNumOfRanges = 1;
    size.maxNumRangeTreeNodes = 1;
    check(api_.cuptiRangeProfilerGetCounterDataSize(&size));
    std::vector<std::uint8_t> data(size.counterDataSize);
    ROOFTUNE_CUPTI_PARAMS(CUpti_RangeProfiler_CounterDataImage_Initialize_Params, image);
    image.pRangeProfilerObject = object_;
    image.counterDataSize = data.size();
    image.pCounterData = data.data();
    check(api_.cuptiRangeProfilerCounterDataImageInitialize(&image));
    return data;
  }

  /// Every kernel is a range, and CUPTI itself replays it for each pass, its memory restored.
  void configure(const MetricPlan& plan, std::vector<std::uint8_t>& data) {
    ROOFTUNE_CUPTI_PARAMS(CUpti_RangeProfiler_SetConfig_Params, params);
    params.pRangeProfilerObject = object_;
    params.configSize = plan.config().size();
    params.pConfig = plan.config().data();
    params.counterDataImageSize = data.size();
    params.pCounterDataImage = data.data();
    params.range = CUPTI_AutoRange;
    params.replayMode = CUPTI_KernelReplay;
    params.maxRangesPerPass = 1;
    params.numNestingLevels = 1;
    params.minNestingLevel = 1;
    params.passIndex = 0;
    params.targetNestingLevel = 0;
    check(api_.cuptiRangeProfilerSetConfig(&params));
  }

  void start() {
    ROOFTUNE_CUPTI_PARAMS(CUpti_RangeProfiler_Start_Params, params);
    params.pRangeProfilerObject = object_;
    check(api_.cuptiRangeProfilerStart(&params));
  }

  /// Whether all passes are done.
  bool stop() {
    ROOFTUNE_CUPTI_PARAMS(CUpti_RangeProfiler_Stop_Params, params);
    params.pRangeProfilerObject = object_;
    check(api_.cuptiRangeProfilerStop(&params));
    return params.isAllPassSubmitted != 0;
  }

  const CuptiApi& api_;
  CUpti_RangeProfiler_Object* object_ = nullptr;
};

class CuptiReader : public CounterReader {
 public:
  explicit CuptiReader(int device) : device_(device) {}

  std::variant<Counted, CounterRefusal> read(const std::vector<std::string>& metrics,
                                             const CountedRun& run) override {
    try {
      start();
      const MetricPlan& plan = plan_for(metrics);
      const std::vector<double> values = RangeProfiler(*api_).collect(plan, run);
      return counted(plan, values);
    } catch (const CuptiError& error) {
      return CounterRefusal{error.what()};
    } catch (const Unusable& unusable) {
      return CounterRefusal{unusable.why};
    }
  }

 private:
  struct Unusable {
    std::string why;
  };

  void start() {
    if (api_) {
      return;
    }
    std::string why;
    auto api = load_cupti(why);
    if (!api) {
      throw Unusable{why};
    }
    check(start_profiler(*api));
    why = device_refusal(*api, device_);
    if (!why.empty()) {
      throw Unusable{why};
    }
    ROOFTUNE_CUPTI_PARAMS(CUpti_Device_GetChipName_Params, params);
    params.deviceIndex = static_cast<std::size_t>(device_);
    check(api->cuptiDeviceGetChipName(&params));
    chip_ = params.pChipName;
    availability_ = availability(*api);
    api_ = std::move(api);
  }

  static std::vector<std::uint8_t> availability(const CuptiApi& api) {
    ROOFTUNE_CUPTI_PARAMS(CUpti_Profiler_GetCounterAvailability_Params, params);
    check(api.cuptiProfilerGetCounterAvailability(&params));
    std::vector<std::uint8_t> image(params.counterAvailabilityImageSize);
    params.pCounterAvailabilityImage = image.data();
    check(api.cuptiProfilerGetCounterAvailability(&params));
    return image;
  }

  const MetricPlan& plan_for(const std::vector<std::string>& metrics) {
    std::optional<MetricPlan>& plan = plans_[metrics];
    if (!plan) {
      plan.emplace(api_, chip_, availability_, metrics);
    }
    return *plan;
  }

  static Counted counted(const MetricPlan& plan, const std::vector<double>& values) {
    Counted result;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (std::isfinite(values[i])) {
        result.counters[plan.metrics()[i]] = values[i];
      }
    }
    result.note = fmt::format("counters: {} metrics in {} passes over each kernel",
                              plan.metrics().size(), plan.passes());
    if (!plan.unknown().empty()) {
      result.note += fmt::format("; this chip does not have {}", fmt::join(plan.unknown(), ", "));
    }
    return result;
  }

  int device_;
  std::shared_ptr<const CuptiApi> api_;
  std::string chip_;
  std::vector<std::uint8_t> availability_;
  std::map<std::vector<std::string>, std::optional<MetricPlan>> plans_;
};

}  // namespace

std::unique_ptr<CounterReader> make_counter_reader(int device) {
  return std::make_unique<CuptiReader>(device);
}

std::string counter_access(int device, bool mig) {
  std::string why;
  const auto api = load_cupti(why);
  if (!api) {
    return "not read: " + why;
  }
  if (is_for_administrators()) {
    return "not read: " + refusal_text(CUPTI_ERROR_INSUFFICIENT_PRIVILEGES);
  }
  if (mig) {
    return "not read: " + refusal_text(CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED);
  }
  if (const CUptiResult result = start_profiler(*api); result != CUPTI_SUCCESS) {
    return "not read: " + refusal_text(result);
  }
  why = device_refusal(*api, device);
  return why.empty() ? "may be read" : "not read: " + why;
}

}  // namespace rooftune::cuda
