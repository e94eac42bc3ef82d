#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tuner/cli/test_command.hpp"

namespace rooftune::cli {
namespace {

using testing::HasSubstr;

const std::string faults = ROOFTUNE_SOURCE_DIR "/tests/faults/";

TEST(VerifyCommand, ProvesASpaceRight) {
  const CommandResult result =
      run_command({"verify", faults + "histogram.yaml", "--set", "ATOMIC=1", "--sample", "all"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out,
              HasSubstr("histogram: 2 of 2 configurations in 2 runs: 2 right, 0 wrong"));
}

TEST(VerifyCommand, ShowsWhatIsWrongAndFails) {
  const CommandResult result =
      run_command({"verify", faults + "out_of_bounds.yaml", "--sample", "all", "--sanitize"});
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.out, HasSubstr("  BLOCK=64 GUARD=0\n"
                                    "    crashed (sanitize): out_of_bounds.cu:9: read of 4 bytes"));
  EXPECT_THAT(result.out, HasSubstr("4 of 4 configurations in 4 runs: 2 right, 2 wrong"));
}

TEST(VerifyCommand, GivesOneJsonDocument) {
  const CommandResult result = run_command({"verify", faults + "removed_barrier.yaml", "--set",
                                            "BLOCK=32", "--sample", "all", "--race", "--json"});
  EXPECT_EQ(result.status, 1);
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json["right"], 1);
  EXPECT_EQ(json["wrong"], 1);
  ASSERT_EQ(json["failures"].size(), 1U);
  EXPECT_EQ(json["failures"][0]["parameters"]["BARRIER"], 0);
  EXPECT_EQ(json["failures"][0]["outcome"], "wrong_result");
  EXPECT_EQ(json["failures"][0]["mode"], "race");
}

nlohmann::json formula(const nlohmann::json& report, const std::string& name) {
  for (const auto& formula : report["formulas"]) {
    if (formula["formula"] == name) {
      return formula;
    }
  }
  return nullptr;
}

TEST(VerifyCommand, HoldsFormulasAgainstCountedAccesses) {
  const std::string spec = ROOFTUNE_SOURCE_DIR "/tests/host/accesses.yaml";
  const CommandResult right =
      run_command({"verify", spec, "--sample", "all", "--formulas", "--json"});
  ASSERT_EQ(right.status, 0) << right.err << right.out;
  const auto report = nlohmann::json::parse(right.out);
  EXPECT_EQ(report["right"], 2);
  EXPECT_EQ(report["unchecked"], nlohmann::json::array({"work.warp.chain"}));
  EXPECT_EQ(report["formulas"].size(), 5U);
  for (const auto& each : report["formulas"]) {
    // Not nearly: what is counted is exact.
    EXPECT_EQ(each["ratio"]["p10"], 1.0) << each;
    EXPECT_EQ(each["ratio"]["p90"], 1.0) << each;
    EXPECT_EQ(each["configurations"], 2) << each;
  }

  const CommandResult wrong =
      run_command({"verify", spec, "--set", "l2=4608", "--sample", "all", "--formulas", "--json"});
  EXPECT_EQ(wrong.status, 1);
  const auto l2 = formula(nlohmann::json::parse(wrong.out), "work.traffic.l2");
  EXPECT_EQ(l2["verdict"], "scaled");
  EXPECT_EQ(l2["ratio"]["median"], 4.0);
}

TEST(VerifyCommand, SaysWhereThereIsNoFormulaToCheck) {
  const CommandResult result =
      run_command({"verify", faults + "histogram.yaml", "--set", "ATOMIC=1", "--set", "BLOCK=64",
                   "--sample", "all", "--formulas"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("nothing to check"));
}

TEST(VerifyCommand, FormulasOfAShippedKernelAgree) {
  const CommandResult result =
      run_command({"verify", ROOFTUNE_SOURCE_DIR "/configs/kernels/transpose.yaml", "--set",
                   "rows=128", "--set", "columns=128", "--set", "TILE=32", "--set", "VECTOR=1",
                   "--set", "ROWS=8", "--sample", "all", "--formulas"});
  EXPECT_EQ(result.status, 0) << result.err << result.out;
  EXPECT_THAT(result.out, HasSubstr("work.traffic.shared"));
}

TEST(VerifyCommand, SamplesAreCounts) {
  for (const std::string sample : {"0", "-1", "many", ""}) {
    EXPECT_EQ(run_command({"verify", faults + "histogram.yaml", "--sample", sample}).status, 2)
        << sample;
  }
}

}  // namespace
}  // namespace rooftune::cli
