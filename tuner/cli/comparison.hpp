// Two results side by side. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tuner/session/results.hpp"

namespace rooftune::cli {

struct ComparisonRow {
  std::string what;
  std::string a;
  std::string b;
};

struct Comparison {
  std::vector<ComparisonRow> rows;
  std::optional<double> speedup;  ///< time of A over time of B
  double noise = 0;               ///< relative; a difference within it says nothing
  std::vector<std::string> caveats;
  std::string verdict;  ///< one line
};

Comparison compare(const Results& a, const Results& b);

/// A table with the verdict below.
std::string to_text(const Comparison& comparison);

}  // namespace rooftune::cli
