// Any text as part of a C++ source that compiles without warnings, whatever is in it.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "tuner/core/value.hpp"

namespace rooftune {

/// A name that C++ accepts: other characters become '_', keywords and names that the language or
/// the preprocessor keeps for itself get a '_' behind.
std::string cpp_identifier(std::string_view text);
/// The inside of a // comment: one line of plain ASCII that does not go on to the next.
std::string cpp_comment(std::string_view text);
/// A string literal with its quotes.
std::string cpp_string(std::string_view text);
/// The type that holds the value: std::int64_t, double, bool, std::string_view.
std::string_view cpp_type(const Value& value);
/// A constant expression of cpp_type.
std::string cpp_literal(const Value& value);

/// Names of one scope, each given once.
class CppNames {
 public:
  explicit CppNames(std::set<std::string> taken = {}) : taken_(std::move(taken)) {}
  /// cpp_identifier(text), with a number behind where that is taken.
  std::string give(std::string_view text);

 private:
  std::set<std::string> taken_;
};

}  // namespace rooftune
