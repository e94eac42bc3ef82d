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

TEST(Suggest, ListsTheKnownWhereNothingIsNear) {
  EXPECT_EQ(suggest("zzzzzz", {"tile", "block"}), "known: tile, block");
  EXPECT_EQ(suggest("titel", {"tile", "block"}), "did you mean \"tile\"?");
}

}  // namespace
}  // namespace rooftune
