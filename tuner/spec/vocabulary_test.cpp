#include <gtest/gtest.h>

#include "tuner/spec/spec.hpp"

namespace rooftune {
namespace {

TEST(Vocabulary, EveryWordReadsBack) {
  for (int i = 0; i <= static_cast<int>(Role::other); ++i) {
    EXPECT_EQ(role_from(to_string(static_cast<Role>(i))), static_cast<Role>(i));
  }
  for (int i = 0; i <= static_cast<int>(Level::shared); ++i) {
    EXPECT_EQ(level_from(to_string(static_cast<Level>(i))), static_cast<Level>(i));
  }
  EXPECT_EQ(to_string(Access::inout), "inout");
  EXPECT_EQ(role_from("tiles"), std::nullopt);
}

TEST(Vocabulary, AComputeUnitIsAPrecisionAndPerhapsTensor) {
  for (int i = 0; i <= static_cast<int>(Precision::int8); ++i) {
    for (const bool tensor : {false, true}) {
      const ComputeUnit unit{static_cast<Precision>(i), tensor};
      EXPECT_EQ(compute_unit_from(to_string(unit)), unit);
    }
  }
  EXPECT_EQ(to_string(ComputeUnit{Precision::fp16, true}), "fp16.tensor");
  EXPECT_EQ(compute_unit_from("tensor"), std::nullopt);
  EXPECT_EQ(compute_unit_from("fp16.tensors"), std::nullopt);
}

}  // namespace
}  // namespace rooftune
