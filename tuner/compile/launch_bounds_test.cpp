#include "tuner/compile/launch_bounds.hpp"

#include <gmock/gmock.h>

#include <algorithm>

#include "tuner/compile/test_folder.hpp"
#include "tuner/core/error.hpp"

namespace rooftune {
namespace {

using testing::HasSubstr;

/// Blanks squeezed: what is removed leaves blanks behind, so that columns and lines stay.
std::string changed(const std::string& text, const std::string& kernel, const std::string& bounds) {
  const auto result = with_launch_bounds(text, kernel, bounds);
  if (!result) {
    return "none";
  }
  EXPECT_EQ(std::count(result->begin(), result->end(), '\n'),
            std::count(text.begin(), text.end(), '\n'));
  std::string squeezed;
  for (const char c : *result) {
    if (c != ' ' || squeezed.empty() || squeezed.back() != ' ') {
      squeezed += c;
    }
  }
  return squeezed;
}

TEST(WithLaunchBounds, ReplacesThoseOfOneKernel) {
  constexpr const char* source =
      "__global__ void other(float* a);\n"
      "template <int N>\n"
      "__global__ void __launch_bounds__((N / 2) * (N / 4),\n"
      "                                  2) k(float* a) {}\n";
  EXPECT_EQ(changed(source, "k<64>", "128, 4"),
            "__global__ void other(float* a);\n"
            "template <int N>\n"
            "__global__ __launch_bounds__(128, 4) void \n k(float* a) {}\n");
  EXPECT_EQ(changed("__launch_bounds__(32) __global__ void k();", "&a::k", ""),
            " __global__ void k();");
  EXPECT_EQ(changed("__global__ void __maxnreg__(32) k();", "k", "64"),
            "__global__ __launch_bounds__(64) void k();");
  EXPECT_EQ(changed(source, "missing", "128"), "none");
}

class Study : public testing::Test {
 protected:
  /// Wants about `2 * n` registers a thread.
  KernelInstance hungry() {
    KernelInstance instance;
    instance.source = folder_.write(
        "k.cu",
        "template <int N> __global__ void __launch_bounds__(256) k(double* a) {\n"
        "  double r[N];\n"
        "  #pragma unroll\n"
        "  for (int i = 0; i < N; ++i) r[i] = a[i * 256 + threadIdx.x];\n"
        "  __syncthreads();\n"
        "  #pragma unroll\n"
        "  for (int i = 0; i < N; ++i) a[threadIdx.x * N + i] = r[N - 1 - i] * r[i];\n"
        "}\n");
    instance.name_expression = "k<40>";
    instance.launch.block = {256, 1, 1};
    return instance;
  }
  TestFolder folder_;
};

TEST_F(Study, ShowsWhatMoreBlocksCost) {
  const LaunchBoundsStudy study = study_launch_bounds(hungry(), "sm_80");
  ASSERT_GE(study.variants.size(), 10U);
  EXPECT_EQ(study.variants[0].label, "as written");
  EXPECT_EQ(study.variants[1].label, "unbounded");
  int last_registers = 256;
  int last_blocks = 0;
  for (const BoundedVariant& variant : study.variants) {
    const Resources resources = std::get<KernelBinary>(variant.result).resources.value();
    ASSERT_TRUE(variant.occupancy.has_value());
    if (variant.cap > 0) {
      EXPECT_LE(resources.registers, variant.cap) << variant.label;
    }
    if (variant.min_blocks > 0) {
      EXPECT_GE(variant.occupancy->active_blocks, variant.min_blocks) << variant.label;
      EXPECT_EQ(resources.max_threads, 256);
      EXPECT_LE(resources.registers, last_registers);
      EXPECT_GE(variant.occupancy->active_blocks, last_blocks);
      last_registers = resources.registers;
      last_blocks = variant.occupancy->active_blocks;
    }
  }
  EXPECT_EQ(study.variants[9].label, "8 blocks");
  EXPECT_EQ(spilled(study.variants[1]), 0);
  EXPECT_GT(spilled(study.variants[9]), 0);  // 8 blocks of 256 threads leave 32 registers for 80
  ASSERT_TRUE(study.spills_from.has_value());
  EXPECT_GT(*study.spills_from, 1);
  EXPECT_LE(*study.spills_from, 8);
  // Each further block is had, so that spilling buys something.
  EXPECT_EQ(study.only_spills_from, std::nullopt);
}

TEST_F(Study, FindsFromWhereOnItOnlySpills) {
  // Shared memory allows two blocks: a bound of more lowers the registers for nothing.
  KernelInstance instance = hungry();
  instance.launch.shared_bytes = 60000;
  const LaunchBoundsStudy study = study_launch_bounds(instance, "sm_80");
  ASSERT_TRUE(study.only_spills_from.has_value());
  EXPECT_GE(*study.only_spills_from, *study.spills_from);
  EXPECT_GT(*study.only_spills_from, 2);
}

TEST_F(Study, KeepsWhatDoesNotCompile) {
  KernelInstance instance = hungry();
  instance.name_expression = "k<no_name>";
  const LaunchBoundsStudy study = study_launch_bounds(instance, "sm_80");
  EXPECT_FALSE(study.variants[0].occupancy.has_value());
  EXPECT_TRUE(std::holds_alternative<Failure>(study.variants[0].result));
  EXPECT_EQ(study.spills_from, std::nullopt);
}

TEST_F(Study, NeedsTheKernelInItsSource) {
  folder_.write("k.h", "__global__ void k(float* a) { *a = 1; }\n");
  KernelInstance instance = hungry();
  instance.source = folder_.write("main.cu", "#include \"k.h\"\n");
  instance.name_expression = "k";
  try {
    study_launch_bounds(instance, "sm_80");
    FAIL() << "the kernel is in another file";
  } catch (const InputError& error) {
    EXPECT_THAT(error.problem(), HasSubstr("main.cu does not declare k"));
  }
}

}  // namespace
}  // namespace rooftune
