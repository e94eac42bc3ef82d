// Random expressions for property tests. For tests only.
#pragma once

#include <array>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "tuner/spec/ast.hpp"

namespace rooftune {

/// Random trees, of every kind of node, in the form that the parser gives them.
class RandomTrees {
 public:
  RandomTrees(std::uint64_t seed, std::vector<ast::NodePtr> leaves)
      : random_(seed), leaves_(std::move(leaves)) {}

  ast::NodePtr any(int depth) {
    if (depth == 0) {
      return leaf();
    }
    using ast::Kind;
    switch (pick(8)) {
      case 0:
        return leaf();
      case 1:
        return sign(depth);
      case 2:
        return ast::make(Kind::logical_not, {any(depth - 1)});
      case 3:
        return comparison(depth);
      case 4:
        return ast::make(Kind::conditional, {any(depth - 1), any(depth - 1), any(depth - 1)});
      case 5:
        return function(depth);
      default: {
        constexpr std::array<Kind, 9> kinds = {Kind::add,    Kind::subtract,     Kind::multiply,
                                               Kind::divide, Kind::floor_divide, Kind::modulo,
                                               Kind::power,  Kind::logical_and,  Kind::logical_or};
        return ast::make(kinds[pick(kinds.size())], {any(depth - 1), any(depth - 1)});
      }
    }
  }

 private:
  std::size_t pick(std::size_t count) { return random_() % count; }

  ast::NodePtr leaf() { return leaves_[pick(leaves_.size())]; }

  ast::NodePtr sign(int depth) {
    return ast::make(pick(2) == 0 ? ast::Kind::negate : ast::Kind::plus, {any(depth - 1)});
  }

  ast::NodePtr comparison(int depth) {
    std::vector<ast::NodePtr> operands = {any(depth - 1)};
    std::vector<ast::Comparison> comparisons;
    for (std::size_t i = 0; i <= pick(3); ++i) {
      comparisons.push_back(static_cast<ast::Comparison>(pick(6)));
      operands.push_back(any(depth - 1));
    }
    if (pick(3) == 0) {
      comparisons.back() = pick(2) == 0 ? ast::Comparison::in : ast::Comparison::not_in;
      operands.back() = ast::make(ast::Kind::list, {any(depth - 1), any(depth - 1)});
    }
    return ast::compare(comparisons, operands);
  }

  ast::NodePtr function(int depth) {
    const ast::FunctionInfo& function = ast::functions()[pick(ast::functions().size())];
    std::vector<ast::NodePtr> arguments;
    for (std::size_t i = 0; i < function.least_arguments; ++i) {
      arguments.push_back(any(depth - 1));
    }
    return ast::call(function.function, arguments);
  }

  std::mt19937_64 random_;
  std::vector<ast::NodePtr> leaves_;
};

}  // namespace rooftune
