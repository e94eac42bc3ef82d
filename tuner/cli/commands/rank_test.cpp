// rooftune rank: predictions without a measurement, and labelled so.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tuner/cli/test_command.hpp"
#include "tuner/session/temporary_folder.hpp"

namespace rooftune::cli {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::ordered_json;

std::string spec_text(const std::string& work) {
  return "parameters:\n"
         "  tile: {values: [1, 2, 4, 8], role: tile}\n"
         "  threads: {values: [256, 2048], role: block}\n"
         "launch: {block: [threads], grid: [100000]}\n" +
         work;
}

CommandResult rank(const std::string& text, std::vector<std::string> more = {}) {
  const testing::TemporaryFolder folder;
  std::vector<std::string> arguments = {"rank", folder.write("made.yaml", text).string(),
                                        "--device", "a100-40"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run_command(arguments);
}

TEST(Rank, OrdersByTheFormulasAndLeavesOutWhatCannotLaunch) {
  const std::string work = "work: {bytes: {dram: 1e9}, traffic: {l2: 64e9 / tile}}\n";
  const CommandResult result = rank(spec_text(work), {"--json"});
  ASSERT_EQ(result.status, 0) << result.err;
  const Json json = Json::parse(result.out);
  EXPECT_EQ(json.at("predicted"), true);
  EXPECT_EQ(json.at("configurations"), 8);
  ASSERT_EQ(json.at("shortlist").size(), 4U);  // 2048 threads are no block
  int tile = 8;
  for (const Json& row : json["shortlist"]) {
    EXPECT_EQ(row.at("parameters").at("tile"), tile);
    EXPECT_EQ(row.at("parameters").at("threads"), 256);
    EXPECT_GE(row.at("predicted_seconds"), row.at("lower_bound_seconds"));
    tile /= 2;
  }
  EXPECT_EQ(json["shortlist"].at(3).at("predicted_bound"), "l2");
  EXPECT_THAT(rank(spec_text(work), {"--count", "2"}).out,
              HasSubstr("predicted from formulas, nothing was measured. First 2 of 8"));
}

TEST(Rank, NeedsFormulasAndAKnownDevice) {
  const CommandResult without = rank(spec_text(""));
  EXPECT_EQ(without.status, 1);
  EXPECT_THAT(without.err, HasSubstr("the ranking needs work in the spec"));
  const CommandResult unknown = rank(spec_text(""), {"--device", "a100-41"});
  EXPECT_NE(unknown.status, 0);
}

}  // namespace
}  // namespace rooftune::cli
