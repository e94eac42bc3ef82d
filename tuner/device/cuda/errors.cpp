#include "tuner/device/cuda/errors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace rooftune::cuda {
namespace {

struct Known {
  ErrorCode code;
  ErrorMeaning meaning;
};

constexpr bool sticky = true;
constexpr bool lost = true;

// The numbers are the driver's interface (cuda.h, CUresult).
constexpr auto known_errors = std::to_array<Known>({
    {1,
     {"CUDA_ERROR_INVALID_VALUE", "an argument of the launch is refused", Outcome::cannot_launch}},
    {2, {"CUDA_ERROR_OUT_OF_MEMORY", "device memory does not suffice", Outcome::out_of_memory}},
    {3, {"CUDA_ERROR_NOT_INITIALIZED", "", Outcome::crashed, sticky, lost}},
    {4,
     {"CUDA_ERROR_DEINITIALIZED", "the driver is being shut down", Outcome::crashed, sticky, lost}},
    {46,
     {"CUDA_ERROR_DEVICE_UNAVAILABLE", "another process has the GPU for itself", Outcome::crashed,
      sticky, lost}},
    {100, {"CUDA_ERROR_NO_DEVICE", "the driver finds no GPU", Outcome::crashed, sticky, lost}},
    {101, {"CUDA_ERROR_INVALID_DEVICE", "there is no such GPU", Outcome::crashed, sticky, lost}},
    {200,
     {"CUDA_ERROR_INVALID_IMAGE", "the driver does not take the binary", Outcome::cannot_launch}},
    {209,
     {"CUDA_ERROR_NO_BINARY_FOR_GPU", "the binary is for another architecture",
      Outcome::cannot_launch}},
    {214,
     {"CUDA_ERROR_ECC_UNCORRECTABLE", "the GPU's memory is damaged", Outcome::crashed, sticky,
      lost}},
    {218,
     {"CUDA_ERROR_INVALID_PTX", "the driver's compiler refuses the PTX", Outcome::compile_failed}},
    {220, {"CUDA_ERROR_NVLINK_UNCORRECTABLE", "", Outcome::crashed, sticky, lost}},
    {222,
     {"CUDA_ERROR_UNSUPPORTED_PTX_VERSION",
      "the driver is older than the NVRTC that made the PTX; update the driver, or build with "
      "an older NVRTC",
      Outcome::cannot_launch}},
    {300, {"CUDA_ERROR_INVALID_SOURCE", "", Outcome::cannot_launch}},
    {500, {"CUDA_ERROR_NOT_FOUND", "the binary has no such kernel", Outcome::cannot_launch}},
    {700,
     {"CUDA_ERROR_ILLEGAL_ADDRESS", "the kernel touched memory that is not its own",
      Outcome::crashed, sticky}},
    {701,
     {"CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES",
      "registers, threads or shared memory of a block exceed the multiprocessor",
      Outcome::cannot_launch}},
    {702,
     {"CUDA_ERROR_LAUNCH_TIMEOUT", "the driver ended a kernel that ran too long",
      Outcome::timed_out, sticky}},
    {709, {"CUDA_ERROR_CONTEXT_IS_DESTROYED", "", Outcome::crashed, sticky}},
    {710, {"CUDA_ERROR_ASSERT", "an assertion in the kernel failed", Outcome::crashed, sticky}},
    {713, {"CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED", "", Outcome::crashed}},
    {714,
     {"CUDA_ERROR_HARDWARE_STACK_ERROR", "a thread's stack is corrupt, or ran over",
      Outcome::crashed, sticky}},
    {715,
     {"CUDA_ERROR_ILLEGAL_INSTRUCTION", "the kernel ran into an illegal instruction (a trap?)",
      Outcome::crashed, sticky}},
    {716,
     {"CUDA_ERROR_MISALIGNED_ADDRESS",
      "an access is not aligned to its size: is a row's length a multiple of the vector's?",
      Outcome::crashed, sticky}},
    {717, {"CUDA_ERROR_INVALID_ADDRESS_SPACE", "", Outcome::crashed, sticky}},
    {718, {"CUDA_ERROR_INVALID_PC", "", Outcome::crashed, sticky}},
    {719, {"CUDA_ERROR_LAUNCH_FAILED", "the kernel failed while it ran", Outcome::crashed, sticky}},
    {720,
     {"CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE",
      "the grid does not fit the GPU at once, as a cooperative launch needs",
      Outcome::cannot_launch}},
    {801, {"CUDA_ERROR_NOT_SUPPORTED", "", Outcome::cannot_launch}},
    {802,
     {"CUDA_ERROR_SYSTEM_NOT_READY", "the system is not ready to start CUDA work", Outcome::crashed,
      sticky, lost}},
    {803,
     {"CUDA_ERROR_SYSTEM_DRIVER_MISMATCH",
      "the driver's library and its kernel module are of different versions: reboot after an "
      "update",
      Outcome::crashed, sticky, lost}},
    {999, {"CUDA_ERROR_UNKNOWN", "", Outcome::crashed, sticky}},
});

}  // namespace

ErrorMeaning meaning_of(ErrorCode code) {
  const auto found = std::find_if(known_errors.begin(), known_errors.end(),
                                  [code](const Known& known) { return known.code == code; });
  return found != known_errors.end() ? found->meaning
                                     : ErrorMeaning{"", "", Outcome::crashed, sticky};
}

std::string error_text(ErrorCode code) {
  const ErrorMeaning it = meaning_of(code);
  const std::string name = *it.name != '\0' ? it.name : "CUDA error";
  return fmt::format("{} ({}){}{}", name, code, *it.meaning != '\0' ? ": " : "", it.meaning);
}

DriverError::DriverError(ErrorCode code, const std::string& during)
    : std::runtime_error(fmt::format("{}, {}", error_text(code), during)),
      code_(code),
      during_(during) {}

Failure failure_of(const DriverError& error) {
  return {meaning_of(error.code()).outcome, error.what(), ""};
}

}  // namespace rooftune::cuda
