// The double's CUPTI: the range profiler and its host API, as far as rooftune uses them. Values of
// metrics are the script's, else 1000.
#include <cuda.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_result.h>
#include <cupti_target.h>

#include <cmath>
#include <cstring>
#include <string>

#include "tests/fake_cuda/kernels.hpp"
#include "tests/fake_cuda/script.hpp"

using fake_cuda::Script;

namespace {

CUptiResult outcome(const char* call) {
  return static_cast<CUptiResult>(Script::get().error("profiler", {{"call", call}}));
}

CUpti_Profiler_Support_Level level(const char* flag) {
  const auto rule = Script::get().find("supported", {{"flag", flag}});
  return rule ? static_cast<CUpti_Profiler_Support_Level>(std::stoi(rule->argument))
              : CUPTI_PROFILER_CONFIGURATION_SUPPORTED;
}

template <class Object>
Object* some_object() {
  static char object = 0;
  return reinterpret_cast<Object*>(&object);
}

}  // namespace

extern "C" {

CUptiResult cuptiProfilerInitialize(CUpti_Profiler_Initialize_Params*) {
  return outcome("cuptiProfilerInitialize");
}

CUptiResult cuptiProfilerDeviceSupported(CUpti_Profiler_DeviceSupported_Params* params) {
  params->architecture = level("architecture");
  params->sli = level("sli");
  params->vGpu = level("vGpu");
  params->confidentialCompute = level("confidentialCompute");
  params->cmp = level("cmp");
  params->wsl = level("wsl");
  params->isSupported = level("isSupported");
  for (const auto flag : {params->architecture, params->sli, params->vGpu,
                          params->confidentialCompute, params->cmp, params->wsl}) {
    if (flag != CUPTI_PROFILER_CONFIGURATION_SUPPORTED) {
      params->isSupported = CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED;
    }
  }
  return outcome("cuptiProfilerDeviceSupported");
}

CUptiResult cuptiProfilerGetCounterAvailability(
    CUpti_Profiler_GetCounterAvailability_Params* params) {
  params->counterAvailabilityImageSize = 8;
  return outcome("cuptiProfilerGetCounterAvailability");
}

CUptiResult cuptiDeviceGetChipName(CUpti_Device_GetChipName_Params* params) {
  params->pChipName = "GA100";
  return outcome("cuptiDeviceGetChipName");
}

CUptiResult cuptiProfilerHostInitialize(CUpti_Profiler_Host_Initialize_Params* params) {
  params->pHostObject = some_object<CUpti_Profiler_Host_Object>();
  return outcome("cuptiProfilerHostInitialize");
}

CUptiResult cuptiProfilerHostDeinitialize(CUpti_Profiler_Host_Deinitialize_Params*) {
  return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostGetSupportedChips(
    CUpti_Profiler_Host_GetSupportedChips_Params* params) {
  static const char* const chips[] = {"GA100"};
  params->numChips = 1;
  params->ppChipNames = chips;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostConfigAddMetrics(CUpti_Profiler_Host_ConfigAddMetrics_Params* params) {
  for (std::size_t i = 0; i < params->numMetrics; ++i) {
    const auto rule = Script::get().find("metric", {{"name", params->ppMetricNames[i]}});
    if (rule && rule->action == "unknown") {
      return CUPTI_ERROR_INVALID_METRIC_NAME;
    }
  }
  return outcome("cuptiProfilerHostConfigAddMetrics");
}

CUptiResult cuptiProfilerHostGetConfigImageSize(
    CUpti_Profiler_Host_GetConfigImageSize_Params* params) {
  params->configImageSize = 8;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostGetConfigImage(CUpti_Profiler_Host_GetConfigImage_Params*) {
  return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostGetNumOfPasses(CUpti_Profiler_Host_GetNumOfPasses_Params* params) {
  params->numOfPasses = 3;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostEvaluateToGpuValues(
    CUpti_Profiler_Host_EvaluateToGpuValues_Params* params) {
  for (std::size_t i = 0; i < params->numMetrics; ++i) {
    const auto rule = Script::get().find("metric", {{"name", params->ppMetricNames[i]}});
    params->pMetricValues[i] = !rule                   ? 1000
                               : rule->action == "nan" ? NAN
                                                       : std::stod(rule->argument);
  }
  return outcome("cuptiProfilerHostEvaluateToGpuValues");
}

CUptiResult cuptiRangeProfilerEnable(CUpti_RangeProfiler_Enable_Params* params) {
  params->pRangeProfilerObject = some_object<CUpti_RangeProfiler_Object>();
  return outcome("cuptiRangeProfilerEnable");
}

CUptiResult cuptiRangeProfilerDisable(CUpti_RangeProfiler_Disable_Params*) {
  return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerSetConfig(CUpti_RangeProfiler_SetConfig_Params*) {
  return outcome("cuptiRangeProfilerSetConfig");
}

CUptiResult cuptiRangeProfilerStart(CUpti_RangeProfiler_Start_Params*) {
  fake_cuda::set_profiled(true);
  return outcome("cuptiRangeProfilerStart");
}

CUptiResult cuptiRangeProfilerStop(CUpti_RangeProfiler_Stop_Params* params) {
  params->isAllPassSubmitted = 1;
  fake_cuda::set_profiled(false);
  return outcome("cuptiRangeProfilerStop");
}

CUptiResult cuptiRangeProfilerDecodeData(CUpti_RangeProfiler_DecodeData_Params*) {
  return outcome("cuptiRangeProfilerDecodeData");
}

CUptiResult cuptiRangeProfilerGetCounterDataSize(
    CUpti_RangeProfiler_GetCounterDataSize_Params* params) {
  params->counterDataSize = 8;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerCounterDataImageInitialize(
    CUpti_RangeProfiler_CounterDataImage_Initialize_Params*) {
  return CUPTI_SUCCESS;
}

}  // extern "C"
