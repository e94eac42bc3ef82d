#include "tuner/core/value.hpp"

#include <gtest/gtest.h>

#include "tuner/core/error.hpp"

namespace rooftune {
namespace {

TEST(Value, KeepsItsKindAndPrintsIt) {
  EXPECT_EQ(Value(64).to_string(), "64");
  EXPECT_EQ(Value(2.0).to_string(), "2.0");
  EXPECT_EQ(Value(0.1).to_string(), "0.1");
  EXPECT_EQ(Value(1e30).to_string(), "1e+30");
  EXPECT_EQ(Value(true).to_string(), "true");
  EXPECT_EQ(Value("float").to_string(), "float");
  EXPECT_EQ(Value(-3).to_cpp(), "(-3)");
}

TEST(Value, NumbersCompareByValueTextOnlyWithText) {
  EXPECT_EQ(Value(1), Value(1.0));
  EXPECT_EQ(Value(1), Value(true));
  EXPECT_NE(Value(1), Value("1"));
  // As doubles these two would be equal.
  EXPECT_NE(Value(9007199254740993), Value(9007199254740992));
}

TEST(Value, RefusesTheWrongKind) {
  EXPECT_THROW(Value("x").as_real(), ValueError);
  EXPECT_THROW(Value(1.5).as_integer(), ValueError);
  EXPECT_THROW(Value(1).as_text(), ValueError);
}

TEST(NamedValues, FindSetPrint) {
  NamedValues values = {{"BM", 64}, {"T", "float"}};
  set_value(values, "BM", 128);
  set_value(values, "BN", 32);
  EXPECT_EQ(to_string(values), "BM=128 T=float BN=32");
  EXPECT_EQ(find_value(values, "K"), nullptr);
}

}  // namespace
}  // namespace rooftune
