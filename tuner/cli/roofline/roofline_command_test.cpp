#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tuner/cli/test_command.hpp"
#include "tuner/device/host/host_device.hpp"
#include "tuner/session/results.hpp"

namespace rooftune::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

CommandResult ask(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "roofline");
  return run_command(std::move(arguments));
}

json answer(std::vector<std::string> arguments) {
  arguments.push_back("--json");
  const CommandResult result = ask(std::move(arguments));
  EXPECT_EQ(result.status, 0) << result.err;
  return json::parse(result.out);
}

class Folder {
 public:
  Folder() {
    std::string pattern = (fs::temp_directory_path() / "roofline.XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  fs::path path_;
};

std::string content(const std::string& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

TEST(RooflineCommand, AnswersFromNumbersAlone) {
  const CommandResult result =
      ask({"--device", "a100-40", "--flops", "2*4096**3", "--bytes", "3*4*4096**2", "--traffic",
           "shared=8*4096**3/16", "--time", "8.5ms"});
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(
      result.out,
      "NVIDIA A100 40 GB: 682.7 FLOP/byte at dram (algorithmic), right of the ridge of fp32 "
      "(12.54)\n"
      "attainable: 19.5 TFLOP/s under fp32 (7.05 ms)\n"
      "achieved:   16.2 TFLOP/s in 8.50 ms: 83% of it\n"
      "\n"
      "  level    unit          FLOP/byte    ridge      attainable  reached  intensity\n"
      "  dram     fp32              682.7    12.54    19.5 TFLOP/s      83%  algorithmic\n"
      "  shared   fp32                  4        1    19.5 TFLOP/s      83%  modelled\n"
      "\n"
      "bound by fp: fp at 83% of its roof (model: 137 GFLOP fp32 at 19.5 TFLOP/s (data "
      "sheet)); 83% of its ceiling (fp32)\n"
      "  1. fp: fp at 83% of its roof (model: 137 GFLOP fp32 at 19.5 TFLOP/s (data sheet)); "
      "at most 4.82 times as fast without it\n"
      "     - tensor cores or a shorter precision [precision]\n"
      "     - an algorithm with fewer operations [algorithm]\n"
      "  2. tensor_unused: all of the fp32 work is on the CUDA cores; tf32.tensor is 8.0 times "
      "as fast, at the price of precision; at most 4.82 times as fast without it\n"
      "     - use the tensor cores [precision, algorithm]\n"
      "     - tiles that suit their fragments [tile, stages]\n");
}

TEST(RooflineCommand, WritesTheAgreedJson) {
  const json found = answer({"--peak", "30e12", "--bandwidth", "768e9", "--flops", "2*4096**3",
                             "--bytes", "12*4096**2", "--time", "5.911ms"});
  EXPECT_NEAR(found["intensity"], 4096.0 / 6, 1e-9);
  EXPECT_NEAR(found["ridge"], 39.0625, 1e-9);
  EXPECT_DOUBLE_EQ(found["attainable"], 30e12);
  EXPECT_NEAR(found["achieved"], 23249.6e9, 5e9);
  EXPECT_NEAR(found["fraction"], 0.775, 0.0005);
  EXPECT_EQ(found["roof"], "fp32");
  EXPECT_EQ(found["verdict"], "bound");
  ASSERT_FALSE(found["bounds"].empty());
  const json& first = found["bounds"][0];
  EXPECT_EQ(first["name"], "fp");
  EXPECT_THAT(first["evidence"].get<std::string>(), HasSubstr("30.0 TFLOP/s (given)"));
  EXPECT_GT(first["speedup_at_most"], 1);
  EXPECT_EQ(first["remedies"][0]["roles"][0], "precision");
}

TEST(RooflineCommand, WithoutATimeTheAnswerIsWhatIsAttainable) {
  const json found = answer(
      {"--device", "h100-sxm", "--flops", "1e12", "--bytes", "1e10", "--precision", "bf16.tensor"});
  EXPECT_NEAR(found["ridge"], 295.2, 0.1);
  EXPECT_EQ(found["roof"], "dram");
  EXPECT_NEAR(found["attainable"], 100 * 3.35e12, 1e6);
  EXPECT_TRUE(found["achieved"].is_null());
  EXPECT_TRUE(found["fraction"].is_null());
  EXPECT_TRUE(found["bounds"].empty());
  EXPECT_THAT(ask({"--device", "h100-sxm", "--flops", "1e12"}).out, Not(HasSubstr("achieved")));
}

TEST(RooflineCommand, GivenRoofsComeBeforeTheDevices) {
  const json found = answer({"--device", "rtx-a6000", "--peak", "30e12", "--flops", "3e12",
                             "--bytes", "1e9", "--time", "0.2s"});
  EXPECT_DOUBLE_EQ(found["attainable"], 30e12);
  EXPECT_NEAR(found["fraction"], 0.5, 1e-9);
  EXPECT_NEAR(found["ridge"], 39.1, 0.05);
}

TEST(RooflineCommand, KernelsWithoutArithmeticAreHeldAgainstBandwidth) {
  const CommandResult text =
      ask({"--device", "a100-40", "--bytes", "2*4*8192**2", "--time", "0.5ms"});
  EXPECT_THAT(text.out, HasSubstr("attainable: 1.55 TB/s under dram"));
  EXPECT_THAT(text.out, HasSubstr("achieved:   1.07 TB/s in 500 us: 69% of it"));
  const json found = answer({"--device", "a100-40", "--bytes", "2*4*8192**2", "--time", "0.5ms"});
  EXPECT_TRUE(found["intensity"].is_null());
  EXPECT_NEAR(found["achieved_bandwidth"], 1.074e12, 1e9);
}

TEST(RooflineCommand, SeveralPrecisionsShareAPipe) {
  const json found = answer(
      {"--device", "a100-40", "--flops", "fp32=19.5e12", "--flops", "fp64=9.7e12", "--time", "4s"});
  EXPECT_EQ(found["roof"], "fp64 + fp32");
  EXPECT_NEAR(found["attainable_seconds"], 2, 1e-9);
}

TEST(RooflineCommand, AboveTheRoofIsToldAsAContradiction) {
  const CommandResult result = ask({"--device", "h100-sxm", "--flops", "2*8192**3", "--precision",
                                    "fp16.tensor", "--time", "0.7ms"});
  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(result.out, HasSubstr("contradiction: fp16.tensor needs"));
  EXPECT_THAT(result.out, HasSubstr("2:4 sparsity"));
}

TEST(RooflineCommand, DrawsTheFigure) {
  const Folder folder;
  const std::string file = folder.file("a.svg");
  EXPECT_EQ(
      ask({"--device", "t4", "--flops", "4e8", "--bytes", "12e8", "--time", "5ms", "--svg", file})
          .status,
      0);
  EXPECT_THAT(content(file), testing::StartsWith("<svg "));
  EXPECT_THAT(content(file), HasSubstr("best: fp32 in 5.00 ms (80.0 GFLOP/s)"));
  const CommandResult failed =
      ask({"--device", "t4", "--flops", "1", "--svg", folder.file("no/such/folder/a.svg")});
  EXPECT_EQ(failed.status, 1);
  EXPECT_THAT(failed.err, HasSubstr("cannot be written"));
}

struct WrongLine {
  std::vector<std::string> arguments;
  const char* message;
  int status;
};

TEST(RooflineCommand, SaysWhatIsWrong) {
  const std::vector<WrongLine> lines = {
      {{"--flops", "1"}, "needs roofs: --device ID, or --peak and --bandwidth", 2},
      {{"--device", "t4"}, "needs work: --flops, --bytes, or both", 2},
      {{"--device", "t4", "--flops", "2*"}, "\"2*\"", 2},
      {{"--device", "t4", "--flops", "N*2"}, "N", 2},
      {{"--device", "t4", "--flops", "2-2"}, "must be a number above zero", 2},
      {{"--device", "t4", "--flops", "1", "--precision", "fp23"}, "did you mean \"fp32\"?", 2},
      {{"--device", "t4", "--flops", "1", "--time", "5"}, "write a number and one of s, ms", 2},
      {{"--device", "t4", "--flops", "1", "--time", "0s"}, "must be above zero", 2},
      {{"--device", "t4", "--flops", "1", "--traffic", "4e9"}, "write LEVEL=BYTES", 2},
      {{"--device", "t4", "--flops", "1", "--traffic", "l3=4e9"}, "unknown level \"l3\"", 2},
      {{"some.json", "--flops", "1"}, "give it alone", 2},
      {{"--flops", "1", "some.json"}, "give it alone", 2},
      {{"--device", "t44", "--flops", "1"}, "did you mean \"t4\"?", 1},
      {{"no/such/results.json"}, "no/such/results.json", 1},
  };
  for (const WrongLine& line : lines) {
    const CommandResult result = ask(line.arguments);
    EXPECT_EQ(result.status, line.status) << testing::PrintToString(line.arguments);
    EXPECT_THAT(result.err, HasSubstr(line.message));
    EXPECT_EQ(result.out, "");
  }
}

/// A run of two configurations on a T4.
Results small_run() {
  Results results;
  results.spec_name = "triad";
  results.spec_hash = "0123456789abcdef";
  results.device = load_device("t4");
  for (const auto& [number, seconds] : {std::pair{1U, 6e-3}, {2U, 4.4e-3}}) {
    ModelInput model;
    model.work.flops[{}] = 4e8;
    model.work.bytes[Level::dram] = 12e8;
    Record record;
    record.number = number;
    record.parameters = {{"BLOCK", static_cast<int>(number) * 128}};
    record.seconds = seconds;
    ProblemResult problem;
    problem.measurement = Measurement{};
    problem.measurement->seconds = seconds;
    problem.placement = place(model, seconds, results.device);
    record.problems.push_back(problem);
    record.diagnosis = diagnose({model, seconds, {}, 0.9}, results.device);
    results.records.push_back(record);
  }
  return results;
}

TEST(RooflineCommand, AnswersFromResults) {
  const Folder folder;
  write_results(small_run(), folder.file("results.json"));
  const CommandResult text = ask({folder.file("results.json"), "--svg", folder.file("a.svg")});
  EXPECT_EQ(text.status, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr("triad on NVIDIA T4: BLOCK=256\n"));
  EXPECT_THAT(text.out, HasSubstr("achieved:   90.9 GFLOP/s in 4.40 ms: 85% of it"));
  EXPECT_THAT(text.out, HasSubstr("bound by dram"));
  EXPECT_THAT(content(folder.file("a.svg")), HasSubstr("best: BLOCK=256 (90.9 GFLOP/s)"));
  const json found = answer({folder.file("results.json")});
  EXPECT_NEAR(found["intensity"], 1.0 / 3, 1e-9);
  EXPECT_EQ(found["best"], 2);
  ASSERT_EQ(found["records"].size(), 2U);
  EXPECT_NEAR(found["records"][0]["placement"]["fraction"], 12e8 / 320e9 / 6e-3, 1e-9);
  EXPECT_EQ(found["records"][1]["parameters"]["BLOCK"], "256");
}

// Unique bytes make a kernel look better than loaded ones, which caches serve (apache/tvm#11066).
TEST(RooflineCommand, SaysWhetherAnIntensityIsAlgorithmicOrMeasured) {
  const Folder folder;
  Results results = small_run();
  results.records.resize(1);
  ProblemResult& problem = results.records[0].problems[0];
  problem.placement->levels.push_back(problem.placement->levels.front());
  problem.placement->levels.back().source = AmountSource::counters;
  problem.placement->levels.back().intensity /= 2;
  write_results(results, folder.file("results.json"));
  const json found = answer({folder.file("results.json")});
  EXPECT_EQ(found["intensity_kind"], "algorithmic");
  ASSERT_EQ(found["levels"].size(), 2U);
  EXPECT_EQ(found["levels"][0]["intensity_kind"], "algorithmic");
  EXPECT_EQ(found["levels"][1]["intensity_kind"], "measured");
  EXPECT_THAT(ask({folder.file("results.json")}).out,
              AllOf(HasSubstr("FLOP/byte at dram (algorithmic), "), HasSubstr("%  measured\n")));
}

TEST(RooflineCommand, ResultsWithoutASuccess) {
  const Folder folder;
  Results results = small_run();
  for (Record& record : results.records) {
    record.outcome = Outcome::crashed;
    record.seconds = 0;
  }
  write_results(results, folder.file("results.json"));
  EXPECT_THAT(ask({folder.file("results.json")}).out, HasSubstr("no configuration succeeded"));
  EXPECT_TRUE(answer({folder.file("results.json")})["best"].is_null());
}

/// Points the cache folder at an empty one, with ceilings for this machine made by hand.
class StoredCeilings : public testing::Test {
 protected:
  void SetUp() override {
    setenv("XDG_CACHE_HOME", folder_.file("cache").c_str(), 1);
    DeviceProfile host;
    host.id = "host";
    host.name = "Some CPU";
    host.kind = DeviceKind::host;
    host.multiprocessors = 2;
    host.source = "measured by hand";
    host.roofs = {{RoofKind::compute, "fp32", 100e9, RoofSource::measured, "how", 0.01, 0},
                  {RoofKind::bandwidth, "dram", 20e9, RoofSource::measured, "how", 0.02, 0}};
    file_ = host_ceilings_file().value();
    fs::create_directories(file_.parent_path());
    std::ofstream(file_) << device_yaml(host);
  }
  void TearDown() override { unsetenv("XDG_CACHE_HOME"); }

  Folder folder_;
  fs::path file_;
};

TEST_F(StoredCeilings, AreShownWithTheirSpread) {
  const CommandResult result = run_command({"ceilings"});
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.err, "");  // nothing is measured
  EXPECT_THAT(result.out, HasSubstr("Some CPU, 2 workers\nmeasured by hand\n"));
  EXPECT_THAT(result.out, HasSubstr("  fp32                       100 GFLOP/s  measured     1.0%"));
  EXPECT_THAT(result.out, HasSubstr("ridge of fp32 over dram: 5 FLOP/byte\n"));
  EXPECT_THAT(result.out, HasSubstr("kept in " + file_.string()));
}

TEST_F(StoredCeilings, AsJson) {
  const json found = json::parse(run_command({"ceilings", "--json"}).out);
  EXPECT_EQ(found["kind"], "host");
  EXPECT_EQ(found["file"], file_.string());
  ASSERT_EQ(found["roofs"].size(), 2U);
  EXPECT_EQ(found["roofs"][1]["name"], "dram");
  EXPECT_EQ(found["roofs"][1]["value"], 20e9);
  EXPECT_EQ(found["roofs"][1]["spread"], 0.02);
  EXPECT_EQ(found["roofs"][1].count("theoretical"), 0U);
}

TEST_F(StoredCeilings, AreWhatTheHostsKernelsAreHeldAgainst) {
  const json found =
      answer({"--device", "host", "--flops", "1e9", "--bytes", "12e9", "--time", "1s"});
  EXPECT_EQ(found["roof"], "dram");
  EXPECT_NEAR(found["fraction"], 0.6, 1e-9);
}

TEST(CeilingsCommand, ShowsAKnownDevice) {
  const CommandResult result = run_command({"ceilings", "--device", "h100-sxm"});
  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(result.out, HasSubstr("bf16.tensor                989 TFLOP/s  data sheet"));
  EXPECT_THAT(result.out, Not(HasSubstr("kept in")));
  EXPECT_EQ(run_command({"ceilings", "--device", "h100-sxm", "--refresh"}).status, 2);
  EXPECT_EQ(run_command({"ceilings", "--device", "h101"}).status, 1);
}

TEST(CeilingsCommand, AMeasuredFigureAboveTheDataSheetIsShownWithANote) {
  const Folder folder;
  DeviceProfile device = load_device("t4");
  device.roofs.push_back({RoofKind::bandwidth, "dram", 333e9, RoofSource::measured, "now", 0, 0});
  std::ofstream(folder.file("mine.yaml")) << device_yaml(device);
  const CommandResult result = run_command({"ceilings", "--device", folder.file("mine.yaml")});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("333 GB/s"));
  EXPECT_THAT(result.out, HasSubstr("above the data sheet"));
}

TEST(RooflineCommand, NumbersBesideResultsAreRefused) {
  const CommandResult both = ask({"--flops", "1", "results.json"});
  EXPECT_EQ(both.status, 2);
  EXPECT_THAT(both.err, HasSubstr("give it alone, or numbers without it"));
}

}  // namespace
}  // namespace rooftune::cli
