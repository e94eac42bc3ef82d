#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tuner/cli/comparison.hpp"
#include "tuner/cli/test_command.hpp"
#include "tuner/session/temporary_folder.hpp"

namespace rooftune::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::TemporaryFolder;

Results tuned(double seconds, int tile) {
  Results it;
  it.spec_name = "sgemm";
  it.spec_hash = "abc";
  it.device.name = "NVIDIA A100";
  it.policy = "roofline";
  it.parameters = {{"BM", {32, 64}, Role::tile, {}}};
  it.problems = {{{"M", 512}}};
  Record record;
  record.parameters = {{"BM", tile}};
  record.seconds = seconds;
  ProblemResult problem;
  problem.measurement.emplace().relative_noise = 0.01;
  problem.placement.emplace().fraction = 0.5;
  record.problems = {problem};
  record.diagnosis.emplace().findings.emplace_back().bound = Bound::shared;
  it.records = {record};
  return it;
}

TEST(Compare, ShowsSpeedConfigurationAndBoundSideBySide) {
  EXPECT_EQ(to_text(compare(tuned(2e-3, 32), tuned(1e-3, 64))),
            "                 A             B\n"
            "kernel           sgemm         sgemm\n"
            "device           NVIDIA A100   NVIDIA A100\n"
            "policy           roofline      roofline\n"
            "evaluations      1             1\n"
            "time           * 2.00 ms       1.00 ms\n"
            "of its ceiling   50%           50%\n"
            "bound by         shared        shared\n"
            "BM             * 32            64\n"
            "\n"
            "B is 2.00x as fast as A\n");
}

TEST(Compare, ADifferenceWithinTheNoiseIsNone) {
  EXPECT_EQ(compare(tuned(1.01e-3, 32), tuned(1e-3, 64)).verdict,
            "no difference beyond the noise (1.4%)");
  EXPECT_EQ(compare(tuned(1e-3, 32), tuned(1.1e-3, 64)).verdict, "A is 1.10x as fast as B");
}

TEST(Compare, WhatDoesNotCompareIsSaid) {
  Results other = tuned(1e-3, 64);
  other.device.name = "NVIDIA H100";
  other.spec_hash = "xyz";
  other.problems = {{{"M", 4096}}};
  EXPECT_THAT(compare(tuned(1e-3, 64), other).caveats,
              ElementsAre("the devices differ",
                          "the specs differ (or their overrides, or the kernel's source)",
                          "the problems differ (M=512 and M=4096)"));
  other.records.clear();
  const Comparison nothing = compare(tuned(1e-3, 64), other);
  EXPECT_EQ(nothing.speedup, std::nullopt);
  EXPECT_THAT(nothing.verdict, HasSubstr("nothing to compare"));
}

TEST(CompareCommand, TakesFilesAndFolders) {
  const TemporaryFolder folder;
  write_results(tuned(2e-3, 32), folder.path() / "results.json");
  write_results(tuned(1e-3, 64), folder.path() / "b.json");
  const std::string a = folder.path().string();
  const std::string b = (folder.path() / "b.json").string();
  const CommandResult text = run_command({"compare", a, b});
  EXPECT_EQ(text.status, 0);
  EXPECT_THAT(text.out, HasSubstr("B is 2.00x as fast as A"));
  const auto json = nlohmann::json::parse(run_command({"compare", a, b, "--json"}).out);
  EXPECT_EQ(json["speedup"], 2.0);
  EXPECT_EQ(json["rows"]["BM"]["b"], "64");
  EXPECT_EQ(run_command({"compare", a, "none.json"}).status, 1);
  EXPECT_EQ(run_command({"compare", a}).status, 2);
}

}  // namespace
}  // namespace rooftune::cli
