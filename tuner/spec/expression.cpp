#include "tuner/spec/expression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "tuner/core/error.hpp"
#include "tuner/spec/ast.hpp"

namespace rooftune {

using ast::Kind;
using ast::Node;
using ast::NodePtr;

void Scope::set(const std::string& name, Value value) {
  values_[name] = std::move(value);
}

void Scope::set(const NamedValues& values) {
  for (const NamedValue& named : values) {
    set(named.name, named.value);
  }
}

const Value* Scope::find(const std::string& name) const {
  const auto found = values_.find(name);
  if (found != values_.end()) {
    return &found->second;
  }
  return parent_ == nullptr ? nullptr : parent_->find(name);
}

std::vector<std::string> Scope::names() const {
  std::vector<std::string> names =
      parent_ == nullptr ? std::vector<std::string>{} : parent_->names();
  for (const auto& [name, value] : values_) {
    names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

namespace {

void collect_names(const Node& node, std::set<std::string>& names) {
  if (node.kind == Kind::name) {
    names.insert(node.name);
  }
  for (const NodePtr& child : node.children) {
    collect_names(*child, names);
  }
}

const Node* find_name(const Node& node, std::string_view name) {
  if (node.kind == Kind::name && node.name == name) {
    return &node;
  }
  for (const NodePtr& child : node.children) {
    if (const Node* found = find_name(*child, name)) {
      return found;
    }
  }
  return nullptr;
}

}  // namespace

Value BoundExpression::evaluate(std::span<const Value> values) const {
  try {
    return ast::evaluate(*root_, nullptr, values);
  } catch (const ValueError&) {
    // The bound tree has lost the names of what was fixed: the one it came from can tell them.
    Scope scope;
    scope.set(fixed_);
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      scope.set(slot_names_[i], values[slots_[i]]);
    }
    return ast::evaluate(*source_, &scope, {});
  }
}

Expression::Expression() : Expression(ast::constant(0)) {}

Expression::Expression(std::shared_ptr<const ast::Node> root) : root_(std::move(root)) {
  std::set<std::string> names;
  collect_names(*root_, names);
  names_ = std::make_shared<const std::vector<std::string>>(names.begin(), names.end());
}

Expression Expression::parse(std::string_view text) {
  return Expression(ast::parse(text));
}

Expression Expression::constant(Value value) {
  return Expression(ast::constant(std::move(value)));
}

Value Expression::evaluate(const Scope& scope) const {
  return ast::evaluate(*root_, &scope, {});
}

BoundExpression Expression::bind(std::span<const std::string> slots, const Scope& fixed) const {
  std::set<std::size_t> used;
  BoundExpression bound;
  bound.source_ = root_;
  bound.root_ = ast::replace_names(root_, [&](const NodePtr& name) {
    const auto slot = std::find(slots.begin(), slots.end(), name->name);
    if (slot != slots.end()) {
      const auto index = static_cast<std::size_t>(slot - slots.begin());
      used.insert(index);
      return ast::slot(index, name->name);
    }
    const Value* value = fixed.find(name->name);
    if (value == nullptr) {
      throw ValueError(fmt::format("`{}` is not known here", name->name));
    }
    return ast::constant(*value);
  });
  bound.slots_.assign(used.begin(), used.end());
  for (const std::size_t slot : bound.slots_) {
    bound.slot_names_.push_back(slots[slot]);
  }
  for (const std::string& name : names()) {
    if (const Value* value = fixed.find(name)) {
      bound.fixed_.push_back({name, *value});
    }
  }
  return bound;
}

const std::vector<std::string>& Expression::names() const {
  return *names_;
}

std::optional<std::size_t> Expression::offset_of(std::string_view name) const {
  const Node* found = find_name(*root_, name);
  return found == nullptr ? std::nullopt : std::optional(found->offset);
}

std::string Expression::to_string() const {
  return ast::print(*root_);
}

std::string Expression::to_cpp() const {
  return ast::print_cpp(root_);
}

bool is_reserved_name(std::string_view name) {
  constexpr std::array<std::string_view, 10> keywords = {"and",  "or",   "not",   "in",   "if",
                                                         "else", "True", "False", "true", "false"};
  return std::find(keywords.begin(), keywords.end(), name) != keywords.end() ||
         ast::find_function(name) != nullptr;
}

}  // namespace rooftune
