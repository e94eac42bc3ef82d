#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tuner/cli/test_command.hpp"

namespace rooftune::cli {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

CommandResult ask(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "occupancy");
  return run_command(std::move(arguments));
}

json answer(std::vector<std::string> arguments) {
  arguments.push_back("--json");
  const CommandResult result = ask(std::move(arguments));
  EXPECT_EQ(result.status, 0) << result.err;
  return json::parse(result.out);
}

TEST(OccupancyCommand, AnswersFromNumbers) {
  const CommandResult result =
      ask({"--cc", "8.6", "--block", "256", "--regs", "72", "--shared", "8192"});
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(result.out,
            "compute capability 8.6, 256 threads, 72 registers, 8,192 B shared memory\n"
            "3 blocks active, 24 of 48 warps: 50.0% occupancy, limited by registers\n"
            "\n"
            "  resource                  a block takes           of  blocks\n"
            "  blocks                                1           16      16\n"
            "  warps                                 8           48       6\n"
            "  registers          18,432 (72 a thread)       65,536       3  <- limits\n"
            "  shared       9,216 B (1,024 B reserved)    102,400 B      11\n"
            "\n"
            "dynamic shared memory for 3 blocks: up to 24,832 B each\n"
            "largest block at the highest occupancy: 896 threads with 8,192 B of shared memory (1 "
            "block, 58%)\n"
            "\n"
            "to raise it:\n"
            "   67%  4 blocks: 64 registers a thread (8 fewer; what does not fit is spilled)\n"
            "  100%  6 blocks: 40 registers a thread (32 fewer; what does not fit is spilled)\n"
            "   58%  4 blocks: 224 threads a block, if all else stays\n"
            "   56%  3 blocks: 288 threads a block, if all else stays\n");
}

TEST(OccupancyCommand, WritesTheAgreedJson) {
  const json found = answer({"--cc", "8.9", "--block", "512", "--regs", "54", "--dynamic-shared",
                             "29824", "--carveout", "64"});
  EXPECT_EQ(found["active_blocks"], 2);
  EXPECT_EQ(found["active_warps"], 32);
  EXPECT_NEAR(found["occupancy"].get<double>(), 2 / 3.0, 1e-9);
  EXPECT_EQ(found["limits"], (json{{"blocks", 24}, {"warps", 3}, {"registers", 2}, {"shared", 2}}));
  EXPECT_EQ(found["limited_by"], (json{"registers", "shared"}));
  EXPECT_EQ(found["launchable"], true);
  EXPECT_EQ(found["reason"], "");
  EXPECT_EQ(found["active_blocks_without_opt_in"], 2);
  EXPECT_EQ(found["carveout"], 65536);
  EXPECT_FALSE(found.contains("waves"));
}

TEST(OccupancyCommand, LeavesUnusedResourcesNull) {
  const json found = answer({"--cc", "7.0", "--block", "128", "--regs", "32"});
  EXPECT_TRUE(found["limits"]["shared"].is_null());
  EXPECT_EQ(found["limits"]["registers"], 16);
}

TEST(OccupancyCommand, ShowsOptInBothWays) {
  const std::vector<std::string> question = {
      "--cc",     "8.9", "--block",          "128",  "--regs", "16",
      "--shared", "16",  "--dynamic-shared", "49152"};
  EXPECT_EQ(answer(question)["active_blocks"], 2);
  EXPECT_EQ(answer(question)["active_blocks_without_opt_in"], 0);
  EXPECT_THAT(ask(question).out,
              HasSubstr("without opting in to more than 48 KiB: 0 blocks (shared "
                        "memory a block: needs 49168 bytes, the limit is 49152"));
}

TEST(OccupancyCommand, AnswersWhatCannotLaunch) {
  for (const auto& [block, registers, reason] :
       std::vector<std::tuple<std::string, std::string, std::string>>{
           {"1,1,65", "32", "block.z: needs 65, the limit is 64"},
           {"2048", "32", "block.x: needs 2048, the limit is 1024"},
           {"1024", "65", "registers a block: needs 73728 (32 warps of 2304), the limit is 65536"},
           {"32", "256", "registers a thread: needs 256, the limit is 255"},
           {"32", "9999999999", "registers a thread: needs 2147483647, the limit is 255"}}) {
    const std::vector<std::string> question = {"--cc", "9.0",    "--block",
                                               block,  "--regs", registers};
    const json found = answer(question);
    EXPECT_EQ(found["launchable"], false);
    EXPECT_EQ(found["active_blocks"], 0);
    EXPECT_EQ(found["reason"], reason);
    EXPECT_EQ(ask(question).status, 0);
    EXPECT_THAT(ask(question).out, HasSubstr("cannot launch: " + reason));
  }
}

TEST(OccupancyCommand, RefusesWrongCommandLines) {
  const auto with = [](const std::string& option, const std::string& value) {
    std::vector<std::string> arguments;
    for (const auto& [name, given] : std::vector<std::pair<std::string, std::string>>{
             {"--cc", "8.6"}, {"--block", "256"}, {"--regs", "72"}}) {
      if (name != option) {
        arguments.insert(arguments.end(), {name, given});
      }
    }
    arguments.insert(arguments.end(), {option, value});
    return ask(arguments);
  };
  for (const auto& [option, value, message] :
       std::vector<std::tuple<std::string, std::string, std::string>>{
           {"--block", "0", "0 is less than 1"},
           {"--block", "-32", "-32 is less than 1"},
           {"--block", "many", "\"many\" is not a whole number"},
           {"--block", "1,2,3,4", "at most three numbers"},
           {"--block", "16,", "\"\" is not a whole number"},
           {"--block", "99999999999999999999", "does not fit 64 bits"},
           {"--regs", "0", "0 is less than 1"},
           {"--regs", "-1", "-1 is less than 1"},
           {"--regs", "7.5", "\"7.5\" is not a whole number"},
           {"--regs", "99999999999999999999", "does not fit 64 bits"},
           {"--shared", "-1", "-1 is less than 0"},
           {"--shared", "8K", "\"8K\" is not a whole number"},
           {"--dynamic-shared", "-5", "-5 is less than 0"},
           {"--carveout", "101", "bytes it can be set to: 0, 8192"},
           {"--carveout", "9223372036854775807", "is more than compute capability 8.6 has"},
           {"--grid", "0", "0 is less than 1"},
           {"--grid", "4294967296,4294967296", "does not fit 64 bits"},
           {"--multiprocessors", "0", "0 is less than 1"},
           {"--cc", "5.2", "known: 6.0, 6.1"},
           {"--cc", "ampere", "known: 6.0, 6.1"},
           {"--sweep", "warps", "\"warps\" cannot be swept"},
           {"--sweep", "reg", "did you mean \"regs\"?"},
           {"--sweep", "regs,regs", "given twice"},
           {"--sweep", "regs,block,shared", "two for a heat map"},
           {"--svg", "x.svg", "add --sweep"},
           {"--shared-formula", "4 * thread", "\"thread\" is unknown; it may use threads"},
           {"--shared-formula", "4 *", ""},
           {"--device", "a100-40", "has a compute capability of its own"}}) {
    const CommandResult result = with(option, value);
    EXPECT_EQ(result.status, 2) << option << ' ' << value;
    EXPECT_EQ(result.out, "") << option << ' ' << value;
    EXPECT_THAT(result.err, AllOf(HasSubstr(option), HasSubstr(message)));
  }
  EXPECT_EQ(ask({"--cc", "8.6", "--block", "256", "--regs", "72", "--csv"}).status, 2);
  EXPECT_EQ(ask({"--block", "256", "--regs", "72"}).status, 2);
  EXPECT_EQ(ask({"--cc", "8.6", "--regs", "72"}).status, 2);
  EXPECT_EQ(ask({"--cc", "8.6", "--block", "72"}).status, 2);
}

TEST(OccupancyCommand, KnowsDevices) {
  EXPECT_EQ(answer({"--device", "a100-40", "--block", "128", "--regs", "41"})["active_blocks"], 10);
  const CommandResult unknown = ask({"--device", "a100-41", "--block", "128", "--regs", "41"});
  EXPECT_EQ(unknown.status, 1);
  EXPECT_THAT(unknown.err, HasSubstr("a100-40"));
}

TEST(OccupancyCommand, CountsWaves) {
  const json one =
      answer({"--device", "rtx-3090", "--block", "256", "--regs", "72", "--grid", "500,2"});
  EXPECT_EQ(one["grid"], 1000);
  ASSERT_EQ(one["waves"].size(), 1U);
  EXPECT_EQ(one["waves"][0]["device"], "rtx-3090");
  EXPECT_EQ(one["waves"][0]["multiprocessors"], 82);
  EXPECT_EQ(one["waves"][0]["full_waves"], 4);
  EXPECT_EQ(one["waves"][0]["tail_blocks"], 16);
  // A compute capability stands for every known device that has it.
  const json all = answer({"--cc", "8.6", "--block", "256", "--regs", "72", "--grid", "1000"});
  EXPECT_GT(all["waves"].size(), 1U);
  const CommandResult text =
      ask({"--cc", "8.8", "--block", "256", "--regs", "72", "--grid", "1000"});
  EXPECT_THAT(text.out, HasSubstr("no device of this compute capability is known"));
  EXPECT_THAT(
      ask({"--cc", "8.8", "--block", "256", "--regs", "72", "--grid", "1000", "--multiprocessors",
           "82"})
          .out,
      HasSubstr("82 multiprocessors: 4.07 waves; the last one has 16 blocks and fills 6.5% of "
                "the device; 19% of all slots stay empty"));
}

TEST(OccupancyCommand, FollowsASharedMemoryFormula) {
  const json found = answer(
      {"--cc", "9.0", "--block", "256", "--regs", "32", "--shared-formula", "64 * threads + 1024"});
  EXPECT_EQ(found["static_shared"].get<int>() + found["dynamic_shared"].get<int>(), 17408);
  const json& best = found["best_block"];
  EXPECT_EQ(best["shared"].get<int>(), 64 * best["threads"].get<int>() + 1024);
  const CommandResult negative =
      ask({"--cc", "9.0", "--block", "256", "--regs", "32", "--shared-formula", "100 - threads"});
  EXPECT_EQ(negative.status, 1);
  EXPECT_THAT(negative.err, HasSubstr("is negative for 256 threads"));
}

TEST(OccupancyCommand, SuggestsTheSameWithinARoundingStep) {
  const auto suggestions_for = [](const std::string& registers) {
    json found = answer({"--cc", "8.0", "--block", "128", "--regs", registers})["suggestions"];
    for (json& suggestion : found) {
      for (json& change : suggestion["changes"]) {
        change.erase("from");
      }
    }
    return found;
  };
  EXPECT_EQ(suggestions_for("41"), suggestions_for("43"));
  EXPECT_NE(suggestions_for("41"), suggestions_for("49"));
}

TEST(OccupancyCommand, SweepsOneAxis) {
  const std::vector<std::string> question = {"--cc",   "8.6", "--block", "256",
                                             "--regs", "72",  "--sweep", "regs"};
  EXPECT_THAT(ask(question).out, HasSubstr("*             65..80       3     24   50.0%"));
  const json found = answer(question);
  EXPECT_EQ(found["axis"], "regs");
  EXPECT_EQ(found["points"].size(), 32U);
  int current = 0;
  for (const json& point : found["points"]) {
    current += point["current"] == true ? 1 : 0;
    EXPECT_EQ(point["current"] == true, point["value"] == 72);
  }
  EXPECT_EQ(current, 1);
  std::vector<std::string> csv = question;
  csv.push_back("--csv");
  EXPECT_THAT(ask(csv).out,
              AllOf(StartsWith("regs,active_blocks"), HasSubstr("\n72,3,24,0.5000,1,")));
  // The swept axis needs no value; then nothing is marked.
  const CommandResult unmarked = ask({"--cc", "8.6", "--block", "256", "--sweep", "regs"});
  EXPECT_EQ(unmarked.status, 0);
  EXPECT_THAT(unmarked.out, Not(HasSubstr("*")));
}

TEST(OccupancyCommand, SweepsTwoAxesAsAHeatMap) {
  const auto file = std::filesystem::path(testing::TempDir()) / "occupancy_map.svg";
  const CommandResult result = ask({"--cc", "8.6", "--block", "256", "--regs", "72", "--sweep",
                                    "block,regs", "--svg", file.string()});
  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(result.out, HasSubstr("registers a thread by threads a block (32 to 1,024)"));
  EXPECT_THAT(result.err, HasSubstr("wrote " + file.string()));
  std::ifstream in(file);
  const std::string svg((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  EXPECT_THAT(svg, AllOf(StartsWith("<svg"), HasSubstr("class=\"current\"")));
  const json found = answer(
      {"--cc", "8.6", "--block", "256", "--regs", "72", "--sweep", "block", "--sweep", "regs"});
  EXPECT_EQ(found["x"]["axis"], "block");
  EXPECT_EQ(found["x"]["current"], 256);
  EXPECT_EQ(found["y"]["values"].size(), found["active_blocks"].size());
  EXPECT_EQ(found["active_blocks"][8][7], 3);  // 72 registers, 256 threads
  const CommandResult unwritable = ask({"--cc", "8.6", "--block", "256", "--regs", "72", "--sweep",
                                        "regs", "--svg", "/no/such/folder/x.svg"});
  EXPECT_EQ(unwritable.status, 1);
  EXPECT_THAT(unwritable.err, HasSubstr("cannot write /no/such/folder/x.svg"));
}

TEST(OccupancyCommand, SaysWhatALargerCarveoutGives) {
  EXPECT_THAT(ask({"--cc", "9.0", "--block", "256", "--regs", "32", "--shared", "30000",
                   "--carveout", "64"})
                  .out,
              HasSubstr("with the largest carve-out, 228 KB: 7 blocks"));
}

TEST(OccupancyCommand, HelpsWithExamples) {
  const CommandResult help = ask({"--help"});
  EXPECT_EQ(help.status, 0);
  EXPECT_THAT(help.out, HasSubstr("rooftune occupancy --cc 8.6 --block 256 --regs 72"));
}

}  // namespace
}  // namespace rooftune::cli
