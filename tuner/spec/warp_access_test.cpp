#include "tuner/spec/warp_access.hpp"

#include <gtest/gtest.h>

#include "tuner/core/error.hpp"
#include "tuner/spec/expression.hpp"

namespace rooftune {
namespace {

TEST(Wavefronts, AreOnePassWithoutConflicts) {
  EXPECT_EQ(wavefronts({32, 1, 0, 1}), 1);   // consecutive words
  EXPECT_EQ(wavefronts({32, 0, 0, 1}), 1);   // one word for all
  EXPECT_EQ(wavefronts({32, 33, 0, 1}), 1);  // an odd stride
  EXPECT_EQ(wavefronts({16, 1, 16, 1}), 1);  // two half rows side by side
  EXPECT_EQ(wavefronts({16, 1, 48, 1}), 1);  // rows half the banks apart
}

TEST(Wavefronts, CountTheFullestBank) {
  EXPECT_EQ(wavefronts({32, 2, 0, 1}), 2);
  EXPECT_EQ(wavefronts({32, 32, 0, 1}), 32);  // a column of an unpadded tile
  EXPECT_EQ(wavefronts({16, 1, 32, 1}), 2);   // two rows in the same banks
  EXPECT_EQ(wavefronts({8, 1, 32, 1}), 4);
}

TEST(Wavefronts, WideAccessesTakeAPassForEach128Bytes) {
  EXPECT_EQ(wavefronts({32, 4, 0, 4}), 4);  // float4, coalesced: 512 bytes
  EXPECT_EQ(wavefronts({8, 4, 0, 4}), 1);   // eight float4, the rows share them
  EXPECT_EQ(wavefronts({8, 8, 0, 4}), 2);
}

TEST(Lines, DependOnAlignment) {
  // 32 words touch one line when aligned, else two.
  EXPECT_DOUBLE_EQ(lines({32, 1, 0, 1}), 1 + 31.0 / 32);
  EXPECT_DOUBLE_EQ(lines({32, 0, 0, 1}), 1);
  EXPECT_DOUBLE_EQ(lines({32, 32, 0, 1}), 32);
  EXPECT_DOUBLE_EQ(lines({1, 1, 1000, 1}), 32);
  EXPECT_DOUBLE_EQ(lines({16, 1, 4096, 1}), 2 * (1 + 15.0 / 32));
}

TEST(WarpFunctions, AreInTheLanguage) {
  const auto value = [](const char* text) { return Expression::parse(text).evaluate(Scope()); };
  EXPECT_EQ(value("wavefronts(16, 1, 32, 1) + 1"), Value(3));
  EXPECT_EQ(value("lines(32, 0, 0, 1)"), Value(1.0));
  for (const char* wrong : {"wavefronts(0, 1, 32, 1)", "lines(32, -1, 0, 1)",
                            "wavefronts(32, 1.5, 0, 1)", "lines(32, 1, 0, 8)"}) {
    EXPECT_THROW(value(wrong), ValueError) << wrong;
  }
  EXPECT_THROW(Expression::parse("lines(BX, 0, 0, 1)").to_cpp(), ValueError);
}

}  // namespace
}  // namespace rooftune
