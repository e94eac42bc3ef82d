#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tuner/cli/test_command.hpp"
#include "tuner/session/fake_device.hpp"
#include "tuner/session/results.hpp"
#include "tuner/session/temporary_folder.hpp"

namespace rooftune::cli {
namespace {

using ::testing::AllOf;
using testing::FakeDevice;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using testing::TemporaryFolder;

constexpr const char* spec_text = R"yaml(
kernel: {source: k.cu, name: "k<{BM}>"}
constants: {N: 1000000}
parameters:
  BM: {values: [1, 2, 4, 8], role: tile}
launch: {block: ["256"], grid: ["ceil_div(N, 256 * BM)"]}
arguments:
  - {name: A, type: float, count: N, access: out}
work: {bytes: {dram: 12 * N}}
verify: {kernel: reference, block: [256], grid: ["ceil_div(N, 256)"]}
)yaml";

/// 100 us at BM = 1, 50, 25, and at BM = 8 a wrong result.
MeasureResult answer(const KernelInstance& instance) {
  const std::int64_t tile = testing::integer(instance, "BM");
  if (tile == 8) {
    return Failure{Outcome::wrong_result, "A[3]: got 1, expected 2", ""};
  }
  return testing::measured(100e-6 / static_cast<double>(tile));
}

class TuneCommand : public ::testing::Test {
 protected:
  TuneCommand() {
    folder_.write("k.yaml", spec_text);
    folder_.write("k.cu",
                  "template <int BM> __global__ void k(float* a) { a[0] = BM; }\n"
                  "__global__ void reference(float* a) { a[0] = 1; }\n");
  }
  std::string out() const { return (folder_.path() / "out").string(); }
  CommandResult tune(std::vector<std::string> more, FakeDevice::Answer answers = answer,
                     bool terminal = false) const {
    std::vector<std::string> words = {
        "tune", (folder_.path() / "k.yaml").string(), "--policy", "exhaustive", "--out", out()};
    words.insert(words.end(), more.begin(), more.end());
    const DeviceOpener opener = [answers](const std::string&) {
      return std::make_unique<FakeDevice>(answers);
    };
    CommandResult result = run_command(words, opener, terminal);
    for (std::string* text : {&result.out, &result.err}) {
      for (std::size_t at = 0; (at = text->find(out(), at)) != std::string::npos;) {
        text->replace(at, out().size(), "OUT");
      }
    }
    return result;
  }

  TemporaryFolder folder_;
};

TEST_F(TuneCommand, TakesResultsOfAnotherRunAsAPrior) {
  ASSERT_EQ(tune({}).status, 0);
  const std::string spec = (folder_.path() / "k.yaml").string();
  const std::string second = (folder_.path() / "second").string();
  const auto opener = [](const std::string&) { return std::make_unique<FakeDevice>(answer); };
  const CommandResult result = run_command(
      {"tune", spec, "--out", second, "--evaluations", "1", "--explain", "--prior", out()}, opener);
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("start: the fastest on "));
  const Results results = read_results(std::filesystem::path(second) / "results.json");
  ASSERT_EQ(results.records.size(), 1U);
  EXPECT_EQ(results.records[0].parameters[0].value, Value(4)) << "the other run's best";
  EXPECT_THAT(results.command, HasSubstr("--prior " + out()));
}

TEST_F(TuneCommand, EndsWithPathsReasonAndVerdict) {
  const CommandResult result = tune({});
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(
      result.out,
      "results   OUT/results.json\n"
      "journal   OUT/journal.jsonl\n"
      "roofline  OUT/roofline.svg\n"
      "report    OUT/report.html\n"
      "header    OUT/k_tuned.hpp\n"
      "stopped: nothing is left to try of 4 configurations (4 were evaluated): the best takes "
      "25.0 us and is at 48% of its dram roof: 2.08x remain to the ceiling\n"
      "best: BM=4; 25.0 us; not enough evidence for its bound; 48% of its ceiling; 4 evaluations "
      "of 4\n");
  EXPECT_EQ(result.err,
            "k on Fake device: 4 configurations of 4, policy exhaustive, seed 1\n"
            "#1 BM=1: 100 us, 12% of its roof, not enough evidence for its bound\n"
            "#2 BM=2: 50.0 us, 24% of its roof, not enough evidence for its bound\n"
            "#3 BM=4: 25.0 us, 48% of its roof, not enough evidence for its bound\n"
            "1 wrong_result, the first BM=8: A[3]: got 1, expected 2\n");
  EXPECT_THAT(folder_.read("out/roofline.svg"), HasSubstr("<svg"));
  EXPECT_THAT(folder_.read("out/report.html"), HasSubstr("<html"));
  EXPECT_THAT(folder_.read("out/k_tuned.hpp"), HasSubstr("BM = 4"));
  EXPECT_THAT(folder_.read("out/results.json"), HasSubstr("\"schema_version\""));
}

TEST_F(TuneCommand, ExplainsEachStep) {
  const CommandResult result = tune({"--explain"});
  EXPECT_THAT(result.err, HasSubstr("#3 BM=4\n    because "));
  EXPECT_THAT(
      result.err,
      HasSubstr("    25.0 us, 48% of its roof, not enough evidence for its bound (the best so "
                "far)\n"));
  EXPECT_THAT(result.err, HasSubstr("    wrong_result: A[3]: got 1, expected 2\n"));
  EXPECT_THAT(folder_.read("out/journal.jsonl"), HasSubstr("\"summary\":\""));
}

TEST_F(TuneCommand, OnATerminalOneLineIsKeptUpToDate) {
  const CommandResult result = tune({}, answer, true);
  EXPECT_THAT(result.err, HasSubstr("\r\x1b[K3/4  best 25.0 us (48% of its roof)"));
  EXPECT_THAT(result.err, HasSubstr("1 failed"));
  EXPECT_THAT(result.err, Not(HasSubstr("#3 BM=4")));
  EXPECT_THAT(result.err, HasSubstr("\r\x1b[K1 wrong_result, the first BM=8"));
}

TEST_F(TuneCommand, JsonIsOneDocumentOnStdout) {
  const CommandResult result = tune({"--json"});
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json["results"].size(), 4U);
  EXPECT_THAT(result.err, HasSubstr("best: BM=4"));
}

TEST_F(TuneCommand, StopsByItsBudgetAndResumes) {
  EXPECT_EQ(tune({"--evaluations", "2"}).status, 0);
  const CommandResult result = tune({"--resume", "--evaluations", "3"});
  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(result.err, HasSubstr("note: resuming: 2 evaluations are taken from the journal\n"
                                    "#3 BM=4"));
  EXPECT_THAT(result.out, HasSubstr("stopped: the budget of 3 evaluations is used up"));
}

TEST_F(TuneCommand, ASecondRunKeepsTheFirst) {
  tune({});
  const CommandResult result = tune({});
  EXPECT_THAT(result.err, HasSubstr("note: an earlier run's journal is kept as "
                                    "OUT/journal.1.jsonl; --resume would have gone on with it"));
  EXPECT_TRUE(exists(folder_.path() / "out" / "results.1.json"));
}

TEST_F(TuneCommand, TheResultsSayHowTheyAreMadeAgain) {
  tune({"--set", "N=500000", "--seed", "7", "--evaluations", "2"});
  const Results results = read_results(folder_.path() / "out" / "results.json");
  EXPECT_EQ(results.command, "rooftune tune " + (folder_.path() / "k.yaml").string() +
                                 " --set N=500000 --device auto --policy exhaustive --seed 7 "
                                 "--evaluations 2");
  EXPECT_EQ(results.overrides, std::vector<std::string>{"N=500000"});
  EXPECT_EQ(*find_value(results.problems.at(0), "N"), Value(500000));
}

TEST_F(TuneCommand, WhereNothingSucceedsTheStatusIsOne) {
  const CommandResult result = tune({}, [](const KernelInstance&) -> MeasureResult {
    return Failure{Outcome::wrong_result, "A[0] is wrong", ""};
  });
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.out, HasSubstr("no configuration succeeded; 4 evaluations of 4"));
  EXPECT_THAT(result.out, Not(HasSubstr("header")));
  EXPECT_FALSE(exists(folder_.path() / "out" / "k_tuned.hpp"));
}

TEST_F(TuneCommand, AnUnprovenBestGetsNoHeaderAndItIsSaid) {
  const CommandResult result = tune({}, [](const KernelInstance&) {
    Measurement measurement = testing::measured(50e-6);
    measurement.verified = false;
    return measurement;
  });
  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(result.out, HasSubstr("header    none: no results may enter the header:\n"
                                    "   k on Fake device: its best configuration was never proven "
                                    "right"));
}

TEST_F(TuneCommand, WrongCommandLinesAreTwoAndSayWhatIsRight) {
  const auto wrong = [&](const std::vector<std::string>& more) {
    const CommandResult result = tune(more);
    EXPECT_EQ(result.status, 2);
    return result.err;
  };
  EXPECT_THAT(wrong({"--polcy", "x"}), HasSubstr("--polcy"));
  EXPECT_THAT(wrong({"--policy", "randm"}), HasSubstr("did you mean \"random\"?"));
  EXPECT_THAT(wrong({"--evaluations", "0"}), HasSubstr("--evaluations"));
  EXPECT_THAT(wrong({"--seconds", "-3"}), HasSubstr("--seconds"));
  EXPECT_THAT(wrong({"--set", "N"}), HasSubstr("\"N\" is not NAME=VALUE"));
  EXPECT_EQ(run_command({"tune"}).status, 2);
  EXPECT_FALSE(exists(folder_.path() / "out")) << "nothing is done before the line is understood";
}

TEST_F(TuneCommand, WrongInputIsOne) {
  const CommandResult missing = run_command({"tune", "none.yaml"});
  EXPECT_EQ(missing.status, 1);
  EXPECT_THAT(missing.err, AllOf(StartsWith("rooftune: none.yaml"), HasSubstr("no such file")));
  const CommandResult device =
      run_command({"tune", (folder_.path() / "k.yaml").string(), "--device", "gpu"});
  EXPECT_EQ(device.status, 1);
  EXPECT_THAT(device.err, HasSubstr("gpu"));
  const CommandResult unknown = tune({"--set", "BN=3"});
  EXPECT_EQ(unknown.status, 1);
  EXPECT_THAT(unknown.err, HasSubstr("BN"));
}

TEST_F(TuneCommand, HelpShowsExamples) {
  const CommandResult help = run_command({"tune", "--help"});
  EXPECT_EQ(help.status, 0);
  EXPECT_THAT(help.out, AllOf(HasSubstr("Examples:"), HasSubstr("--resume"), HasSubstr("--set")));
}

}  // namespace
}  // namespace rooftune::cli
