// Rules prepared for parameters that become known one after the other. Internal to tuner/space.
//
// At each depth the rules still undecided are taken apart: their largest parts that the parameters
// so far decide are the state at that depth. Two prefixes with equal states allow the same
// continuations, so the state is what a decision diagram merges by; and each part is computed once
// for a prefix, however many continuations it has.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tuner/spec/ast.hpp"
#include "tuner/spec/spec.hpp"

namespace rooftune::staging {

/// A part of a rule at some depth.
struct Part {
  /// Reads the state of the depth before (slots 0, 1, ...) and the newest parameter (last slot).
  ast::NodePtr quick;
  /// Reads the parameters themselves, by their place in the order: for where the quick form would
  /// read a part that could not be computed.
  ast::NodePtr full;
};

struct StagedRule {
  std::size_t rule;     ///< its index in the spec
  std::size_t problem;  ///< whose constants are in it
  Part part;
};

/// What happens when the parameter at this place of the order becomes known.
struct Stage {
  std::vector<StagedRule> rules;  ///< decided by it
  std::vector<Part> state;        ///< of the depth that follows
};

struct Plan {
  std::vector<std::size_t> order;       ///< of the parameters: the first is fixed first
  std::vector<StagedRule> at_once;      ///< rules that use no parameter
  std::vector<Stage> stages;            ///< one for each parameter, in that order
  std::vector<std::size_t> rule_order;  ///< rules in the order in which they apply
};

/// Constants are those of each problem: a rule that they change is there once for each.
Plan plan(const Spec& spec);

}  // namespace rooftune::staging
