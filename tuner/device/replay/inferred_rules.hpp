// Rules for a tuning space of which only the recorded configurations are known.
#pragma once

#include <string>
#include <vector>

#include "tuner/device/replay/recording.hpp"

namespace rooftune {

struct InferredRules {
  std::vector<std::string> rules;  ///< expressions; none where the given ones are enough
  /// Whether exactly the recorded configurations are left under the given rules and these. False
  /// where they are too irregular to be told: then there are none.
  bool exact = false;
};

/// Rules of few parameters first: a product within limits, a divisibility, an order where one holds
/// for exactly the recorded combinations, else the combinations themselves. Each rule that is given
/// must hold for all recorded points. The author's rules may read otherwise: they say the same of
/// the values that were recorded, and nothing certain of others.
InferredRules infer_rules(const Recording& recording, const std::vector<std::string>& given);

}  // namespace rooftune
