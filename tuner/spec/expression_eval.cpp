// Tree to value, as Python computes it, but with integers of 64 bits that never wrap silently.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "tuner/core/error.hpp"
#include "tuner/spec/ast.hpp"
#include "tuner/spec/expression.hpp"
#include "tuner/spec/warp_access.hpp"

namespace rooftune::ast {
namespace {

/// What a computation hands around: cheap to copy. A text belongs to the tree, the slots or the
/// scope, which all outlive the evaluation.
struct Scalar {
  Value::Kind kind = Value::Kind::integer;
  union {
    std::int64_t integer = 0;
    double real;
    bool boolean;
    const std::string* text;
  };

  static Scalar of(std::int64_t number) {
    Scalar scalar;
    scalar.integer = number;
    return scalar;
  }
  static Scalar of(bool boolean) {
    Scalar scalar;
    scalar.kind = Value::Kind::boolean;
    scalar.boolean = boolean;
    return scalar;
  }
  static Scalar of(double real) {
    Scalar scalar;
    scalar.kind = Value::Kind::real;
    scalar.real = real;
    return scalar;
  }
  static Scalar of(const Value& value) {
    switch (value.kind()) {
      case Value::Kind::integer:
        return of(value.as_integer());
      case Value::Kind::boolean:
        return of(value.truthy());
      case Value::Kind::real:
        return of(value.as_real());
      case Value::Kind::text:
        break;
    }
    Scalar scalar;
    scalar.kind = Value::Kind::text;
    scalar.text = &value.as_text();
    return scalar;
  }

  bool is_text() const { return kind == Value::Kind::text; }
  bool is_real() const { return kind == Value::Kind::real; }
  std::int64_t as_integer() const {
    return kind == Value::Kind::boolean ? (boolean ? 1 : 0) : integer;
  }
  double as_real() const { return is_real() ? real : static_cast<double>(as_integer()); }
  bool truthy() const {
    return is_text() ? !text->empty() : is_real() ? real != 0 : as_integer() != 0;
  }
  Value value() const {
    switch (kind) {
      case Value::Kind::integer:
        return integer;
      case Value::Kind::boolean:
        return boolean;
      case Value::Kind::real:
        return real;
      case Value::Kind::text:
        break;
    }
    return *text;
  }
};

struct Environment {
  const Scope* scope;
  std::span<const Value> slots;
};

void collect_names(const Node& node, std::set<std::string>& names) {
  if (node.kind == Kind::name || node.kind == Kind::slot) {
    names.insert(node.name);
  }
  for (const NodePtr& child : node.children) {
    collect_names(*child, names);
  }
}

const Value* find_by_name(const Node& node, const std::string& name, const Environment& in) {
  if (node.kind == Kind::slot && node.name == name) {
    return &in.slots[node.slot];
  }
  if (node.kind == Kind::name && node.name == name && in.scope != nullptr) {
    return in.scope->find(name);
  }
  for (const NodePtr& child : node.children) {
    if (const Value* value = find_by_name(*child, name, in)) {
      return value;
    }
  }
  return nullptr;
}

/// "M // TM: division by zero (M = 512, TM = 0)".
[[noreturn]] void fail(const Node& node, const Environment& in, const std::string& problem) {
  std::set<std::string> names;
  collect_names(node, names);
  std::string values;
  for (const std::string& name : names) {
    if (const Value* value = find_by_name(node, name, in)) {
      values += fmt::format("{}{} = {}", values.empty() ? "" : ", ", name, value->to_string());
    }
  }
  throw ValueError(fmt::format("{}: {}{}", print(node), problem,
                               values.empty() ? "" : fmt::format(" ({})", values)));
}

Scalar evaluate(const Node& node, const Environment& in);

/// A child as a number.
Scalar number(const Node& node, std::size_t child, const Environment& in) {
  const Scalar operand = evaluate(*node.children[child], in);
  if (operand.is_text()) {
    fail(node, in, fmt::format("\"{}\" is not a number", *operand.text));
  }
  return operand;
}

Scalar finite(const Node& node, const Environment& in, double result) {
  if (!std::isfinite(result)) {
    fail(node, in, "the result is outside the range of a real");
  }
  return Scalar::of(result);
}

[[noreturn]] void overflow(const Node& node, const Environment& in) {
  fail(node, in, "the result does not fit 64 bits");
}

std::int64_t floored_quotient(std::int64_t a, std::int64_t b) {
  const std::int64_t quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

double floored_remainder(double a, double b) {
  const double remainder = std::fmod(a, b);
  return remainder != 0 && (remainder < 0) != (b < 0) ? remainder + b : remainder;
}

Scalar divide(const Node& node, const Environment& in) {
  const Scalar a = number(node, 0, in);
  const Scalar b = number(node, 1, in);
  if (b.as_real() == 0) {
    fail(node, in, "division by zero");
  }
  if (node.kind == Kind::divide) {
    return finite(node, in, a.as_real() / b.as_real());
  }
  const bool modulo = node.kind == Kind::modulo;
  if (a.is_real() || b.is_real()) {
    const double remainder = floored_remainder(a.as_real(), b.as_real());
    // As Python: the quotient of what the remainder leaves is whole but for rounding.
    return finite(node, in,
                  modulo ? remainder : std::round((a.as_real() - remainder) / b.as_real()));
  }
  const std::int64_t x = a.as_integer();
  const std::int64_t y = b.as_integer();
  if (y == -1) {  // the only divisor that can overflow
    if (modulo) {
      return Scalar::of(std::int64_t{0});
    }
    if (x == std::numeric_limits<std::int64_t>::min()) {
      overflow(node, in);
    }
    return Scalar::of(-x);
  }
  const std::int64_t remainder = x % y;
  if (modulo) {
    return Scalar::of(remainder != 0 && (remainder < 0) != (y < 0) ? remainder + y : remainder);
  }
  return Scalar::of(floored_quotient(x, y));
}

Scalar arithmetic(const Node& node, const Environment& in) {
  const Scalar a = number(node, 0, in);
  const Scalar b = number(node, 1, in);
  if (a.is_real() || b.is_real()) {
    const double x = a.as_real();
    const double y = b.as_real();
    return finite(node, in,
                  node.kind == Kind::add        ? x + y
                  : node.kind == Kind::subtract ? x - y
                                                : x * y);
  }
  std::int64_t result = 0;
  const std::int64_t x = a.as_integer();
  const std::int64_t y = b.as_integer();
  const bool wrapped = node.kind == Kind::add        ? __builtin_add_overflow(x, y, &result)
                       : node.kind == Kind::subtract ? __builtin_sub_overflow(x, y, &result)
                                                     : __builtin_mul_overflow(x, y, &result);
  if (wrapped) {
    overflow(node, in);
  }
  return Scalar::of(result);
}

/// base ** exponent by squaring; false on overflow. exponent >= 0.
bool integer_power(std::int64_t base, std::int64_t exponent, std::int64_t& result) {
  result = 1;
  while (exponent > 0) {
    if (exponent % 2 == 1 && __builtin_mul_overflow(result, base, &result)) {
      return false;
    }
    exponent /= 2;
    if (exponent > 0 && __builtin_mul_overflow(base, base, &base)) {
      return false;
    }
  }
  return true;
}

Scalar power(const Node& node, const Environment& in) {
  const Scalar a = number(node, 0, in);
  const Scalar b = number(node, 1, in);
  if (a.as_real() == 0 && b.as_real() < 0) {
    fail(node, in, "division by zero");
  }
  if (!a.is_real() && !b.is_real() && b.as_integer() >= 0) {
    std::int64_t result = 0;
    if (!integer_power(a.as_integer(), b.as_integer(), result)) {
      overflow(node, in);
    }
    return Scalar::of(result);
  }
  if (a.as_real() < 0 && b.as_real() != std::floor(b.as_real())) {
    fail(node, in, "a broken power of a negative number is not real");
  }
  return finite(node, in, std::pow(a.as_real(), b.as_real()));
}

Scalar signed_operand(const Node& node, const Environment& in) {
  const Scalar a = number(node, 0, in);
  if (node.kind == Kind::plus) {
    return a.is_real() ? a : Scalar::of(a.as_integer());
  }
  if (a.is_real()) {
    return Scalar::of(-a.real);
  }
  if (a.as_integer() == std::numeric_limits<std::int64_t>::min()) {
    overflow(node, in);
  }
  return Scalar::of(-a.as_integer());
}

/// As Value's ==.
bool equal_scalars(const Scalar& a, const Scalar& b) {
  if (a.is_text() != b.is_text()) {
    return false;
  }
  if (a.is_text()) {
    return *a.text == *b.text;
  }
  return a.is_real() || b.is_real() ? a.as_real() == b.as_real() : a.as_integer() == b.as_integer();
}

/// Both numbers or both texts.
bool less(const Scalar& a, const Scalar& b) {
  if (a.is_text()) {
    return *a.text < *b.text;
  }
  return a.is_real() || b.is_real() ? a.as_real() < b.as_real() : a.as_integer() < b.as_integer();
}

bool in_list(const Scalar& a, const Node& list, const Environment& in) {
  return std::any_of(list.children.begin(), list.children.end(), [&](const NodePtr& element) {
    return equal_scalars(a, evaluate(*element, in));
  });
}

Scalar compare(const Node& node, const Environment& in) {
  Scalar left = evaluate(*node.children[0], in);
  for (std::size_t i = 0; i < node.comparisons.size(); ++i) {
    const Comparison comparison = node.comparisons[i];
    const Node& right_node = *node.children[i + 1];
    if (comparison == Comparison::in || comparison == Comparison::not_in) {
      return Scalar::of(in_list(left, right_node, in) == (comparison == Comparison::in));
    }
    const Scalar right = evaluate(right_node, in);
    const bool ordered = comparison != Comparison::equal && comparison != Comparison::not_equal;
    if (ordered && left.is_text() != right.is_text()) {
      fail(node, in, "a text and a number have no order");
    }
    const bool holds = comparison == Comparison::equal        ? equal_scalars(left, right)
                       : comparison == Comparison::not_equal  ? !equal_scalars(left, right)
                       : comparison == Comparison::less       ? less(left, right)
                       : comparison == Comparison::greater    ? less(right, left)
                       : comparison == Comparison::less_equal ? !less(right, left)
                                                              : !less(left, right);
    if (!holds) {
      return Scalar::of(false);
    }
    left = right;
  }
  return Scalar::of(true);
}

Scalar ceil_div(const Node& node, const Environment& in) {
  const Scalar a = number(node, 0, in);
  const Scalar b = number(node, 1, in);
  if (b.as_real() == 0) {
    fail(node, in, "division by zero");
  }
  if (a.is_real() || b.is_real()) {
    return finite(node, in, std::ceil(a.as_real() / b.as_real()));
  }
  const std::int64_t x = a.as_integer();
  const std::int64_t y = b.as_integer();
  if (y == -1 && x == std::numeric_limits<std::int64_t>::min()) {
    overflow(node, in);
  }
  return Scalar::of(floored_quotient(x, y) + (x % y != 0 ? 1 : 0));
}

/// Whole for a whole power of two, so that it can be a size.
Scalar log2(const Node& node, const Environment& in) {
  const Scalar a = number(node, 0, in);
  if (a.as_real() <= 0) {
    fail(node, in, "the logarithm needs a positive number");
  }
  if (!a.is_real() && (a.as_integer() & (a.as_integer() - 1)) == 0) {
    return Scalar::of(static_cast<std::int64_t>(__builtin_ctzll(a.as_integer())));
  }
  return Scalar::of(std::log2(a.as_real()));
}

Scalar absolute(const Node& node, const Environment& in) {
  const Scalar a = number(node, 0, in);
  if (a.is_real()) {
    return Scalar::of(std::abs(a.real));
  }
  if (a.as_integer() == std::numeric_limits<std::int64_t>::min()) {
    overflow(node, in);
  }
  return Scalar::of(a.as_integer() < 0 ? -a.as_integer() : a.as_integer());
}

std::int64_t whole_between(const Node& node, std::size_t argument, const Environment& in,
                           std::int64_t least, std::int64_t most) {
  const Scalar value = number(node, argument, in);
  if (value.is_real() || value.as_integer() < least || value.as_integer() > most) {
    fail(
        node, in,
        fmt::format("argument {} should be a whole number of {} to {}", argument + 1, least, most));
  }
  return value.as_integer();
}

Scalar warp_access(const Node& node, const Environment& in) {
  // Beyond this no two lanes share a line, and sums stay far from an overflow.
  constexpr std::int64_t far = 1'000'000'000;
  WarpAccess access;
  access.width = whole_between(node, 0, in, 1, far);
  access.step = whole_between(node, 1, in, 0, far);
  access.pitch = whole_between(node, 2, in, 0, far);
  access.words = whole_between(node, 3, in, 1, 4);
  return node.function == Function::wavefronts ? Scalar::of(wavefronts(access))
                                               : Scalar::of(lines(access));
}

Scalar call(const Node& node, const Environment& in) {
  switch (node.function) {
    case Function::wavefronts:
    case Function::lines:
      return warp_access(node, in);
    case Function::abs:
      return absolute(node, in);
    case Function::ceil_div:
      return ceil_div(node, in);
    case Function::log2:
      return log2(node, in);
    case Function::min:
    case Function::max:
      break;
  }
  Scalar extreme = number(node, 0, in);
  for (std::size_t i = 1; i < node.children.size(); ++i) {
    const Scalar next = number(node, i, in);
    if (node.function == Function::min ? less(next, extreme) : less(extreme, next)) {
      extreme = next;
    }
  }
  return extreme;
}

Scalar named(const Node& node, const Environment& in) {
  const Value* value = in.scope == nullptr ? nullptr : in.scope->find(node.name);
  if (value == nullptr) {
    throw ValueError(fmt::format("`{}` is not known here", node.name));
  }
  return Scalar::of(*value);
}

Scalar evaluate(const Node& node, const Environment& in) {
  switch (node.kind) {
    case Kind::constant:
      return Scalar::of(node.value);
    case Kind::name:
      return named(node, in);
    case Kind::slot:
      return Scalar::of(in.slots[node.slot]);
    case Kind::plus:
    case Kind::negate:
      return signed_operand(node, in);
    case Kind::logical_not:
      return Scalar::of(!evaluate(*node.children[0], in).truthy());
    case Kind::add:
    case Kind::subtract:
    case Kind::multiply:
      return arithmetic(node, in);
    case Kind::divide:
    case Kind::floor_divide:
    case Kind::modulo:
      return divide(node, in);
    case Kind::power:
      return power(node, in);
    case Kind::compare:
      return compare(node, in);
    case Kind::logical_and:
    case Kind::logical_or: {
      const Scalar left = evaluate(*node.children[0], in);
      const bool decided = left.truthy() == (node.kind == Kind::logical_or);
      return decided ? left : evaluate(*node.children[1], in);
    }
    case Kind::conditional:
      return evaluate(*node.children[evaluate(*node.children[0], in).truthy() ? 1 : 2], in);
    case Kind::call:
      return call(node, in);
    case Kind::list:
      break;
  }
  fail(node, in, "a list has no value");
}

}  // namespace

Value evaluate(const Node& root, const Scope* scope, std::span<const Value> slots) {
  return evaluate(root, Environment{scope, slots}).value();
}

namespace {

bool is_constant(const Node& node) {
  return node.kind == Kind::constant ||
         (node.kind == Kind::list &&
          std::all_of(node.children.begin(), node.children.end(),
                      [](const NodePtr& child) { return is_constant(*child); }));
}

}  // namespace

NodePtr fold(const NodePtr& node) {
  if (node->kind == Kind::list || node->children.empty() ||
      !std::all_of(node->children.begin(), node->children.end(),
                   [](const NodePtr& child) { return is_constant(*child); })) {
    return node;
  }
  try {
    return constant(evaluate(*node, nullptr, {}));
  } catch (const ValueError&) {
    return node;
  }
}

}  // namespace rooftune::ast
