// The functions that a generated header needs for the spec's expressions: C++17 constant
// expressions with the meaning that the spec's language gives them.
#pragma once

#include <string_view>

namespace rooftune {

/// Names that Expression::to_cpp uses.
constexpr std::string_view header_helper_names[] = {"ceil_div", "floor_div", "floor_mod", "ipow",
                                                    "min",      "max",       "abs",       "log2"};

constexpr std::string_view header_helpers = R"header(constexpr double floor_real(double x) {
  if (x < -9007199254740992.0 || x > 9007199254740992.0) {
    return x;  // whole already
  }
  const double whole = static_cast<double>(static_cast<std::int64_t>(x));
  return whole > x ? whole - 1 : whole;
}
template <class A, class B>
constexpr auto floor_div(A a, B b) {
  if constexpr (std::is_integral_v<A> && std::is_integral_v<B>) {
    const std::int64_t n = a;
    const std::int64_t d = b;
    return n / d - ((n % d != 0 && (n < 0) != (d < 0)) ? 1 : 0);
  } else {
    return floor_real(static_cast<double>(a) / static_cast<double>(b));
  }
}
template <class A, class B>
constexpr auto floor_mod(A a, B b) {
  if constexpr (std::is_integral_v<A> && std::is_integral_v<B>) {
    const std::int64_t n = a;
    const std::int64_t d = b;
    return n - floor_div(n, d) * d;
  } else {
    return static_cast<double>(a) - floor_div(a, b) * static_cast<double>(b);
  }
}
template <class A, class B>
constexpr auto ceil_div(A a, B b) {
  return -floor_div(-a, b);
}
template <class A, class B>
constexpr auto min(A a, B b) {
  return b < a ? b : a;
}
template <class A, class B>
constexpr auto max(A a, B b) {
  return b > a ? b : a;
}
template <class A>
constexpr A abs(A a) {
  return a < 0 ? -a : a;
}
template <class A, class B>
constexpr auto ipow(A base, B exponent) {
  static_assert(std::is_integral_v<B>, "a broken power is no constant expression in C++17");
  std::conditional_t<std::is_integral_v<A>, std::int64_t, double> result = 1;
  for (B i = 0; i < exponent; ++i) {
    result *= base;
  }
  return result;
}
constexpr double log2(double x) {
  double whole = 0;
  for (; x >= 2; x /= 2) {
    whole += 1;
  }
  for (; x < 1; x *= 2) {
    whole -= 1;
  }
  // ln x = 2 artanh((x - 1) / (x + 1)), for 1 <= x < 2.
  const double y = (x - 1) / (x + 1);
  double sum = 0;
  double power = y;
  for (int i = 1; i < 60; i += 2) {
    sum += power / i;
    power *= y * y;
  }
  return whole + 2 * sum / 0.693147180559945309417;
}
)header";

}  // namespace rooftune
