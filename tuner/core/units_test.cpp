#include "tuner/core/units.hpp"

#include <gtest/gtest.h>

#include "tuner/core/error.hpp"
#include "tuner/core/hash.hpp"

namespace rooftune {
namespace {

TEST(Units, ThreeDigitsAndAUnit) {
  EXPECT_EQ(format_seconds(1.234e-3), "1.23 ms");
  EXPECT_EQ(format_seconds(0.99951e-3), "1.00 ms");
  EXPECT_EQ(format_seconds(0), "0.00 ps");
  EXPECT_EQ(format_bandwidth(1304e9), "1.30 TB/s");
  EXPECT_EQ(format_flops(3095e9), "3.10 TFLOP/s");
  EXPECT_EQ(format_bytes(49152), "48.0 KiB");
  EXPECT_EQ(format_bytes(512), "512 B");
  EXPECT_EQ(format_count(1152), "1,152");
  EXPECT_EQ(format_count(17), "17");
  EXPECT_EQ(format_percent(0.71), "71%");
  EXPECT_EQ(format_percent(0.025), "2.5%");
}

TEST(Units, ParsesTimes) {
  EXPECT_DOUBLE_EQ(parse_seconds("1.2ms"), 1.2e-3);
  EXPECT_DOUBLE_EQ(parse_seconds("45 us"), 45e-6);
  EXPECT_THROW(parse_seconds("45"), ValueError);
  EXPECT_THROW(parse_seconds("fast"), ValueError);
}

TEST(Hash, IsFnv1a) {
  EXPECT_EQ(hash_text(""), "cbf29ce484222325");
  EXPECT_EQ(hash_text("a"), "af63dc4c8601ec8c");
}

}  // namespace
}  // namespace rooftune
