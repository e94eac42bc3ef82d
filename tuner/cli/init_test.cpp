#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tuner/cli/spec_skeleton.hpp"
#include "tuner/cli/test_command.hpp"
#include "tuner/core/error.hpp"
#include "tuner/session/temporary_folder.hpp"
#include "tuner/space/space.hpp"
#include "tuner/spec/instance.hpp"

namespace rooftune::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::TemporaryFolder;

constexpr const char* saxpy = R"(
#ifndef BLOCK
#define BLOCK 256
#endif
template <int UNROLL, typename T, bool CHECK>
__global__ void __launch_bounds__(BLOCK) saxpy(const T* __restrict__ x, float* y, float a, int n) {
}
__global__ void saxpy_reference(const float* x, float* y, float a, int n) {}
)";

TEST(SpecSkeleton, TakesWhatTheSourceSays) {
  const std::string text = spec_skeleton(saxpy, "saxpy.cu");
  for (const char* line : {
           "  source: \"saxpy.cu\"\n",
           "  name: \"saxpy<{UNROLL}, {T}, {CHECK}>\"\n",
           "constants: {n: 1048576}\n",
           "  UNROLL: {values: [1, 2, 4], role: unroll}\n",
           "  T: {values: [float], role: precision}\n",
           "  CHECK: {values: [false, true], role: other}\n",
           "  BLOCK: {values: [256], role: block}   # a macro of the source\n",
           "  block: [\"BLOCK\"]\n",
           "  grid: [\"ceil_div(n, BLOCK)\"]\n",
           "  - {name: x, type: \"{T}\", count: n, fill: \"uniform(-1, 1)\"}\n",
           "  - {name: y, type: float, count: n, access: out}\n",
           "  - {name: a, type: float, value: 1.0}\n",
           "  - {name: n, type: int, value: n}\n",
           "  kernel: saxpy_reference\n",
           "  bytes: {dram: \"4 * n + 4 * n\"}\n",
       }) {
    EXPECT_THAT(text, HasSubstr(line));
  }
}

TEST(SpecSkeleton, LoadsAsItStands) {
  const TemporaryFolder folder;
  folder.write("saxpy.cu", saxpy);
  const Spec spec = load_spec(folder.write("saxpy.yaml", spec_skeleton(saxpy, "saxpy.cu")));
  const Space space(spec);
  EXPECT_EQ(space.size(), 6U);
  const KernelInstance instance =
      instantiate(spec, space.values(space.at(0)), spec.problems.front());
  EXPECT_EQ(instance.launch.grid.x, 4096U);
  EXPECT_EQ(instance.arguments.size(), 4U);
}

class EveryTemplate : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryTemplate, GivesASpecThatLoads) {
  const fs::path source = fs::path(ROOFTUNE_SOURCE_DIR) / "templates" / (GetParam() + ".cu");
  const TemporaryFolder folder;
  const fs::path spec = folder.path() / "begun.yaml";
  const CommandResult result = run_command({"init", source.string(), "-o", spec.string()});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.out, spec.string() + "\n");
  EXPECT_NO_THROW(load_spec(spec)) << folder.read("begun.yaml");
}

std::vector<std::string> templates() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(ROOFTUNE_SOURCE_DIR "/templates")) {
    if (entry.path().extension() == ".cu") {
      names.push_back(entry.path().stem().string());
    }
  }
  return names;
}

INSTANTIATE_TEST_SUITE_P(Templates, EveryTemplate, ::testing::ValuesIn(templates()),
                         [](const auto& info) { return info.param; });

TEST(SpecSkeleton, AKernelWithoutAnythingToSetIsToldHow) {
  EXPECT_THAT(spec_skeleton("__global__ void k(float* a) {}", "k.cu"),
              AllOf(HasSubstr("Nothing in the source can be set"), HasSubstr("constants: {N: ")));
}

TEST(InitCommand, SaysWhatIsWrong) {
  const TemporaryFolder folder;
  const std::string source = folder.write("k.cu", saxpy).string();
  const CommandResult unknown = run_command({"init", source, "--kernel", "saxpi"});
  EXPECT_EQ(unknown.status, 1);
  EXPECT_THAT(unknown.err, HasSubstr("did you mean \"saxpy\"?"));
  EXPECT_THAT(run_command({"init", source, "--kernel", "saxpy_reference"}).out,
              HasSubstr("name: \"saxpy_reference\""));
  const std::string none = folder.write("n.cu", "int main() {}").string();
  EXPECT_THAT(run_command({"init", none}).err, HasSubstr("no kernel whose parameters"));
  EXPECT_EQ(run_command({"init", "missing.cu"}).status, 1);
  EXPECT_EQ(run_command({"init"}).status, 2);
  const CommandResult exists = run_command({"init", source, "-o", source});
  EXPECT_EQ(exists.status, 1);
  EXPECT_THAT(exists.err, HasSubstr("it exists already"));
}

}  // namespace
}  // namespace rooftune::cli
