// half and bfloat16 against references written in exact arithmetic: each conversion for all 65,536
// values, arithmetic over pairs of values that are hard to round.

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "run_kernel.hpp"

namespace rooftune_host {
namespace {

/// What an encoding means, from its definition.
double value_of(unsigned bits, int exponent_bits, int mantissa_bits) {
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const unsigned mantissa = bits & ((1U << mantissa_bits) - 1);
  const int exponent = static_cast<int>(bits >> mantissa_bits & ((1U << exponent_bits) - 1));
  const double sign = (bits >> 15 & 1U) != 0 ? -1 : 1;
  if (exponent == (1 << exponent_bits) - 1) {
    return mantissa != 0 ? NAN : sign * INFINITY;
  }
  return exponent == 0
             ? sign * std::ldexp(mantissa, 1 - bias - mantissa_bits)
             : sign * std::ldexp(mantissa + (1U << mantissa_bits), exponent - bias - mantissa_bits);
}

template <class T>
struct Traits;
template <>
struct Traits<__half> {
  static constexpr int exponent_bits = 5;
  static constexpr int mantissa_bits = 10;
};
template <>
struct Traits<__nv_bfloat16> {
  static constexpr int exponent_bits = 8;
  static constexpr int mantissa_bits = 7;
};

template <class T>
class SmallFloat : public ::testing::Test {
 public:
  static constexpr unsigned infinity = ((1U << Traits<T>::exponent_bits) - 1)
                                       << Traits<T>::mantissa_bits;
  static T from_bits(unsigned bits) {
    T value;
    value.__x = static_cast<unsigned short>(bits);
    return value;
  }
  static double value(unsigned bits) {
    return value_of(bits, Traits<T>::exponent_bits, Traits<T>::mantissa_bits);
  }
  /// Rounds to nearest, ties to even, by looking for the neighbours of x among the encodings.
  static unsigned nearest(long double x) {
    if (std::isnan(x)) {
      return 0x7FFFU;
    }
    const unsigned sign = std::signbit(x) ? 0x8000U : 0;
    const long double magnitude = std::fabs(x);
    unsigned low = 0;
    unsigned high = infinity;
    while (high - low > 1) {
      const unsigned middle = (low + high) / 2;
      (value(middle) <= magnitude ? low : high) = middle;
    }
    // Infinity rounds as the next power of two would.
    const long double above =
        high == infinity ? value(low) + (value(low) - value(low - 1)) : value(high);
    const long double down = magnitude - value(low);
    const long double up = above - magnitude;
    const bool take_high = down > up || (down == up && (high & 1U) == 0);
    return sign | (take_high ? high : low);
  }
  static bool is_midpoint(long double x) {
    const unsigned bits = nearest(x) & 0x7FFFU;
    const auto middle = [&](unsigned other) { return (value(bits) + value(other)) / 2; };
    return bits != 0 && (std::fabs(x) == middle(bits - 1) || std::fabs(x) == middle(bits + 1));
  }
};
using Formats = ::testing::Types<__half, __nv_bfloat16>;
TYPED_TEST_SUITE(SmallFloat, Formats);

TYPED_TEST(SmallFloat, MeansWhatItsBitsSay) {
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    const double expected = this->value(bits);
    const float got = this->from_bits(bits);
    if (std::isnan(expected)) {
      ASSERT_TRUE(std::isnan(got)) << bits;
    } else {
      ASSERT_EQ(got, expected) << bits;
      ASSERT_EQ(std::signbit(got), std::signbit(expected)) << bits;
    }
  }
}

TYPED_TEST(SmallFloat, ComesBackFromFloat) {
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    const bool nan = (bits & 0x7FFFU) > this->infinity;
    ASSERT_EQ(TypeParam(float(this->from_bits(bits))).__x, nan ? 0x7FFFU : bits) << bits;
  }
}

TYPED_TEST(SmallFloat, RoundsMidpointsAndTheirNeighboursToNearestEven) {
  for (unsigned bits = 0; bits < this->infinity; ++bits) {
    const double low = this->value(bits);
    const double high =
        bits + 1 == this->infinity ? low + (low - this->value(bits - 1)) : this->value(bits + 1);
    const double middle = low + (high - low) / 2;
    for (double sign : {1.0, -1.0}) {
      const auto exact = static_cast<float>(sign * middle);
      ASSERT_EQ(exact, sign * middle);
      for (float x : {exact, std::nextafter(exact, 0.0F), std::nextafter(exact, exact * 4)}) {
        ASSERT_EQ(TypeParam(x).__x, this->nearest(x)) << x;
      }
      // A double beside the midpoint, which as a float would be the midpoint.
      for (double x :
           {std::nextafter(sign * middle, 0.0), std::nextafter(sign * middle, sign * 2 * high)}) {
        ASSERT_EQ(TypeParam(x).__x, this->nearest(x)) << x;
      }
    }
  }
}

TYPED_TEST(SmallFloat, RoundsLargeIntegersOnce) {
  const long long middle = (1LL << 60) + (1LL << (60 - Traits<TypeParam>::mantissa_bits - 1));
  if constexpr (std::is_same_v<TypeParam, __nv_bfloat16>) {
    EXPECT_EQ(float(TypeParam(middle)), std::ldexp(1.0F, 60));
    EXPECT_GT(float(TypeParam(middle + 1)), std::ldexp(1.0F, 60));
    EXPECT_EQ(float(TypeParam(middle - 1)), std::ldexp(1.0F, 60));
  } else {
    EXPECT_TRUE(std::isinf(float(TypeParam(middle))));
    EXPECT_EQ(float(TypeParam(2049)), 2048);
    EXPECT_EQ(float(TypeParam(2051)), 2052);
    EXPECT_EQ(float(TypeParam(-65504LL)), -65504);
  }
}

template <class T>
std::vector<unsigned> interesting_bits() {
  std::vector<unsigned> result;
  std::mt19937 random(3);
  for (unsigned bits : {0U, 1U, 2U, 3U, 0x7FU, 0x80U, 0x3FFU, 0x400U, 0x401U, 0x3C00U, 0x3F80U,
                        0x3F81U, 0x3BFFU, 0x7BFFU, 0x7F7FU, SmallFloat<T>::infinity}) {
    result.push_back(bits);
    result.push_back(bits | 0x8000U);
  }
  while (result.size() < 250) {
    result.push_back(random() & 0xFFFFU);
  }
  return result;
}

TYPED_TEST(SmallFloat, ArithmeticIsCorrectlyRounded) {
  const auto all = interesting_bits<TypeParam>();
  const auto check = [&](TypeParam got, long double exact) {
    if (std::isnan(exact)) {
      return std::isnan(float(got));
    }
    return got.__x == this->nearest(exact) || (exact == 0 && float(got) == 0 /* of either sign */);
  };
  for (unsigned a : all) {
    for (unsigned b : all) {
      const TypeParam x = this->from_bits(a);
      const TypeParam y = this->from_bits(b);
      const long double va = this->value(a);
      const long double vb = this->value(b);
      ASSERT_TRUE(check(x + y, va + vb)) << a << " + " << b;
      ASSERT_TRUE(check(x - y, va - vb)) << a << " - " << b;
      ASSERT_TRUE(check(x * y, va * vb)) << a << " * " << b;
      // The quotient of two such numbers is no midpoint unless it is exact in long double.
      ASSERT_TRUE(check(x / y, va / vb)) << a << " / " << b;
    }
    if (!std::isnan(this->value(a)) && this->value(a) >= 0) {
      ASSERT_TRUE(
          check(hsqrt(this->from_bits(a)), std::sqrt(static_cast<long double>(this->value(a)))));
    }
  }
}

TYPED_TEST(SmallFloat, FusedMultiplyAddRoundsOnce) {
  std::mt19937 random(5);
  int hard = 0;
  for (int i = 0; i < 100000; ++i) {
    const unsigned a = random() & 0xFFFFU;
    const unsigned b = random() & 0xFFFFU;
    const double product = this->value(a) * this->value(b);  // exact
    // A c whose sum with the product is near a midpoint, or any.
    unsigned c = random() & 0xFFFFU;
    if (i % 2 == 0 && std::isfinite(product)) {
      c = this->nearest(static_cast<long double>(product) * 1024);
    }
    const double addend = this->value(c);
    const TypeParam got = __hfma(this->from_bits(a), this->from_bits(b), this->from_bits(c));
    const double sum = product + addend;
    if (std::isnan(sum)) {
      ASSERT_TRUE(std::isnan(float(got)));
      continue;
    }
    // The part of the sum that a long double has no room for (Dekker). Volatile: not to be
    // reordered.
    const volatile long double sum_of_both = static_cast<long double>(product) + addend;
    const long double upper = sum_of_both;
    const bool product_leads = std::fabs(product) >= std::fabs(addend);
    const volatile long double of_the_smaller = upper - (product_leads ? product : addend);
    const long double rest =
        std::isinf(upper) ? 0 : (product_leads ? addend : product) - of_the_smaller;
    hard += rest != 0 ? 1 : 0;
    // On a midpoint of the format the rest decides; elsewhere it is too small to matter.
    unsigned wanted = this->nearest(upper);
    if (rest != 0 && this->is_midpoint(upper)) {
      wanted = this->nearest(
          std::nextafter(upper, static_cast<long double>(rest > 0 ? INFINITY : -INFINITY)));
    }
    ASSERT_TRUE(got.__x == wanted || (sum == 0 && float(got) == 0))
        << std::hex << a << " * " << b << " + " << c << " gave " << got.__x << ", not " << wanted;
  }
  if (std::is_same_v<TypeParam, __nv_bfloat16>) {
    EXPECT_GT(hard, 0);
  }
}

TEST(Half, RoundsInTheDirectionAskedFor) {
  const float third = 1.0F / 3;
  EXPECT_LT(float(__float2half_rd(third)), third);
  EXPECT_GT(float(__float2half_ru(third)), third);
  EXPECT_EQ(__float2half_rz(third).__x, __float2half_rd(third).__x);
  EXPECT_EQ(__float2half_rz(-third).__x, __float2half_ru(-third).__x);
  EXPECT_EQ(__float2half_ru(third).__x, __float2half_rd(third).__x + 1);
  EXPECT_EQ(__float2half_ru(1e-9F).__x, 1);
  EXPECT_EQ(__float2half_rd(-1e-9F).__x, 0x8001);
  EXPECT_EQ(__float2half_rz(1e9F).__x, 0x7BFF);
  EXPECT_EQ(__float2half_ru(0.5F).__x, __half(0.5F).__x);
}

TEST(Half, IntegersSaturate) {
  EXPECT_EQ(__half2int_rn(__half(2.5F)), 2);
  EXPECT_EQ(__half2int_rn(__half(3.5F)), 4);
  EXPECT_EQ(__half2int_rz(__half(-3.7F)), -3);
  EXPECT_EQ(__half2int_rd(__half(-3.2F)), -4);
  EXPECT_EQ(__half2int_ru(__half(3.2F)), 4);
  EXPECT_EQ(__half2short_rn(__half(65504.0F)), 32767);
  EXPECT_EQ(__half2uint_rn(__half(-1.0F)), 0U);
  EXPECT_EQ(__half2int_rn(__half(INFINITY)), INT_MAX);
  EXPECT_EQ(__half2int_rn(__half(NAN)), 0);
}

TEST(Half, ComparesAndPicksAsCudaDoesWithNaN) {
  const __half nan = NAN;
  const __half one = 1;
  const __half two = 2;
  EXPECT_TRUE(__hlt(one, two) && __hle(one, one) && __hne(one, two) && !__hne(nan, one));
  EXPECT_TRUE(__hltu(nan, one) && !__hlt(nan, one) && __hequ(nan, one) && __hneu(nan, nan));
  EXPECT_EQ(float(__hmax(nan, one)), 1);
  EXPECT_TRUE(__hisnan(__hmax_nan(nan, one)));
  EXPECT_EQ(float(__hfma_relu(one, -two, one)), 0);
  EXPECT_EQ(float(__hadd_sat(one, two)), 1);
  EXPECT_TRUE(one < two && one <= two && two > one && one != two && -one < one);
}

TEST(Half, PairsWorkOnBothParts) {
  const __half2 a = __floats2half2_rn(1.5F, -2.0F);
  const __half2 b = make_half2(__half(4.0F), __half(0.5F));
  const float2 sum = __half22float2(__hfma2(a, b, __float2half2_rn(1.0F)));
  EXPECT_EQ(sum.x, 7);
  EXPECT_EQ(sum.y, 0);
  EXPECT_EQ(__low2float(h2sqrt(b)), 2);
  EXPECT_EQ(float(__high2half(__lowhigh2highlow(a))), 1.5F);
  EXPECT_EQ(__hgt2_mask(b, a), 0xFFFFFFFFU);
  EXPECT_TRUE(__hbge2(b, a));
  EXPECT_FALSE(a == b);
  static_assert(sizeof(__half2) == 4 && alignof(__half2) == 4 && sizeof(__nv_bfloat162) == 4);
}

TEST(Half, TravelsThroughShufflesAndAtomics) {
  __half sum = 0;
  __half2 pair = __float2half2_rn(0);
  expect_runs({1, 32}, [&] {
    const __half mine = static_cast<float>(threadIdx.x);
    EXPECT_EQ(float(__shfl_xor_sync(0xFFFFFFFFU, mine, 1)), static_cast<float>(threadIdx.x ^ 1U));
    EXPECT_EQ(__high2float(__shfl_sync(0xFFFFFFFFU, __halves2half2(mine, -mine), 3)), -3);
    atomicAdd(&sum, mine);
    atomicAdd(&pair, __half2half2(mine));
  });
  EXPECT_EQ(float(sum), 496);
  EXPECT_EQ(__low2float(pair), 496);
}

}  // namespace
}  // namespace rooftune_host
