#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tuner/cli/test_command.hpp"
#include "tuner/compile/test_folder.hpp"

namespace rooftune::cli {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class OccupancyOfSpec : public testing::Test {
 protected:
  OccupancyOfSpec() {
    folder_.write("k.cu",
                  "template <int N, int STAGES>\n"
                  "__global__ void __launch_bounds__(N * 16) k(float* a, int n) {\n"
                  "  __shared__ float tile[STAGES][N * 32];\n"
                  "  tile[0][threadIdx.x] = a[threadIdx.x];\n"
                  "  __syncthreads();\n"
                  "  a[n] = tile[STAGES - 1][threadIdx.x + n];\n"
                  "}\n");
    spec_ = folder_
                .write("k.yaml",
                       "kernel: {source: k.cu, name: \"k<{N}, {STAGES}>\"}\n"
                       "constants: {M: 1024}\n"
                       "parameters:\n"
                       "  N: {values: [4, 16, 32, 128], role: tile}\n"
                       "  STAGES: {values: [1, 2, 4], role: stages}\n"
                       "derived: {threads: N * 16}\n"
                       "launch: {block: [threads], grid: [M]}\n"
                       "arguments:\n"
                       "  - {name: a, type: float, count: M}\n"
                       "  - {name: n, type: int, value: 1}\n"
                       "work: {flops: {fp32: M}, bytes: {dram: 4 * M}}\n"
                       "baseline: {N: 16, STAGES: 1}\n")
                .string();
  }

  CommandResult ask(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {"occupancy", spec_});
    return run_command(std::move(arguments));
  }
  json answer(std::vector<std::string> arguments) const {
    arguments.insert(arguments.end(), {"--json", "--arch", "sm_80"});
    const CommandResult result = ask(std::move(arguments));
    EXPECT_EQ(result.status, 0) << result.err;
    return json::parse(result.out);
  }

  TestFolder folder_;
  ScopedVariable cache_{"XDG_CACHE_HOME", folder_.path().string()};
  std::string spec_;
};

TEST_F(OccupancyOfSpec, TablesEveryConfiguration) {
  const json found = answer({});
  EXPECT_EQ(found["architecture"], "sm_80");
  EXPECT_EQ(found["configurations"], 12);
  ASSERT_EQ(found["variants"].size(), 12U);
  double last = 1;
  int failures = 0;
  for (const json& variant : found["variants"]) {
    const int n = variant["parameters"]["N"];
    const int stages = variant["parameters"]["STAGES"];
    EXPECT_EQ(variant["threads"], n * 16);
    if (n == 128) {  // 2048 threads: told by the numbers, not compiled
      EXPECT_EQ(variant["failure"]["outcome"], "cannot_launch");
      EXPECT_EQ(variant["failure"]["reason"], "block.x: needs 2048, the limit is 1024");
      EXPECT_FALSE(variant.contains("registers"));
      ++failures;
      continue;
    }
    EXPECT_EQ(failures, 0) << "failures come last";
    EXPECT_TRUE(variant["failure"].is_null());
    EXPECT_EQ(variant["static_shared"], stages * n * 128);
    EXPECT_GT(variant["registers"], 0);
    EXPECT_LE(variant["occupancy"], last);
    last = variant["occupancy"];
  }
  EXPECT_EQ(failures, 3);
}

TEST_F(OccupancyOfSpec, CountsHitsOfTheCache) {
  EXPECT_EQ(answer({})["cache"], (json{{"hits", 0}, {"misses", 9}}));
  EXPECT_EQ(answer({})["cache"], (json{{"hits", 9}, {"misses", 0}}));
  EXPECT_TRUE(answer({"--no-cache"})["cache"].is_null());
  EXPECT_THAT(ask({"--arch", "sm_80"}).err, HasSubstr("; cache: 9 hits, 0 misses"));
}

TEST_F(OccupancyOfSpec, FiltersSamplesAndFixes) {
  const json filtered = answer({"--where", "N == 16 and threads > 1"});
  EXPECT_EQ(filtered["configurations"], 3);
  for (const json& variant : filtered["variants"]) {
    EXPECT_EQ(variant["parameters"]["N"], 16);
  }
  EXPECT_EQ(answer({"--sample", "2"})["variants"].size(), 2U);
  EXPECT_EQ(answer({"--sample", "2"})["variants"], answer({"--sample", "2"})["variants"]);
  EXPECT_EQ(answer({"--set", "N=4"})["configurations"], 3);
}

TEST_F(OccupancyOfSpec, SortsAndExports) {
  const json sorted = answer({"--sort", "shared"});
  int last = 0;
  for (const json& variant : sorted["variants"]) {
    if (variant["failure"].is_null()) {
      EXPECT_GE(variant["static_shared"], last);
      last = variant["static_shared"];
    }
  }
  const CommandResult csv = ask({"--arch", "sm_80", "--csv", "--sort", "threads"});
  EXPECT_THAT(csv.out, StartsWith("N,STAGES,outcome,reason,registers,"));
  EXPECT_THAT(csv.out, HasSubstr(",cannot_launch,\"block.x: needs 2048, the limit is 1024\",,,,,0,"
                                 "2048,,,,\n"));
}

TEST_F(OccupancyOfSpec, PrintsATable) {
  const CommandResult result = ask({"--arch", "sm_80", "--where", "N == 128 or N == 32"});
  EXPECT_THAT(result.out, StartsWith("k for sm_80: 6 of 6 configurations, M=1024\n\n"));
  EXPECT_THAT(result.out,
              AllOf(HasSubstr("regs  spill B  static B"), HasSubstr("limited by"),
                    HasSubstr("cannot_launch: block.x: needs 2048, the limit is 1024")));
  // What all share is no column.
  EXPECT_THAT(ask({"--arch", "sm_80", "--where", "N == 32"}).out, Not(HasSubstr("  N")));
}

TEST_F(OccupancyOfSpec, TakesTheArchitectureOfADevice) {
  const CommandResult result = ask({"--device", "a100-40", "--sample", "1"});
  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(result.out, HasSubstr("for sm_80"));
}

TEST_F(OccupancyOfSpec, StudiesLaunchBounds) {
  const json found = answer({"--launch-bounds"});
  EXPECT_EQ(found["parameters"], (json{{"N", 16}, {"STAGES", 1}}));  // the baseline
  EXPECT_EQ(found["threads"], 256);
  EXPECT_EQ(found["variants"][0]["bounds"], "as written");
  EXPECT_EQ(found["variants"][2]["min_blocks"], 1);
  EXPECT_EQ(found["variants"].back()["register_cap"], 32);
  EXPECT_TRUE(found["spills_from"].is_null());
  const CommandResult text = ask({"--arch", "sm_80", "--launch-bounds", "--set", "N=4"});
  EXPECT_THAT(text.out, AllOf(HasSubstr("k for sm_80, 64 threads a block: N=4 STAGES=1\n"),
                              HasSubstr("  unbounded "), HasSubstr("  32 blocks "),
                              HasSubstr("no number of blocks makes it spill")));
}

TEST_F(OccupancyOfSpec, RefusesWhatItCannotAnswer) {
  for (const auto& [arguments, status, message] :
       std::vector<std::tuple<std::vector<std::string>, int, std::string>>{
           {{}, 2, "give an architecture"},
           {{"--arch", "sm_80", "--device", "a100-40"}, 2, "has an architecture of its own"},
           {{"--arch", "sm_80", "--cc", "8.0"}, 2, "--cc: it does not go with a spec"},
           {{"--arch", "sm_80", "--block", "32"}, 2, "--block: it does not go with a spec"},
           {{"--arch", "sm_80", "--sample", "0"}, 2, "--sample"},
           {{"--arch", "sm_80", "--sort", "register"}, 2, "did you mean \"registers\"?"},
           {{"--arch", "sm_80", "--where", "N =="}, 2, "--where"},
           {{"--arch", "sm_80", "--where", "M2 == 3"}, 1, "\"M2\" is no parameter"},
           {{"--arch", "sm_80", "--where", "N == 5"}, 1, "no configuration of"},
           {{"--arch", "sm_35"}, 1, "cannot compile for sm_35"},
           {{"--arch", "sm_80", "--launch-bounds", "--csv"}, 2, "use --json"}}) {
    const CommandResult result = ask(arguments);
    EXPECT_EQ(result.status, status) << result.err;
    EXPECT_THAT(result.err, HasSubstr(message));
    EXPECT_EQ(result.out, "");
  }
  EXPECT_EQ(run_command({"occupancy", "--arch", "sm_80"}).status, 2);
  EXPECT_EQ(run_command({"occupancy", "/no/such.yaml", "--arch", "sm_80"}).status, 1);
}

}  // namespace
}  // namespace rooftune::cli
