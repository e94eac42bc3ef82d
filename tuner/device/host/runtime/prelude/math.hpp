// CUDA's device functions for float, double and integers that C++ does not have under those names.
#pragma once

#include <math.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>

// Names with a rounding mode. To nearest is exact; the others exist for code that brackets a
// result, and are made from the nearest by a step where that went the wrong way.
namespace rooftune_host {

template <class To, class From>
inline To bits_of(const From& value) {
  static_assert(sizeof(To) == sizeof(From));
  To result;
  __builtin_memcpy(&result, &value, sizeof(To));
  return result;
}

inline float saturate(float x) {
  return x > 0.0F ? (x < 1.0F ? x : 1.0F) : 0.0F;
}

}  // namespace rooftune_host

inline float __fadd_rn(float a, float b) {
  return a + b;
}
inline float __fsub_rn(float a, float b) {
  return a - b;
}
inline float __fmul_rn(float a, float b) {
  return a * b;
}
inline float __fdiv_rn(float a, float b) {
  return a / b;
}
inline float __fmaf_rn(float a, float b, float c) {
  return __builtin_fmaf(a, b, c);
}
inline float __frcp_rn(float a) {
  return 1.0F / a;
}
inline float __fsqrt_rn(float a) {
  return __builtin_sqrtf(a);
}
inline float __frsqrt_rn(float a) {
  return static_cast<float>(1.0 / __builtin_sqrt(double{a}));
}
inline double __dadd_rn(double a, double b) {
  return a + b;
}
inline double __dsub_rn(double a, double b) {
  return a - b;
}
inline double __dmul_rn(double a, double b) {
  return a * b;
}
inline double __ddiv_rn(double a, double b) {
  return a / b;
}
inline double __fma_rn(double a, double b, double c) {
  return __builtin_fma(a, b, c);
}
inline double __drcp_rn(double a) {
  return 1.0 / a;
}
inline double __dsqrt_rn(double a) {
  return __builtin_sqrt(a);
}

inline float rsqrtf(float x) {
  return 1.0F / __builtin_sqrtf(x);
}
inline double rsqrt(double x) {
  return 1.0 / __builtin_sqrt(x);
}
inline float rsqrt(float x) {
  return rsqrtf(x);
}
inline float rcbrtf(float x) {
  return 1.0F / __builtin_cbrtf(x);
}
inline double rcbrt(double x) {
  return 1.0 / __builtin_cbrt(x);
}
inline float exp10f(float x) {
  return __builtin_exp10f(x);
}
inline float sinpif(float x) {
  return __builtin_sinf(x * 3.14159265358979F);
}
inline float cospif(float x) {
  return __builtin_cosf(x * 3.14159265358979F);
}
inline double sinpi(double x) {
  return __builtin_sin(x * 3.14159265358979323846);
}
inline double cospi(double x) {
  return __builtin_cos(x * 3.14159265358979323846);
}
inline void sincospif(float x, float* s, float* c) {
  *s = sinpif(x), *c = cospif(x);
}
inline float norm3df(float a, float b, float c) {
  return __builtin_sqrtf(a * a + b * b + c * c);
}
inline float rnorm3df(float a, float b, float c) {
  return 1.0F / norm3df(a, b, c);
}
inline float rhypotf(float a, float b) {
  return 1.0F / __builtin_hypotf(a, b);
}
inline float normcdff(float x) {
  return 0.5F * __builtin_erfcf(-x * 0.70710678118654752F);
}
inline double normcdf(double x) {
  return 0.5 * __builtin_erfc(-x * 0.70710678118654752440);
}
inline float erfcxf(float x) {
  return static_cast<float>(__builtin_exp(double{x} * x) * __builtin_erfc(x));
}

// The fast intrinsics: as exact as the functions that they stand for.
inline float __expf(float x) {
  return __builtin_expf(x);
}
inline float __exp10f(float x) {
  return __builtin_exp10f(x);
}
inline float __logf(float x) {
  return __builtin_logf(x);
}
inline float __log2f(float x) {
  return __builtin_log2f(x);
}
inline float __log10f(float x) {
  return __builtin_log10f(x);
}
inline float __sinf(float x) {
  return __builtin_sinf(x);
}
inline float __cosf(float x) {
  return __builtin_cosf(x);
}
inline float __tanf(float x) {
  return __builtin_tanf(x);
}
inline float __tanhf(float x) {
  return __builtin_tanhf(x);
}
inline void __sincosf(float x, float* s, float* c) {
  __builtin_sincosf(x, s, c);
}
inline float __powf(float x, float y) {
  return __builtin_powf(x, y);
}
inline float __fdividef(float a, float b) {
  return a / b;
}
inline float fdividef(float a, float b) {
  return a / b;
}
inline float __saturatef(float x) {
  return rooftune_host::saturate(x);
}
inline float saturatef(float x) {
  return rooftune_host::saturate(x);
}

// Bits.
inline int __float_as_int(float x) {
  return rooftune_host::bits_of<int>(x);
}
inline unsigned __float_as_uint(float x) {
  return rooftune_host::bits_of<unsigned>(x);
}
inline float __int_as_float(int x) {
  return rooftune_host::bits_of<float>(x);
}
inline float __uint_as_float(unsigned x) {
  return rooftune_host::bits_of<float>(x);
}
inline long long __double_as_longlong(double x) {
  return rooftune_host::bits_of<long long>(x);
}
inline double __longlong_as_double(long long x) {
  return rooftune_host::bits_of<double>(x);
}
inline int __double2hiint(double x) {
  return static_cast<int>(__double_as_longlong(x) >> 32);
}
inline int __double2loint(double x) {
  return static_cast<int>(__double_as_longlong(x));
}
inline double __hiloint2double(int high, int low) {
  return __longlong_as_double((static_cast<long long>(high) << 32) | static_cast<unsigned>(low));
}

// Conversions with a rounding mode. CUDA's saturate, and give 0 for NaN.
namespace rooftune_host {
template <class Integer, class Real>
inline Integer saturating(Real x) {
  using Limits = std::numeric_limits<Integer>;
  // One above the largest: a power of two, so exact.
  constexpr Real end = static_cast<Real>(Limits::max() / 2 + 1) * 2;
  if (x != x) {
    return 0;
  }
  if (x >= end) {
    return Limits::max();
  }
  return x < static_cast<Real>(Limits::min()) ? Limits::min() : static_cast<Integer>(x);
}
}  // namespace rooftune_host

#define ROOFTUNE_HOST_TO_INTEGER(from, real, to, integer)         \
  inline integer __##from##2##to##_rn(real x) {                   \
    return rooftune_host::saturating<integer>(std::nearbyint(x)); \
  }                                                               \
  inline integer __##from##2##to##_rz(real x) {                   \
    return rooftune_host::saturating<integer>(std::trunc(x));     \
  }                                                               \
  inline integer __##from##2##to##_rd(real x) {                   \
    return rooftune_host::saturating<integer>(std::floor(x));     \
  }                                                               \
  inline integer __##from##2##to##_ru(real x) {                   \
    return rooftune_host::saturating<integer>(std::ceil(x));      \
  }
ROOFTUNE_HOST_TO_INTEGER(float, float, int, int)
ROOFTUNE_HOST_TO_INTEGER(float, float, uint, unsigned)
ROOFTUNE_HOST_TO_INTEGER(float, float, ll, long long)
ROOFTUNE_HOST_TO_INTEGER(float, float, ull, unsigned long long)
ROOFTUNE_HOST_TO_INTEGER(double, double, int, int)
ROOFTUNE_HOST_TO_INTEGER(double, double, uint, unsigned)
ROOFTUNE_HOST_TO_INTEGER(double, double, ll, long long)
ROOFTUNE_HOST_TO_INTEGER(double, double, ull, unsigned long long)
#undef ROOFTUNE_HOST_TO_INTEGER
inline float __int2float_rn(int x) {
  return static_cast<float>(x);
}
inline float __uint2float_rn(unsigned x) {
  return static_cast<float>(x);
}
inline float __ll2float_rn(long long x) {
  return static_cast<float>(x);
}
inline float __ull2float_rn(unsigned long long x) {
  return static_cast<float>(x);
}
inline float __double2float_rn(double x) {
  return static_cast<float>(x);
}
inline double __int2double_rn(int x) {
  return x;
}
inline double __uint2double_rn(unsigned x) {
  return x;
}
inline double __ll2double_rn(long long x) {
  return static_cast<double>(x);
}
inline double __ull2double_rn(unsigned long long x) {
  return static_cast<double>(x);
}

// Integers.
inline int __popc(unsigned x) {
  return __builtin_popcount(x);
}
inline int __popcll(unsigned long long x) {
  return __builtin_popcountll(x);
}
inline int __clz(int x) {
  return x == 0 ? 32 : __builtin_clz(static_cast<unsigned>(x));
}
inline int __clzll(long long x) {
  return x == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(x));
}
inline int __ffs(int x) {
  return __builtin_ffs(x);
}
inline int __ffsll(long long x) {
  return __builtin_ffsll(x);
}
inline unsigned __brev(unsigned x) {
  x = (x >> 1 & 0x55555555U) | (x & 0x55555555U) << 1;
  x = (x >> 2 & 0x33333333U) | (x & 0x33333333U) << 2;
  x = (x >> 4 & 0x0F0F0F0FU) | (x & 0x0F0F0F0FU) << 4;
  return __builtin_bswap32(x);
}
inline unsigned long long __brevll(unsigned long long x) {
  return static_cast<unsigned long long>(__brev(static_cast<unsigned>(x))) << 32 |
         __brev(static_cast<unsigned>(x >> 32));
}
inline unsigned __umulhi(unsigned a, unsigned b) {
  return static_cast<unsigned>(static_cast<std::uint64_t>(a) * b >> 32);
}
inline int __mulhi(int a, int b) {
  return static_cast<int>(static_cast<std::int64_t>(a) * b >> 32);
}
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return static_cast<unsigned long long>(static_cast<unsigned __int128>(a) * b >> 64);
}
inline long long __mul64hi(long long a, long long b) {
  return static_cast<long long>(static_cast<__int128>(a) * b >> 64);
}
inline unsigned umulhi(unsigned a, unsigned b) {
  return __umulhi(a, b);
}
inline int mulhi(int a, int b) {
  return __mulhi(a, b);
}
inline int __mul24(int a, int b) {
  return static_cast<int>(static_cast<unsigned>(a << 8 >> 8) * static_cast<unsigned>(b << 8 >> 8));
}
inline unsigned __umul24(unsigned a, unsigned b) {
  return (a & 0xFFFFFFU) * (b & 0xFFFFFFU);
}
inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
  return static_cast<unsigned>(((static_cast<std::uint64_t>(high) << 32 | low) << (shift & 31)) >>
                               32);
}
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  return static_cast<unsigned>((static_cast<std::uint64_t>(high) << 32 | low) >> (shift & 31));
}
inline unsigned __byte_perm(unsigned a, unsigned b, unsigned selector) {
  const std::uint64_t bytes = static_cast<std::uint64_t>(b) << 32 | a;
  unsigned result = 0;
  for (unsigned i = 0; i < 4; ++i) {
    const unsigned select = selector >> (4 * i);
    unsigned byte = static_cast<unsigned>(bytes >> (8 * (select & 7U))) & 0xFFU;
    if ((select & 8U) != 0) {  // replicates the sign bit
      byte = (byte & 0x80U) != 0 ? 0xFFU : 0U;
    }
    result |= byte << (8 * i);
  }
  return result;
}
inline unsigned __sad(int a, int b, unsigned c) {
  return c + static_cast<unsigned>(a < b ? b - a : a - b);
}
inline unsigned __usad(unsigned a, unsigned b, unsigned c) {
  return c + (a < b ? b - a : a - b);
}
inline int __hadd(int a, int b) {
  return static_cast<int>((static_cast<std::int64_t>(a) + b) >> 1);
}
inline int __rhadd(int a, int b) {
  return static_cast<int>((static_cast<std::int64_t>(a) + b + 1) >> 1);
}
inline int __dp4a(int a, int b, int c) {
  for (int shift = 0; shift < 32; shift += 8) {
    c += static_cast<signed char>(a >> shift) * static_cast<signed char>(b >> shift);
  }
  return c;
}
inline unsigned __dp4a(unsigned a, unsigned b, unsigned c) {
  for (int shift = 0; shift < 32; shift += 8) {
    c += (a >> shift & 0xFFU) * (b >> shift & 0xFFU);
  }
  return c;
}

// min and max, as CUDA overloads them: mixed signs and sizes go to the wider or unsigned type.
#define ROOFTUNE_HOST_MIN_MAX(type)    \
  constexpr type min(type a, type b) { \
    return b < a ? b : a;              \
  }                                    \
  constexpr type max(type a, type b) { \
    return a < b ? b : a;              \
  }
ROOFTUNE_HOST_MIN_MAX(int)
ROOFTUNE_HOST_MIN_MAX(unsigned)
ROOFTUNE_HOST_MIN_MAX(long)
ROOFTUNE_HOST_MIN_MAX(unsigned long)
ROOFTUNE_HOST_MIN_MAX(long long)
ROOFTUNE_HOST_MIN_MAX(unsigned long long)
#undef ROOFTUNE_HOST_MIN_MAX
#define ROOFTUNE_HOST_MIN_MAX_MIXED(common, a_type, b_type)     \
  constexpr common min(a_type a, b_type b) {                    \
    return min(static_cast<common>(a), static_cast<common>(b)); \
  }                                                             \
  constexpr common max(a_type a, b_type b) {                    \
    return max(static_cast<common>(a), static_cast<common>(b)); \
  }                                                             \
  constexpr common min(b_type a, a_type b) {                    \
    return min(static_cast<common>(a), static_cast<common>(b)); \
  }                                                             \
  constexpr common max(b_type a, a_type b) {                    \
    return max(static_cast<common>(a), static_cast<common>(b)); \
  }
ROOFTUNE_HOST_MIN_MAX_MIXED(unsigned, int, unsigned)
ROOFTUNE_HOST_MIN_MAX_MIXED(unsigned long, long, unsigned long)
ROOFTUNE_HOST_MIN_MAX_MIXED(unsigned long long, long long, unsigned long long)
#undef ROOFTUNE_HOST_MIN_MAX_MIXED
// A NaN loses against a number, as fmin's does.
inline float min(float a, float b) {
  return __builtin_fminf(a, b);
}
inline float max(float a, float b) {
  return __builtin_fmaxf(a, b);
}
inline double min(double a, double b) {
  return __builtin_fmin(a, b);
}
inline double max(double a, double b) {
  return __builtin_fmax(a, b);
}
inline double min(float a, double b) {
  return min(double{a}, b);
}
inline double max(float a, double b) {
  return max(double{a}, b);
}
inline double min(double a, float b) {
  return min(a, double{b});
}
inline double max(double a, float b) {
  return max(a, double{b});
}
constexpr unsigned umin(unsigned a, unsigned b) {
  return min(a, b);
}
constexpr unsigned umax(unsigned a, unsigned b) {
  return max(a, b);
}
constexpr long long llmin(long long a, long long b) {
  return min(a, b);
}
constexpr long long llmax(long long a, long long b) {
  return max(a, b);
}
