#include "tuner/device/fill.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "tuner/core/error.hpp"
#include "tuner/device/small_floats.hpp"

namespace rooftune {
namespace {

using Kind = ElementType::Kind;

const ElementType float_type{"float", 4, Kind::real};
const ElementType half_type{"half", 2, Kind::half};
const ElementType int_type{"int", 4, Kind::signed_integer};
const ElementType byte_type{"unsigned char", 1, Kind::unsigned_integer};

template <class T>
std::vector<T> filled(const ElementType& type, Fill fill, std::size_t count, std::uint64_t seed = 1,
                      std::size_t position = 0, std::uint64_t first = 0) {
  Argument argument;
  argument.type = type;
  argument.fill = fill;
  std::vector<T> data(count);
  fill_elements(argument, position, seed, first, std::as_writable_bytes(std::span(data)));
  return data;
}

TEST(Fill, UniformStaysInItsRangeAndCoversIt) {
  const auto data = filled<float>(float_type, {Fill::Kind::uniform, -2, 3}, 20000);
  double sum = 0;
  float low = data[0];
  float high = data[0];
  for (const float value : data) {
    sum += value;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  EXPECT_GE(low, -2.0F);
  EXPECT_LT(low, -1.9F);
  EXPECT_LE(high, 3.0F);
  EXPECT_GT(high, 2.9F);
  EXPECT_NEAR(sum / 20000, 0.5, 0.05);  // 5 standard errors
}

TEST(Fill, DependsOnSeedPositionAndIndexAlone) {
  const Fill fill{Fill::Kind::uniform, 0, 1};
  const auto data = filled<float>(float_type, fill, 100);
  EXPECT_EQ(filled<float>(float_type, fill, 100), data);
  EXPECT_NE(filled<float>(float_type, fill, 100, 2), data);
  EXPECT_NE(filled<float>(float_type, fill, 100, 1, 1), data);
  const auto tail = filled<float>(float_type, fill, 40, 1, 0, 60);
  EXPECT_EQ(std::vector<float>(data.begin() + 60, data.end()), tail);
}

TEST(Fill, UniformIntegerIncludesBothBounds) {
  std::vector<int> seen(3);
  for (const int value : filled<int>(int_type, {Fill::Kind::uniform_integer, -1, 1}, 1000)) {
    ASSERT_GE(value, -1);
    ASSERT_LE(value, 1);
    ++seen[static_cast<std::size_t>(value + 1)];
  }
  for (const int count : seen) {
    EXPECT_GT(count, 200);
  }
}

TEST(Fill, WritesEveryKindAndType) {
  EXPECT_EQ(filled<float>(float_type, {Fill::Kind::zero, 5, 5}, 2), (std::vector<float>{0, 0}));
  EXPECT_EQ(filled<float>(float_type, {Fill::Kind::constant, 2.5, 0}, 2),
            (std::vector<float>{2.5, 2.5}));
  EXPECT_EQ(filled<std::uint16_t>(half_type, {Fill::Kind::constant, 2, 0}, 1),
            (std::vector<std::uint16_t>{half_from(2.0F)}));
  EXPECT_EQ(filled<std::uint8_t>(byte_type, {Fill::Kind::iota, 0, 0}, 3, 1, 0, 7),
            (std::vector<std::uint8_t>{7, 8, 9}));
}

Argument scalar(const ElementType& type, Value value) {
  Argument argument;
  argument.name = "x";
  argument.type = type;
  argument.value = std::move(value);
  return argument;
}

TEST(Fill, ScalarsTakeTheirType) {
  float real = 0;
  std::memcpy(&real, scalar_bytes(scalar(float_type, 3)).data(), 4);
  EXPECT_EQ(real, 3.0F);
  std::int32_t integer = 0;
  std::memcpy(&integer, scalar_bytes(scalar(int_type, -7)).data(), 4);
  EXPECT_EQ(integer, -7);
}

TEST(Fill, ScalarsThatDoNotFitAreRefused) {
  EXPECT_NO_THROW(scalar_bytes(scalar(byte_type, 255)));
  EXPECT_THROW(scalar_bytes(scalar(byte_type, 256)), ValueError);
  EXPECT_THROW(scalar_bytes(scalar(byte_type, -1)), ValueError);
  EXPECT_NO_THROW(scalar_bytes(scalar(int_type, -2147483648LL)));
  EXPECT_THROW(scalar_bytes(scalar(int_type, 2147483648LL)), ValueError);
  EXPECT_THROW(scalar_bytes(scalar(int_type, 2.5)), ValueError);
}

TEST(ErrorLimits, FollowTheSpecWhereItSays) {
  KernelInstance instance;
  instance.tolerance.absolute = 0.25;
  const Argument output = scalar(float_type, 0);
  EXPECT_EQ(error_limits(instance, output).absolute, 0.25);
  EXPECT_EQ(error_limits(instance, output).relative, 0.0);
}

TEST(ErrorLimits, GrowWithTheSquareRootOfTheSumsLength) {
  KernelInstance instance;
  Argument output = scalar(float_type, 0);
  output.count = 100;
  EXPECT_DOUBLE_EQ(error_limits(instance, output).relative, 8 * 0x1p-23 * 4);
  instance.work.flops[{Precision::fp32, false}] = 2.0 * 100 * 1024;
  EXPECT_DOUBLE_EQ(error_limits(instance, output).relative, 8 * 0x1p-23 * 32);
  instance.work.flops = {{{Precision::fp16, false}, 2.0 * 100 * 1024}};
  EXPECT_DOUBLE_EQ(error_limits(instance, output).relative, 8 * 0x1p-10 * 32);
  EXPECT_EQ(error_limits(instance, scalar(int_type, 0)).relative, 0.0);
}

}  // namespace
}  // namespace rooftune
