#include <gmock/gmock.h>

#include "tuner/compile/compiler.hpp"
#include "tuner/compile/test_folder.hpp"
#include "tuner/core/error.hpp"

namespace rooftune {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

class Nvrtc : public testing::Test {
 protected:
  KernelInstance instance(const std::string& source, const std::string& name = "k",
                          const NamedValues& defines = {}) {
    KernelInstance made;
    made.source = folder_.write("k.cu", source);
    made.name_expression = name;
    made.defines = defines;
    made.launch.block = {32, 1, 1};
    return made;
  }

  /// The binary; a test that gets a Failure fails with its reason.
  KernelBinary compiled(const KernelInstance& what, const std::string& architecture = "sm_80") {
    CompileResult result = compile_nvrtc(what, architecture);
    if (const auto* failure = std::get_if<Failure>(&result)) {
      ADD_FAILURE() << failure->reason << '\n' << failure->log;
      return {};
    }
    return std::get<KernelBinary>(result);
  }

  Failure failure(const KernelInstance& what, const std::string& architecture = "sm_80") {
    const CompileResult result = compile_nvrtc(what, architecture);
    const auto* found = std::get_if<Failure>(&result);
    return found != nullptr ? *found : Failure{Outcome::ok, "compiled", ""};
  }

  std::string refusal(const KernelInstance& what, const std::string& architecture = "sm_80") {
    try {
      compile_nvrtc(what, architecture);
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  }

  TestFolder folder_;
};

constexpr const char* simple = "__global__ void k(float* a) { a[threadIdx.x] = 1; }\n";

TEST_F(Nvrtc, CompilesForEveryArchitectureItNames) {
  EXPECT_THAT(nvrtc_architectures(), AllOf(Contains("sm_80"), Contains("sm_90")));
  for (const std::string& architecture : nvrtc_architectures()) {
    const KernelBinary binary = compiled(instance(simple), architecture);
    ASSERT_GT(binary.image.size(), 4U) << architecture;
    EXPECT_EQ(std::string(binary.image.begin() + 1, binary.image.begin() + 4), "ELF");
    EXPECT_EQ(binary.architecture, architecture);
    ASSERT_TRUE(binary.resources.has_value()) << architecture << '\n' << binary.log;
    EXPECT_GT(binary.resources->registers, 0);
    EXPECT_GT(binary.compile_seconds, 0);
  }
  EXPECT_GT(compiled(instance(simple), "sm_90a").image.size(), 4U);
}

TEST_F(Nvrtc, CompilesToPtxForDriversToFinish) {
  const KernelBinary binary = compiled(instance(simple), "compute_90");
  EXPECT_THAT(std::string(binary.image.begin(), binary.image.end()),
              AllOf(HasSubstr(".target sm_90"), HasSubstr(binary.entry)));
  EXPECT_FALSE(binary.resources.has_value());
}

TEST_F(Nvrtc, RefusesUnknownArchitectures) {
  for (const char* architecture : {"sm_35", "sm_999", "compute_999", "ampere", "", "sm_"}) {
    EXPECT_THAT(refusal(instance(simple), architecture),
                AllOf(HasSubstr(std::string("cannot compile for ") + architecture),
                      HasSubstr("it knows sm_"), HasSubstr(", sm_90")));
  }
}

TEST_F(Nvrtc, FindsKernelsByAnyKindOfName) {
  constexpr const char* source =
      "extern \"C\" __global__ void plain(float* a) { *a = 1; }\n"
      "__global__ void k(float* a) { *a = 1; }\n"
      "template <int N, typename T> __global__ void t(T* a) { *a = N; }\n"
      "namespace a { template <typename T> __global__ void t(T* p) { *p = 1; } }\n";
  EXPECT_EQ(compiled(instance(source, "plain")).entry, "plain");
  EXPECT_EQ(compiled(instance(source, "k")).entry, "_Z1kPf");
  EXPECT_EQ(compiled(instance(source, "t<256, float>")).entry, "_Z1tILi256EfEvPT0_");
  EXPECT_EQ(compiled(instance(source, "&a::t<int>")).entry, "_ZN1a1tIiEEvPT_");
}

TEST_F(Nvrtc, ReadsTheResourcesOfTheRightEntry) {
  constexpr const char* source =
      "__global__ void small(float* a) { *a = 1; }\n"
      "template <int N> __global__ void __launch_bounds__(1024, 2) k(double* a) {\n"
      "  __shared__ double tile[256];\n"
      "  double r[N];\n"
      "  #pragma unroll\n"
      "  for (int i = 0; i < N; ++i) r[i] = a[i * 32 + threadIdx.x];\n"
      "  tile[threadIdx.x & 255] = r[0];\n"
      "  __syncthreads();\n"
      "  #pragma unroll\n"
      "  for (int i = 0; i < N; ++i) a[threadIdx.x * N + i] = r[N - 1 - i] * r[i] + tile[i];\n"
      "}\n";
  const Resources resources = compiled(instance(source, "k<64>")).resources.value();
  EXPECT_EQ(resources.registers, 32);  // two blocks of 1024 threads share 65,536
  EXPECT_EQ(resources.static_shared, 2048);
  EXPECT_GT(resources.spill_stores, 0);
  EXPECT_GT(resources.spill_loads, 0);
  EXPECT_GT(resources.stack_frame, 0);
  EXPECT_EQ(resources.max_threads, 1024);
  const Resources small = compiled(instance(source, "small")).resources.value();
  EXPECT_LT(small.registers, 32);
  EXPECT_EQ(small.spill_stores, 0);
  EXPECT_EQ(small.static_shared, 0);
  EXPECT_EQ(small.max_threads, 0);
}

TEST_F(Nvrtc, CompilesMacroStyleKernelsWithOrdinaryNames) {
  // As -D options each of these breaks NVRTC's own header.
  constexpr const char* source =
      "#include <cuda_fp16.h>\n"
      "#include <mma.h>\n"
      "extern \"C\" __global__ void k(T* a) {\n"
      "  a[blockDim.y] = (T)(type * warpSize + value + b);\n"
      "}\n";
  const NamedValues defines = {
      {"T", "float"}, {"type", 3}, {"warpSize", 32}, {"value", -1}, {"b", true}};
  EXPECT_EQ(compiled(instance(source, "k", defines)).entry, "k");
  EXPECT_EQ(compiled(instance("__global__ void k(float* a) { *a = x; }\n", "k", {{"x", 4}})).entry,
            "_Z1kPf");
  EXPECT_THAT(refusal(instance(simple, "k", {{"x", 4}})),
              AllOf(HasSubstr("k.cu:1:"), HasSubstr("parameter \"x\" cannot become a #define"),
                    HasSubstr("uses `.x`")));
}

TEST_F(Nvrtc, NamesTheParameterThatBreaksAHeader) {
  folder_.write("mine.h", "template <typename T> struct Box { T value; };\n");
  EXPECT_THAT(refusal(instance("struct Before {};\n#include \"mine.h\"\n"
                               "__global__ void k(T* a) { *a = 1; }\n",
                               "k", {{"T", "float"}})),
              AllOf(HasSubstr("mine.h:1:"), HasSubstr("parameter \"T\" cannot become a #define"),
                    HasSubstr("this header uses the name")));
}

TEST_F(Nvrtc, KeepsTheUsersLineNumbers) {
  const Failure found =
      failure(instance("#include <cuda_fp16.h>\n\n__global__ void k(float* a) { *a = wrong; }\n",
                       "k", {{"N", 4}, {"M", 4}}));
  EXPECT_EQ(found.outcome, Outcome::compile_failed);
  EXPECT_THAT(found.reason, EndsWith("k.cu:3: identifier \"wrong\" is undefined"));
  EXPECT_THAT(found.log, HasSubstr("1 error detected"));
}

TEST_F(Nvrtc, AcceptsAByteOrderMark) {
  EXPECT_EQ(compiled(instance(std::string("\xef\xbb\xbf") + simple)).entry, "_Z1kPf");
}

TEST_F(Nvrtc, SearchesTheUsersFoldersInOrder) {
  folder_.write("one/which.h", "constexpr int which = 1;\n");
  folder_.write("two/which.h", "constexpr int which = 2;\n");
  folder_.write("beside.h", "constexpr int beside = 3;\n");
  KernelInstance made = instance(
      "#include \"beside.h\"\n#include <which.h>\n"
      "template <int N> __global__ void k(float* a) { *a = N; }\n"
      "static_assert(which == WANTED && beside == 3, \"folders\");\n",
      "k<which>", {{"WANTED", 1}});
  made.include = {folder_.path() / "one", folder_.path() / "two"};
  EXPECT_EQ(compiled(made).entry, "_Z1kILi1EEvPf");
  made.include = {folder_.path() / "two", folder_.path() / "one"};
  EXPECT_THAT(failure(made).reason, HasSubstr("static assertion failed with \"folders\""));
  made.options = {"-I" + (folder_.path() / "one").string()};
  EXPECT_EQ(compiled(made).entry, "_Z1kILi1EEvPf");
}

TEST_F(Nvrtc, FindsCudasHeaders) {
  constexpr const char* source =
      "#include <cooperative_groups.h>\n#include <cuda/std/cstdint>\n#include <mma.h>\n"
      "__global__ void k(float* a) { *a = cooperative_groups::this_thread_block().size(); }\n";
  EXPECT_EQ(compiled(instance(source)).entry, "_Z1kPf");
}

TEST_F(Nvrtc, FindsCudasHeadersThatTheUsersOwnNeed) {
  folder_.write("mine.h", "#include <cuda_fp16.h>\n");
  EXPECT_EQ(compiled(instance("#include \"mine.h\"\n__global__ void k(half* a) { *a = half(); }\n"))
                .entry,
            "_Z1kP6__half");
}

TEST_F(Nvrtc, SaysWhenHeadersAreOfAnotherRelease) {
  folder_.write("old/include/cuda.h", "#define CUDA_VERSION 10010\n");
  folder_.write("old/include/from_old.h", "");
  const ScopedVariable path("CUDA_PATH", (folder_.path() / "old").string());
  EXPECT_THAT(compiled(instance(std::string("#include <from_old.h>\n") + simple)).notes,
              ElementsAre(AllOf(HasSubstr("are of CUDA 10.1, NVRTC is " + nvrtc_version()))));
  EXPECT_TRUE(compiled(instance(std::string("#include <cuda_fp16.h>\n") + simple)).notes.empty());
}

TEST_F(Nvrtc, ExplainsMissingHeaders) {
  EXPECT_THAT(
      refusal(instance("#include <cstdint>\n" + std::string(simple))),
      AllOf(HasSubstr("k.cu:1: NVRTC has no header <cstdint>"), HasSubstr("size_t is built in"),
            HasSubstr("<cuda/std/cstdint>"), HasSubstr("__CUDACC_RTC__")));
  EXPECT_THAT(refusal(instance("#include <stddef.h>\n" + std::string(simple))),
              HasSubstr("<cuda/std/cstddef>"));
  EXPECT_THAT(refusal(instance("#include <type_traits>\n" + std::string(simple))),
              HasSubstr("<cuda/std/type_traits>"));
  EXPECT_THAT(refusal(instance("#include <vector>\n" + std::string(simple))),
              HasSubstr("NVRTC has no header <vector>"));
  const ScopedVariable path("CUDA_PATH", "/no/such/toolkit");
  KernelInstance made = instance("\n#include \"no_such.h\"\n" + std::string(simple));
  made.include = {folder_.path() / "mine"};
  EXPECT_THAT(refusal(made), AllOf(HasSubstr("k.cu:2: cannot find the header \"no_such.h\""),
                                   HasSubstr((folder_.path() / "mine").string()),
                                   HasSubstr("/no/such/toolkit/include, "),
                                   HasSubstr("/usr/local/cuda/include/cccl"),
                                   HasSubstr("kernel.include"), HasSubstr("CUDA_PATH")));
}

TEST_F(Nvrtc, NamesFlagsOfOtherCompilers) {
  const auto with = [&](std::vector<std::string> options) {
    KernelInstance made = instance(simple);
    made.options = std::move(options);
    return made;
  };
  for (const char* option : {"-O3", "-Xcompiler=-Wall", "-ffast-math", "--error-limit=3"}) {
    EXPECT_THAT(refusal(with({option})),
                AllOf(StartsWith(std::string("NVRTC refuses the option \"") + option + "\""),
                      HasSubstr("remove it from kernel.options")));
  }
  EXPECT_THAT(refusal(with({"-std=c++99"})), HasSubstr("invalid value for --std"));
  EXPECT_THAT(refusal(with({"-Xptxas=-foo"})),
              AllOf(HasSubstr("Unknown option 'foo'"), HasSubstr("[-Xptxas=-foo]")));
  EXPECT_THAT(refusal(with({"-D"})), HasSubstr("invalid macro definition"));
  EXPECT_THAT(refusal(with({"-DT=4"})),
              AllOf(HasSubstr("break NVRTC's own header"), HasSubstr("becomes a #define line"),
                    HasSubstr("[-DT=4]")));
  EXPECT_THAT(refusal(with({"-arch=sm_90"})), HasSubstr("must not choose the architecture"));
  EXPECT_THAT(refusal(with({"-dlto"})), HasSubstr("leave no machine code"));
  for (const auto& options : std::vector<std::vector<std::string>>{{"--use_fast_math"},
                                                                   {"-lineinfo"},
                                                                   {"-std=c++17"},
                                                                   {"-Xptxas", "-v"},
                                                                   {"-w"},
                                                                   {"-DELEMENT=unsigned int"},
                                                                   {"-DMSG=\"hello world\""}}) {
    EXPECT_TRUE(compiled(with(options)).resources.has_value()) << options.front();
  }
}

// Values of -D as people write them by hand; parameters become #define lines instead.
TEST_F(Nvrtc, NamesTheDefinitionThatBreaks) {
  const auto with = [&](std::vector<std::string> options, const std::string& source) {
    KernelInstance made = instance(source);
    made.options = std::move(options);
    return made;
  };
  EXPECT_THAT(refusal(with({"-DELEMENT=unsigned", "int"}, simple)),
              AllOf(StartsWith("NVRTC refuses the option \"int\""), HasSubstr("kernel.options")));
  EXPECT_THAT(refusal(with({"'-DMSG=1'"}, simple)), HasSubstr("NVRTC refuses the option \"'-DMSG"));
  EXPECT_THAT(refusal(with({"-D\"MSG=1\""}, simple)), HasSubstr("invalid macro definition"));
  EXPECT_THAT(failure(with({"-DFLAG=True"}, "__global__ void k(float* a) { *a = FLAG; }\n")).reason,
              HasSubstr("identifier \"True\" is undefined"));
  constexpr const char* bounded =
      "__global__ void __launch_bounds__(BS) k(float* a) { *a = 2 * BS; }\n";
  EXPECT_THAT(failure(with({"-DBS=256.0"}, bounded)).reason, HasSubstr("integral"));
  // As an option an expression stays bare; as a parameter it gets parentheses.
  constexpr const char* doubled =
      "__global__ void k(float* a) { static_assert(2 * BS == WANTED, \"twice\"); *a = BS; }\n";
  EXPECT_EQ(compiled(with({"-DBS=64+1", "-DWANTED=129"}, doubled)).entry, "_Z1kPf");
  EXPECT_EQ(compiled(instance(doubled, "k", {{"BS", "64+1"}, {"WANTED", 130}})).entry, "_Z1kPf");
}

// Libraries that bring their own names for the standard's (NVIDIA/jitify#43, #107).
TEST_F(Nvrtc, ShowsWhereIncludesClash) {
  folder_.write("mine.h",
                "namespace mine { typedef unsigned int size_t; }\nusing namespace mine;\n");
  const Failure clash = failure(
      instance("#include \"mine.h\"\n__global__ void k(float* a) { size_t i = 0; a[i] = 1; }\n"));
  EXPECT_EQ(clash.outcome, Outcome::compile_failed);
  EXPECT_THAT(clash.reason, EndsWith("k.cu:2: \"size_t\" is ambiguous"));
  EXPECT_THAT(
      refusal(instance("#include <cuda/std/limits>\n#include <limits>\n" + std::string(simple))),
      AllOf(HasSubstr("k.cu:2: NVRTC has no header <limits>"), HasSubstr("<cuda/std/limits>")));
  EXPECT_EQ(compiled(instance("#include <cuda/std/limits>\n__global__ void k(float* a) {"
                              " *a = cuda::std::numeric_limits<float>::max(); }\n"))
                .entry,
            "_Z1kPf");
}

TEST_F(Nvrtc, SuggestsKernelsThatAreThere) {
  constexpr const char* source =
      "__global__ void sgemm(float* a) { *a = 1; }\n"
      "namespace v2 { __global__ void hgemm(float* a) { *a = 1; } }\n"
      "__device__ float helper(float a) { return a; }\n";
  EXPECT_THAT(refusal(instance(source, "sgem")),
              AllOf(HasSubstr("k.cu has no __global__ function \"sgem\""),
                    HasSubstr("did you mean \"sgemm\"?")));
  EXPECT_THAT(refusal(instance(source, "sgem<1, 2>")), HasSubstr("did you mean \"sgemm\"?"));
  EXPECT_THAT(refusal(instance(source, "v2::hgem")), HasSubstr("did you mean \"v2::hgemm\"?"));
  EXPECT_THAT(refusal(instance(source, "something_else")), HasSubstr("known: sgemm, v2::hgemm"));
  EXPECT_THAT(refusal(instance(source, "helper")), HasSubstr("no __global__ function \"helper\""));
  EXPECT_THAT(refusal(instance("struct A {};\n", "k")), HasSubstr("it has none at all"));
}

TEST_F(Nvrtc, TellsTemplatesFromTheirArguments) {
  constexpr const char* source =
      "template <int N, typename T> __global__ void k(T* a) { *a = N; }\n";
  EXPECT_THAT(refusal(instance(source, "k")),
              AllOf(HasSubstr("\"k\" is a template"), HasSubstr("k<{PARAMETER}, ...>")));
  // Another configuration may have arguments that fit.
  const Failure found = failure(instance(source, "k<4, no_type>"));
  EXPECT_EQ(found.outcome, Outcome::compile_failed);
  EXPECT_EQ(found.reason, "k<4, no_type>: identifier \"no_type\" is undefined");
}

TEST_F(Nvrtc, TellsWhatPtxasRefuses) {
  const Failure shared =
      failure(instance("__global__ void k(float* a) {\n  __shared__ float t[16384];\n"
                       "  t[threadIdx.x] = *a; __syncthreads(); *a = t[5 - threadIdx.x];\n}\n"));
  EXPECT_EQ(shared.outcome, Outcome::cannot_launch);
  EXPECT_EQ(shared.reason, "static shared memory: needs 65536 bytes, the limit is 49152");
  const Failure constant =
      failure(instance("__constant__ float w[17000];\n"
                       "__global__ void k(float* a) { *a = w[threadIdx.x]; }\n"));
  EXPECT_EQ(constant.outcome, Outcome::compile_failed);
  EXPECT_THAT(constant.reason, HasSubstr("uses too much global constant data"));
}

TEST_F(Nvrtc, SaysWhenPtxasGivesMoreRegistersThanAsked) {
  KernelInstance made = instance(simple);
  made.options = {"--maxrregcount=8"};
  const KernelBinary binary = compiled(made, "sm_90");
  EXPECT_THAT(binary.notes, ElementsAre("asked for 8 registers a thread, got 24"));
  EXPECT_THAT(binary.log, HasSubstr("adjusting per thread register count of 8"));
}

TEST_F(Nvrtc, NeverFailsForPrecompiledHeaders) {
  // cudf#22808: two processes shared a folder, and one lost its header to the other.
  KernelInstance made = instance("#include <cuda_fp16.h>\n" + std::string(simple));
  for (const auto& options :
       std::vector<std::vector<std::string>>{{"--pch", "--pch-dir=/no/such/folder"},
                                             {"--use-pch=/no/such.pch"},
                                             {"--create-pch=/no/such/folder/k.pch"},
                                             {"--pch", "--pch-dir=" + folder_.path().string()}}) {
    made.options = options;
    EXPECT_EQ(compiled(made).entry, "_Z1kPf") << options.back();
  }
  made = instance("#include <cuda_fp16.h>\n__global__ void k(float* a) { *a = wrong; }\n");
  made.options = {"--use-pch=/no/such.pch"};
  EXPECT_THAT(failure(made).reason, HasSubstr("\"wrong\" is undefined"));
}

TEST_F(Nvrtc, ReportsAMissingSource) {
  KernelInstance made = instance(simple);
  made.source = folder_.path() / "none.cu";
  EXPECT_THAT(refusal(made), HasSubstr("cannot read the kernel source"));
}

TEST_F(Nvrtc, CompilesManyInOrder) {
  constexpr const char* source = "template <int N> __global__ void k(float* a) { *a = N; }\n";
  std::vector<KernelInstance> instances;
  for (int i = 0; i < 12; ++i) {
    instances.push_back(instance(source, "k<" + std::to_string(i) + ">"));
  }
  std::vector<std::size_t> progress;
  const auto results = compile_all(instances, "sm_80", 3, nullptr,
                                   [&](std::size_t done) { progress.push_back(done); });
  ASSERT_EQ(results.size(), instances.size());
  for (std::size_t i = 0; i < results.size(); ++i) {
    EXPECT_EQ(std::get<KernelBinary>(results[i]).entry, "_Z1kILi" + std::to_string(i) + "EEvPf");
    EXPECT_EQ(progress[i], i + 1);
  }
  EXPECT_TRUE(compile_all({}, "sm_80").empty());
}

TEST_F(Nvrtc, ThrowsTheFirstErrorOfMany) {
  std::vector<KernelInstance> instances(8, instance(simple));
  instances[3].name_expression = "third";
  instances[4].name_expression = "fourth";
  for (int trial = 0; trial < 5; ++trial) {
    try {
      compile_all(instances, "sm_80", 4);
      FAIL() << "two instances name kernels that are not there";
    } catch (const InputError& error) {
      EXPECT_THAT(error.problem(), HasSubstr("\"third\""));
    }
  }
}

}  // namespace
}  // namespace rooftune
