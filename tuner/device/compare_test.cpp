#include "tuner/device/compare.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "tuner/device/small_floats.hpp"

namespace rooftune {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

Comparison compare_floats(const std::vector<float>& got, const std::vector<float>& expected,
                          ErrorLimits limits) {
  return compare(ElementFormat::f32, got.data(), expected.data(), got.size(), limits);
}

float poison() {
  float value = 0;
  const std::uint16_t pattern[2] = {poison_pattern, poison_pattern};
  std::memcpy(&value, pattern, sizeof value);
  return value;
}

TEST(Compare, CountsElementsBeyondTheLimits) {
  const Comparison result = compare_floats({1, 2.5, 3, 5}, {1, 2, 3, 4}, {0, 0.5});
  EXPECT_EQ(result.wrong, 1U);
  EXPECT_EQ(result.first_wrong, 3U);
  EXPECT_EQ(result.max_error, 1.0);
  EXPECT_EQ(result.max_error_at, 3U);
}

TEST(Compare, RelativeErrorsOfSumsThatCancelCountAgainstTheMedian) {
  // The third element nearly cancels: its error is small beside the others' magnitude of 100.
  const std::vector<float> expected = {100, -100, 0.001F, 100, 90};
  EXPECT_EQ(compare_floats({100, -100, 0.002F, 100, 90}, expected, {1e-4, 0}).wrong, 0U);
  EXPECT_EQ(compare_floats({100, -100, 0.1F, 100, 90}, expected, {1e-4, 0}).wrong, 1U);
}

TEST(Compare, NotANumberIsWrongAnywhere) {
  EXPECT_EQ(compare_floats({NAN}, {1}, {1e9, 1e9}).wrong, 1U);
  EXPECT_EQ(compare_floats({NAN}, {NAN}, {1e9, 1e9}).wrong, 1U);
  EXPECT_EQ(compare_floats({1}, {NAN}, {1e9, 1e9}).wrong, 1U);
}

TEST(Compare, InfinityEqualsItselfAlone) {
  EXPECT_EQ(compare_floats({infinity}, {infinity}, {1e-4, 0}).wrong, 0U);
  EXPECT_EQ(compare_floats({-infinity}, {infinity}, {1e9, 1e9}).wrong, 1U);
  EXPECT_EQ(compare_floats({infinity}, {1}, {1e9, 1e9}).wrong, 1U);
  EXPECT_EQ(compare_floats({1}, {infinity}, {1e9, 1e9}).wrong, 1U);
}

TEST(Compare, WhatIsExpectedToStayUnwrittenMust) {
  EXPECT_EQ(compare_floats({poison(), 1}, {poison(), 1}, {1e-4, 0}).wrong, 0U);
  EXPECT_EQ(compare_floats({0, 1}, {poison(), 1}, {1e9, 1e9}).wrong, 1U);
  EXPECT_EQ(compare_floats({poison(), 1}, {0, 1}, {1e9, 1e9}).wrong, 1U);
}

TEST(Compare, IntegersMustBeEqual) {
  const std::vector<std::int32_t> expected = {1, 2, 3};
  const std::vector<std::int32_t> got = {1, 2, 4};
  EXPECT_EQ(compare(ElementFormat::i32, got.data(), expected.data(), 3, {1, 10}).wrong, 1U);
}

TEST(Compare, ReadsSixteenBitTypes) {
  const std::vector<std::uint16_t> expected = {half_from(1.0F), half_from(2.0F)};
  const std::vector<std::uint16_t> got = {half_from(1.0F), half_from(2.5F)};
  const Comparison result = compare(ElementFormat::f16, got.data(), expected.data(), 2, {0.01, 0});
  EXPECT_EQ(result.wrong, 1U);
  EXPECT_EQ(result.max_error, 0.25);
}

TEST(Compare, CensusTellsUnwrittenFromNan) {
  const std::vector<float> data = {1, poison(), NAN, poison()};
  const Census census = take_census(ElementFormat::f32, data.data(), data.size());
  EXPECT_EQ(census.unwritten, 2U);
  EXPECT_EQ(census.nan, 1U);
  EXPECT_EQ(census.first_nan, 2U);
}

TEST(Compare, ShowsElements) {
  const float real = 1.5F;
  const std::int8_t integer = -3;
  const float unwritten = poison();
  EXPECT_EQ(element_text(ElementFormat::f32, &real, 0), "1.5");
  EXPECT_EQ(element_text(ElementFormat::i8, &integer, 0), "-3");
  EXPECT_EQ(element_text(ElementFormat::f32, &unwritten, 0), "unwritten");
}

TEST(Compare, FormatsHaveNames) {
  for (int i = 0; i <= static_cast<int>(ElementFormat::u64); ++i) {
    ElementFormat format{};
    ASSERT_TRUE(element_format_from(to_string(static_cast<ElementFormat>(i)), format));
    EXPECT_EQ(static_cast<int>(format), i);
  }
  ElementFormat format{};
  EXPECT_FALSE(element_format_from("f128", format));
}

TEST(SmallFloats, EveryHalfSurvivesTheRoundTrip) {
  for (std::uint32_t bits = 0; bits < 0x10000U; ++bits) {
    const float value = half_to_float(static_cast<std::uint16_t>(bits));
    if (!std::isnan(value)) {
      EXPECT_EQ(half_from(value), bits);
    }
  }
}

TEST(SmallFloats, RoundsToNearestEven) {
  EXPECT_EQ(half_from(65519.0F), 0x7bffU);         // the largest half
  EXPECT_EQ(half_from(65520.0F), 0x7c00U);         // half way to the next: infinity
  EXPECT_EQ(half_from(1.0F + 0x1p-11F), 0x3c00U);  // half way, the lower is even
  EXPECT_EQ(half_from(1.0F + 0x3p-11F), 0x3c02U);  // half way, the upper is even
  EXPECT_EQ(half_from(0x1p-25F), 0x0000U);         // half the smallest
  EXPECT_EQ(half_from(0x1.1p-25F), 0x0001U);
  EXPECT_EQ(half_from(-0x1.ffcp-15F), 0x8400U);  // rounds up to the smallest normal
  EXPECT_TRUE(std::isnan(half_to_float(half_from(NAN))));
  EXPECT_EQ(bfloat16_from(1.0F + 0x1p-8F), 0x3f80U);
  EXPECT_EQ(bfloat16_from(1.0F + 0x3p-8F), 0x3f82U);
  EXPECT_TRUE(std::isnan(bfloat16_to_float(bfloat16_from(NAN))));
  EXPECT_EQ(bfloat16_to_float(bfloat16_from(-infinity)), -infinity);
}

}  // namespace
}  // namespace rooftune
