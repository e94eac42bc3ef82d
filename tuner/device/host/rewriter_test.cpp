#include "tuner/device/host/rewriter.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tuner/core/error.hpp"

namespace rooftune {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string rewrite(const std::string& source) {
  return rewrite_for_host(source, "kernel.cu");
}

/// In a function's body, where most declarations stand.
std::string in_kernel(const std::string& body) {
  return rewrite("__global__ void k() { " + body + " }");
}

/// The message of the InputError that rewriting throws.
std::string refusal(const std::string& source) {
  try {
    rewrite(source);
  } catch (const InputError& error) {
    return error.what();
  }
  return "not refused";
}

TEST(Rewriter, LeavesPlainCppAlone) {
  const std::string source = "int f(int a) { return a << 1; } // shared\n#define X 1\n";
  EXPECT_EQ(rewrite(source), source);
}

TEST(Rewriter, MakesAStaticSharedArrayAVariableOfTheBlock) {
  EXPECT_EQ(
      in_kernel("__shared__ float As[BM][BK];"),
      " void k() { typedef float rt_0_As[BM][BK]; struct rt_0_As_ { rt_0_As value; }; "
      "auto& As = ::rooftune_host::shared_array<rt_0_As_>(0, \"As\", \"kernel.cu\", 1).value; }");
}

TEST(Rewriter, NumbersEveryVariable) {
  const std::string out = in_kernel("__shared__ float a[4], *p; __shared__ int b;");
  EXPECT_THAT(out, HasSubstr("typedef float rt_0_a[4], *rt_0_p;"));
  EXPECT_THAT(out, HasSubstr("shared_array<rt_0_a_>(0, \"a\""));
  EXPECT_THAT(out, HasSubstr("shared_array<rt_0_p_>(1, \"p\""));
  EXPECT_THAT(out, HasSubstr("shared_array<rt_2_b_>(2, \"b\""));
}

TEST(Rewriter, ReadsEveryKindOfDeclarator) {
  EXPECT_THAT(in_kernel("__shared__ float (*rows)[N];"),
              HasSubstr("typedef float (*rt_0_rows)[N];"));
  EXPECT_THAT(in_kernel("__shared__ int (*f)(int, float);"),
              HasSubstr("typedef int (*rt_0_f)(int, float);"));
  EXPECT_THAT(in_kernel("__shared__ struct { float a; int b; } s[4];"),
              HasSubstr("typedef struct { float a; int b; } rt_0_s[4];"));
  EXPECT_THAT(in_kernel("__shared__ typename Sum<float, (N > 2)>::Storage storage;"),
              HasSubstr("typedef typename Sum<float, (N > 2)>::Storage rt_0_storage;"));
  EXPECT_THAT(in_kernel("__shared__ Pair<Pair<int, 2>, 3> pair;"),
              HasSubstr("typedef Pair<Pair<int, 2>, 3> rt_0_pair;"));
  EXPECT_THAT(in_kernel("volatile __shared__ unsigned int flag;"),
              HasSubstr("volatile typedef unsigned int rt_0_flag;"));
  EXPECT_THAT(in_kernel("float __shared__ x[A < B ? A : B];"),
              HasSubstr("float typedef rt_0_x[A < B ? A : B];"));
  EXPECT_THAT(in_kernel("[[maybe_unused]] static __shared__ decltype(f(1)) y;"),
              HasSubstr("[[maybe_unused]]  typedef decltype(f(1)) rt_0_y;"));
}

TEST(Rewriter, KeepsAlignment) {
  EXPECT_THAT(in_kernel("__shared__ alignas(16) float a[4];"),
              HasSubstr("struct rt_0_a_ { alignas(16) rt_0_a value; };"));
  EXPECT_THAT(in_kernel("alignas(float4) __shared__ char a[64];"),
              HasSubstr("{ alignas(float4) rt_0_a value; };"));
  const std::string attribute = "{ __attribute__((aligned(N * 4))) rt_0_a value; };";
  EXPECT_THAT(in_kernel("__shared__ __align__(N * 4) float a[4];"), HasSubstr(attribute));
  EXPECT_THAT(in_kernel("__shared__ float a[4] __attribute__((aligned(N * 4)));"),
              HasSubstr(attribute));
}

TEST(Rewriter, MakesDynamicSharedMemoryAPointer) {
  EXPECT_EQ(in_kernel("extern __shared__ __align__(16) char raw[];"),
            " void k() {  typedef  char rt_0_raw[]; auto* raw = "
            "::rooftune_host::dynamic_shared<std::remove_extent_t<rt_0_raw>>(); }");
}

TEST(Rewriter, DeclaresOutsideVariablesInTheFunctionsThatUseThem) {
  const std::string out = rewrite(
      "extern __shared__ float tile[];\n"
      "__device__ float first() { return tile[0]; }\n"
      "__device__ float other(float* tile) { return tile[0]; }\n"
      "__device__ int none() { return 1; }\n"
      "namespace n { template <class T> struct S { void g() { if (1) { tile[1] = 2; } } }; }\n");
  const std::string variable =
      "auto* tile = ::rooftune_host::dynamic_shared<std::remove_extent_t<rt_0_tile>>();";
  EXPECT_THAT(out, HasSubstr("float first() { " + variable + " return"));
  EXPECT_THAT(out, HasSubstr("float* tile) { return"));
  EXPECT_THAT(out, HasSubstr("int none() { return"));
  EXPECT_THAT(out, HasSubstr("void g() { " + variable + " if"));
}

TEST(Rewriter, ALocalDeclarationHidesTheOneOutside) {
  const std::string out = rewrite(
      "extern __shared__ float s[];\n"
      "__global__ void k() { extern __shared__ int s[]; s[0] = 1; }\n");
  EXPECT_THAT(out, HasSubstr("void k() {  typedef int rt_1_s[];"));
}

TEST(Rewriter, LeavesLiteralsAndCommentsAlone) {
  for (const std::string source :
       {"const char* a = \"__shared__ float x[2];\";", "// __shared__ float x; <<<\n",
        "/* __shared__ float x; asm(\"\") */", "auto r = R\"x(__shared__ int a; \" )\" <<<)x\";",
        "const char c = '\\''; const char d = '\"'; // '\n", "int big = 1'000'000;",
        "const char* s = \"a\\\"<<<\";", "// goes on \\\n __shared__ int x;\n",
        "auto u = u8R\"(asm)\";"}) {
    EXPECT_EQ(rewrite(source), source);
  }
}

TEST(Rewriter, KeepsEveryLineInItsPlace) {
  const std::string source =
      "__global__ void k() {\n  __shared__\n    float a[4],\n          b[2];\n#pragma unroll\n"
      "  for (;;) {}\n  int here;\n}\n";
  const std::string out = rewrite(source);
  EXPECT_EQ(std::count(out.begin(), out.end(), '\n'),
            std::count(source.begin(), source.end(), '\n'));
  const auto line_of = [](const std::string& text, const std::string& what) {
    return std::count(text.begin(), text.begin() + static_cast<long>(text.find(what)), '\n');
  };
  EXPECT_EQ(line_of(out, "int here"), line_of(source, "int here"));
  EXPECT_THAT(out, HasSubstr("\"a\", \"kernel.cu\", 3)"));
  EXPECT_THAT(out, HasSubstr("\"b\", \"kernel.cu\", 4)"));
}

TEST(Rewriter, FollowsLineMarkers) {
  const std::string out = rewrite(
      "# 1 \"user.cuh\" 1\n#line 40 \"other.cu\"\nvoid k() { __shared__ int a; }\n"
      "# 7 \"user.cuh\" 2\nvoid f() { __shared__ int b; }\n");
  EXPECT_THAT(out, HasSubstr("\"a\", \"other.cu\", 40)"));
  EXPECT_THAT(out, HasSubstr("\"b\", \"user.cuh\", 7)"));
}

TEST(Rewriter, LeavesSystemHeadersAlone) {
  const std::string source =
      "# 1 \"/usr/include/x.h\" 1 3 4\nextern int f() __asm__(\"g\");\n# 2 \"kernel.cu\" 2\n";
  EXPECT_EQ(rewrite(source), source);
}

TEST(Rewriter, GivesUnrollFactorsToTheCompiler) {
  const auto unrolled = [](const std::string& pragma) {
    return in_kernel("\n#pragma " + pragma + "\nfor (;;) {}");
  };
  EXPECT_THAT(unrolled("unroll 4"), HasSubstr("\n#pragma GCC unroll 4\nfor"));
  EXPECT_THAT(unrolled("unroll(8)"), HasSubstr("\n#pragma GCC unroll (("));
  EXPECT_THAT(unrolled("nounroll"), HasSubstr("\n#pragma GCC unroll 1\nfor"));
  EXPECT_THAT(unrolled("unroll 1024"), HasSubstr("((1024) < 64 ? (1024) : 64)"));
  for (const std::string left_to_the_peeler : {"unroll", "unroll N", "unroll (N / 2)"}) {
    EXPECT_THAT(unrolled(left_to_the_peeler), HasSubstr("{ \n\nfor"));
  }
  EXPECT_THAT(in_kernel("\n#pragma unroll 4\nint x;"), HasSubstr("{ \n\nint x;"));
  EXPECT_THAT(unrolled("omp simd"), HasSubstr("\n#pragma omp simd\nfor"));
}

TEST(Rewriter, MarksUnrollPragmasForThePreprocessor) {
  EXPECT_EQ(host::mark_unroll_pragmas("  #  pragma unroll  FACTOR // why\nfor (;;) {}\n"),
            "  __rooftune_unroll__(FACTOR)\nfor (;;) {}\n");
  EXPECT_EQ(host::mark_unroll_pragmas("#pragma unroll\n"), "__rooftune_unroll__()\n");
  EXPECT_EQ(host::mark_unroll_pragmas("#define A \"\\\n#pragma unroll\"\n"),
            "#define A \"\\\n#pragma unroll\"\n");
  EXPECT_THAT(in_kernel("\n__rooftune_unroll__(4)\nfor (;;) {}"),
              HasSubstr("\n#pragma GCC unroll 4\nfor"));
  EXPECT_THAT(in_kernel("\n__rooftune_unroll__()\nfor (;;) {}"), HasSubstr("{ \n\nfor"));
}

TEST(Rewriter, WhatDecidesAKernelIsAllButTheOtherKernels) {
  const auto source = [](const std::string& tuned, const std::string& device) {
    return "int device() { return " + device + "; }\n" + "template <int N = 2>\n__global__ void " +
           "__launch_bounds__(N) tuned(int* a) { if (a) { *a = " + tuned + "; } }\n" +
           "__global__ void reference(int* a) { *a = device(); }\n";
  };
  const auto kept = [&](const std::string& tuned, const std::string& device,
                        const std::string& kernel) {
    return host::without_other_kernels(source(tuned, device), kernel);
  };
  EXPECT_EQ(
      kept("1", "3", "reference"),
      "int device ( ) { return 3 ; } __global__ void reference ( int * a ) { * a = device ( ) "
      "; } ");
  EXPECT_EQ(kept("1", "3", "reference"), kept("2", "3", "reference"));
  EXPECT_NE(kept("1", "3", "reference"), kept("1", "4", "reference"));
  EXPECT_NE(kept("1", "3", "some::tuned"), kept("2", "3", "some::tuned"));
}

TEST(Rewriter, RefusesWhatTheHostCannotDoByName) {
  EXPECT_THAT(refusal("void k() {\n  asm volatile(\"mov.u32 %0, %laneid;\");\n}"),
              HasSubstr("kernel.cu:2:3: `asm`: inline PTX"));
  EXPECT_THAT(refusal("void run() { k<<<1, 2>>>(); }"),
              HasSubstr("kernel.cu:1:15: a kernel launch"));
  EXPECT_THAT(refusal("int main() { return 0; }"),
              HasSubstr("kernel.cu:1:5: the source of a kernel"));
  EXPECT_THAT(refusal("texture<float> t;"), HasSubstr("`texture`"));
  EXPECT_THAT(refusal("struct S { __shared__ int x; };"), HasSubstr("kernel.cu:1:12: a member"));
  EXPECT_THAT(refusal("void k() { __shared__ int x = 3; }"),
              HasSubstr("cannot have an initialiser"));
  EXPECT_THAT(refusal("void k() { __shared__ int x(3); }"),
              HasSubstr("cannot have an initialiser"));
  EXPECT_THAT(refusal("void k() { __shared__ int x{3}; }"),
              HasSubstr("cannot have an initialiser"));
  EXPECT_THAT(refusal("void k() { __shared__ int"), HasSubstr("has no end"));
  EXPECT_EQ(refusal("namespace a { struct B { int main() { return main(); } }; } int texture = 1; "
                    "void f() { asm volatile(\"\" ::: \"memory\"); }"),
            "not refused");
  EXPECT_EQ(refusal("A<B<C<int>>> x; int y = 1 << 2;"), "not refused");
}

TEST(Rewriter, TellsFunctionsFromOtherBraces) {
  const std::string use = "{ return s[0]; }";
  const std::string variable = "{ auto* s = ";
  for (const std::string head :
       {"float f() ", "template <int N, bool B = (N > 2)> float f(int a = 3) ",
        "struct R f(struct R r) ", "std::enable_if_t<N == 2, float> f() ", "bool operator==(A a) ",
        "__attribute__((noinline)) float f(float (*g)(int)) noexcept(true) ",
        "extern \"C\" { namespace a::b { class alignas(16) X : Y<(1 > 2)> { float f() const "}) {
    EXPECT_THAT(rewrite("extern __shared__ float s[];\n" + head + use), HasSubstr(head + variable))
        << head;
  }
}

}  // namespace
}  // namespace rooftune
