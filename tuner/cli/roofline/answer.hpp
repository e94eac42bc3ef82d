// `rooftune roofline`: a placed and diagnosed kernel as text and as JSON.
#pragma once

#include <iosfwd>
#include <nlohmann/json.hpp>
#include <string>

#include "tuner/roofline/roofline.hpp"

namespace rooftune::cli {

/// A kernel on a device: with a time, where it stands; without one, what is attainable.
struct Answer {
  const DeviceProfile& device;
  double flops = 0;       ///< of all units, of one launch
  double dram_bytes = 0;  ///< of one launch
  double seconds = 0;     ///< 0: none
  Placement placement;
  Diagnosis diagnosis;  ///< meaningful with a time
};

Answer answer_for(const DiagnosisInput& input, const DeviceProfile& device);

nlohmann::ordered_json answer_json(const Answer& answer);
void print_answer(const Answer& answer, std::ostream& out);

}  // namespace rooftune::cli
