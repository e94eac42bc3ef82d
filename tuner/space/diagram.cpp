#include "tuner/space/diagram.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>
#include <unordered_map>

#include "tuner/core/error.hpp"
#include "tuner/core/hash.hpp"
#include "tuner/core/units.hpp"

namespace rooftune {
namespace {

constexpr std::uint64_t huge = std::numeric_limits<std::uint64_t>::max();

std::uint64_t saturating_add(std::uint64_t a, std::uint64_t b) {
  return a > huge - b ? huge : a + b;
}

std::uint64_t saturating_multiply(std::uint64_t a, std::uint64_t b) {
  return a != 0 && b > huge / a ? huge : a * b;
}

/// Values and their kinds as bytes: 1, 1.0 and true behave differently.
void append_key(std::string& key, const Value& value) {
  key += static_cast<char>(value.kind());
  const auto append = [&](const void* bytes, std::size_t size) {
    key.append(static_cast<const char*>(bytes), size);
  };
  if (value.kind() == Value::Kind::text) {
    const std::size_t size = value.as_text().size();
    append(&size, sizeof size);
    key += value.as_text();
  } else if (value.kind() == Value::Kind::real) {
    const double real = value.as_real();
    append(&real, sizeof real);
  } else {
    const std::int64_t integer = value.as_integer();
    append(&integer, sizeof integer);
  }
}

}  // namespace

/// Depth-first over the parameters in the plan's order.
class DiagramBuilder {
 public:
  DiagramBuilder(Diagram& diagram, const Spec& spec, std::uint64_t most_visits)
      : diagram_(diagram),
        spec_(spec),
        plan_(diagram.plan_),
        depth_count_(plan_.order.size()),
        most_visits_(most_visits),
        chosen_(depth_count_),
        levels_(depth_count_ + 1) {
    for (std::size_t depth = 0; depth <= depth_count_; ++depth) {
      const std::size_t state = depth == 0 ? 0 : plan_.stages[depth - 1].state.size();
      levels_[depth].input.resize(state + 1);
      levels_[depth].failed.resize(state);
      levels_[depth].removed.resize(spec.rules.size());
    }
    levels_[depth_count_].raw = 1;
    for (std::size_t depth = depth_count_; depth-- > 0;) {
      levels_[depth].raw = saturating_multiply(levels_[depth + 1].raw, values_at(depth).size());
    }
  }

  void build() {
    Level& first = levels_.front();
    const std::optional<std::size_t> rule = first_failing(plan_.at_once, first);
    if (rule) {
      first.removed[*rule] = first.raw;
    } else {
      diagram_.root_ = node(0);
    }
    diagram_.removed_ = first.removed;
  }

 private:
  /// What was found below a state: what makes it worth to come back to.
  struct Known {
    std::uint32_t node;
    std::vector<std::uint64_t> removed;
  };
  struct Level {
    std::vector<Value> input;  ///< the state, and the newest parameter's value
    std::vector<char>
        failed;  ///< parts of the state that could not be computed: the value says why
    bool any_failed = false;
    std::vector<std::uint64_t> removed;  ///< below the current prefix, by rule
    std::vector<Diagram::Edge> edges;    ///< of the current prefix
    std::uint64_t raw = 1;               ///< configurations below a prefix, before rules
    std::unordered_map<std::string, Known> known;
    std::uint64_t lookups = 0;
    std::uint64_t hits = 0;
    bool remembers = true;
  };

  const std::vector<Value>& values_at(std::size_t depth) const {
    return spec_.parameters[plan_.order[depth]].values;
  }

  /// The node of the prefix in chosen_[0 .. depth); leaves the counts in levels_[depth].removed.
  std::uint32_t node(std::size_t depth) {
    if (depth == depth_count_) {
      if (fault_) {
        throw *fault_;
      }
      return Diagram::complete;
    }
    Level& level = levels_[depth];
    // A fault waits for a configuration that every other rule allows: that is not in the state.
    const bool remembers = level.remembers && !fault_;
    std::string key;
    if (remembers) {
      key = key_of(level);
      const auto found = level.known.find(key);
      count_lookup(level, found != level.known.end());
      if (found != level.known.end()) {
        level.removed = found->second.removed;
        return found->second.node;
      }
    }
    const std::uint32_t result = expand(depth);
    if (remembers && level.remembers) {
      level.known.emplace(std::move(key), Known{result, level.removed});
    }
    return result;
  }

  std::uint32_t expand(std::size_t depth) {
    Level& level = levels_[depth];
    Level& next = levels_[depth + 1];
    const staging::Stage& stage = plan_.stages[depth];
    const std::vector<Value>& values = values_at(depth);
    std::fill(level.removed.begin(), level.removed.end(), 0);
    level.edges.clear();
    std::uint64_t count = 0;
    for (std::size_t choice = 0; choice < values.size(); ++choice) {
      count_visit();
      level.input.back() = values[choice];
      chosen_[depth] = values[choice];
      const std::optional<InputError> fault_before = fault_;
      if (const auto rule = first_failing(stage.rules, level)) {
        level.removed[*rule] = saturating_add(level.removed[*rule], next.raw);
      } else {
        compute_state(stage.state, level, next);
        const std::uint32_t child = node(depth + 1);
        add_removed(level, next);
        if (child != Diagram::nothing) {
          level.edges.push_back({count, child, static_cast<std::uint16_t>(choice)});
          count = add_count(count, diagram_.nodes_[child].count);
        }
      }
      fault_ = fault_before;
    }
    return shared_node(level.edges, count);
  }

  static void add_removed(Level& level, const Level& next) {
    for (std::size_t i = 0; i < level.removed.size(); ++i) {
      level.removed[i] = saturating_add(level.removed[i], next.removed[i]);
    }
  }

  /// The first rule that does not hold. One that cannot be evaluated becomes the fault.
  std::optional<std::size_t> first_failing(const std::vector<staging::StagedRule>& rules,
                                           const Level& level) {
    for (const staging::StagedRule& staged : rules) {
      try {
        if (!evaluate(staged.part, level).truthy()) {
          return staged.rule;
        }
      } catch (const ValueError& error) {
        if (!fault_) {
          fault_ = fault_of(staged, error.what());
        }
      }
    }
    return std::nullopt;
  }

  /// The rule as written is evaluated again, for a message that names constants too.
  InputError fault_of(const staging::StagedRule& staged, std::string message) const {
    const SpecExpression& condition = spec_.rules[staged.rule].condition;
    try {
      Scope scope;
      scope.set(spec_.problems[staged.problem]);
      for (std::size_t i = 0; i < depth_count_; ++i) {
        scope.set(spec_.parameters[plan_.order[i]].name, chosen_[i]);
      }
      for (const Derived* quantity : needed_derived(condition.expression)) {
        scope.set(quantity->name, quantity->value.expression.evaluate(scope));
      }
      condition.expression.evaluate(scope);
    } catch (const ValueError& error) {
      message = error.what();
    }
    return {condition.spot, message};
  }

  /// What the expression uses of the derived quantities, directly or not, in their order.
  std::vector<const Derived*> needed_derived(const Expression& expression) const {
    std::vector<std::string> wanted = expression.names();
    std::vector<const Derived*> needed;
    for (std::size_t i = spec_.derived.size(); i-- > 0;) {
      const Derived& quantity = spec_.derived[i];
      if (std::find(wanted.begin(), wanted.end(), quantity.name) != wanted.end()) {
        needed.insert(needed.begin(), &quantity);
        const auto& more = quantity.value.expression.names();
        wanted.insert(wanted.end(), more.begin(), more.end());
      }
    }
    return needed;
  }

  Value evaluate(const staging::Part& part, const Level& level) const {
    if (level.any_failed) {
      return ast::evaluate(*part.full, nullptr, chosen_);
    }
    try {
      return ast::evaluate(*part.quick, nullptr, level.input);
    } catch (const ValueError&) {
      // Again in full, so that equal faults have equal texts and others have not.
      return ast::evaluate(*part.full, nullptr, chosen_);
    }
  }

  void compute_state(const std::vector<staging::Part>& parts, const Level& level,
                     Level& next) const {
    next.any_failed = false;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      next.failed[i] = 0;
      try {
        next.input[i] = evaluate(parts[i], level);
      } catch (const ValueError& error) {
        // It may never be needed, behind an `or`: then it is no fault.
        next.input[i] = error.what();
        next.failed[i] = 1;
        next.any_failed = true;
      }
    }
  }

  static std::string key_of(const Level& level) {
    std::string key;
    for (std::size_t i = 0; i < level.failed.size(); ++i) {
      key += level.failed[i] != 0 ? 'f' : 'v';
      append_key(key, level.input[i]);
    }
    return key;
  }

  /// Where prefixes hardly ever meet, remembering them all costs more than it saves.
  static void count_lookup(Level& level, bool hit) {
    constexpr std::uint64_t trial = 4096;
    constexpr std::uint64_t worthwhile = trial / 16;
    ++level.lookups;
    level.hits += hit ? 1 : 0;
    if (level.lookups == trial) {
      if (level.hits < worthwhile) {
        level.remembers = false;
        level.known.clear();
      }
      level.lookups = 0;
      level.hits = 0;
    }
  }

  void count_visit() {
    if (++visits_ > most_visits_) {
      throw InputError(
          fmt::format(
              "{}: of {} raw configurations, the valid ones cannot be counted in reasonable "
              "time: the rules tie too many parameters together",
              spec_.name, raw_text()),
          "fix some parameters (--set NAME=VALUE), or add rules over fewer of them");
    }
  }

  std::string raw_text() const {
    return (levels_.front().raw == huge ? "more than " : "") + format_count(levels_.front().raw);
  }

  std::uint64_t add_count(std::uint64_t a, std::uint64_t b) const {
    if (a > huge - b) {
      throw InputError(fmt::format("{}: the space has more than {} valid configurations",
                                   spec_.name, format_count(huge)),
                       "fix some parameters (--set NAME=VALUE)");
    }
    return a + b;
  }

  /// An existing node with these edges, or a new one.
  std::uint32_t shared_node(const std::vector<Diagram::Edge>& edges, std::uint64_t count) {
    if (edges.empty()) {
      return Diagram::nothing;
    }
    std::uint64_t hash = edges.size();
    for (const Diagram::Edge& edge : edges) {
      hash = (hash ^ (std::uint64_t{edge.child} << 16 | edge.choice)) * 0x9e3779b97f4a7c15ULL;
      hash ^= hash >> 32;
    }
    const auto same = [](const Diagram::Edge& a, const Diagram::Edge& b) {
      return a.child == b.child && a.choice == b.choice;
    };
    auto [candidate, end] = by_hash_.equal_range(hash);
    for (; candidate != end; ++candidate) {
      const Diagram::Node& node = diagram_.nodes_[candidate->second];
      const auto first = diagram_.edges_.begin() + node.first_edge;
      if (std::equal(edges.begin(), edges.end(), first, first + node.edges, same)) {
        return candidate->second;
      }
    }
    const auto id = static_cast<std::uint32_t>(diagram_.nodes_.size());
    diagram_.nodes_.push_back({count, static_cast<std::uint32_t>(diagram_.edges_.size()),
                               static_cast<std::uint32_t>(edges.size())});
    diagram_.edges_.insert(diagram_.edges_.end(), edges.begin(), edges.end());
    by_hash_.emplace(hash, id);
    return id;
  }

  Diagram& diagram_;
  const Spec& spec_;
  const staging::Plan& plan_;
  std::size_t depth_count_;
  std::uint64_t most_visits_;
  std::uint64_t visits_ = 0;
  std::vector<Value> chosen_;
  std::vector<Level> levels_;
  std::optional<InputError> fault_;
  std::unordered_multimap<std::uint64_t, std::uint32_t> by_hash_;
};

Diagram::Diagram(const Spec& spec, std::uint64_t most_visits) : plan_(staging::plan(spec)) {
  DiagramBuilder(*this, spec, most_visits).build();
}

Configuration Diagram::at(std::uint64_t index) const {
  Configuration configuration;
  configuration.choice.resize(plan_.order.size());
  std::uint32_t node = root_;
  for (const std::size_t parameter : plan_.order) {
    const auto first = edges_.begin() + nodes_[node].first_edge;
    const auto past = std::upper_bound(
        first, first + nodes_[node].edges, index,
        [](std::uint64_t wanted, const Edge& edge) { return wanted < edge.before; });
    const Edge& edge = *(past - 1);
    configuration.choice[parameter] = edge.choice;
    index -= edge.before;
    node = edge.child;
  }
  return configuration;
}

std::optional<std::uint64_t> Diagram::index_of(const Configuration& configuration) const {
  if (configuration.choice.size() != plan_.order.size()) {
    return std::nullopt;
  }
  std::uint64_t index = 0;
  std::uint32_t node = root_;
  for (const std::size_t parameter : plan_.order) {
    const std::uint16_t choice = configuration.choice[parameter];
    const auto first = edges_.begin() + nodes_[node].first_edge;
    const auto last = first + nodes_[node].edges;
    const auto edge = std::lower_bound(
        first, last, choice,
        [](const Edge& candidate, std::uint16_t wanted) { return candidate.choice < wanted; });
    if (edge == last || edge->choice != choice) {
      return std::nullopt;
    }
    index += edge->before;
    node = edge->child;
  }
  return index;
}

}  // namespace rooftune
