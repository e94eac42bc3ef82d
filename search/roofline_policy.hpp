// The roofline policy with its parts exposed, for ablations.
#pragma once

#include <memory>

#include "search/policy.hpp"
#include "search/roofline_options.hpp"

namespace rooftune::search {

std::unique_ptr<Policy> make_roofline(const SearchContext& context, const RooflineOptions& options);

}  // namespace rooftune::search
