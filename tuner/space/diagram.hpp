// The valid configurations as a decision diagram: counted exactly and reached by index without
// being written out, however many they are. Internal to tuner/space.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tuner/space/space.hpp"
#include "tuner/space/staging.hpp"

namespace rooftune {

class Diagram {
 public:
  /// Throws InputError where a rule cannot be evaluated for a configuration that no other rule
  /// removes, and where counting takes more than `most_visits` prefixes.
  Diagram(const Spec& spec, std::uint64_t most_visits);

  std::uint64_t size() const { return nodes_[root_].count; }
  Configuration at(std::uint64_t index) const;
  std::optional<std::uint64_t> index_of(const Configuration& configuration) const;
  /// For each rule of the spec: raw configurations that it was the first to remove; saturates.
  const std::vector<std::uint64_t>& removed() const { return removed_; }
  const std::vector<std::size_t>& rule_order() const { return plan_.rule_order; }

 private:
  friend class DiagramBuilder;
  struct Edge {
    std::uint64_t before;  ///< configurations below the edges of smaller choices
    std::uint32_t child;
    std::uint16_t choice;
  };
  struct Node {
    std::uint64_t count;  ///< configurations below
    std::uint32_t first_edge;
    std::uint32_t edges;
  };
  /// Below every complete configuration; and what no configuration reaches.
  static constexpr std::uint32_t complete = 0;
  static constexpr std::uint32_t nothing = 1;

  staging::Plan plan_;
  std::vector<Node> nodes_ = {{1, 0, 0}, {0, 0, 0}};
  std::vector<Edge> edges_;
  std::uint32_t root_ = nothing;
  std::vector<std::uint64_t> removed_;
};

}  // namespace rooftune
