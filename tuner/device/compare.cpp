#include "tuner/device/compare.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <vector>

#include "tuner/device/small_floats.hpp"

namespace rooftune {
namespace {

struct FormatInfo {
  std::string_view name;
  std::size_t size;
};
constexpr std::array<FormatInfo, 12> formats = {{{"f64", 8},
                                                 {"f32", 4},
                                                 {"f16", 2},
                                                 {"bf16", 2},
                                                 {"i8", 1},
                                                 {"i16", 2},
                                                 {"i32", 4},
                                                 {"i64", 8},
                                                 {"u8", 1},
                                                 {"u16", 2},
                                                 {"u32", 4},
                                                 {"u64", 8}}};

struct Half {
  std::uint16_t bits;
  explicit operator double() const { return half_to_float(bits); }
};
struct Bfloat16 {
  std::uint16_t bits;
  explicit operator double() const { return bfloat16_to_float(bits); }
};

/// Calls `f` with a value of the format's C++ type.
template <class F>
auto with_type(ElementFormat format, F f) {
  switch (format) {
    case ElementFormat::f64:
      return f(double{});
    case ElementFormat::f32:
      return f(float{});
    case ElementFormat::f16:
      return f(Half{});
    case ElementFormat::bf16:
      return f(Bfloat16{});
    case ElementFormat::i8:
      return f(std::int8_t{});
    case ElementFormat::i16:
      return f(std::int16_t{});
    case ElementFormat::i32:
      return f(std::int32_t{});
    case ElementFormat::i64:
      return f(std::int64_t{});
    case ElementFormat::u8:
      return f(std::uint8_t{});
    case ElementFormat::u16:
      return f(std::uint16_t{});
    case ElementFormat::u32:
      return f(std::uint32_t{});
    case ElementFormat::u64:
      break;
  }
  return f(std::uint64_t{});
}

/// The poison as an element of type T.
template <class T>
T poison_of() {
  std::array<std::uint16_t, 4> pattern{};
  pattern.fill(poison_pattern);
  T value;
  std::memcpy(&value, pattern.data(), sizeof value);
  return value;
}

template <class T>
bool same_bits(const T& a, const T& b) {
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

/// Median magnitude of the elements that are numbers, from at most 64 Ki of them spread evenly.
template <class T>
double median_magnitude(const T* data, std::uint64_t count) {
  constexpr std::uint64_t at_most = 65536;
  const std::uint64_t stride = count / at_most + 1;
  std::vector<double> magnitudes;
  for (std::uint64_t i = 0; i < count; i += stride) {
    const double magnitude = std::fabs(static_cast<double>(data[i]));
    if (std::isfinite(magnitude)) {
      magnitudes.push_back(magnitude);
    }
  }
  if (magnitudes.empty()) {
    return 0;
  }
  const auto middle = magnitudes.begin() + static_cast<std::ptrdiff_t>(magnitudes.size() / 2);
  std::nth_element(magnitudes.begin(), middle, magnitudes.end());
  return *middle;
}

/// The error of an element as `max_error` counts it, and whether it is within the limits.
struct ElementError {
  double error = 0;
  bool wrong = false;
};

template <class T>
ElementError element_error(const T& got, const T& expected, double scale,
                           const ErrorLimits& limits) {
  if constexpr (std::is_integral_v<T>) {
    const double difference = std::fabs(static_cast<double>(got) - static_cast<double>(expected));
    return {difference, got != expected};
  } else {
    const auto a = static_cast<double>(got);
    const auto b = static_cast<double>(expected);
    if (a == b || (same_bits(got, expected) && same_bits(got, poison_of<T>()))) {
      return {};
    }
    if (!std::isfinite(a) || !std::isfinite(b)) {
      return {std::numeric_limits<double>::infinity(), true};
    }
    const double difference = std::fabs(a - b);
    const double magnitude = std::max(std::fabs(b), scale);
    const bool wrong = !(difference <= limits.absolute + limits.relative * magnitude);
    const double error = limits.relative > 0 ? difference / magnitude : difference;
    return {error, wrong};
  }
}

template <class T>
Comparison compare_elements(const T* got, const T* expected, std::uint64_t count,
                            const ErrorLimits& limits) {
  Comparison result;
  double scale = 0;
  if constexpr (!std::is_integral_v<T>) {
    scale = median_magnitude(expected, count);
  }
  for (std::uint64_t i = 0; i < count; ++i) {
    const ElementError error = element_error(got[i], expected[i], scale, limits);
    if (error.error > result.max_error) {
      result.max_error = error.error;
      result.max_error_at = i;
    }
    if (error.wrong) {
      result.first_wrong = result.wrong == 0 ? i : result.first_wrong;
      ++result.wrong;
    }
  }
  return result;
}

}  // namespace

std::string_view to_string(ElementFormat format) {
  return formats[static_cast<std::size_t>(format)].name;
}

bool element_format_from(std::string_view name, ElementFormat& format) {
  for (std::size_t i = 0; i < formats.size(); ++i) {
    if (formats[i].name == name) {
      format = static_cast<ElementFormat>(i);
      return true;
    }
  }
  return false;
}

std::size_t size_of(ElementFormat format) {
  return formats[static_cast<std::size_t>(format)].size;
}

bool is_real(ElementFormat format) {
  return format <= ElementFormat::bf16;
}

Comparison compare(ElementFormat format, const void* got, const void* expected, std::uint64_t count,
                   const ErrorLimits& limits) {
  return with_type(format, [&](auto element) {
    using T = decltype(element);
    return compare_elements(static_cast<const T*>(got), static_cast<const T*>(expected), count,
                            limits);
  });
}

Census take_census(ElementFormat format, const void* data, std::uint64_t count) {
  return with_type(format, [&](auto element) {
    using T = decltype(element);
    const T* elements = static_cast<const T*>(data);
    const T poison = poison_of<T>();
    Census census;
    for (std::uint64_t i = 0; i < count; ++i) {
      if (same_bits(elements[i], poison)) {
        ++census.unwritten;
      } else if (!std::is_integral_v<T> && std::isnan(static_cast<double>(elements[i]))) {
        census.first_nan = census.nan == 0 ? i : census.first_nan;
        ++census.nan;
      }
    }
    return census;
  });
}

std::string element_text(ElementFormat format, const void* data, std::uint64_t index) {
  return with_type(format, [&](auto element) -> std::string {
    using T = decltype(element);
    const T value = static_cast<const T*>(data)[index];
    if (same_bits(value, poison_of<T>())) {
      return "unwritten";
    }
    if constexpr (std::is_integral_v<T>) {
      return std::to_string(value);
    } else {
      std::array<char, 40> text{};
      const int digits = sizeof(T) == 8 ? 12 : sizeof(T) == 4 ? 8 : 5;
      std::snprintf(text.data(), text.size(), "%.*g", digits, static_cast<double>(value));
      return text.data();
    }
  });
}

}  // namespace rooftune
