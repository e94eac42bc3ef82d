#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "tuner/device/cuda/counters.hpp"

namespace rooftune::cuda {
namespace {

struct Refusal {
  int code;
  const char* text;
};

// The numbers are CUPTI's interface (cupti_result.h).
constexpr auto refusals = std::to_array<Refusal>({
    {1, "CUPTI refuses what it is asked (CUPTI_ERROR_INVALID_PARAMETER): is it older than 12.8?"},
    {2, "CUPTI does not find the GPU (CUPTI_ERROR_INVALID_DEVICE)"},
    {9, "the GPU's counters do not answer (CUPTI_ERROR_HARDWARE)"},
    {15, "CUPTI does not start (CUPTI_ERROR_NOT_INITIALIZED)"},
    {17, "the chip has none of the metrics (CUPTI_ERROR_INVALID_METRIC_NAME)"},
    {26, "the GPU's counters are in use (CUPTI_ERROR_HARDWARE_BUSY): by DCGM or another profiler?"},
    {27, "CUPTI does not work with this driver (CUPTI_ERROR_NOT_SUPPORTED): their releases differ"},
    {33,
     "the GPU is virtual, and its host does not pass counters on "
     "(CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED)"},
    {35,
     "this user may not read them (CUPTI_ERROR_INSUFFICIENT_PRIVILEGES): run as root, or set the "
     "option NVreg_RestrictProfilingToAdminUsers=0 of the module nvidia"},
    {36, "CUPTI finds its old profiler in use (CUPTI_ERROR_OLD_PROFILER_API_INITIALIZED)"},
    {39,
     "another profiler is at work (CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED): nsys, ncu, "
     "compute-sanitizer or DCGM; end it"},
    {40,
     "the vGPU has profiling switched off "
     "(CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES): whoever runs the host can switch "
     "it on"},
    {41,
     "confidential computing is on, which forbids them "
     "(CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED)"},
    {42, "mining cards have none (CUPTI_ERROR_CMP_DEVICE_NOT_SUPPORTED)"},
    {43, "MIG is on, which forbids them (CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED)"},
    {44, "SLI is on, which forbids them (CUPTI_ERROR_SLI_DEVICE_NOT_SUPPORTED)"},
    {45, "they are not passed on to WSL here (CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED)"},
    {46,
     "this CUPTI does not know the chip (CUPTI_ERROR_INVALID_CHIP_NAME): take that of a newer "
     "CUDA toolkit"},
});

}  // namespace

std::string refusal_text(int cupti_error) {
  const auto found =
      std::find_if(refusals.begin(), refusals.end(),
                   [cupti_error](const Refusal& refusal) { return refusal.code == cupti_error; });
  return found != refusals.end() ? found->text : fmt::format("CUPTI error {}", cupti_error);
}

}  // namespace rooftune::cuda
