// `rooftune space`, as it is typed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tuner/cli/test_command.hpp"
#include "tuner/spec/test_files.hpp"

namespace rooftune {
namespace {

using ::testing::HasSubstr;

using cli::CommandResult;

CommandResult space(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "space");
  return cli::run_command(arguments);
}

const std::string specs = ROOFTUNE_SOURCE_DIR "/configs/kernels/";

TEST(SpaceCommand, ShowsSizeParametersAndRules) {
  const TestFolder folder;
  const std::string spec = folder
                               .write("small.yaml",
                                      "constants: {n: 48}\n"
                                      "parameters:\n"
                                      "  BLOCK: {values: [16, 32, 64], role: block}\n"
                                      "  TILE: {values: [1, 2, 3, 4], role: tile}\n"
                                      "constraints: [BLOCK * TILE <= 64, n % BLOCK == 0]\n")
                               .string();
  const CommandResult ran = space({spec});
  EXPECT_EQ(ran.status, 0);
  EXPECT_EQ(ran.err, "");
  EXPECT_EQ(ran.out,
            "small: 4 of 12 configurations are valid\n"
            "\n"
            "  parameter  role   values\n"
            "  BLOCK      block  16 32 64\n"
            "  TILE       tile   1 2 3 4\n"
            "\n"
            "Each rule with what it removes first, in the order in which they apply:\n"
            "  removed  rule\n"
            "        8  n % BLOCK == 0\n"
            "        0  BLOCK * TILE <= 64\n");
}

TEST(SpaceCommand, AnEmptySpaceShowsItsRulesAndFails) {
  const CommandResult ran = space({ROOFTUNE_SOURCE_DIR "/tests/broken_specs/empty_space.yaml"});
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.out, HasSubstr("empty_space: 0 of 4 configurations are valid\n"));
  EXPECT_THAT(ran.out, HasSubstr("  removed  rule\n"
                                 "        4  n % BLOCK == 0\n"
                                 "        0  TILE > 4\n"));
}

TEST(SpaceCommand, SamplesAreValidAndFollowTheSeed) {
  const std::vector<std::string> arguments = {specs + "triad.yaml", "--sample", "5", "--json"};
  const CommandResult ran = space(arguments);
  EXPECT_EQ(ran.status, 0);
  const auto json = nlohmann::json::parse(ran.out);
  EXPECT_EQ(json.at("raw_size"), 150);
  EXPECT_EQ(json.at("space_size"), 125);
  ASSERT_EQ(json.at("samples").size(), 5U);
  for (const auto& sample : json.at("samples")) {
    EXPECT_LE(sample.at("ITEMS").get<int>() * sample.at("VECTOR").get<int>(), 32);
  }
  EXPECT_EQ(space(arguments).out, ran.out);
  std::vector<std::string> other = arguments;
  other.insert(other.end(), {"--seed", "2"});
  EXPECT_NE(space(other).out, ran.out);
}

TEST(SpaceCommand, SetFixesAParameter) {
  const CommandResult ran = space({specs + "triad.yaml", "--set", "BLOCK=96", "--set", "n=96"});
  EXPECT_EQ(ran.status, 0);
  EXPECT_THAT(ran.out, HasSubstr("triad: 25 of 30 configurations are valid"));
  EXPECT_THAT(ran.out, HasSubstr("BLOCK      block   96\n"));
}

TEST(SpaceCommand, CompileNeedsAnArchitecture) {
  EXPECT_EQ(space({specs + "triad.yaml", "--compile", "2"}).status, 2);
  const CommandResult unknown = space({specs + "triad.yaml", "--compile", "2", "--arch", "sm_1"});
  EXPECT_EQ(unknown.status, 1);
  EXPECT_THAT(unknown.err, HasSubstr("cannot compile for sm_1\n  it knows sm_"));
  const TestFolder folder;
  const std::string bare = folder.write("bare.yaml", "parameters: {a: {values: [1]}}\n").string();
  const CommandResult ran = space({bare, "--compile", "1", "--arch", "sm_90"});
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.err, HasSubstr("bare.yaml: no kernel to compile"));
}

class CompiledSpace : public ::testing::TestWithParam<const char*> {
 protected:
  CompiledSpace() { setenv("XDG_CACHE_HOME", folder_.path().c_str(), 1); }
  TestFolder folder_;
};

// One spec for architectures that are not here.
TEST_P(CompiledSpace, ShowsResourcesWithoutADevice) {
  const std::vector<std::string> arguments = {specs + "sgemm.yaml", "--arch", GetParam(),
                                              "--compile",          "2",      "--json"};
  const CommandResult ran = space(arguments);
  ASSERT_EQ(ran.status, 0) << ran.err;
  const auto json = nlohmann::json::parse(ran.out);
  EXPECT_EQ(json.at("architecture"), GetParam());
  ASSERT_EQ(json.at("compiled").size(), 2U);
  for (const auto& compiled : json.at("compiled")) {
    EXPECT_EQ(compiled.at("outcome"), "ok");
    EXPECT_GT(compiled.at("resources").at("registers"), 16);
    EXPECT_GT(compiled.at("resources").at("static_shared"), 0);
    EXPECT_GT(compiled.at("occupancy").at("fraction"), 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Architectures, CompiledSpace,
                         ::testing::Values("sm_80", "sm_90", "sm_120"),
                         [](const auto& info) { return std::string(info.param); });

TEST_F(CompiledSpace, CountsWhatCannotLaunchByReason) {
  folder_.write("k.cu", "__global__ void k(float* out) { out[threadIdx.x] = S; }\n");
  const std::string spec =
      folder_
          .write("k.yaml",
                 "kernel: {source: k.cu, name: k}\n"
                 "parameters: {B: {values: [64, 2048]}, S: {values: [0, 300000, 300001]}}\n"
                 "constraints: [B == 64 or S == 0]\n"
                 "launch: {block: [B], grid: [1], shared_bytes: S // 4 * 4}\n"
                 "arguments: [{name: out, type: float, count: B, access: out}]\n")
          .string();
  const CommandResult ran = space({spec, "--arch", "9.0", "--compile", "10"});
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("4 drawn at random, for sm_90 with NVRTC "));
  EXPECT_THAT(ran.out,
              HasSubstr("Not usable:\n"
                        "  count  reason\n"
                        "      1  cannot_launch: block.x: needs 2048, the limit is 1024\n"
                        "      2  cannot_launch: shared memory a block: needs 300000 bytes, the "
                        "limit is 232448\n"));
}

}  // namespace
}  // namespace rooftune
