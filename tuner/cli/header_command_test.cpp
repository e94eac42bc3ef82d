#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tuner/cli/test_command.hpp"
#include "tuner/report/header/header_samples.hpp"

namespace rooftune::cli {
namespace {

using ::testing::AllOf;
using testing::FakeDevice;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::TemporaryFolder;

constexpr const char* source =
    "template <int B> __global__ void k(float* a) {}\n"
    "template <int B> __global__ void r(float* a) {}\n";
constexpr const char* header_spec =
    "kernel: {source: k.cu, name: \"k<{B}>\"}\n"
    "constants: {M: 64}\n"
    "parameters: {B: {values: [1, 2, 4]}}\n"
    "derived: {whole: M // B * B}\n"
    "constraints: [M == whole]\n"
    "launch: {block: [B], grid: [\"ceil_div(M, B)\"]}\n"
    "arguments: [{name: a, type: float, count: M, access: inout}]\n"
    "verify: {kernel: \"r<{B}>\", block: [1], grid: [1]}\n";

/// Results in files, of a spec whose source is still there, and a device to verify them on.
class HeaderCommand : public ::testing::Test {
 protected:
  HeaderCommand() {
    folder_.write("k.cu", source);
    folder_.write("k.yaml", header_spec);
  }
  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }

  /// B=1 takes 1 ms, B=2 2 ms, B=4 3 ms.
  std::string results_on(const std::string& device, int size, DeviceKind kind = DeviceKind::cuda) {
    Spec spec = load_spec(path("k.yaml"));
    add_problems(spec, {{{"M", std::to_string(size)}}});
    DeviceProfile profile = testing::named_device(device, 8, 0);
    profile.kind = kind;
    const std::string file = path(device + std::to_string(size) + ".json");
    write_results(
        testing::made_up_results(
            spec, profile, {{{{"B", 1}}, {1e-3}}, {{{"B", 2}}, {2e-3}}, {{{"B", 4}}, {3e-3}}}),
        file);
    return file;
  }

  CommandResult header(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "header");
    return run_command(std::move(arguments), [this](const std::string&) {
      return std::make_unique<FakeDevice>([this](const KernelInstance& instance) {
        ++runs_;
        return answer_(testing::integer(instance, "B"),
                       find_value(instance.problem, "M")->as_integer());
      });
    });
  }

  TemporaryFolder folder_;
  int runs_ = 0;
  std::function<MeasureResult(std::int64_t, std::int64_t)> answer_ =
      [](std::int64_t, std::int64_t) { return testing::measured(1); };
};

TEST_F(HeaderCommand, WritesAFileThatSaysHowItIsMadeAgain) {
  const std::string file = results_on("A", 8);
  const CommandResult result =
      header({file, "--namespace", "a::b", "--problem", "M=16", "-o", path("tuned.hpp")});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.out, path("tuned.hpp") + "\n");
  EXPECT_THAT(folder_.read("tuned.hpp"),
              AllOf(HasSubstr("// Made again by: rooftune header " + file +
                              " --problem M=16 --namespace a::b -o " + path("tuned.hpp") + "\n"),
                    HasSubstr("namespace a::b::k {")));
}

TEST_F(HeaderCommand, HostResultsHaveToBeAskedFor) {
  const std::string file = results_on("cpu", 8, DeviceKind::host);
  const CommandResult refused = header({file});
  EXPECT_EQ(refused.status, 1);
  EXPECT_THAT(refused.err, HasSubstr("--include-host lets it enter"));
  EXPECT_EQ(header({file, "--include-host"}).status, 0);
}

TEST_F(HeaderCommand, WinnersAreVerifiedAtEverySizeOfAllResults) {
  answer_ = [](std::int64_t b, std::int64_t m) -> MeasureResult {
    if (b == 1 && m == 32) {
      return Failure{Outcome::wrong_result, "wrong result: a[7]: got 0, expected 1", ""};
    }
    return testing::measured(1);
  };
  const CommandResult result = header({results_on("A", 8), results_on("B", 32)});
  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(result.err, AllOf(HasSubstr("left out: B=1 on A at M=8: at M=32: wrong result: a[7]"),
                                HasSubstr("left out: B=1 on B at M=32")));
  EXPECT_THAT(result.out, AllOf(HasSubstr("k<2>"), Not(HasSubstr("k<1>"))));
  EXPECT_EQ(runs_, 4) << "two configurations at two sizes, each once";
  const CommandResult trusted = header({results_on("A", 8), "--no-verify"});
  EXPECT_THAT(trusted.out, HasSubstr("k<1>"));
  EXPECT_EQ(runs_, 4);
}

TEST_F(HeaderCommand, GivenSizesAreVerifiedTooAndSizesThatRulesForbidAreNot) {
  answer_ = [](std::int64_t b, std::int64_t m) -> MeasureResult {
    if (b == 1 && m == 5) {
      return Failure{Outcome::crashed, "out of bounds", ""};
    }
    return testing::measured(1);
  };
  const CommandResult result = header({results_on("A", 8), "--problem", "M=5"});
  EXPECT_THAT(result.err, HasSubstr("at M=5: out of bounds"));
  EXPECT_THAT(result.out, HasSubstr("k<2>"));
  EXPECT_THAT(result.out, HasSubstr("const auto whole = floor_div(M, B) * B;")) << "of valid()";
  EXPECT_EQ(runs_, 2) << "B=1 fails at M=5; B=2 does not divide 5, and runs at M=8";
  EXPECT_THAT(header({results_on("A", 8), "--problem", "Q=5"}).err,
              HasSubstr("--problem Q=5: the spec has no constant `Q`"));
  EXPECT_EQ(header({results_on("A", 8), "--problem", "M"}).status, 2);
}

TEST_F(HeaderCommand, WhatCannotBeTriedHereIsNoObjection) {
  answer_ = [](std::int64_t, std::int64_t) -> MeasureResult {
    return Failure{Outcome::timed_out, "still running after 10 s", ""};
  };
  const CommandResult slow = header({results_on("A", 8), results_on("B", 32)});
  EXPECT_THAT(slow.err, AllOf(HasSubstr("k is not verified here at every size: at M=8: still"),
                              Not(HasSubstr("left out"))));
  EXPECT_THAT(slow.out, HasSubstr("k<1>"));
  EXPECT_EQ(runs_, 1);
  const std::string file = results_on("A", 8);
  std::filesystem::remove(path("k.cu"));
  const CommandResult gone = header({file});
  EXPECT_EQ(gone.status, 0);
  EXPECT_THAT(gone.err, HasSubstr("warning: k is not verified here: "));
}

TEST_F(HeaderCommand, EmbeddingTakesTheSpecAsItWas) {
  const std::string file = results_on("A", 8);
  EXPECT_THAT(header({file, "--embed", "source"}).out, HasSubstr("template <int B> __global__"));
  const std::string moved = (folder_.path() / "moved").string();
  std::filesystem::create_directory(moved);
  std::filesystem::rename(path("k.yaml"), moved + "/k.yaml");
  std::filesystem::rename(path("k.cu"), moved + "/k.cu");
  EXPECT_EQ(header({file, "--embed", "launcher"}).status, 1);
  EXPECT_EQ(header({file, "--embed", "launcher", "--spec", moved + "/k.yaml"}).status, 0);
  folder_.write("moved/k.cu", std::string(source) + "// changed\n");
  const CommandResult changed = header({file, "--embed", "launcher", "--spec", moved + "/k.yaml"});
  EXPECT_EQ(changed.status, 1);
  EXPECT_THAT(changed.err, AllOf(HasSubstr("changed since the results were made"),
                                 HasSubstr(moved + "/k.yaml has ")));
}

TEST_F(HeaderCommand, MacrosGoToFiles) {
  const std::string file = results_on("A", 8);
  EXPECT_THAT(header({file, "--style", "macros"}).err, HasSubstr("do not go to stdout"));
  EXPECT_EQ(header({file, "--style", "macros", "-o", path("t.h")}).out,
            path("t.A.h") + "\n" + path("t.DEFAULT.h") + "\n" + path("t.h") + "\n");
  EXPECT_THAT(header({file, "--style", "macros", "--embed", "source", "-o", path("t.h")}).err,
              HasSubstr("macros hold no source"));
}

}  // namespace
}  // namespace rooftune::cli
