#include "tuner/spec/spec.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <random>
#include <sstream>

#include "tuner/spec/test_files.hpp"

namespace rooftune {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr const char* everything = R"yaml(# A comment
kernel:
  source: gemm.cu
  name: "gemm<{BM}, {T}>"
  options: ["--use_fast_math", "-DTILE={BM * 2}"]
  include: [inc]
constants: {M: 64, eps: 0.5, mode: fast, exact: true, big: 2 ** 20}
problems: [{M: 64}, {M: 128, mode: slow}]
parameters:
  BM: {values: [16, 32], role: tile}
  T: {values: [float, "half"], role: precision}
  PAD:
    values:
      - 0
      - 1
constraints:
  - M % BM == 0 and T in ['float', 'half']
  - "min(BM, M) > 1"
derived: {blocks: "ceil_div(M, BM) * pads", pads: PAD + 1}
launch: {block: [BM, 2], grid: blocks, shared_bytes: 4 * BM}
arguments:
  - {name: A, type: "{T}", count: M * M, fill: "uniform(-2, 3)"}
  - {name: B, type: float, count: M, file: b.bin}
  - {name: C, type: float, count: M, access: out}
  - {name: M, type: int, value: M}
work:
  flops: {fp32: 2 * M, fp16.tensor: M}
  bytes: {dram: 4 * M}
  traffic: {l2: 8 * M / BM}
verify:
  kernel: "gemm_reference<{T}>"
  block: [32]
  grid: ["ceil_div(M, 32)"]
  tolerance: {relative: 1e-4}
baseline: {T: float, BM: 16, PAD: 0}
stop: {ceiling: 0.8, evaluations: 20, seconds: 1.5, improvement: 0.1}
)yaml";
constexpr const char* gemm_source =
    "template <int BM, typename T>\n"
    "__global__ void gemm(const T* A, const float* B, float* C, int M) {}\n"
    "template <typename T>\n"
    "__global__ void gemm_reference(const T* A, const float* B, float* C, int M) {}\n";

class SpecFile : public ::testing::Test {
 protected:
  SpecFile() {
    folder_.write("gemm.cu", gemm_source);
    folder_.write("b.bin", "");
    folder_.write("inc/x.h", "");
  }
  Spec load(const std::string& text, const std::vector<Override>& overrides = {}) const {
    return load_spec(folder_.write("gemm.yaml", text), overrides);
  }
  TestFolder folder_;
};

std::vector<std::string> names(const std::vector<Derived>& derived) {
  std::vector<std::string> result;
  for (const Derived& quantity : derived) {
    result.push_back(quantity.name);
  }
  return result;
}

TEST_F(SpecFile, ReadsNamesAndValues) {
  const Spec spec = load(everything);
  EXPECT_EQ(spec.name, "gemm");
  EXPECT_EQ(to_string(spec.constants), "M=64 eps=0.5 mode=fast exact=true big=1048576");
  ASSERT_EQ(spec.problems.size(), 2U);
  EXPECT_EQ(to_string(spec.problems[1]), "M=128 eps=0.5 mode=slow exact=true big=1048576");
  ASSERT_EQ(spec.parameters.size(), 3U);
  EXPECT_THAT(spec.parameters[0].values, ElementsAre(16, 32));
  EXPECT_EQ(spec.parameters[0].role, Role::tile);
  EXPECT_EQ(spec.parameters[0].spot.line, 10);
  EXPECT_EQ(spec.parameters[0].spot.column, 3);
  EXPECT_THAT(spec.parameters[1].values, ElementsAre("float", "half"));
  EXPECT_EQ(spec.parameters[2].role, Role::other);
  EXPECT_THAT(names(spec.derived), ElementsAre("pads", "blocks"));
  EXPECT_EQ(to_string(spec.baseline), "BM=16 T=float PAD=0");
}

TEST_F(SpecFile, ReadsTheKernel) {
  const Spec spec = load(everything);
  ASSERT_TRUE(spec.kernel);
  EXPECT_EQ(spec.kernel->source, folder_.path() / "gemm.cu");
  EXPECT_THAT(spec.kernel->include, ElementsAre(folder_.path() / "inc"));
  EXPECT_THAT(spec.kernel->defines, ElementsAre("PAD"));
  ASSERT_EQ(spec.kernel->options.size(), 2U);
  EXPECT_EQ(spec.launch.block.size(), 2U);
  EXPECT_EQ(spec.launch.grid.size(), 1U);
  ASSERT_EQ(spec.arguments.size(), 4U);
  EXPECT_EQ(spec.arguments[0].fill.kind, Fill::Kind::uniform);
  EXPECT_EQ(spec.arguments[0].fill.low, -2);
  EXPECT_EQ(spec.arguments[0].fill.high, 3);
  EXPECT_EQ(spec.arguments[1].file, folder_.path() / "b.bin");
  EXPECT_EQ(spec.arguments[2].access, Access::out);
  EXPECT_FALSE(spec.arguments[3].count);
}

TEST_F(SpecFile, ReadsTheModelAndTheEnd) {
  const Spec spec = load(everything);
  EXPECT_EQ(spec.work.flops.at({Precision::fp16, true}).expression.to_string(), "M");
  EXPECT_EQ(spec.work.traffic.at(Level::l2).expression.to_string(), "8 * M / BM");
  ASSERT_EQ(spec.rules.size(), 2U);
  EXPECT_EQ(spec.rules[1].text, "min(BM, M) > 1");
  EXPECT_EQ(spec.rules[1].condition.spot.line, 18);
  EXPECT_EQ(spec.rules[1].condition.spot.column, 5);
  ASSERT_TRUE(spec.verify);
  EXPECT_EQ(spec.verify->source, folder_.path() / "gemm.cu");
  EXPECT_EQ(spec.verify->tolerance.relative, 1e-4);
  EXPECT_EQ(spec.verify->tolerance.absolute, std::nullopt);
  EXPECT_EQ(spec.stop.ceiling, 0.8);
  EXPECT_EQ(spec.stop.evaluations, 20U);
  EXPECT_EQ(spec.stop.seconds, 1.5);
  EXPECT_EQ(spec.stop.improvement, 0.1);
}

TEST_F(SpecFile, OverridesConstantsInEveryProblemAndFixesParameters) {
  const Spec spec = load(everything, {{"M", "2 ** 5"}, {"BM", "48"}, {"T", "half"}});
  EXPECT_EQ(*find_value(spec.constants, "M"), 32);
  ASSERT_EQ(spec.problems.size(), 2U);
  EXPECT_EQ(*find_value(spec.problems[1], "M"), 32);
  EXPECT_THAT(spec.parameters[0].values, ElementsAre(48));
  EXPECT_THAT(spec.parameters[1].values, ElementsAre("half"));
  EXPECT_EQ(to_string(spec.baseline), "BM=48 T=half PAD=0");
}

TEST_F(SpecFile, ProblemsThatAnOverrideMakesEqualAreOne) {
  const Spec spec = load(everything, {{"M", "32"}, {"mode", "fast"}});
  EXPECT_EQ(spec.problems.size(), 1U);
}

TEST_F(SpecFile, HashFollowsTextOverridesAndSource) {
  const std::string first = load(everything).hash;
  EXPECT_EQ(load(everything).hash, first);
  EXPECT_NE(load(std::string(everything) + "# more\n").hash, first);
  EXPECT_NE(load(everything, {{"M", "128"}}).hash, first);
  folder_.write("gemm.cu", std::string(gemm_source) + "// changed\n");
  EXPECT_NE(load(everything).hash, first);
}

TEST_F(SpecFile, NeedsNoKernelToBeReplayed) {
  const Spec spec = load("parameters: {bx: {values: [1, 2]}}\n");
  EXPECT_FALSE(spec.kernel);
  EXPECT_EQ(spec.name, "gemm");
  EXPECT_EQ(spec.problems.size(), 1U);
  EXPECT_THAT(spec.constants, IsEmpty());
  EXPECT_THAT(spec.launch.block, IsEmpty());
}

TEST_F(SpecFile, NamesThatReachTheSourceCanBeChosen) {
  std::string text = everything;
  text.replace(text.find("  include"), 0, "  defines: [M, pads]\n");
  EXPECT_THAT(load(text).kernel->defines, ElementsAre("M", "pads"));
}

TEST_F(SpecFile, ExpectedFilesStandForAReferenceKernel) {
  std::string text = everything;
  const std::size_t begin = text.find("verify:");
  text.replace(begin, text.find("baseline:") - begin, "verify: {file: b.bin}\n");
  EXPECT_EQ(load(text).verify->files.at("C"), folder_.path() / "b.bin");
  text.replace(text.find("{file: b.bin}"), 13, "{files: {C: b.bin}}");
  EXPECT_EQ(load(text).verify->files.at("C"), folder_.path() / "b.bin");
}

TEST_F(SpecFile, EndsOfLineAndAByteOrderMarkDoNotMatter) {
  std::string text = "\xef\xbb\xbf" + std::string(everything);
  for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 2) {
    text.replace(at, 1, "\r\n");
  }
  const Spec spec = load(text);
  EXPECT_EQ(spec.parameters[0].spot.line, 10);
  EXPECT_EQ(spec.parameters[0].spot.line_text, "  BM: {values: [16, 32], role: tile}");
}

std::string refusal(const std::string& text, const std::vector<Override>& overrides = {}) {
  try {
    parse_spec(text, "s.yaml", overrides);
    return "not refused";
  } catch (const InputError& error) {
    return error.what();
  }
}

TEST(Overrides, RefuseWhatTheyCannotSet) {
  const std::string text = "constants: {size: 4, mode: fast}\nparameters: {BM: {values: [1, 2]}}\n";
  EXPECT_EQ(refusal(text, {{"sise", "4"}}),
            "--set sise=4: the spec has no constant or parameter `sise`\n"
            "  did you mean \"size\"?");
  EXPECT_EQ(refusal(text, {{"size", "big"}}), "--set size=big: size is a number in the spec");
  EXPECT_EQ(refusal(text, {{"mode", "4"}}), "--set mode=4: mode is a text in the spec");
  EXPECT_EQ(refusal(text, {{"BM", "large"}}), "--set BM=large: BM is a number in the spec");
  EXPECT_EQ(refusal(text, {{"size", "4k"}}),
            "--set size=4k: `4k` is neither a number nor a name: a number cannot go on like this; "
            "write numbers as 64 or 0.5");
  EXPECT_EQ(refusal(text, {{"size", "1 // 0"}}), "--set size=1 // 0: 1 // 0: division by zero");
  EXPECT_EQ(refusal(text, {{"size", ""}}), "--set size=: the value is empty");
}

/// The place that a refusal names: "line:column".
std::string place(const std::string& text) {
  const std::string message = refusal(text);
  return message.substr(7, message.find(':', message.find(':', 7) + 1) - 7);
}

TEST(Positions, SurviveQuotesEscapesAndFoldedLines) {
  const std::string head = "parameters: {a: {values: [1]}}\nconstraints:\n";
  EXPECT_EQ(place(head + "  - a + x\n"), "3:9");
  EXPECT_EQ(place(head + "  - 'a + x'\n"), "3:10");
  EXPECT_EQ(place(head + "  - '''q'' == a and x'\n"), "3:21");
  EXPECT_EQ(place(head + "  - \"\\\"q\\\" == a and x\"\n"), "3:21");
  EXPECT_EQ(place(head + "  - a > 0 and\n    a < 2 and\n    x\n"), "5:5");
  EXPECT_EQ(place(head + "  - \"a > 0 and\n    x\"\n"), "4:5");
  EXPECT_EQ(place(head + "  - >\n    a > 0 and\n    x > 1\n"), "5:5");
  EXPECT_EQ(place(head + "  - |\n    a > 0 and\n      x > 1\n"), "5:7");
  EXPECT_EQ(place(head + "  - a > # comment\n"), "3:8");
}

TEST(Positions, NeverLeaveTheFile) {
  EXPECT_EQ(refusal("parameters: {a: {values: [1]}}\nconstraints: [a >]"),
            "s.yaml:2:18: the expression ends where a value should follow\n"
            "    2 | constraints: [a >]\n"
            "      |                  ^");
  EXPECT_EQ(refusal("parameters:"),
            "s.yaml:1:1: parameters should be a mapping, not nothing\n"
            "    1 | parameters:\n"
            "      | ^");
}

TEST(YamlValues, AreReadWhereAllReadersAgree) {
  const Spec spec = parse_spec(
      "constants: {a: 0, b: -5, c: +7, d: 0.5, e: 1.5e-3, f: True, g: 'on', h: \"012\", i: y,\n"
      "            j: unsigned int, k: std::plus<float>, l: float*, m: 4 * 1024, n: 'half'}\n"
      "parameters: {p: {values: [1]}}\n",
      "s.yaml");
  EXPECT_EQ(to_string(spec.constants),
            "a=0 b=-5 c=7 d=0.5 e=0.0015 f=true g=on h=012 i=y j=unsigned int k=std::plus<float> "
            "l=float* m=4096 n=half");
  EXPECT_EQ(find_value(spec.constants, "h")->kind(), Value::Kind::text);
  EXPECT_EQ(find_value(spec.constants, "f")->kind(), Value::Kind::boolean);
}

TEST(SpecFiles, EveryKernelOfTheProjectHasASpecThatReads) {
  int count = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(ROOFTUNE_SOURCE_DIR "/configs/kernels")) {
    SCOPED_TRACE(entry.path().string());
    const Spec spec = load_spec(entry.path());
    EXPECT_TRUE(spec.kernel);
    EXPECT_FALSE(spec.baseline.empty());
    ++count;
  }
  EXPECT_GE(count, 4);
}

// Whatever is done to a spec, it is read or refused: nothing else is thrown, and no place in a
// message lies outside of the text.
TEST_F(SpecFile, MutatedSpecsAreReadOrRefused) {
  std::mt19937_64 random(5);
  const std::string pieces = "{}[]()\"'|>&*!%#:,-\\ \n\t?@`0aN~";
  int refused = 0;
  for (int round = 0; round < 1000; ++round) {
    std::string text = everything;
    for (std::uint64_t change = 0; change <= random() % 3; ++change) {
      const std::size_t at = random() % text.size();
      switch (random() % 3) {
        case 0:
          text.erase(at, 1 + random() % 12);
          break;
        case 1:
          text.insert(at, 1, pieces[random() % pieces.size()]);
          break;
        default:
          text[at] = static_cast<char>(random() % 256);
      }
    }
    try {
      parse_spec(text, folder_.path() / "s.yaml");
    } catch (const InputError& error) {
      ++refused;
      const auto lines = std::count(text.begin(), text.end(), '\n') + 1;
      ASSERT_TRUE(!error.spot() || error.spot()->line <= lines) << error.what();
    } catch (const std::exception& error) {
      FAIL() << error.what() << "\nin\n" << text;
    }
  }
  EXPECT_GT(refused, 300);
}

TEST(SpecFiles, TheOneInTheDocumentationReads) {
  std::ostringstream page;
  page << std::ifstream(ROOFTUNE_SOURCE_DIR "/docs/spec.md").rdbuf();
  const std::string text = page.str();
  const std::size_t begin = text.find("```yaml\n") + 8;
  const Spec spec = parse_spec(text.substr(begin, text.find("```", begin) - begin),
                               ROOFTUNE_SOURCE_DIR "/configs/kernels/documented.yaml");
  EXPECT_EQ(spec.name, "sgemm");
  EXPECT_EQ(spec.problems.size(), 2U);
  for (int i = 0; i <= static_cast<int>(Role::other); ++i) {
    const std::string role(to_string(static_cast<Role>(i)));
    EXPECT_NE(text.find("| `" + role + "` |"), std::string::npos) << role;
  }
}

TEST(TextTemplate, FillsItsHoles) {
  Scope scope;
  scope.set({{"BM", 64}, {"T", "float"}, {"neg", -1}, {"fast", true}});
  const auto render = [&](const std::string& text) {
    return TextTemplate::parse(text).render(scope);
  };
  EXPECT_EQ(render("k<{BM}, {T}, {BM // 2}>"), "k<64, float, 32>");
  EXPECT_EQ(render("k<{neg}, {fast}>"), "k<(-1), true>");
  EXPECT_EQ(render("a{{b}}c"), "a{b}c");
  EXPECT_EQ(render("{'}' if BM else '{'}"), "}");
  EXPECT_EQ(render("plain"), "plain");
  EXPECT_THROW(render("{BN}"), ValueError);
  EXPECT_EQ(TextTemplate::parse("{BM}{T}{BM}").names(), (std::vector<std::string>{"BM", "T"}));
}

TEST(SpecProblems, GivenSizesAreAddedAndLeaveTheHash) {
  const std::string parameters = "parameters: {B: {values: [1]}}\n";
  Spec none = parse_spec("constants: {M: 8, N: 4, mode: fast}\n" + parameters, "spec.yaml");
  const std::string hash = none.hash;
  add_problems(none, {{{"M", "2 ** 4"}}, {{"M", "32"}, {"N", "1"}}});
  ASSERT_EQ(none.problems.size(), 2U) << "in the place of the constants' own size";
  EXPECT_EQ(to_string(none.problems[0]), "M=16 N=4 mode=fast");
  EXPECT_EQ(to_string(none.problems[1]), "M=32 N=1 mode=fast");
  EXPECT_EQ(none.hash, hash);
  Spec some = parse_spec("constants: {M: 8}\nproblems: [{M: 1}]\n" + parameters, "spec.yaml");
  add_problems(some, {{{"M", "2"}}, {{"M", "1"}}});
  ASSERT_EQ(some.problems.size(), 2U) << "besides those that are listed, each once";
  EXPECT_EQ(to_string(some.problems[1]), "M=2");
  EXPECT_THROW(add_problems(some, {{{"Q", "2"}}}), InputError);
  EXPECT_THROW(add_problems(some, {{{"M", "fast"}}}), InputError);
}

}  // namespace
}  // namespace rooftune
