#include "tuner/space/staging.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace rooftune::staging {
namespace {

using ast::Kind;
using ast::Node;
using ast::NodePtr;

/// A rule with constants and derived quantities put in: only parameters are left as names.
struct ClosedRule {
  std::size_t rule;
  std::size_t problem;
  NodePtr tree;
  std::vector<std::string> names;  ///< in the order in which they appear
};

void collect_names(const Node& node, std::vector<std::string>& names) {
  if (node.kind == Kind::name && std::find(names.begin(), names.end(), node.name) == names.end()) {
    names.push_back(node.name);
  }
  for (const NodePtr& child : node.children) {
    collect_names(*child, names);
  }
}

NodePtr close(const NodePtr& tree, const Problem& problem,
              const std::map<std::string, NodePtr>& derived) {
  return ast::replace_names(tree, [&](const NodePtr& name) {
    if (const Value* constant = find_value(problem, name->name)) {
      return ast::constant(*constant);
    }
    const auto found = derived.find(name->name);
    return found == derived.end() ? name : found->second;
  });
}

std::vector<ClosedRule> closed_rules(const Spec& spec) {
  std::vector<ClosedRule> rules;
  for (std::size_t p = 0; p < spec.problems.size(); ++p) {
    const Problem& problem = spec.problems[p];
    std::map<std::string, NodePtr> derived;
    for (const Derived& quantity : spec.derived) {
      derived[quantity.name] = close(quantity.value.expression.tree(), problem, derived);
    }
    for (std::size_t i = 0; i < spec.rules.size(); ++i) {
      ClosedRule rule{i, p, close(spec.rules[i].condition.expression.tree(), problem, derived), {}};
      const bool known = std::any_of(rules.begin(), rules.end(), [&](const ClosedRule& other) {
        return other.rule == i && ast::equal(*other.tree, *rule.tree);
      });
      if (!known) {
        collect_names(*rule.tree, rule.names);
        rules.push_back(std::move(rule));
      }
    }
  }
  std::stable_sort(rules.begin(), rules.end(),
                   [](const ClosedRule& a, const ClosedRule& b) { return a.rule < b.rule; });
  return rules;
}

/// Where each parameter stands in the order of fixing.
class Order {
 public:
  Order(const Spec& spec, const std::vector<ClosedRule>& rules) : spec_(spec) {
    // Next comes the rule that can be decided at the least cost, so that it prunes early.
    std::vector<bool> done(rules.size(), false);
    for (std::size_t step = 0; step < rules.size(); ++step) {
      std::size_t best = rules.size();
      double least = std::numeric_limits<double>::infinity();
      for (std::size_t i = 0; i < rules.size(); ++i) {
        const double cost = done[i] ? least : cost_of(rules[i]);
        if (cost < least) {
          least = cost;
          best = i;
        }
      }
      if (best < rules.size()) {
        done[best] = true;
        for (const std::string& name : rules[best].names) {
          add(name);
        }
      }
    }
    for (const Parameter& parameter : spec.parameters) {
      add(parameter.name);
    }
  }

  std::size_t place(const std::string& name) const { return places_.at(name); }
  const std::vector<std::size_t>& parameters() const { return order_; }
  const std::string& name(std::size_t place) const { return spec_.parameters[order_[place]].name; }

 private:
  void add(const std::string& name) {
    if (places_.emplace(name, order_.size()).second) {
      const auto parameter = std::find_if(spec_.parameters.begin(), spec_.parameters.end(),
                                          [&](const Parameter& p) { return p.name == name; });
      order_.push_back(static_cast<std::size_t>(parameter - spec_.parameters.begin()));
    }
  }

  /// Combinations of the parameters that it would add.
  double cost_of(const ClosedRule& rule) const {
    double cost = 1;
    for (const Parameter& parameter : spec_.parameters) {
      const bool used =
          std::find(rule.names.begin(), rule.names.end(), parameter.name) != rule.names.end();
      cost *= used && places_.count(parameter.name) == 0
                  ? static_cast<double>(parameter.values.size())
                  : 1;
    }
    return cost;
  }

  const Spec& spec_;
  std::vector<std::size_t> order_;
  std::map<std::string, std::size_t> places_;
};

class Stager {
 public:
  Stager(const Order& order, const std::vector<ClosedRule>& rules) : order_(order), rules_(rules) {}

  /// The depth after which the rule is decided: one more than the place of its last parameter.
  std::size_t decided_at(const ClosedRule& rule) const { return decided_at(*rule.tree); }

  /// The largest parts of the rules undecided at `depth` that the first `depth` parameters decide.
  std::vector<NodePtr> state_at(std::size_t depth) const {
    std::vector<NodePtr> state;
    for (const ClosedRule& rule : rules_) {
      if (decided_at(rule) > depth) {
        collect_decided(rule.tree, depth, state);
      }
    }
    return state;
  }

  /// `tree` at `depth`, reading `before`, which is state_at(depth - 1).
  Part part(const NodePtr& tree, std::size_t depth, const std::vector<NodePtr>& before) const {
    return {quick(tree, depth, before), ast::replace_names(tree, [&](const NodePtr& name) {
              return ast::slot(order_.place(name->name), name->name);
            })};
  }

 private:
  std::size_t decided_at(const Node& node) const {
    std::size_t depth = node.kind == Kind::name ? order_.place(node.name) + 1 : 0;
    for (const NodePtr& child : node.children) {
      depth = std::max(depth, decided_at(*child));
    }
    return depth;
  }

  static std::size_t find_part(const std::vector<NodePtr>& parts, const Node& part) {
    const auto found = std::find_if(parts.begin(), parts.end(),
                                    [&](const NodePtr& other) { return ast::equal(*other, part); });
    return static_cast<std::size_t>(found - parts.begin());
  }

  void collect_decided(const NodePtr& node, std::size_t depth, std::vector<NodePtr>& state) const {
    if (node->kind == Kind::constant) {
      return;
    }
    // A list is no value: its elements are.
    if (node->kind != Kind::list && decided_at(*node) <= depth) {
      if (find_part(state, *node) == state.size()) {
        state.push_back(node);
      }
      return;
    }
    for (const NodePtr& child : node->children) {
      collect_decided(child, depth, state);
    }
  }

  NodePtr quick(const NodePtr& node, std::size_t depth, const std::vector<NodePtr>& before) const {
    const std::size_t known = find_part(before, *node);
    if (known < before.size()) {
      return ast::slot(known, order_.name(depth - 1));
    }
    if (node->kind == Kind::name) {  // the newest parameter: an older one is in the state
      return ast::slot(before.size(), node->name);
    }
    if (node->children.empty()) {
      return node;
    }
    auto copy = std::make_shared<Node>(*node);
    for (NodePtr& child : copy->children) {
      child = quick(child, depth, before);
    }
    return copy;
  }

  const Order& order_;
  const std::vector<ClosedRule>& rules_;
};

}  // namespace

Plan plan(const Spec& spec) {
  const std::vector<ClosedRule> rules = closed_rules(spec);
  const Order order(spec, rules);
  const Stager stager(order, rules);
  Plan result;
  result.order = order.parameters();
  const auto decided = [&](std::size_t depth, const std::vector<NodePtr>& before) {
    std::vector<StagedRule> staged;
    for (const ClosedRule& rule : rules) {
      if (stager.decided_at(rule) == depth) {
        staged.push_back({rule.rule, rule.problem, stager.part(rule.tree, depth, before)});
        auto& listed = result.rule_order;
        if (std::find(listed.begin(), listed.end(), rule.rule) == listed.end()) {
          listed.push_back(rule.rule);
        }
      }
    }
    return staged;
  };
  std::vector<NodePtr> before;
  result.at_once = decided(0, before);
  for (std::size_t depth = 1; depth <= result.order.size(); ++depth) {
    Stage stage;
    stage.rules = decided(depth, before);
    std::vector<NodePtr> state = stager.state_at(depth);
    for (const NodePtr& tree : state) {
      stage.state.push_back(stager.part(tree, depth, before));
    }
    result.stages.push_back(std::move(stage));
    before = std::move(state);
  }
  return result;
}

}  // namespace rooftune::staging
