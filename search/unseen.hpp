// Which configurations were handed out or told of, and a random draw among the others.
#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <unordered_map>
#include <unordered_set>

#include "tuner/space/space.hpp"

namespace rooftune::search {

/// Memory grows with what was seen, not with the space.
class Unseen {
 public:
  explicit Unseen(const Space& space) : space_(space), left_(space.size()) {}

  /// False where the configuration was seen before.
  bool mark(const Configuration& configuration) { return seen_.insert(configuration).second; }
  bool seen(const Configuration& configuration) const { return seen_.count(configuration) != 0; }
  std::uint64_t count() const { return seen_.size(); }

  /// Uniform among the configurations that were not seen, and marks it; nullopt where none is left.
  std::optional<Configuration> draw(std::mt19937_64& random);

 private:
  const Space& space_;
  std::unordered_set<Configuration, ConfigurationHash> seen_;
  // A Fisher-Yates shuffle of 0 .. size-1 of which only the entries that moved are stored.
  std::uint64_t left_;
  std::unordered_map<std::uint64_t, std::uint64_t> moved_;
};

}  // namespace rooftune::search
