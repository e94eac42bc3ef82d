// FP8: e4m3 and e5m2, their conversions and packed pairs and quadruples. Arithmetic on them is not
// CUDA's either: kernels convert first.
#pragma once

#include "../prelude.hpp"

enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE };
enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 };
using __nv_fp8_storage_t = unsigned char;
using __nv_fp8x2_storage_t = unsigned short;
using __nv_fp8x4_storage_t = unsigned int;

namespace rooftune_host {

/// Sign, exponent and mantissa in 8 bits. e4m3 has no infinities and one NaN (all bits set); e5m2
/// is the upper half of a half.
template <int ExponentBits>
struct Fp8Format {
  static constexpr int mantissa_bits = 7 - ExponentBits;
  static constexpr int bias = (1 << (ExponentBits - 1)) - 1;
  static constexpr bool has_infinity = ExponentBits == 5;
  static constexpr unsigned infinity = 0x7C;  // of e5m2
  static constexpr unsigned largest = has_infinity ? 0x7B : 0x7E;
  static constexpr unsigned nan = 0x7F;

  static float to_float(unsigned char bits) {
    const unsigned magnitude = bits & 0x7FU;
    const float sign = (bits & 0x80U) != 0 ? -1.0F : 1.0F;
    if (has_infinity ? magnitude > infinity : magnitude == nan) {
      return __builtin_nanf("");
    }
    if (has_infinity && magnitude == infinity) {
      return sign * __builtin_inff();
    }
    const unsigned mantissa = magnitude & ((1U << mantissa_bits) - 1);
    const int exponent = static_cast<int>(magnitude >> mantissa_bits);
    const int scale = (exponent == 0 ? 1 : exponent) - bias - mantissa_bits;
    const auto digits =
        static_cast<float>(exponent == 0 ? mantissa : mantissa | 1U << mantissa_bits);
    return sign * __builtin_ldexpf(digits, scale);
  }

  /// To nearest, ties to even. What is too large becomes the largest number (`saturate`), else
  /// infinity, or NaN where there is none.
  static unsigned char from_float(float value, bool saturate) {
    const auto sign = static_cast<unsigned>(__builtin_signbit(value) != 0 ? 0x80 : 0);
    const float magnitude = __builtin_fabsf(value);
    if (value != value) {
      return static_cast<unsigned char>(has_infinity ? nan : sign | nan);
    }
    const unsigned beyond = saturate ? largest : (has_infinity ? infinity : nan);
    if (magnitude == __builtin_inff()) {
      return static_cast<unsigned char>(sign | beyond);
    }
    constexpr int smallest_exponent = 1 - bias;
    int exponent = magnitude == 0 ? smallest_exponent : __builtin_ilogbf(magnitude);
    exponent = exponent < smallest_exponent ? smallest_exponent : exponent;
    const float steps = __builtin_nearbyintf(__builtin_ldexpf(magnitude, mantissa_bits - exponent));
    // A carry into the next power of two adds up to the right encoding by itself.
    const auto bits = static_cast<long long>(exponent - smallest_exponent) * (1 << mantissa_bits) +
                      static_cast<long long>(steps);
    return static_cast<unsigned char>(
        sign | (bits > static_cast<long long>(largest) ? beyond : static_cast<unsigned>(bits)));
  }
};

using Fp8E4m3 = Fp8Format<4>;
using Fp8E5m2 = Fp8Format<5>;

}  // namespace rooftune_host

inline __nv_fp8_storage_t __nv_cvt_float_to_fp8(float x, __nv_saturation_t saturate,
                                                __nv_fp8_interpretation_t kind) {
  return kind == __NV_E4M3 ? rooftune_host::Fp8E4m3::from_float(x, saturate == __NV_SATFINITE)
                           : rooftune_host::Fp8E5m2::from_float(x, saturate == __NV_SATFINITE);
}
inline __nv_fp8_storage_t __nv_cvt_double_to_fp8(double x, __nv_saturation_t saturate,
                                                 __nv_fp8_interpretation_t kind) {
  return __nv_cvt_float_to_fp8(rooftune_host::double_to_odd_float(x), saturate, kind);
}
inline __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(__half_raw x, __nv_saturation_t saturate,
                                                  __nv_fp8_interpretation_t kind) {
  return __nv_cvt_float_to_fp8(__half(x), saturate, kind);
}
inline __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw x,
                                                      __nv_saturation_t saturate,
                                                      __nv_fp8_interpretation_t kind) {
  return __nv_cvt_float_to_fp8(__nv_bfloat16(x), saturate, kind);
}
inline __nv_fp8x2_storage_t __nv_cvt_float2_to_fp8x2(float2 x, __nv_saturation_t saturate,
                                                     __nv_fp8_interpretation_t kind) {
  return static_cast<__nv_fp8x2_storage_t>(__nv_cvt_float_to_fp8(x.x, saturate, kind) |
                                           __nv_cvt_float_to_fp8(x.y, saturate, kind) << 8);
}
inline __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t x, __nv_fp8_interpretation_t kind) {
  return __half(kind == __NV_E4M3 ? rooftune_host::Fp8E4m3::to_float(x)
                                  : rooftune_host::Fp8E5m2::to_float(x));
}
inline __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t x,
                                              __nv_fp8_interpretation_t kind) {
  return {__nv_cvt_fp8_to_halfraw(static_cast<unsigned char>(x), kind).x,
          __nv_cvt_fp8_to_halfraw(static_cast<unsigned char>(x >> 8), kind).x};
}

#define ROOFTUNE_HOST_FP8(name, format)                                                     \
  struct __nv_fp8_##name {                                                                  \
    __nv_fp8_storage_t __x;                                                                 \
    __nv_fp8_##name() = default;                                                            \
    template <class T, class = std::enable_if_t<std::is_arithmetic_v<T>>>                   \
    explicit __nv_fp8_##name(T x)                                                           \
        : __x(rooftune_host::format::from_float(                                            \
              rooftune_host::double_to_odd_float(static_cast<double>(x)), true)) {}         \
    explicit __nv_fp8_##name(__half x) : __nv_fp8_##name(float(x)) {}                       \
    explicit __nv_fp8_##name(__nv_bfloat16 x) : __nv_fp8_##name(float(x)) {}                \
    explicit operator float() const { return rooftune_host::format::to_float(__x); }        \
    explicit operator double() const { return float(*this); }                               \
    explicit operator __half() const { return float(*this); }                               \
    explicit operator __nv_bfloat16() const { return float(*this); }                        \
    explicit operator bool() const { return (__x & 0x7FU) != 0; }                           \
  };                                                                                        \
  struct alignas(2) __nv_fp8x2_##name {                                                     \
    __nv_fp8x2_storage_t __x;                                                               \
    __nv_fp8x2_##name() = default;                                                          \
    explicit __nv_fp8x2_##name(float2 x)                                                    \
        : __x(static_cast<__nv_fp8x2_storage_t>(__nv_fp8_##name(x.x).__x |                  \
                                                __nv_fp8_##name(x.y).__x << 8)) {}          \
    explicit operator float2() const {                                                      \
      return {rooftune_host::format::to_float(static_cast<unsigned char>(__x)),             \
              rooftune_host::format::to_float(static_cast<unsigned char>(__x >> 8))};       \
    }                                                                                       \
    explicit operator __half2() const {                                                     \
      const float2 x = float2(*this);                                                       \
      return __floats2half2_rn(x.x, x.y);                                                   \
    }                                                                                       \
  };                                                                                        \
  struct alignas(4) __nv_fp8x4_##name {                                                     \
    __nv_fp8x4_storage_t __x;                                                               \
    __nv_fp8x4_##name() = default;                                                          \
    explicit __nv_fp8x4_##name(float4 x)                                                    \
        : __x(__nv_fp8x2_##name(float2{x.x, x.y}).__x |                                     \
              static_cast<unsigned>(__nv_fp8x2_##name(float2{x.z, x.w}).__x) << 16) {}      \
    explicit operator float4() const {                                                      \
      const auto byte = [this](int i) {                                                     \
        return rooftune_host::format::to_float(static_cast<unsigned char>(__x >> (8 * i))); \
      };                                                                                    \
      return {byte(0), byte(1), byte(2), byte(3)};                                          \
    }                                                                                       \
  };
ROOFTUNE_HOST_FP8(e4m3, Fp8E4m3)
ROOFTUNE_HOST_FP8(e5m2, Fp8E5m2)
#undef ROOFTUNE_HOST_FP8
