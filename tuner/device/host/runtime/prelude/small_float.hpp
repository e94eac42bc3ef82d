// Conversions between float and the 16-bit formats, exact for every value. Written with integer
// operations and selections alone, which g++ vectorises; it does not where it must use F16C.
#pragma once

#include <cstdint>
#include <type_traits>

#include "math.hpp"

namespace rooftune_host {

enum class Rounding { nearest, to_zero, down, up };

/// The neighbour of a rounded `value` that has an odd last bit, where the value that it stands for
/// is not exact: rounding that once more to fewer bits gives what rounding at once would have
/// given. `error` is exact value minus `value`, or has its sign.
inline float to_odd(float value, float error) {
  const auto bits = bits_of<std::uint32_t>(value);
  const bool inexact = error < 0 || error > 0;
  // Away from zero where the error has the value's sign. A zero has the sign of what it stands for.
  const std::uint32_t step = (error < 0) == (bits >> 31 != 0) ? 1U : ~0U;
  return bits_of<float>(inexact && (bits & 1U) == 0 ? bits + step : bits);
}
inline double to_odd(double value, double error) {
  const auto bits = bits_of<std::uint64_t>(value);
  const bool inexact = error < 0 || error > 0;
  const std::uint64_t step = (error < 0) == (bits >> 63 != 0) ? 1U : ~std::uint64_t{0};
  return bits_of<double>(inexact && (bits & 1U) == 0 ? bits + step : bits);
}

/// Keeps the compiler from reordering sums across it, where kernels are compiled with
/// -fassociative-math.
#if __has_builtin(__builtin_assoc_barrier)
template <class Real>
inline Real as_written(Real value) {
  return __builtin_assoc_barrier(value);
}
#else
template <class Real>
inline Real as_written(Real value) {
  asm("" : "+x"(value));
  return value;
}
#endif

/// a * b + c rounded to odd; a * b must be exact in Real. The error of the sum is Knuth's.
template <class Real>
inline Real fma_to_odd(Real a, Real b, Real c) {
  const Real product = as_written(a * b);
  const Real sum = as_written(product + c);
  const Real c_part = as_written(sum - product);
  const Real product_part = as_written(sum - c_part);
  const Real error = as_written(product - product_part) + as_written(c - c_part);
  return to_odd(sum, error);
}

inline float double_to_odd_float(double x) {
  const auto rounded = static_cast<float>(x);
  const double error = x - static_cast<double>(rounded);
  return to_odd(rounded, error < 0 ? -1.0F : (error > 0 ? 1.0F : 0.0F));
}

/// IEEE binary16: 5 bits of exponent, 10 of mantissa.
struct HalfFormat {
  using Wide = float;  ///< where a product of two is exact

  static float to_float(std::uint16_t half) {
    const std::uint32_t magnitude = (half & 0x7FFFU) << 13;
    const std::uint32_t exponent = magnitude & 0x0F800000U;
    std::uint32_t bits = magnitude + (112U << 23);
    bits += exponent == 0x0F800000U ? 112U << 23 : 0U;  // infinity and NaN
    // A subnormal becomes 2^-14 plus its value, and loses the 2^-14 again.
    const float subnormal =
        bits_of<float>(bits + (1U << 23)) - bits_of<float>(std::uint32_t{113U << 23});
    bits = exponent == 0 ? bits_of<std::uint32_t>(subnormal) : bits;
    return bits_of<float>(bits | static_cast<std::uint32_t>(half & 0x8000U) << 16);
  }

  static std::uint16_t from_float(float value) {
    const auto all_bits = bits_of<std::uint32_t>(value);
    const std::uint32_t bits = all_bits & 0x7FFFFFFFU;
    const std::uint32_t normal = (bits - (112U << 23) + 0xFFFU + (bits >> 13 & 1U)) >> 13;
    // The sum with 1/2 has the subnormals' last bit as its own, so it rounds where they do.
    const std::uint32_t subnormal =
        bits_of<std::uint32_t>(bits_of<float>(bits) + 0.5F) - bits_of<std::uint32_t>(0.5F);
    std::uint32_t half = bits < 0x38800000U ? subnormal : normal;
    half = bits >= 0x47800000U ? 0x7C00U : half;
    half = bits > 0x7F800000U ? 0x7FFFU : half;  // CUDA's NaN
    return static_cast<std::uint16_t>(half | (bits > 0x7F800000U ? 0U : all_bits >> 16 & 0x8000U));
  }
};

/// bfloat16: the upper half of a float.
struct Bfloat16Format {
  using Wide = double;

  static float to_float(std::uint16_t value) {
    return bits_of<float>(static_cast<std::uint32_t>(value) << 16);
  }
  static std::uint16_t from_float(float value) {
    const auto bits = bits_of<std::uint32_t>(value);
    const std::uint32_t rounded = (bits + 0x7FFFU + (bits >> 16 & 1U)) >> 16;
    return static_cast<std::uint16_t>((bits & 0x7FFFFFFFU) > 0x7F800000U ? 0x7FFFU : rounded);
  }
};

template <class Format>
inline std::uint16_t from_real(float value) {
  return Format::from_float(value);
}
template <class Format>
inline std::uint16_t from_real(double value) {
  return Format::from_float(double_to_odd_float(value));
}
/// Integers, correctly rounded: those of 64 bits by way of a double that was rounded to odd.
template <class Format, class Integer, class = std::enable_if_t<std::is_integral_v<Integer>>>
inline std::uint16_t from_real(Integer value) {
  auto real = static_cast<double>(value);
  if constexpr (sizeof(Integer) == 8) {
    real = to_odd(real,
                  static_cast<double>(static_cast<__int128>(value) - static_cast<__int128>(real)));
  }
  return from_real<Format>(real);
}

template <class Format>
inline std::uint16_t round_to(float value, Rounding mode) {
  const std::uint16_t nearest = Format::from_float(value);
  const float got = Format::to_float(nearest);
  const bool too_large = got > value;
  const bool too_small = got < value;
  const bool negative = (nearest & 0x8000U) != 0;
  const bool step_down =
      too_large && (mode == Rounding::down || (mode == Rounding::to_zero && !negative));
  const bool step_up =
      too_small && (mode == Rounding::up || (mode == Rounding::to_zero && negative));
  if (!step_down && !step_up) {
    return nearest;
  }
  if ((nearest & 0x7FFFU) == 0) {  // past zero
    return step_down ? 0x8001U : 0x0001U;
  }
  return static_cast<std::uint16_t>(step_down == negative ? nearest + 1 : nearest - 1);
}

}  // namespace rooftune_host
