// Checks of formulas as text and JSON: `rooftune replay --formulas`, `rooftune verify --formulas`.
#pragma once

#include <iosfwd>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "tuner/session/formulas.hpp"

namespace rooftune::cli {

/// The formulas of one spec against one source of counts.
struct FormulaReport {
  std::string name;  ///< the recording, or the spec
  std::vector<FormulaCheck> checks;
  std::vector<std::string> unchecked;  ///< formulas that nothing was held against
};

void print_formulas(const std::vector<FormulaReport>& reports, std::ostream& out);
nlohmann::ordered_json formulas_json(const FormulaReport& report);
/// The exit status: 1 where a formula is scaled or unrelated.
int formulas_status(const std::vector<FormulaReport>& reports);

}  // namespace rooftune::cli
