// From the command line of `rooftune roofline` to work and roofs, or a message and status 2.
#pragma once

#include <string>
#include <vector>

#include "tuner/roofline/roofline.hpp"

namespace rooftune::cli {

/// As given; empty means not given.
struct RooflineNumbers {
  std::string results;
  std::string device;
  std::string peak;
  std::string bandwidth;
  std::vector<std::string> flops;
  std::string precision = "fp32";
  std::string bytes;
  std::vector<std::string> traffic;
  std::string time;
};

struct RooflineOutput {
  bool json = false;
  std::string svg;
};

struct RooflineQuestion {
  std::string device;       ///< empty: the given roofs alone
  std::vector<Roof> roofs;  ///< given by hand
  ComputeUnit unit;
  DiagnosisInput input;
};

/// Throws CLI::ValidationError.
RooflineQuestion parse_question(const RooflineNumbers& numbers);
void refuse_numbers_beside_results(const RooflineNumbers& numbers);

}  // namespace rooftune::cli
