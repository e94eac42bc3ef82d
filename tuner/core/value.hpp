// A value of the spec's one small language: what parameters, constants and expressions hold.
#pragma once

#include <concepts>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace rooftune {

/// An integer (64 bit, checked), a real, a boolean or a text. Numbers compare by value across
/// kinds as in Python (1 == 1.0 == true); text compares only with text.
class Value {
 public:
  enum class Kind : std::uint8_t { integer, real, boolean, text };

  Value() = default;
  template <std::integral T>
  explicit(false) Value(T number) {
    if constexpr (std::same_as<T, bool>) {
      data_ = number;
    } else {
      data_ = static_cast<std::int64_t>(number);
    }
  }
  explicit(false) Value(double number) : data_(number) {}
  explicit(false) Value(std::string text) : data_(std::move(text)) {}
  explicit(false) Value(const char* text) : data_(std::string(text)) {}

  Kind kind() const { return static_cast<Kind>(data_.index()); }
  bool is_number() const { return kind() != Kind::text; }

  /// Integer value of an integer or boolean; throws ValueError for a real or a text.
  std::int64_t as_integer() const;
  /// Any number as a double; throws ValueError for a text.
  double as_real() const;
  /// Python's truth: non-zero number, non-empty text.
  bool truthy() const;
  /// The text itself; throws ValueError for a number.
  const std::string& as_text() const;

  /// For people and for keys: 64, 0.5, true, float (text without quotes). A real always shows that
  /// it is one (2.0), and reads back to the same bits.
  std::string to_string() const;
  /// As a C++ token sequence: 64, 0.5, true, text verbatim. Negative numbers come in parentheses.
  std::string to_cpp() const;

  friend bool operator==(const Value& a, const Value& b);

 private:
  std::variant<std::int64_t, double, bool, std::string> data_;
};

std::ostream& operator<<(std::ostream& out, const Value& value);

struct NamedValue {
  std::string name;
  Value value;
  friend bool operator==(const NamedValue&, const NamedValue&) = default;
};

/// In the order of declaration. Small, so it is searched linearly.
using NamedValues = std::vector<NamedValue>;

/// nullptr where there is no such name.
const Value* find_value(const NamedValues& values, std::string_view name);
/// Replaces the value of `name`, or appends it.
void set_value(NamedValues& values, std::string_view name, Value value);
/// "BM=64 BN=64 T=float": how a configuration is shown everywhere.
std::string to_string(const NamedValues& values);

}  // namespace rooftune
