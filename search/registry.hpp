// The policies' makers, for the registry alone.
#pragma once

#include <memory>

#include "search/policy.hpp"

namespace rooftune::search {

std::unique_ptr<Policy> make_roofline(const SearchContext& context);
std::unique_ptr<Policy> make_genetic(const SearchContext& context);
std::unique_ptr<Policy> make_annealing(const SearchContext& context);
std::unique_ptr<Policy> make_local(const SearchContext& context);
std::unique_ptr<Policy> make_random(const SearchContext& context);
std::unique_ptr<Policy> make_exhaustive(const SearchContext& context);

}  // namespace rooftune::search
