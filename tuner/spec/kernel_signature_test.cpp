#include "tuner/spec/kernel_signature.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rooftune {
namespace {

using ::testing::ElementsAre;
using ::testing::Optional;

TEST(KernelSignature, ReadsParametersPastWhatStandsBeforeTheName) {
  const char* source = R"(
// __global__ void commented(int a) {}
/* __global__ void also(int a) {} */
#define DECOY __global__ void decoy(int a) {}
const char* text = "__global__ void quoted(int) {}";
template <int BM, typename T>
__global__ void __launch_bounds__(BM * 2, 4) sgemm(const T* __restrict__ A,
                                                  float*  C, int M) {
  f(A, C);
}
extern "C" __global__ void none() {}
__global__ void with_void(void);
static __global__ __attribute__((noinline)) void grid(const std::pair<int, float> p,
                                                       int (*f)(int, int), int n = max(1, 2)) {}
)";
  EXPECT_THAT(kernel_signature(source, "sgemm"),
              Optional(ElementsAre("const T* __restrict__ A", "float* C", "int M")));
  EXPECT_THAT(kernel_signature(source, "none"), Optional(ElementsAre()));
  EXPECT_THAT(kernel_signature(source, "with_void"), Optional(ElementsAre()));
  EXPECT_THAT(kernel_signature(source, "grid"),
              Optional(ElementsAre("const std::pair<int, float> p", "int (*f)(int, int)",
                                   "int n = max(1, 2)")));
  EXPECT_EQ(kernel_signatures(source).size(), 4U);
  EXPECT_EQ(kernel_signature(source, "decoy"), std::nullopt);
}

TEST(KernelSignature, ReadsTemplateParameters) {
  const auto of = [](const char* source) {
    return kernel_signatures(source).at(0).template_parameters;
  };
  EXPECT_THAT(of("template <int BM, typename T = float>\n__global__ void k(T* a) {}"),
              ElementsAre("int BM", "typename T = float"));
  EXPECT_THAT(of("template <class T, std::pair<int, int> P>\nstatic __global__ void k(T* a) {}"),
              ElementsAre("class T", "std::pair<int, int> P"));
  EXPECT_THAT(of("template <int N> struct S {};\n__global__ void k(int a) {}"), ElementsAre());
  EXPECT_THAT(of("bool b = x > static_cast<int>(y);\n__global__ void k(int a) {}"), ElementsAre());
}

TEST(TunableMacros, AreThoseThatTheSourceGuards) {
  const auto macros = tunable_macros(
      "#ifndef BLOCK\n# define BLOCK 256 \n#endif\n"
      "#ifndef GUARD_H\n#define GUARD_H\n"
      "#define FIXED 3\n#ifndef A\n#define B 1\n#endif\n");
  ASSERT_EQ(macros.size(), 1U);
  EXPECT_EQ(macros[0].name, "BLOCK");
  EXPECT_EQ(macros[0].value, "256");
}

TEST(KernelSignature, SaysNothingWhereItCannotTell) {
  EXPECT_EQ(kernel_signature("__global__ void k(KERNEL_ARGUMENTS) {}", "k"), std::nullopt);
  EXPECT_EQ(kernel_signature("__global__ void k(int a, REST) {}", "k"), std::nullopt);
  EXPECT_EQ(kernel_signature("template <class... T> __global__ void k(T... all) {}", "k"),
            std::nullopt);
  EXPECT_EQ(
      kernel_signature("__global__ void k(int a) {}\n__global__ void k(int a, int b) {}", "k"),
      std::nullopt);
  EXPECT_EQ(kernel_signature("__global__ void NAME(k)(int a) {}", "k"), std::nullopt);
  EXPECT_EQ(kernel_signature("__global__ void k(int a", "k"), std::nullopt);
  EXPECT_EQ(kernel_signature("__global__", "k"), std::nullopt);
}

TEST(KernelSignature, TheDefinitionTellsWhatADeclarationLeavesOpen) {
  EXPECT_THAT(kernel_signature("__global__ void k(int);\n__global__ void k(int a) {}", "k"),
              Optional(ElementsAre("int a")));
}

TEST(KernelSignature, FindsIdentifiersInCodeAndMacros) {
  EXPECT_TRUE(mentions_identifier("#define NAME sgemm\n", "sgemm"));
  EXPECT_TRUE(mentions_identifier("int n = 1'000; void sgemm();", "sgemm"));
  EXPECT_FALSE(mentions_identifier("// sgemm\nvoid sgemm2();", "sgemm"));
}

TEST(KernelSignature, PlainNames) {
  EXPECT_EQ(plain_kernel_name("sgemm<{BM}, float>"), "sgemm");
  EXPECT_EQ(plain_kernel_name("detail::sgemm<1>"), "sgemm");
  EXPECT_EQ(plain_kernel_name("&sgemm"), "sgemm");
  EXPECT_EQ(plain_kernel_name("sgemm"), "sgemm");
}

}  // namespace
}  // namespace rooftune
