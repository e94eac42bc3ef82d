#include "tuner/report/header/names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "tuner/core/error.hpp"
#include "tuner/report/cpp_text.hpp"
#include "tuner/spec/expression.hpp"

namespace rooftune::header {
namespace {

/// Names that the header gives to its own things where the spec's names stand too.
const std::set<std::string> own_names = {
    "Problem",   "Parameters", "Geometry", "Dim3",    "Device", "Origin", "geometry", "parameters",
    "problem",   "device",     "origin",   "support", "valid",  "a",      "b",        "ceil_div",
    "floor_div", "floor_mod",  "ipow",     "min",     "max",    "abs",    "log2"};

Expression parse(const std::string& expression) {
  try {
    return Expression::parse(expression);
  } catch (const ExpressionError& error) {
    throw InputError(fmt::format("\"{}\" is no expression: {}", expression, error.what()),
                     "the results file was changed by hand");
  }
}

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

}  // namespace

Names names_of(const Results& results) {
  CppNames scope(own_names);
  Names names;
  for (const Parameter& parameter : results.parameters) {
    names[parameter.name] = scope.give(parameter.name);
  }
  for (const NamedValue& constant : results.problems.front()) {
    names[constant.name] = scope.give(constant.name);
  }
  for (const auto& derived : results.launch.derived) {
    names[derived.first] = scope.give(derived.first);
  }
  return names;
}

std::string cpp_expression(const std::string& expression, const Names& names) {
  const std::string canonical = parse(expression).to_string();
  std::string renamed;
  char quote = 0;
  for (std::size_t i = 0; i < canonical.size();) {
    const char c = canonical[i];
    std::size_t end = i + 1;
    if (quote == 0 && is_word(c)) {
      end = static_cast<std::size_t>(
          std::find_if_not(canonical.begin() + static_cast<std::ptrdiff_t>(i), canonical.end(),
                           is_word) -
          canonical.begin());
    } else if (quote != 0 && c == '\\') {
      end = i + 2;
    } else if (quote == 0 ? (c == '\'' || c == '"') : c == quote) {
      quote = quote == 0 ? c : 0;
    }
    const std::string word = canonical.substr(i, end - i);
    const auto found = quote == 0 ? names.find(word) : names.end();
    renamed += found == names.end() ? word : found->second;
    i = end;
  }
  return parse(renamed).to_cpp();
}

void Uses::add(const std::string& expression) {
  const Expression parsed = parse(expression);
  for (const std::string& name : parsed.names()) {
    add_name(name);
  }
}

void Uses::add_name(const std::string& name) {
  if (!names_.insert(name).second) {
    return;
  }
  for (const auto& [derived, expression] : results_.launch.derived) {
    if (derived == name) {
      add(expression);
      return;
    }
  }
  const bool known = find_value(results_.problems.front(), name) != nullptr ||
                     std::any_of(results_.parameters.begin(), results_.parameters.end(),
                                 [&](const Parameter& it) { return it.name == name; });
  if (!known) {
    throw InputError(
        fmt::format("{}: `{}` is used, and the results do not say what it is", results_.spec_name,
                    name),
        "the results file was changed by hand, or is of an earlier version: tune again");
  }
}

bool Uses::problem() const {
  return std::any_of(names_.begin(), names_.end(), [&](const std::string& name) {
    return find_value(results_.problems.front(), name) != nullptr;
  });
}

bool Uses::parameters() const {
  return std::any_of(results_.parameters.begin(), results_.parameters.end(),
                     [&](const Parameter& parameter) { return names_.count(parameter.name) > 0; });
}

std::string locals(const Results& results, const Names& names, const Uses& uses,
                   const std::string& indent) {
  std::string text;
  const auto add = [&](const std::string& name, const std::string& value) {
    if (uses.names().count(name) > 0) {
      text += fmt::format("{}const auto {} = {};\n", indent, names.at(name), value);
    }
  };
  for (const Parameter& parameter : results.parameters) {
    add(parameter.name, "parameters." + names.at(parameter.name));
  }
  for (const NamedValue& constant : results.problems.front()) {
    add(constant.name, "problem." + names.at(constant.name));
  }
  for (const auto& [name, expression] : results.launch.derived) {
    if (uses.names().count(name) > 0) {
      add(name, cpp_expression(expression, names));
    }
  }
  return text;
}

}  // namespace rooftune::header
