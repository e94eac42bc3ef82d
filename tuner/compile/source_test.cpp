#include "tuner/compile/source.hpp"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "tuner/compile/compiler.hpp"

namespace rooftune {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string with(const std::string& source, const NamedValues& defines) {
  return source_with_defines(source, "k.cu", defines);
}

std::string refusal(const std::string& source, const NamedValues& defines) {
  try {
    with(source, defines);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Defines, ComeAfterLeadingIncludes) {
  EXPECT_EQ(with("// A kernel.\n"
                 "#pragma once\n"
                 "#include <mma.h>\n"
                 "/* and\n"
                 "   another */\n"
                 "#include \"tile.h\"  // mine\n"
                 "\n"
                 "using T2 = int;\n"
                 "#include <late.h>\n",
                 {{"T", 4}}),
            "// A kernel.\n"
            "#pragma once\n"
            "#include <mma.h>\n"
            "/* and\n"
            "   another */\n"
            "#include \"tile.h\"  // mine\n"
            "#define T 4\n"
            "#line 7 \"k.cu\"\n"
            "\n"
            "using T2 = int;\n"
            "#include <late.h>\n");
}

TEST(Defines, ComeFirstWhereNothingIsIncluded) {
  EXPECT_EQ(with("int a;\n", {{"N", 4}, {"M", 5}}),
            "#define N 4\n#define M 5\n#line 1 \"k.cu\"\nint a;\n");
  EXPECT_EQ(with("int a;\n", {}), "int a;\n");
}

TEST(Defines, ComeAfterConditionalIncludesAsAWhole) {
  EXPECT_EQ(
      with("#if __CUDA_ARCH__ >= 800\n#include <a.h>\n#else\n#include <b.h>\n#endif\nint a;\n",
           {{"N", 4}}),
      "#if __CUDA_ARCH__ >= 800\n#include <a.h>\n#else\n#include <b.h>\n#endif\n"
      "#define N 4\n#line 6 \"k.cu\"\nint a;\n");
  // A block without an include is code already, and a block that code interrupts is not left.
  EXPECT_EQ(with("#include <a.h>\n#ifdef X\nint a;\n#include <b.h>\n#endif\n", {{"N", 4}}),
            "#include <a.h>\n#define N 4\n#line 2 \"k.cu\"\n#ifdef X\nint a;\n#include <b.h>\n"
            "#endif\n");
}

TEST(Defines, StayInsideAGuardAroundTheWholeFile) {
  EXPECT_EQ(with("#ifndef K_CU\n#define K_CU\n#include <a.h>\nint a;\n#endif\n", {{"N", 4}}),
            "#ifndef K_CU\n#define K_CU\n#include <a.h>\n#define N 4\n#line 4 \"k.cu\"\nint a;\n"
            "#endif\n");
}

TEST(Defines, ComeBeforeDirectivesThatAskForThem) {
  EXPECT_EQ(with("#include <a.h>\n#ifndef N\n#define N 1\n#endif\n#include <b.h>\n", {{"N", 4}}),
            "#include <a.h>\n#define N 4\n#line 2 \"k.cu\"\n#ifndef N\n#define N 1\n#endif\n"
            "#include <b.h>\n");
  // A macro that uses the name is expanded later, and does not ask for it.
  EXPECT_EQ(with("#define TWICE (2 * N)\n#include <b.h>\nint a;\n", {{"N", 4}}),
            "#define TWICE (2 * N)\n#include <b.h>\n#define N 4\n#line 3 \"k.cu\"\nint a;\n");
}

TEST(Defines, SurviveMissingNewlinesAndContinuations) {
  EXPECT_EQ(with("#include <a.h>", {{"N", 4}}), "#include <a.h>\n#define N 4\n#line 1 \"k.cu\"\n");
  EXPECT_EQ(with("#include \\\n  <a.h>\r\nint a;\r\n", {{"N", 4}}),
            "#include \\\n  <a.h>\r\n#define N 4\n#line 3 \"k.cu\"\nint a;\r\n");
  EXPECT_EQ(source_with_defines("int a;\n", "a\"b\\c.cu", {{"N", 4}}),
            "#define N 4\n#line 1 \"a\\\"b\\\\c.cu\"\nint a;\n");
}

TEST(Defines, AreNotFooledByIncludesInCommentsAndStrings) {
  EXPECT_EQ(
      with("/*\n#include <a.h>\n*/\nconst char* s = R\"(\n#include <b.h>\n)\";\n", {{"N", 4}}),
      "#define N 4\n#line 1 \"k.cu\"\n"
      "/*\n#include <a.h>\n*/\nconst char* s = R\"(\n#include <b.h>\n)\";\n");
}

TEST(Defines, WriteValuesAsCpp) {
  const auto body = [](Value value) { return define_body({"N", std::move(value)}); };
  EXPECT_EQ(body(64), "64");
  EXPECT_EQ(body(-1), "(-1)");
  EXPECT_EQ(body(0.5), "0.5");
  EXPECT_EQ(body(true), "true");
  EXPECT_EQ(body(false), "false");
  EXPECT_EQ(body("float"), "float");
  EXPECT_EQ(body("unsigned int"), "unsigned int");
  EXPECT_EQ(body("float*"), "float*");
  EXPECT_EQ(body("\"hello world\""), "\"hello world\"");
  EXPECT_EQ(body("64+1"), "(64+1)");
  EXPECT_EQ(body("1 << 4"), "(1 << 4)");
  EXPECT_EQ(body("-0x10"), "(-0x10)");
  EXPECT_EQ(body("64"), "64");
  EXPECT_EQ(body(""), "");
  EXPECT_THROW(body("1\n#error"), InputError);
  EXPECT_THROW(body("1 \\"), InputError);
}

TEST(Defines, RefuseImpossibleNames) {
  for (const char* name : {"int", "float", "inline", "and", "size_t", "dim3", "threadIdx",
                           "blockDim", "__T", "2x", "a-b", "", "std"}) {
    EXPECT_THAT(refusal("int a;\n", {{name, 4}}),
                HasSubstr(std::string("parameter \"") + name + "\" cannot become a #define"))
        << name;
  }
  for (const char* name : {"T", "x", "type", "warpSize", "k", "a", "value", "BM", "_n"}) {
    EXPECT_EQ(refusal("__global__ void g(float* p) { *p = 1; }\n", {{name, 4}}), "accepted")
        << name;
  }
}

TEST(Defines, RefuseNamesThatTheSourceUsesOtherwise) {
  EXPECT_EQ(refusal("int i =\n    threadIdx.x;\n", {{"x", 4}}),
            "k.cu:2:15: parameter \"x\" cannot become a #define: the source uses `.x`, which the "
            "macro would rewrite\n"
            "    2 |     threadIdx.x;\n"
            "      |               ^\n"
            "  rename the parameter; or, where it is a template parameter of the kernel, write it "
            "into kernel.name: \"KERNEL<{x}>\"");
  EXPECT_THAT(refusal("#define ROW (threadIdx.y)\n", {{"y", 4}}), HasSubstr("k.cu:1:24: "));
  EXPECT_THAT(refusal("int i = p->w;\n", {{"w", 4}}), HasSubstr("uses `->w`"));
  EXPECT_THAT(refusal("int i = std::min(1, 2);\n", {{"min", 4}}), HasSubstr("uses `::min`"));
  EXPECT_THAT(refusal("template <int N, class T> void f();\n", {{"N", 4}}),
              HasSubstr("declares `int N`"));
  EXPECT_THAT(refusal("template <int N, class T> void f();\n", {{"T", "float"}}),
              HasSubstr("declares `class T`"));
  EXPECT_THAT(refusal("__global__ void k(float* a, int n) {}\n", {{"n", 4}}),
              HasSubstr("declares `int n`"));
  EXPECT_THAT(refusal("int i = min(1, 2);\n", {{"min", 4}}), HasSubstr("calls `min(`"));
}

TEST(Defines, AcceptUsesThatAreMeant) {
  EXPECT_EQ(
      refusal("float f(T* p, T v) { return v + int(N) + p[N].y; }\n", {{"T", "float"}, {"N", 4}}),
      "accepted");
  EXPECT_EQ(refusal("int i = REDUCE(1, 2);\n", {{"REDUCE", "max"}}), "accepted");
  EXPECT_EQ(refusal("// threadIdx.x\nconst char* s = \".x\";\n", {{"x", 4}}), "accepted");
  EXPECT_EQ(
      refusal("__shared__ float tile[BM * BK];\nif (BM) return BM;\n", {{"BM", 4}, {"BK", 2}}),
      "accepted");
}

TEST(Defines, RefuseDefinitionsThatWouldWin) {
  EXPECT_EQ(refusal("#include <a.h>\n#define BM 64\n", {{"BM", 4}}),
            "k.cu:2:9: parameter \"BM\" would have no effect: the source has its own #define\n"
            "    2 | #define BM 64\n"
            "      |         ^~\n"
            "  remove the line, or put it between #ifndef BM and #endif");
  EXPECT_THAT(refusal("#undef BM\n", {{"BM", 4}}), HasSubstr("its own #undef"));
  EXPECT_EQ(refusal("#ifndef BM\n#define BM 64\n#endif\n", {{"BM", 4}}), "accepted");
  EXPECT_EQ(refusal("#if !defined(BM)\n# define BM 64\n#endif\n", {{"BM", 4}}), "accepted");
  EXPECT_EQ(refusal("#ifndef T\nusing T = float;\n#endif\n", {{"T", "half"}}), "accepted");
  EXPECT_THAT(refusal("#ifndef BN\n#define BN 64\n#endif\n#define BM 1\n", {{"BM", 4}}),
              HasSubstr("k.cu:4:9: "));
}

std::vector<std::string> kernels(const std::string& source) {
  return kernels_in(tokenize(source, "k.cu"));
}

TEST(Kernels, AreFoundByTheirDeclarations) {
  EXPECT_THAT(kernels("extern \"C\" __global__ void plain(float* a) {}\n"
                      "template <int N>\n"
                      "__global__ void __launch_bounds__((N / 2) * (N / 4), 2)\n"
                      "    tiled(float* a) { f(a); }\n"
                      "__launch_bounds__(32) __global__ void other(int);\n"
                      "static __global__ __cluster_dims__(2, 1, 1) void clustered();\n"
                      "__global__ void plain(float* a);\n"
                      "__device__ void helper() {}\n"
                      "// __global__ void comment();\n"),
              ElementsAre("plain", "tiled", "other", "clustered"));
}

TEST(Kernels, KeepTheirNamespaces) {
  EXPECT_THAT(
      kernels("namespace a::b { __global__ void k1(); namespace { __global__ void k2(); } }\n"
              "namespace cg = cooperative_groups;\n"
              "using namespace nvcuda;\n"
              "struct S { int i; };\n"
              "__global__ void k3();\n"),
      ElementsAre("a::b::k1", "a::b::k2", "k3"));
  EXPECT_THAT(kernels("int a;"), IsEmpty());
  EXPECT_THAT(kernels("__global__ void"), IsEmpty());
}

TEST(ReadSource, DropsTheByteOrderMark) {
  const auto file = std::filesystem::path(testing::TempDir()) / "bom.cu";
  std::ofstream(file) << "\xef\xbb\xbf__global__ void k();\n";
  EXPECT_EQ(read_source(file), "__global__ void k();\n");
  EXPECT_THROW(read_source(file.string() + ".missing"), InputError);
  EXPECT_THROW(read_source(testing::TempDir()), InputError);
}

}  // namespace
}  // namespace rooftune
