// What the report's script draws from, as one JSON document. Internal to the report.
#pragma once

#include <nlohmann/json.hpp>

#include "tuner/session/results.hpp"

namespace rooftune {

/// Small: 5,000 records take less than 3 MB. Safe inside a <script> element: no `<` in it.
std::string report_data(const Results& results);

}  // namespace rooftune
