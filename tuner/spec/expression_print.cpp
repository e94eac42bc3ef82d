// Tree to text, in the spec's language.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tuner/spec/ast.hpp"

namespace rooftune::ast {
namespace {

std::string_view symbol(Kind kind) {
  switch (kind) {
    case Kind::logical_or:
      return "or";
    case Kind::logical_and:
      return "and";
    case Kind::add:
      return "+";
    case Kind::subtract:
      return "-";
    case Kind::multiply:
      return "*";
    case Kind::divide:
      return "/";
    case Kind::floor_divide:
      return "//";
    case Kind::modulo:
      return "%";
    case Kind::power:
      return "**";
    default:
      return "";
  }
}

int precedence(const Node& node) {
  switch (node.kind) {
    case Kind::conditional:
      return precedence_conditional;
    case Kind::logical_or:
      return precedence_or;
    case Kind::logical_and:
      return precedence_and;
    case Kind::logical_not:
      return precedence_not;
    case Kind::compare:
      return precedence_compare;
    case Kind::add:
    case Kind::subtract:
      return precedence_add;
    case Kind::multiply:
    case Kind::divide:
    case Kind::floor_divide:
    case Kind::modulo:
      return precedence_multiply;
    case Kind::plus:
    case Kind::negate:
      return precedence_unary;
    case Kind::power:
      return precedence_power;
    case Kind::constant:
      return node.value.is_number() && node.value.to_string().front() == '-' ? precedence_unary
                                                                             : precedence_primary;
    default:
      return precedence_primary;
  }
}

/// In parentheses where it binds less tightly than its place asks for.
std::string at_least(const Node& node, int least) {
  return precedence(node) < least ? "(" + print(node) + ")" : print(node);
}

std::vector<std::string> print_all(const std::vector<NodePtr>& nodes) {
  std::vector<std::string> texts;
  texts.reserve(nodes.size());
  for (const NodePtr& node : nodes) {
    texts.push_back(print(*node));
  }
  return texts;
}

/// A minus sign before a plain number would read back as a negative constant.
std::string print_negated(const Node& operand) {
  const bool literal = operand.kind == Kind::constant && operand.value.is_number() &&
                       operand.value.kind() != Value::Kind::boolean;
  return literal && precedence(operand) == precedence_primary
             ? "-(" + print(operand) + ")"
             : "-" + at_least(operand, precedence_unary);
}

std::string print_chain(const Node& node) {
  std::string text = at_least(*node.children[0], precedence_add);
  for (std::size_t i = 0; i < node.comparisons.size(); ++i) {
    text += fmt::format(" {} {}", to_string(node.comparisons[i]),
                        at_least(*node.children[i + 1], precedence_add));
  }
  return text;
}

std::string print_binary(const Node& node) {
  const int own = precedence(node);
  const bool power = node.kind == Kind::power;
  return fmt::format("{} {} {}", at_least(*node.children[0], power ? precedence_primary : own),
                     symbol(node.kind),
                     at_least(*node.children[1], power ? precedence_unary : own + 1));
}

}  // namespace

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      result += '\\';
    }
    result += c == '\n' ? "\\n" : c == '\t' ? "\\t" : std::string(1, c);
  }
  return result + "\"";
}

std::string print(const Node& node) {
  switch (node.kind) {
    case Kind::constant:
      return node.value.is_number() ? node.value.to_string() : quoted(node.value.as_text());
    case Kind::name:
    case Kind::slot:
      return node.name;
    case Kind::list:
      return fmt::format("[{}]", fmt::join(print_all(node.children), ", "));
    case Kind::plus:
      return "+" + at_least(*node.children[0], precedence_unary);
    case Kind::negate:
      return print_negated(*node.children[0]);
    case Kind::logical_not:
      return "not " + at_least(*node.children[0], precedence_not);
    case Kind::compare:
      return print_chain(node);
    case Kind::conditional:
      return fmt::format("{} if {} else {}", at_least(*node.children[1], precedence_or),
                         at_least(*node.children[0], precedence_or), print(*node.children[2]));
    case Kind::call:
      return fmt::format("{}({})", info(node.function).name,
                         fmt::join(print_all(node.children), ", "));
    default:
      return print_binary(node);
  }
}

}  // namespace rooftune::ast
