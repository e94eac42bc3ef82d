#include "tuner/report/cpp_text.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace rooftune {
namespace {

/// Keywords of C++17 and 20, and macros of usual headers and compilers that a plain name may hit;
/// blanks around each.
constexpr std::string_view kept_names =
    " "
    "EOF I NULL alignas alignof and and_eq asm assert auto bitand bitor bool break "
    "case catch char char16_t char32_t char8_t class co_await co_return co_yield "
    "compl concept const const_cast consteval constexpr constinit continue decltype "
    "default delete do double dynamic_cast else enum errno explicit export extern "
    "false float for friend goto if inline int linux long mutable namespace new "
    "noexcept not not_eq nullptr operator or or_eq private protected public register "
    "reinterpret_cast requires return short signed sizeof static static_assert "
    "static_cast std stderr stdin stdout struct switch template this thread_local "
    "throw true try typedef typeid typename union unix unsigned using virtual void "
    "volatile wchar_t while xor xor_eq ";

bool is_kept(const std::string& name) {
  const bool is_reserved = name.find("__") != std::string::npos ||
                           (name.size() > 1 && name[0] == '_' && name[1] >= 'A' && name[1] <= 'Z');
  return is_reserved || kept_names.find(" " + name + " ") != std::string_view::npos;
}

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

}  // namespace

std::string cpp_identifier(std::string_view text) {
  std::string name;
  for (const char c : text) {
    const char safe = is_letter(c) || is_digit(c) ? c : '_';
    if (safe != '_' || (!name.empty() && name.back() != '_')) {
      name += safe;  // never two underscores in a row, and none at the front
    }
  }
  if (name.empty() || is_digit(name.front())) {
    name = "n" + name;
  }
  return is_kept(name) ? name + "_" : name;
}

std::string cpp_comment(std::string_view text) {
  std::string line;
  for (const char c : text) {
    const bool plain = c >= ' ' && c <= '~';
    // A backslash may join lines, and so may the trigraph that ends in '/'.
    line += c == '\n' ? ' ' : !plain || c == '\\' || c == '?' ? '.' : c;
  }
  return line;
}

std::string cpp_string(std::string_view text) {
  std::string literal = "\"";
  for (const char c : text) {
    const bool plain = c >= ' ' && c <= '~' && c != '"' && c != '\\' && c != '?';
    literal += plain
                   ? std::string(1, c)
                   : fmt::format("\\{:03o}", static_cast<unsigned>(static_cast<unsigned char>(c)));
  }
  return literal + "\"";
}

std::string_view cpp_type(const Value& value) {
  switch (value.kind()) {
    case Value::Kind::integer:
      return "std::int64_t";
    case Value::Kind::real:
      return "double";
    case Value::Kind::boolean:
      return "bool";
    case Value::Kind::text:
      break;
  }
  return "std::string_view";
}

std::string cpp_literal(const Value& value) {
  if (value.kind() == Value::Kind::text) {
    // With its length: the text may hold a zero.
    return fmt::format("std::string_view({}, {})", cpp_string(value.as_text()),
                       value.as_text().size());
  }
  if (value.kind() == Value::Kind::integer &&
      value.as_integer() == std::numeric_limits<std::int64_t>::min()) {
    return "(-9223372036854775807 - 1)";
  }
  if (value.kind() == Value::Kind::real && !std::isfinite(value.as_real())) {
    return std::isnan(value.as_real()) ? "std::numeric_limits<double>::quiet_NaN()"
                                       : fmt::format("{}std::numeric_limits<double>::infinity()",
                                                     value.as_real() < 0 ? "-" : "");
  }
  return value.to_cpp();
}

std::string CppNames::give(std::string_view text) {
  const std::string name = cpp_identifier(text);
  std::string given = name;
  for (int number = 2; !taken_.insert(given).second; ++number) {
    given = fmt::format("{}_{}", name, number);
  }
  return given;
}

}  // namespace rooftune
