// What a scalar's text means as a value.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>

#include "tuner/spec/expression.hpp"
#include "tuner/spec/yaml_tree.hpp"

namespace rooftune::yaml {
namespace {

/// A value's text that is refused. `offset` is where in it.
struct Refusal {
  std::string problem;
  std::string hint;
  std::size_t offset = 0;
};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/// Words that YAML 1.1 reads as booleans and YAML 1.2 as texts.
bool is_old_boolean(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  constexpr std::array<std::string_view, 4> words = {"on", "off", "yes", "no"};
  return std::find(words.begin(), words.end(), text) != words.end();
}

/// A name, a type: `float`, `unsigned int`, `std::plus<float>`, `float*`.
bool is_name_like(std::string_view text) {
  while (!text.empty() && (text.back() == '*' || text.back() == '&')) {
    text.remove_suffix(1);
  }
  return !text.empty() && is_letter(text.front()) &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return is_letter(c) || is_digit(c) || c == ':' || c == ' ' || c == '<' || c == '>' ||
                  c == ',';
         });
}

std::string_view without_sign(std::string_view text) {
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) {
    text.remove_prefix(1);
  }
  return text;
}

/// Digits and more that readers of YAML understand differently.
std::optional<Refusal> ambiguous_number(std::string_view text) {
  const std::string_view digits = without_sign(text);
  if (digits.empty() || !is_digit(digits.front())) {
    return std::nullopt;
  }
  const auto only = [&](std::string_view more) {
    return std::all_of(digits.begin(), digits.end(), [&](char c) {
      return is_digit(c) || more.find(c) != std::string_view::npos;
    });
  };
  const bool plain_digits = only("");
  if (digits.size() > 1 && digits.front() == '0' && plain_digits) {
    return Refusal{fmt::format("{} is octal to some readers of YAML and decimal to others", text),
                   "leave the leading zeros out, or put a text in quotes"};
  }
  if (!plain_digits && only(":")) {
    return Refusal{fmt::format("{} is a number of base 60 to some readers of YAML", text),
                   "put a text in quotes"};
  }
  if (!plain_digits && only("_")) {
    return Refusal{fmt::format("{} is a number to some readers of YAML and a text to others", text),
                   "leave the underscores out, or put a text in quotes"};
  }
  const std::size_t exponent = digits.find_first_of("eE");
  if (exponent != std::string_view::npos && digits.find('.') == std::string_view::npos &&
      only("eE+-")) {
    const std::size_t e = text.size() - digits.size() + exponent;
    return Refusal{fmt::format("{} is a number to some readers of YAML and a text to others", text),
                   fmt::format("write {}.0{} for a real, or all digits for an integer",
                               text.substr(0, e), text.substr(e))};
  }
  return std::nullopt;
}

std::optional<Value> boolean(std::string_view text) {
  if (text == "true" || text == "True" || text == "TRUE") {
    return Value(true);
  }
  if (text == "false" || text == "False" || text == "FALSE") {
    return Value(false);
  }
  return std::nullopt;
}

/// 2 ** 20, -0.5, 1.5e-3.
Value computed(const std::string& text) {
  try {
    const Expression expression = Expression::parse(text);
    if (!expression.names().empty()) {
      throw Refusal{
          fmt::format("a value cannot use names, and this uses `{}`", expression.names().front()),
          "an expression belongs under `derived`; put a text in quotes",
          expression.offset_of(expression.names().front()).value_or(0)};
    }
    return expression.evaluate(Scope());
  } catch (const ExpressionError& error) {
    throw Refusal{fmt::format("`{}` is neither a number nor a name: {}", text, error.what()),
                  error.hint().empty() ? "put a text in quotes" : error.hint(), error.offset()};
  } catch (const ValueError& error) {
    throw Refusal{error.what(), ""};
  }
}

Value read(const std::string& text) {
  if (text.empty()) {
    throw Refusal{"the value is empty", ""};
  }
  if (const auto truth = boolean(text)) {
    return *truth;
  }
  if (is_old_boolean(text)) {
    throw Refusal{
        fmt::format("`{}` is a boolean to some readers of YAML and a text to others", text),
        "write true or false, or put a text in quotes"};
  }
  if (auto refusal = ambiguous_number(text)) {
    throw *refusal;
  }
  if (is_name_like(text)) {
    return text;
  }
  return computed(text);
}

}  // namespace

Value value(const Document& document, const Node& node, std::string_view what) {
  if (node.kind == Node::Kind::null) {
    document.fail(node, fmt::format("{} has no value", what));
  }
  const std::string& written = text(document, node, what);
  if (!node.plain) {
    return written;
  }
  try {
    return read(written);
  } catch (const Refusal& refusal) {
    throw InputError(
        refusal.offset == 0 ? document.spot(node) : document.spot(node, refusal.offset),
        refusal.problem, refusal.hint);
  }
}

Value value_of_plain(const std::string& text) {
  try {
    return read(text);
  } catch (const Refusal& refusal) {
    throw ValueError(refusal.problem + (refusal.hint.empty() ? "" : "; " + refusal.hint));
  }
}

}  // namespace rooftune::yaml
