// The tree behind an Expression: for tuner/spec, and for tuner/space, which takes rules apart to
// compute each part once.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/core/value.hpp"

namespace rooftune {
class Scope;
}

namespace rooftune::ast {

enum class Kind : std::uint8_t {
  constant,
  name,
  slot,  ///< a name that bind() replaced; keeps its name
  list,  ///< only on the right of `in`
  plus,
  negate,
  logical_not,
  add,
  subtract,
  multiply,
  divide,
  floor_divide,
  modulo,
  power,
  compare,  ///< a chain: one comparison fewer than children
  logical_and,
  logical_or,
  conditional,  ///< children: condition, then, else
  call,
};

enum class Comparison : std::uint8_t {
  equal,
  not_equal,
  less,
  less_equal,
  greater,
  greater_equal,
  in,
  not_in,
};
std::string_view to_string(Comparison comparison);

enum class Function : std::uint8_t { min, max, abs, ceil_div, log2, wavefronts, lines };

struct FunctionInfo {
  std::string_view name;
  Function function;
  std::size_t least_arguments;
  std::size_t most_arguments;
};
std::span<const FunctionInfo> functions();
const FunctionInfo& info(Function function);
/// nullptr where there is no such function.
const FunctionInfo* find_function(std::string_view name);

struct Node;
using NodePtr = std::shared_ptr<const Node>;

struct Node {
  Kind kind = Kind::constant;
  Function function = Function::min;
  std::vector<Comparison> comparisons;
  std::vector<NodePtr> children;
  Value value;             ///< of a constant
  std::string name;        ///< of a name or a slot
  std::size_t slot = 0;    ///< of a slot
  std::size_t offset = 0;  ///< where it begins in the text that was parsed
};

NodePtr constant(Value value);
NodePtr slot(std::size_t slot, std::string name);
NodePtr name(std::string name, std::size_t offset = 0);
NodePtr make(Kind kind, std::vector<NodePtr> children);
NodePtr compare(std::vector<Comparison> comparisons, std::vector<NodePtr> children);
NodePtr call(Function function, std::vector<NodePtr> children);

/// The same structure, names and constants of the same kind; offsets do not count.
bool equal(const Node& a, const Node& b);

/// Binding strength of a node's outermost operator, as in Python; larger binds tighter.
enum Precedence : int {
  precedence_conditional = 1,
  precedence_or,
  precedence_and,
  precedence_not,
  precedence_compare,
  precedence_add,
  precedence_multiply,
  precedence_unary,
  precedence_power,
  precedence_primary,
};

/// Throws ExpressionError.
NodePtr parse(std::string_view text);
/// Throws ValueError, naming the values that the failing part used. `scope` may be null where no
/// name is left.
Value evaluate(const Node& root, const Scope* scope, std::span<const Value> slots);
/// The tree with each name replaced by what `replacement` gives for it, and folded.
NodePtr replace_names(const NodePtr& root,
                      const std::function<NodePtr(const NodePtr& name)>& replacement);
/// A constant where all children are constants; the same node where they are not, or where the
/// computation fails (it may never be reached).
NodePtr fold(const NodePtr& node);
std::string print(const Node& root);
std::string print_cpp(const NodePtr& root);
/// In double quotes, with escapes; the same in the language and in C++.
std::string quoted(const std::string& text);

}  // namespace rooftune::ast
