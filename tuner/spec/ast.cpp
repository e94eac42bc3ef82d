#include "tuner/spec/ast.hpp"

#include <algorithm>
#include <array>

namespace rooftune::ast {
namespace {

constexpr std::size_t any_number = 64;

constexpr std::array<FunctionInfo, 7> known_functions = {{
    {"min", Function::min, 2, any_number},
    {"max", Function::max, 2, any_number},
    {"abs", Function::abs, 1, 1},
    {"ceil_div", Function::ceil_div, 2, 2},
    {"log2", Function::log2, 1, 1},
    {"wavefronts", Function::wavefronts, 4, 4},
    {"lines", Function::lines, 4, 4},
}};

}  // namespace

std::string_view to_string(Comparison comparison) {
  constexpr std::array<std::string_view, 8> names = {
      "==", "!=", "<", "<=", ">", ">=", "in", "not in"};
  return names[static_cast<std::size_t>(comparison)];
}

std::span<const FunctionInfo> functions() {
  return known_functions;
}

const FunctionInfo& info(Function function) {
  return known_functions[static_cast<std::size_t>(function)];
}

const FunctionInfo* find_function(std::string_view name) {
  const auto* found = std::find_if(known_functions.begin(), known_functions.end(),
                                   [&](const FunctionInfo& f) { return f.name == name; });
  return found == known_functions.end() ? nullptr : found;
}

NodePtr constant(Value value) {
  auto node = std::make_shared<Node>();
  node->value = std::move(value);
  return node;
}

NodePtr name(std::string name, std::size_t offset) {
  auto node = std::make_shared<Node>();
  node->kind = Kind::name;
  node->name = std::move(name);
  node->offset = offset;
  return node;
}

NodePtr slot(std::size_t slot, std::string name) {
  auto node = std::make_shared<Node>();
  node->kind = Kind::slot;
  node->slot = slot;
  node->name = std::move(name);
  return node;
}

NodePtr make(Kind kind, std::vector<NodePtr> children) {
  auto node = std::make_shared<Node>();
  node->kind = kind;
  node->children = std::move(children);
  return node;
}

NodePtr compare(std::vector<Comparison> comparisons, std::vector<NodePtr> children) {
  auto node = std::make_shared<Node>();
  node->kind = Kind::compare;
  node->comparisons = std::move(comparisons);
  node->children = std::move(children);
  return node;
}

NodePtr call(Function function, std::vector<NodePtr> children) {
  auto node = std::make_shared<Node>();
  node->kind = Kind::call;
  node->function = function;
  node->children = std::move(children);
  return node;
}

NodePtr replace_names(const NodePtr& root,
                      const std::function<NodePtr(const NodePtr& name)>& replacement) {
  if (root->kind == Kind::name) {
    return replacement(root);
  }
  if (root->children.empty()) {
    return root;
  }
  auto copy = std::make_shared<Node>(*root);
  for (NodePtr& child : copy->children) {
    child = replace_names(child, replacement);
  }
  return fold(copy);
}

bool equal(const Node& a, const Node& b) {
  return a.kind == b.kind && a.name == b.name && a.slot == b.slot &&
         a.comparisons == b.comparisons && (a.kind != Kind::call || a.function == b.function) &&
         (a.kind != Kind::constant || (a.value.kind() == b.value.kind() && a.value == b.value)) &&
         std::equal(a.children.begin(), a.children.end(), b.children.begin(), b.children.end(),
                    [](const NodePtr& x, const NodePtr& y) { return equal(*x, *y); });
}

}  // namespace rooftune::ast
