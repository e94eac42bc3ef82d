// FP8 against its definition: every encoding, and every midpoint between two.

#include <cmath>

#include "run_kernel.hpp"
// After the tests' own headers, as a kernel has none.
#include <cuda_fp8.h>

namespace rooftune_host {
namespace {

struct E4m3 {
  using Type = __nv_fp8_e4m3;
  static constexpr int exponent_bits = 4;
  static constexpr int largest = 0x7E;
  static constexpr double largest_value = 448;
  static constexpr auto kind = __NV_E4M3;
};
struct E5m2 {
  using Type = __nv_fp8_e5m2;
  static constexpr int exponent_bits = 5;
  static constexpr int largest = 0x7B;
  static constexpr double largest_value = 57344;
  static constexpr auto kind = __NV_E5M2;
};

template <class Format>
class Fp8 : public ::testing::Test {
 public:
  static double value(int bits) {
    const int mantissa_bits = 7 - Format::exponent_bits;
    const int bias = (1 << (Format::exponent_bits - 1)) - 1;
    const int mantissa = bits % (1 << mantissa_bits);
    const int exponent = bits >> mantissa_bits;
    return exponent == 0
               ? std::ldexp(mantissa, 1 - bias - mantissa_bits)
               : std::ldexp(mantissa + (1 << mantissa_bits), exponent - bias - mantissa_bits);
  }
  static unsigned char encode(double x) { return typename Format::Type(x).__x; }
};
using Fp8Formats = ::testing::Types<E4m3, E5m2>;
TYPED_TEST_SUITE(Fp8, Fp8Formats);

TYPED_TEST(Fp8, EncodingsMeanWhatTheirBitsSay) {
  EXPECT_EQ(this->value(TypeParam::largest), TypeParam::largest_value);
  for (int bits = 0; bits <= TypeParam::largest; ++bits) {
    typename TypeParam::Type x;
    x.__x = static_cast<unsigned char>(bits);
    EXPECT_EQ(float(x), this->value(bits));
    EXPECT_EQ(this->encode(this->value(bits)), bits);
    if (bits != 0) {  // a negative zero is its own test: fast mathematics may lose it
      EXPECT_EQ(this->encode(-this->value(bits)), bits | 0x80);
    }
    EXPECT_EQ(float(__half(__nv_cvt_fp8_to_halfraw(x.__x, TypeParam::kind))), this->value(bits));
  }
}

TYPED_TEST(Fp8, RoundsToNearestEven) {
  for (int bits = 0; bits < TypeParam::largest; ++bits) {
    const double middle = (this->value(bits) + this->value(bits + 1)) / 2;
    EXPECT_EQ(this->encode(middle), bits + bits % 2) << middle;
    EXPECT_EQ(this->encode(std::nextafter(middle, 0.0)), bits);
    EXPECT_EQ(this->encode(std::nextafter(middle, 1e9)), bits + 1);
  }
}

TYPED_TEST(Fp8, SaturatesWhereAskedTo) {
  EXPECT_EQ(this->encode(1e9), TypeParam::largest);
  EXPECT_EQ(this->encode(-INFINITY), 0x80 | TypeParam::largest);
  const int beyond = TypeParam::exponent_bits == 5 ? 0x7C : 0x7F;
  EXPECT_EQ(__nv_cvt_float_to_fp8(1e9F, __NV_NOSAT, TypeParam::kind), beyond);
  EXPECT_EQ(this->encode(NAN) & 0x7F, 0x7F);
  typename TypeParam::Type nan{NAN};
  EXPECT_TRUE(std::isnan(float(nan)));
}

TEST(Fp8Packed, KeepsTheOrder) {
  const auto four = float4(__nv_fp8x4_e4m3(make_float4(1, -2, 0.5F, 3)));
  EXPECT_EQ(four.x, 1);
  EXPECT_EQ(four.y, -2);
  EXPECT_EQ(four.z, 0.5F);
  EXPECT_EQ(four.w, 3);
  const auto two = float2(__nv_fp8x2_e5m2(make_float2(4, -8)));
  EXPECT_EQ(two.x, 4);
  EXPECT_EQ(two.y, -8);
}

}  // namespace
}  // namespace rooftune_host
