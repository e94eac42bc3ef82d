// Results as a prior: what is taken, and what is refused by name.
#include "tuner/session/prior.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tuner/core/error.hpp"
#include "tuner/session/temporary_folder.hpp"

namespace rooftune {
namespace {

using ::testing::HasSubstr;
using testing::TemporaryFolder;

/// A Kernel Tuner cache of two configurations; `more` stands in both.
std::string cache(const std::string& names, const std::string& more) {
  return R"({"device_name": "NVIDIA RTX A4000", "kernel_name": "k", "problem_size": 1,
    "tune_params_keys": [)" +
         names + R"(], "cache": {
    "1": {"tile": 1, )" +
         more + R"( "time": 2.0}, "2": {"tile": 2, )" + more + R"( "time": 1.0}}})";
}

std::shared_ptr<const Prior> load(const std::string& parameters, const std::string& text) {
  const TemporaryFolder folder;
  const Spec spec = parse_spec("parameters: {" + parameters + "}\n", "made.yaml");
  return load_prior(folder.write("k-A4000.json", text), spec, Space(spec));
}

std::string refusal(const std::string& parameters, const std::string& text) {
  try {
    load(parameters, text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "taken";
}

TEST(LoadPrior, TakesWhatThisSpaceHas) {
  const auto prior = load("tile: {values: [2, 4]}", cache("\"tile\"", ""));
  EXPECT_EQ(prior->name, "NVIDIA RTX A4000");
  ASSERT_EQ(prior->points.size(), 1U);
  EXPECT_DOUBLE_EQ(*prior->points[0].seconds, 1e-3);
}

TEST(LoadPrior, AParameterWithOneValueMayBeAnotherSize) {
  const auto prior =
      load("tile: {values: [1, 2]}, n: {values: [512]}", cache("\"tile\", \"n\"", "\"n\": 4096,"));
  EXPECT_EQ(prior->points.size(), 2U);
}

TEST(LoadPrior, NamesParametersThatDiffer) {
  EXPECT_THAT(refusal("tile: {values: [1, 2]}, unroll: {values: [1, 2]}", cache("\"tile\"", "")),
              HasSubstr("does not have the spec's parameter \"unroll\""));
  EXPECT_THAT(refusal("rows: {values: [1, 2]}, n: {values: [1]}", cache("\"tile\"", "")),
              HasSubstr("does not have the spec's parameter \"rows\""));
  EXPECT_THAT(refusal("n: {values: [1]}", cache("\"tile\"", "")),
              HasSubstr("has a parameter \"tile\" that the spec does not have"));
}

TEST(LoadPrior, RefusesOneWithoutAConfigurationOfThisSpace) {
  EXPECT_THAT(refusal("tile: {values: [16, 32]}", cache("\"tile\"", "")),
              HasSubstr("has no configuration of this space that succeeded"));
}

}  // namespace
}  // namespace rooftune
