// The spec's expression language: one parser, one evaluator, one printer.
//
// Integers stay integers; + - * / // % **, comparisons that chain, and or not, in, parentheses,
// lists [a, b] and tuples (a, b) on the right of `in`, `a if c else b`, strings in either quotes,
// min max abs ceil_div log2. `/` is real division, `//` and `%` floor as in Python; `and` and `or`
// give one of their operands; log2 of a whole power of two is whole. Integers have 64 bits: what
// does not fit is an error, never a wrapped number, and no real is infinite or NaN.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tuner/core/value.hpp"

namespace rooftune {

/// A fault in an expression's text. `offset` counts bytes from its start.
class ExpressionError : public std::runtime_error {
 public:
  ExpressionError(const std::string& message, std::size_t offset, std::string hint = "")
      : std::runtime_error(message), offset_(offset), hint_(std::move(hint)) {}
  std::size_t offset() const { return offset_; }
  const std::string& hint() const { return hint_; }

 private:
  std::size_t offset_;
  std::string hint_;
};

/// Names that an expression may use. A scope looks in itself, then in its parent.
class Scope {
 public:
  explicit Scope(const Scope* parent = nullptr) : parent_(parent) {}
  void set(const std::string& name, Value value);
  void set(const NamedValues& values);
  /// nullptr where the name is unknown.
  const Value* find(const std::string& name) const;
  std::vector<std::string> names() const;

 private:
  const Scope* parent_;
  std::unordered_map<std::string, Value> values_;
};

namespace ast {
struct Node;
}

/// An expression whose names were replaced by slots: for evaluating millions of configurations.
class BoundExpression {
 public:
  /// `values` holds the slots in the order that bind() was given. Throws ValueError, with the names
  /// and values of the failing part, as Expression::evaluate does.
  Value evaluate(std::span<const Value> values) const;
  /// The slots that it reads, ascending.
  const std::vector<std::size_t>& slots() const { return slots_; }

 private:
  friend class Expression;
  std::shared_ptr<const ast::Node> root_;
  std::vector<std::size_t> slots_;
  // For messages: the tree before binding, and what its names were bound to.
  std::shared_ptr<const ast::Node> source_;
  std::vector<std::string> slot_names_;
  NamedValues fixed_;
};

/// Immutable, cheap to copy.
class Expression {
 public:
  /// The integer 0.
  Expression();
  /// Throws ExpressionError.
  static Expression parse(std::string_view text);
  static Expression constant(Value value);

  /// Throws ValueError for an unknown name, a wrong type, an overflow of 64 bits, or a division by
  /// zero; the message names the values: "M // TM: division by zero (M = 512, TM = 0)".
  Value evaluate(const Scope& scope) const;

  /// Names become slots; names found in `fixed` become constants, and what is constant then is
  /// computed once. Throws ValueError for other names.
  BoundExpression bind(std::span<const std::string> slots, const Scope& fixed) const;

  /// Names used, sorted, each once.
  const std::vector<std::string>& names() const;
  /// Where `name` is first used, in bytes from the start of the text that was parsed.
  std::optional<std::size_t> offset_of(std::string_view name) const;
  /// Canonical text: parses back to an equal expression, with no parenthesis that is not needed.
  std::string to_string() const;
  /// As a C++17 expression over names of type std::int64_t, double, bool or std::string_view.
  /// It finds these functions by name (the generated header defines them, for std::int64_t and for
  /// double): `ceil_div`, `floor_div`, `floor_mod`, `ipow`, `min`, `max`, `abs`, `log2`.
  std::string to_cpp() const;
  /// For stages that take expressions apart.
  const std::shared_ptr<const ast::Node>& tree() const { return root_; }

 private:
  explicit Expression(std::shared_ptr<const ast::Node> root);
  std::shared_ptr<const ast::Node> root_;
  std::shared_ptr<const std::vector<std::string>> names_;
};

/// Whether `name` is a function or keyword of the language, so that no parameter may bear it.
bool is_reserved_name(std::string_view name);

}  // namespace rooftune
