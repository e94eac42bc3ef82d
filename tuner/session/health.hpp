// Whether the device is still there, judged by failures in a row. Pure.
#pragma once

#include <optional>
#include <string>

#include "tuner/core/outcome.hpp"

namespace rooftune {

class Health {
 public:
  /// Crashes and time-outs count; any other outcome shows a device that answers.
  void saw(Outcome outcome, const std::string& reason);
  /// Time to try a configuration that is known to run, or, where none is known, to give up.
  bool is_in_doubt(bool something_ran) const;
  void found_well() { in_a_row_ = 0; }
  /// By the failures in a row.
  void found_lost();
  /// The device itself says why.
  void found_lost(const std::string& why) { lost_ = why; }
  /// In words, once the device was found lost.
  const std::optional<std::string>& lost() const { return lost_; }

 private:
  int in_a_row_ = 0;
  std::string last_reason_;
  std::optional<std::string> lost_;
};

}  // namespace rooftune
