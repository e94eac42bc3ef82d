#include "search/changes.hpp"

#include <fmt/format.h>

namespace rooftune::search {

Changes changes_between(const Space& space, const Configuration& from, const Configuration& to) {
  Changes changes;
  const std::vector<Parameter>& parameters = space.parameters();
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (from.choice[i] == to.choice[i]) {
      continue;
    }
    changes.text +=
        fmt::format("{}{} {} -> {}", changes.text.empty() ? "" : ", ", parameters[i].name,
                    parameters[i].values[from.choice[i]].to_string(),
                    parameters[i].values[to.choice[i]].to_string());
    changes.roles.push_back(parameters[i].role);
  }
  return changes;
}

}  // namespace rooftune::search
