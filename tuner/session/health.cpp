#include "tuner/session/health.hpp"

#include <fmt/format.h>

namespace rooftune {
namespace {

constexpr int doubtful = 5;            // failures in a row before the best is tried again
constexpr int doubtful_at_first = 20;  // and before giving up where nothing ever ran

}  // namespace

void Health::saw(Outcome outcome, const std::string& reason) {
  const bool failed = outcome == Outcome::crashed || outcome == Outcome::timed_out;
  in_a_row_ = failed ? in_a_row_ + 1 : 0;
  if (failed) {
    last_reason_ = reason;
  }
}

bool Health::is_in_doubt(bool something_ran) const {
  return in_a_row_ >= (something_ran ? doubtful : doubtful_at_first);
}

void Health::found_lost() {
  const bool nothing_ran = in_a_row_ >= doubtful_at_first;
  lost_ = fmt::format(
      "{} configurations in a row crashed or hung (the last: {}){}: the device may be lost, or the "
      "kernel broken",
      in_a_row_, last_reason_, nothing_ran ? "" : " and the best one no longer runs");
}

}  // namespace rooftune
