// A step between configurations in words.
#pragma once

#include <string>
#include <vector>

#include "tuner/space/space.hpp"

namespace rooftune::search {

struct Changes {
  std::string text;  ///< "BM 64 -> 128, PAD 0 -> 1"; empty where nothing changed
  std::vector<Role> roles;
};
Changes changes_between(const Space& space, const Configuration& from, const Configuration& to);

}  // namespace rooftune::search
