// `rooftune replay --advice` as text and JSON.
#pragma once

#include <iosfwd>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "tuner/session/advice.hpp"

namespace rooftune::cli {

struct RecordedAdvice {
  std::string recording;
  std::string evidence;  ///< "model", "counters"
  AdviceReport report;
};

/// By the model alone, and where the recording has counters with them too.
std::vector<RecordedAdvice> advice_of(const std::string& name, const Spec& spec,
                                      const Recording& recording, const DeviceProfile& device);
void print_advice(const std::vector<RecordedAdvice>& advice, std::ostream& out);
nlohmann::ordered_json advice_json(const std::vector<RecordedAdvice>& advice);

}  // namespace rooftune::cli
