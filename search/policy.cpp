#include "search/policy.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string_view>

#include "search/registry.hpp"
#include "tuner/core/error.hpp"

namespace rooftune {
namespace {

struct Entry {
  std::string_view name;
  std::unique_ptr<Policy> (*make)(const SearchContext&);
  bool uses_prior = false;
};

// The default first.
constexpr std::array entries{
    Entry{"roofline", search::make_roofline, true}, Entry{"genetic", search::make_genetic},
    Entry{"annealing", search::make_annealing},     Entry{"local", search::make_local},
    Entry{"random", search::make_random},           Entry{"exhaustive", search::make_exhaustive},
};

}  // namespace

std::vector<std::string> policy_names() {
  std::vector<std::string> names;
  for (const Entry& entry : entries) names.emplace_back(entry.name);
  return names;
}

void require_prior_user(const std::vector<std::string>& policies) {
  const bool used = std::any_of(entries.begin(), entries.end(), [&](const Entry& entry) {
    return entry.uses_prior &&
           std::find(policies.begin(), policies.end(), entry.name) != policies.end();
  });
  if (!used) {
    throw InputError(
        fmt::format("a prior is of no use to the policy {}", fmt::join(policies, ", ")),
        "leave out --prior, or take --policy roofline");
  }
}

std::unique_ptr<Policy> make_policy(const std::string& name, const SearchContext& context) {
  if (context.space == nullptr) throw std::invalid_argument("a policy needs a space");
  const auto* found = std::find_if(entries.begin(), entries.end(),
                                   [&](const Entry& entry) { return entry.name == name; });
  if (found == entries.end()) {
    throw InputError(fmt::format("unknown policy \"{}\"", name), suggest(name, policy_names()));
  }
  return found->make(context);
}

}  // namespace rooftune
