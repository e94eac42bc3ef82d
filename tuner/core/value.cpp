#include "tuner/core/value.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "tuner/core/error.hpp"

namespace rooftune {

std::int64_t Value::as_integer() const {
  if (const auto* integer = std::get_if<std::int64_t>(&data_)) {
    return *integer;
  }
  if (const auto* boolean = std::get_if<bool>(&data_)) {
    return *boolean ? 1 : 0;
  }
  throw ValueError(fmt::format("{} is not an integer", to_string()));
}

double Value::as_real() const {
  switch (kind()) {
    case Kind::integer:
      return static_cast<double>(std::get<std::int64_t>(data_));
    case Kind::real:
      return std::get<double>(data_);
    case Kind::boolean:
      return std::get<bool>(data_) ? 1.0 : 0.0;
    case Kind::text:
      break;
  }
  throw ValueError(fmt::format("\"{}\" is not a number", to_string()));
}

bool Value::truthy() const {
  return is_number() ? as_real() != 0.0 : !as_text().empty();
}

const std::string& Value::as_text() const {
  if (const auto* text = std::get_if<std::string>(&data_)) {
    return *text;
  }
  throw ValueError(fmt::format("{} is not a text", to_string()));
}

std::string Value::to_string() const {
  switch (kind()) {
    case Kind::integer:
      return fmt::format("{}", std::get<std::int64_t>(data_));
    case Kind::boolean:
      return std::get<bool>(data_) ? "true" : "false";
    case Kind::text:
      return std::get<std::string>(data_);
    case Kind::real:
      break;
  }
  // fmt's default is the shortest text that reads back to the same bits.
  std::string text = fmt::format("{}", std::get<double>(data_));
  return text.find_first_of(".enia") == std::string::npos ? text + ".0" : text;
}

std::string Value::to_cpp() const {
  std::string text = to_string();
  return is_number() && text.front() == '-' ? "(" + text + ")" : text;
}

bool operator==(const Value& a, const Value& b) {
  if (a.is_number() != b.is_number()) {
    return false;
  }
  if (!a.is_number()) {
    return a.as_text() == b.as_text();
  }
  const bool exact = a.kind() != Value::Kind::real && b.kind() != Value::Kind::real;
  return exact ? a.as_integer() == b.as_integer() : a.as_real() == b.as_real();
}

std::ostream& operator<<(std::ostream& out, const Value& value) {
  return out << value.to_string();
}

const Value* find_value(const NamedValues& values, std::string_view name) {
  const auto found =
      std::find_if(values.begin(), values.end(), [&](const auto& v) { return v.name == name; });
  return found == values.end() ? nullptr : &found->value;
}

void set_value(NamedValues& values, std::string_view name, Value value) {
  for (NamedValue& named : values) {
    if (named.name == name) {
      named.value = std::move(value);
      return;
    }
  }
  values.push_back({std::string(name), std::move(value)});
}

std::string to_string(const NamedValues& values) {
  std::string text;
  for (const NamedValue& named : values) {
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", named.name, named.value.to_string());
  }
  return text;
}

}  // namespace rooftune
