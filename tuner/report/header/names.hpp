// The spec's names and expressions as C++.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "tuner/session/results.hpp"

namespace rooftune::header {

/// The spec's names as C++ names: parameters, constants and derived quantities, in one scope.
using Names = std::map<std::string, std::string>;
Names names_of(const Results& results);

/// The expression with its names replaced, as C++. The language's own words are never names. Throws
/// InputError for results that were changed by hand.
std::string cpp_expression(const std::string& expression, const Names& names);

/// What expressions use, through the derived quantities too.
class Uses {
 public:
  explicit Uses(const Results& results) : results_(results) {}
  void add(const std::string& expression);
  void add_name(const std::string& name);
  const std::set<std::string>& names() const { return names_; }
  /// Whether any of them is a constant: a part of the problem.
  bool problem() const;
  /// Whether any of them is a parameter.
  bool parameters() const;

 private:
  const Results& results_;
  std::set<std::string> names_;
};

/// Lines of C++ that define the names in `uses` as locals, from `parameters` and `problem`.
std::string locals(const Results& results, const Names& names, const Uses& uses,
                   const std::string& indent);

}  // namespace rooftune::header
