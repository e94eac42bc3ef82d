// What can become of a configuration: one enum everywhere.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace rooftune {

enum class Outcome {
  ok,
  compile_failed,
  cannot_launch,
  wrong_result,
  crashed,
  timed_out,
  out_of_memory,
  skipped,
};

/// "ok", "compile_failed", ...
std::string_view to_string(Outcome outcome);
std::optional<Outcome> outcome_from(std::string_view name);
/// The value of `invalidity` in a T4 results file: "correct", "compile", "runtime", "correctness",
/// "timeout", "constraints".
std::string_view t4_invalidity(Outcome outcome);

/// Why a configuration has no time. `reason` is one line for a person; `log` is all that was said
/// (compiler log, sanitizer report), possibly long.
struct Failure {
  Outcome outcome = Outcome::skipped;
  std::string reason;
  std::string log;
};

}  // namespace rooftune
