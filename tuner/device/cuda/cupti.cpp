#include "tuner/device/cuda/cupti.hpp"

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "tuner/device/cuda/counters.hpp"
#include "tuner/device/cuda/library.hpp"

namespace rooftune::cuda {
namespace {

/// An object of CUPTI's host API; a metric that it refused spoils it.
class Host {
 public:
  Host(const CuptiApi& api, const std::string& chip, const std::vector<std::uint8_t>& availability)
      : api_(api) {
    ROOFTUNE_CUPTI_PARAMS(CUpti_Profiler_Host_Initialize_Params, params);
    params.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
    params.pChipName = chip.c_str();
    params.pCounterAvailabilityImage = availability.empty() ? nullptr : availability.data();
    check(api_.cuptiProfilerHostInitialize(&params));
    object_ = params.pHostObject;
  }
  ~Host() { give_back(api_, object_); }
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;

  bool add(const std::vector<std::string>& metrics) {
    std::vector<const char*> names = pointers(metrics);
    ROOFTUNE_CUPTI_PARAMS(CUpti_Profiler_Host_ConfigAddMetrics_Params, params);
    params.pHostObject = object_;
    params.ppMetricNames = names.data();
    params.numMetrics = names.size();
    return api_.cuptiProfilerHostConfigAddMetrics(&params) == CUPTI_SUCCESS;
  }

  CUpti_Profiler_Host_Object* release() { return std::exchange(object_, nullptr); }
  CUpti_Profiler_Host_Object* get() const { return object_; }

  static void give_back(const CuptiApi& api, CUpti_Profiler_Host_Object* object) {
    if (object != nullptr) {
      ROOFTUNE_CUPTI_PARAMS(CUpti_Profiler_Host_Deinitialize_Params, params);
      params.pHostObject = object;
      api.cuptiProfilerHostDeinitialize(&params);
    }
  }

 private:
  const CuptiApi& api_;
  CUpti_Profiler_Host_Object* object_ = nullptr;
};

std::vector<std::string> library_names() {
  std::vector<std::string> names = {"libcupti.so.13", "libcupti.so.12", "libcupti.so"};
  names.emplace_back(ROOFTUNE_CUPTI_LIBRARY);  // that of the CUDA that rooftune was built with
  return names;
}

}  // namespace

std::vector<const char*> pointers(const std::vector<std::string>& texts) {
  std::vector<const char*> out;
  std::transform(texts.begin(), texts.end(), std::back_inserter(out),
                 [](const std::string& text) { return text.c_str(); });
  return out;
}

std::shared_ptr<const CuptiApi> load_cupti(std::string& why) {
  struct Cupti {
    std::shared_ptr<const Library> library;
    CuptiApi api;
  };
  const auto cupti = std::make_shared<Cupti>();
  cupti->library = load_library("ROOFTUNE_CUPTI", library_names(), why);
  if (!cupti->library) {
    why =
        "there is no CUPTI (libcupti.so); it comes with the CUDA toolkit, LD_LIBRARY_PATH names "
        "its folder";
    return nullptr;
  }
#define ROOFTUNE_LOAD(name)                                                                    \
  cupti->api.name = reinterpret_cast<decltype(cupti->api.name)>(cupti->library->find(#name));  \
  if (cupti->api.name == nullptr) {                                                            \
    why = cupti->library->path() + " has no " #name ": CUPTI of CUDA 12.8 or newer is needed"; \
    return nullptr;                                                                            \
  }
  ROOFTUNE_CUPTI_FUNCTIONS(ROOFTUNE_LOAD)
#undef ROOFTUNE_LOAD
  return {cupti, &cupti->api};
}

CuptiError::CuptiError(CUptiResult code) : std::runtime_error(refusal_text(code)), code_(code) {}

void check(CUptiResult result) {
  if (result != CUPTI_SUCCESS) {
    throw CuptiError(result);
  }
}

MetricPlan::MetricPlan(std::shared_ptr<const CuptiApi> api, const std::string& chip,
                       const std::vector<std::uint8_t>& availability,
                       const std::vector<std::string>& metrics)
    : api_(std::move(api)), metrics_(metrics) {
  if (!Host(*api_, chip, availability).add(metrics)) {
    const auto known = [&](const std::string& metric) {
      return Host(*api_, chip, availability).add({metric});
    };
    const auto first_unknown = std::stable_partition(metrics_.begin(), metrics_.end(), known);
    unknown_.assign(first_unknown, metrics_.end());
    metrics_.erase(first_unknown, metrics_.end());
  }
  Host host(*api_, chip, availability);
  if (metrics_.empty() || !host.add(metrics_)) {
    throw CuptiError(CUPTI_ERROR_INVALID_METRIC_NAME);
  }
  ROOFTUNE_CUPTI_PARAMS(CUpti_Profiler_Host_GetConfigImageSize_Params, size);
  size.pHostObject = host.get();
  check(api_->cuptiProfilerHostGetConfigImageSize(&size));
  config_.resize(size.configImageSize);
  ROOFTUNE_CUPTI_PARAMS(CUpti_Profiler_Host_GetConfigImage_Params, image);
  image.pHostObject = host.get();
  image.configImageSize = config_.size();
  image.pConfigImage = config_.data();
  check(api_->cuptiProfilerHostGetConfigImage(&image));
  ROOFTUNE_CUPTI_PARAMS(CUpti_Profiler_Host_GetNumOfPasses_Params, passes);
  passes.configImageSize = config_.size();
  passes.pConfigImage = config_.data();
  check(api_->cuptiProfilerHostGetNumOfPasses(&passes));
  passes_ = passes.numOfPasses;
  host_ = host.release();
}

MetricPlan::~MetricPlan() {
  Host::give_back(*api_, host_);
}

std::vector<double> MetricPlan::evaluate(const std::vector<std::uint8_t>& counter_data) const {
  std::vector<const char*> names = pointers(metrics_);
  std::vector<double> values(names.size());
  ROOFTUNE_CUPTI_PARAMS(CUpti_Profiler_Host_EvaluateToGpuValues_Params, params);
  params.pHostObject = host_;
  params.pCounterDataImage = counter_data.data();
  params.counterDataImageSize = counter_data.size();
  params.rangeIndex = 0;
  params.ppMetricNames = names.data();
  params.numMetrics = names.size();
  params.pMetricValues = values.data();
  check(api_->cuptiProfilerHostEvaluateToGpuValues(&params));
  return values;
}

std::vector<std::string> known_chips(const CuptiApi& api) {
  ROOFTUNE_CUPTI_PARAMS(CUpti_Profiler_Host_GetSupportedChips_Params, params);
  check(api.cuptiProfilerHostGetSupportedChips(&params));
  return {params.ppChipNames, params.ppChipNames + params.numChips};
}

}  // namespace rooftune::cuda
