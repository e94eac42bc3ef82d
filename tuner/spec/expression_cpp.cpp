// Tree to C++17. Every literal that meets another literal is computed here, at 64 bits: in C++ it
// would be an int.
#include <fmt/format.h>

#include <limits>

#include "tuner/core/error.hpp"
#include "tuner/spec/ast.hpp"

namespace rooftune::ast {
namespace {

/// C++'s own order, which is not Python's.
enum Strength : int { ternary = 1, either, both, relation, sum, product, unary, primary };

struct Text {
  std::string text;
  int strength;
};

Text write(const Node& node);

std::string at_least(const Text& text, int least) {
  return text.strength < least ? "(" + text.text + ")" : text.text;
}

bool is_boolean(const Node& node) {
  switch (node.kind) {
    case Kind::compare:
    case Kind::logical_not:
      return true;
    case Kind::constant:
      return node.value.kind() == Value::Kind::boolean;
    case Kind::logical_and:
    case Kind::logical_or:
      return is_boolean(*node.children[0]) && is_boolean(*node.children[1]);
    case Kind::conditional:
      return is_boolean(*node.children[1]) && is_boolean(*node.children[2]);
    default:
      return false;
  }
}

bool is_small_literal(const Node& node) {
  return node.kind == Kind::constant && node.value.kind() == Value::Kind::integer;
}

/// A number to compute with: a bool becomes the integer that Python sees in it.
Text number(const Node& node) {
  return is_boolean(node) ? Text{fmt::format("std::int64_t{{{}}}", write(node).text), primary}
                          : write(node);
}

/// A number that decides the type of a whole: not an int.
Text wide_number(const Node& node) {
  return is_small_literal(node) ? Text{fmt::format("std::int64_t{{{}}}", write(node).text), primary}
                                : write(node);
}

/// Where only truth counts.
Text truth(const Node& node) {
  if (node.kind != Kind::logical_and && node.kind != Kind::logical_or) {
    return is_boolean(node) ? write(node) : Text{at_least(number(node), sum) + " != 0", relation};
  }
  const bool conjunction = node.kind == Kind::logical_and;
  const int own = conjunction ? both : either;
  // g++ warns of && beside || without parentheses.
  const int least = conjunction ? both : relation;
  const auto side = [&](const Node& child) {
    const Text text = truth(child);
    return at_least(text, text.strength == own ? own : least);
  };
  return {fmt::format("{} {} {}", side(*node.children[0]), conjunction ? "&&" : "||",
                      side(*node.children[1])),
          own};
}

Text choose(const Node& condition, const Node& then, const Node& otherwise) {
  return {
      fmt::format("{} ? {} : {}", at_least(truth(condition), either),
                  at_least(wide_number(then), either), at_least(wide_number(otherwise), either)),
      ternary};
}

Text logic(const Node& node) {
  const Node& left = *node.children[0];
  const Node& right = *node.children[1];
  if (is_boolean(node)) {
    return truth(node);
  }
  return node.kind == Kind::logical_and ? choose(left, right, left) : choose(left, left, right);
}

Text one_comparison(Comparison comparison, const Node& left, const Node& right) {
  const auto side = [](const Node& node) { return at_least(number(node), sum); };
  if (comparison != Comparison::in && comparison != Comparison::not_in) {
    return {fmt::format("{} {} {}", side(left), to_string(comparison), side(right)), relation};
  }
  const bool wanted = comparison == Comparison::in;
  std::string text;
  for (const NodePtr& element : right.children) {
    text += fmt::format("{}{} {} {}",
                        text.empty() ? ""
                        : wanted     ? " || "
                                     : " && ",
                        side(left), wanted ? "==" : "!=", side(*element));
  }
  if (right.children.size() <= 1) {
    return text.empty() ? Text{wanted ? "false" : "true", primary} : Text{text, relation};
  }
  return {text, wanted ? either : both};
}

Text chain(const Node& node) {
  if (node.comparisons.size() == 1) {
    return one_comparison(node.comparisons[0], *node.children[0], *node.children[1]);
  }
  std::string text;
  for (std::size_t i = 0; i < node.comparisons.size(); ++i) {
    const Text part = one_comparison(node.comparisons[i], *node.children[i], *node.children[i + 1]);
    text += (text.empty() ? "" : " && ") + at_least(part, both);
  }
  return {text, both};
}

std::string two_arguments(std::string_view name, const Node& a, const Node& b) {
  return fmt::format("{}({}, {})", name, number(a).text, number(b).text);
}

Text call(const Node& node) {
  if (node.function == Function::wavefronts || node.function == Function::lines) {
    throw ValueError(fmt::format("{} is for the model alone and has no place in a header",
                                 info(node.function).name));
  }
  std::string text = number(*node.children[0]).text;
  if (node.children.size() == 1) {
    return {fmt::format("{}({})", info(node.function).name, text), primary};
  }
  for (std::size_t i = 1; i < node.children.size(); ++i) {
    text =
        fmt::format("{}({}, {})", info(node.function).name, text, number(*node.children[i]).text);
  }
  return {text, primary};
}

Text literal(const Value& value) {
  if (!value.is_number()) {
    return {"std::string_view(" + quoted(value.as_text()) + ")", primary};
  }
  // C++ has no negative literals, and 2^63 does not fit.
  if (value.kind() == Value::Kind::integer &&
      value.as_integer() == std::numeric_limits<std::int64_t>::min()) {
    return {"(-9223372036854775807 - 1)", primary};
  }
  return {value.to_cpp(), primary};
}

Text binary(const Node& node) {
  const Node& a = *node.children[0];
  const Node& b = *node.children[1];
  switch (node.kind) {
    case Kind::add:
    case Kind::subtract:
      return {fmt::format("{} {} {}", at_least(number(a), sum), node.kind == Kind::add ? "+" : "-",
                          at_least(number(b), product)),
              sum};
    case Kind::multiply:
      return {fmt::format("{} * {}", at_least(number(a), product), at_least(number(b), unary)),
              product};
    case Kind::divide:
      return {
          fmt::format("static_cast<double>({}) / {}", number(a).text, at_least(number(b), unary)),
          product};
    case Kind::floor_divide:
      return {two_arguments("floor_div", a, b), primary};
    case Kind::modulo:
      return {two_arguments("floor_mod", a, b), primary};
    default:
      return {two_arguments("ipow", a, b), primary};
  }
}

Text write(const Node& node) {
  switch (node.kind) {
    case Kind::constant:
      return literal(node.value);
    case Kind::name:
    case Kind::slot:
      return {node.name, primary};
    case Kind::plus:
      return number(*node.children[0]);
    case Kind::negate:
      return {"-" + at_least(number(*node.children[0]), primary), unary};
    case Kind::logical_not:
      return {"!" + at_least(truth(*node.children[0]), primary), unary};
    case Kind::compare:
      return chain(node);
    case Kind::logical_and:
    case Kind::logical_or:
      return logic(node);
    case Kind::conditional:
      return choose(*node.children[0], *node.children[1], *node.children[2]);
    case Kind::call:
      return call(node);
    default:
      return binary(node);
  }
}

}  // namespace

std::string print_cpp(const NodePtr& root) {
  return write(*replace_names(root, [](const NodePtr& name) { return name; })).text;
}

}  // namespace rooftune::ast
