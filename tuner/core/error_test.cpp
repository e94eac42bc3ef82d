#include "tuner/core/error.hpp"

#include <gtest/gtest.h>

namespace rooftune {
namespace {

TEST(InputError, ShowsPlaceLineCaretAndHint) {
  SourceSpot spot{"sgemm.yaml", 12, 11, 4, "  BM: {v, roel: tile}"};
  const InputError error(spot, "unknown key \"roel\"", suggest("roel", {"values", "role"}));
  EXPECT_STREQ(error.what(),
               "sgemm.yaml:12:11: unknown key \"roel\"\n"
               "   12 |   BM: {v, roel: tile}\n"
               "      |           ^~~~\n"
               "  did you mean \"role\"?");
}

TEST(InputError, WithoutAPlaceIsTheProblemAlone) {
  EXPECT_STREQ(InputError("no such device", "known: host").what(), "no such device\n  known: host");
}

TEST(InputError, TheCaretStandsUnderCharactersNotBytes) {
  // "ü" is two bytes: columns count bytes.
  SourceSpot spot{"a.yaml", 1, 7, 5, "# \xc3\xbc: x\xc3\xbcyz"};
  EXPECT_STREQ(InputError(spot, "wrong").what(),
               "a.yaml:1:7: wrong\n"
               "    1 | # \xc3\xbc: x\xc3\xbcyz\n"
               "      |      ^~~~");
}

TEST(Suggest, ASingleLetterIsNoSlipOfAnother) {
  EXPECT_EQ(suggest("m", {"T", "n"}), "known: T, n");
  EXPECT_EQ(suggest("N", {"T", "n"}), "did you mean \"n\"?");
  EXPECT_EQ(suggest("FLOAT", {"double", "float"}), "did you mean \"float\"?");
}

TEST(Suggest, ListsTheKnownWhereNothingIsNear) {
  EXPECT_EQ(suggest("zzzzzz", {"tile", "block"}), "known: tile, block");
  EXPECT_EQ(suggest("titel", {"tile", "block"}), "did you mean \"tile\"?");
}

}  // namespace
}  // namespace rooftune
