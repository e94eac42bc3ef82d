// The driver's errors: what each means for a configuration, and for the worker that met it. Pure.
#pragma once

#include <stdexcept>
#include <string>

#include "tuner/core/outcome.hpp"

namespace rooftune::cuda {

/// CUresult by number, so that whoever handles errors needs no CUDA header.
using ErrorCode = int;

struct ErrorMeaning {
  const char* name = "";     ///< "CUDA_ERROR_ILLEGAL_ADDRESS"; empty where unknown
  const char* meaning = "";  ///< for a person; may be empty
  Outcome outcome = Outcome::crashed;
  /// The context is spoilt: every later call would fail alike, so the worker has to end.
  bool sticky = false;
  /// Not the configuration's doing: the GPU, or the driver, is not there any more.
  bool device_lost = false;
};
/// Unknown codes are sticky crashes: nothing is known that would allow to go on.
ErrorMeaning meaning_of(ErrorCode code);

/// "CUDA_ERROR_ILLEGAL_ADDRESS (700): the kernel touched memory that is not its own".
std::string error_text(ErrorCode code);

class DriverError : public std::runtime_error {
 public:
  DriverError(ErrorCode code, const std::string& during);
  ErrorCode code() const { return code_; }
  const std::string& during() const { return during_; }

 private:
  ErrorCode code_;
  std::string during_;
};

/// What a configuration that met the error is recorded as.
Failure failure_of(const DriverError& error);

}  // namespace rooftune::cuda
