// What compilers make of generated headers: three templates at two sizes on three devices, macros
// and texts of any kind, and launchers. The times are test data; nothing here was measured.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "tuner/report/header/header_samples.hpp"

namespace rooftune {
namespace {

using ::testing::HasSubstr;
using testing::made_up_results;
using testing::MadeUp;
using testing::named_device;
using testing::small_spec;
using testing::TemporaryFolder;

const std::string warnings = "-std=c++17 -Wall -Wextra -Wpedantic -Werror";

/// Its output, and its exit status where that is not 0.
std::string output_of(const std::string& command) {
  const TemporaryFolder folder;
  const std::string log = (folder.path() / "log").string();
  const int status = std::system(fmt::format("({}) > '{}' 2>&1", command, log).c_str());
  return folder.read("log") + (status == 0 ? "" : fmt::format("status {}", status));
}

/// The program, or where the toolkit usually is; empty where it is not here.
std::string find_program(const std::string& name) {
  for (const std::string& candidate : {name, "/usr/local/cuda/bin/" + name}) {
    if (std::system((candidate + " --version > /dev/null 2>&1").c_str()) == 0) {
      return candidate;
    }
  }
  return "";
}

Spec shipped_spec(const std::string& kernel, const std::vector<std::vector<Override>>& sizes) {
  Spec spec = load_spec(ROOFTUNE_SOURCE_DIR "/configs/kernels/" + kernel + ".yaml");
  add_problems(spec, sizes);
  return spec;
}

/// A kernel with two configurations that were tried at two sizes.
struct Sample {
  Spec spec;
  NamedValues first;
  NamedValues second;
};

std::vector<Sample> samples() {
  std::vector<Sample> all;
  all.push_back({shipped_spec("sgemm", {{{"M", "512"}, {"N", "512"}, {"K", "512"}},
                                        {{"M", "4096"}, {"N", "64"}, {"K", "1024"}}}),
                 {{"BM", 64},
                  {"BN", 64},
                  {"BK", 8},
                  {"TM", 4},
                  {"TN", 4},
                  {"VECTOR", 1},
                  {"UNROLL", 1},
                  {"STAGES", 1},
                  {"MIN_BLOCKS", 1},
                  {"T", "float"}},
                 {{"BM", 128},
                  {"BN", 128},
                  {"BK", 8},
                  {"TM", 8},
                  {"TN", 8},
                  {"VECTOR", 4},
                  {"UNROLL", 8},
                  {"STAGES", 2},
                  {"MIN_BLOCKS", 2},
                  {"T", "half"}}});
  all.push_back({shipped_spec("reduction", {{{"n", "65536"}}, {{"n", "268435456"}}}),
                 {{"BLOCK", 256},
                  {"ITEMS", 1},
                  {"VECTOR", 1},
                  {"COMBINE", "shared_tree"},
                  {"FINISH", "atomic"}},
                 {{"BLOCK", 512},
                  {"ITEMS", 4},
                  {"VECTOR", 4},
                  {"COMBINE", "shuffle"},
                  {"FINISH", "last_block"}}});
  all.push_back({shipped_spec("transpose", {{{"rows", "1024"}, {"columns", "1024"}},
                                            {{"rows", "16384"}, {"columns", "64"}}}),
                 {{"TILE", 32}, {"ROWS", 8}, {"VECTOR", 1}, {"PADDING", 0}},
                 {{"TILE", 64}, {"ROWS", 8}, {"VECTOR", 4}, {"PADDING", 1}}});
  return all;
}

/// On the A100 the first configuration wins, on the H100 the second, on the RTX 4090 one each.
std::vector<Results> results_of(const Sample& sample) {
  const auto on = [&](const char* device, std::vector<double> first, std::vector<double> second) {
    return made_up_results(sample.spec, load_device(device),
                           {{sample.first, std::move(first)}, {sample.second, std::move(second)}});
  };
  return {on("a100-40", {1e-3, 2e-3}, {3e-3, 4e-3}), on("h100-sxm", {2e-3, 2e-3}, {1e-3, 1e-3}),
          on("rtx-4090", {1e-3, 3e-3}, {2e-3, 1e-3})};
}

HeaderOptions options_with(HeaderEmbed embed, const std::vector<Sample>& from) {
  HeaderOptions options;
  options.embed = embed;
  options.spec_of = [&from](const Results& results) -> const Spec& {
    return std::find_if(from.begin(), from.end(),
                        [&](const Sample& sample) { return sample.spec.hash == results.spec_hash; })
        ->spec;
  };
  return options;
}

std::string template_header(const std::vector<Sample>& from, HeaderEmbed embed) {
  std::vector<Results> all;
  for (const Sample& sample : from) {
    for (Results& results : results_of(sample)) {
      all.push_back(std::move(results));
    }
  }
  return tuned_header(all, options_with(embed, from));
}

/// A kernel whose parameter is a macro, with a file beside it, more than 48 KiB of shared memory,
/// options, and functions that are no templates.
Sample macro_sample(const TemporaryFolder& folder) {
  folder.write("twice.cuh",
               "#pragma once\n#define FACTOR 2\n__device__ float twice(float x) { return FACTOR * "
               "x; }\n");
  folder.write("scale.cu",
               "#include <cuda_fp16.h>\n#include \"twice.cuh\"\n#ifndef BLOCK\n#define BLOCK 32\n"
               "#endif\nextern __shared__ float scratch[];\n"
               "__global__ void __launch_bounds__(BLOCK) scale(float* a, const int n) {\n"
               "  const int i = blockIdx.x * BLOCK + threadIdx.x;\n"
               "  scratch[threadIdx.x] = i < n ? twice(a[i]) : 0.0f;  // \"quoted\" ?\?/ */\n"
               "  if (i < n) a[i] = scratch[threadIdx.x];\n}\n"
               "__global__ void reference(float* a, const int n) {\n"
               "  for (int i = 0; i < n; ++i) a[i] = 2 * a[i];\n}\n");
  folder.write("scale.yaml",
               "kernel: {source: scale.cu, name: scale, options: [\"--use_fast_math\"]}\n"
               "constants: {n: 1024}\n"
               "parameters: {BLOCK: {values: [64, 128]}}\n"
               "launch: {block: [BLOCK], grid: [\"ceil_div(n, BLOCK)\"], shared_bytes: 65536}\n"
               "arguments: [{name: a, type: float, count: n, access: inout}, "
               "{name: n, type: int, value: n}]\n"
               "problems: [{n: 1024}, {n: 4096}]\n");
  return {load_spec(folder.path() / "scale.yaml"), {{"BLOCK", 64}}, {{"BLOCK", 128}}};
}

/// What of the table is known beforehand, and that the run-time path agrees on much more.
constexpr const char* template_checks = R"(
namespace t = rooftune_tuned;
using t::sgemm::Match;
constexpr t::sgemm::Device a100{"NVIDIA A100 40 GB", 8, 0}, h100{"NVIDIA H100 SXM5", 9, 0},
    rtx4090{"NVIDIA GeForce RTX 4090", 8, 9}, a100_80{"A100 of another name", 8, 0},
    a10{"NVIDIA A10", 8, 6}, unknown{"some GPU", 7, 0}, cpu{"some CPU", 0, 0};
// Exact; the size that is nearest over all dimensions; the same capability, architecture; default.
constexpr auto exact = t::sgemm::select(a100, {512, 512, 512});
static_assert(exact.match == Match::exact && exact.valid && exact.parameters().BM == 64);
static_assert(exact.geometry.grid.x == 8 && exact.geometry.block.x == 256);
static_assert(exact.origin().seconds == 1e-3 && exact.origin().roof_fraction == 0.5);
static_assert(exact.origin().largest_error == 1e-6 && !exact.origin().is_host);
static_assert(exact.origin().kernel == "sgemm<64, 64, 8, 4, 4, 1, 1, 1, 1, float>");
static_assert(exact.origin().environment == "test data, not measured");
static_assert(t::sgemm::select(h100, {512, 512, 512}).parameters().T == "half");
static_assert(t::sgemm::select(rtx4090, {512, 512, 512}).parameters().BM == 64);
static_assert(t::sgemm::select(rtx4090, {4096, 64, 1024}).parameters().BM == 128);
static_assert(t::sgemm::select(rtx4090, {8000, 40, 1000}).parameters().BM == 128);
static_assert(t::sgemm::select(rtx4090, {8000, 40, 1000}).match == Match::nearest_size);
static_assert(t::sgemm::select(a100_80, {512, 512, 512}).match == Match::same_capability);
static_assert(t::sgemm::select(a10, {512, 512, 512}).match == Match::same_family);
static_assert(t::sgemm::select(unknown, {512, 512, 512}).match == Match::by_default);
static_assert(t::reduction::select(a100, {65536}).parameters().COMBINE == "shared_tree");
static_assert(t::reduction::select(h100, {1 << 28}).geometry.grid.x == (1 << 28) / 8192);
static_assert(t::transpose::select(rtx4090, {16384, 64}).parameters().TILE == 64);
static_assert(t::transpose::Tuned::geometry({64, 64}).block.x == 32);
static_assert(t::sgemm::NVIDIA_H100_SXM5_M512_N512_K512_half::T == "half");
// K = 510 is no multiple of VECTOR = 4: what needs it is passed by, at every step.
static_assert(t::sgemm::select(h100, {512, 510, 510}).parameters().VECTOR == 1);
static_assert(t::sgemm::select(h100, {512, 510, 510}).match == Match::nearest_size);
static_assert(to_string(Match::same_family) == "same family");
template <int BM> struct Kernel {};
Kernel<exact.parameters().BM> usable_as_a_template_argument;

template <class Row, class Problem, class Select>
int compare(const Problem& problem, const t::sgemm::Device& device, const Row* expected,
            Match match, Select select) {
  const std::string name(device.name);  // at run time
  const auto found = select(t::sgemm::Device{name, device.major, device.minor}, problem);
  return found.row == expected && found.match == match ? 0 : 1;
}
#define COMPARE(kernel, device, ...)                                                      \
  {                                                                                       \
    constexpr t::kernel::Problem problem{__VA_ARGS__};                                    \
    constexpr auto expected = t::kernel::select(device, problem);                         \
    wrong += compare(problem, device, expected.row, expected.match,                       \
                     [](const auto& d, const auto& p) { return t::kernel::select(d, p); }); \
  }
#define COMPARE_ALL(kernel, ...)                                                              \
  COMPARE(kernel, a100, __VA_ARGS__) COMPARE(kernel, h100, __VA_ARGS__)                       \
  COMPARE(kernel, rtx4090, __VA_ARGS__) COMPARE(kernel, a100_80, __VA_ARGS__)                 \
  COMPARE(kernel, a10, __VA_ARGS__) COMPARE(kernel, unknown, __VA_ARGS__)                     \
  COMPARE(kernel, cpu, __VA_ARGS__)
int compare_all() {
  int wrong = 0;
  COMPARE_ALL(sgemm, 512, 512, 512)
  COMPARE_ALL(sgemm, 4096, 64, 1024)
  COMPARE_ALL(sgemm, 1448, 181, 724)
  COMPARE_ALL(sgemm, 1, 7, 1000003)
  COMPARE_ALL(sgemm, 0, -4, 9223372036854775807)
  COMPARE_ALL(reduction, 65536)
  COMPARE_ALL(reduction, 268435456)
  COMPARE_ALL(reduction, 4194304)
  COMPARE_ALL(transpose, 1024, 1024)
  COMPARE_ALL(transpose, 16384, 64)
  COMPARE_ALL(transpose, 4096, 256)
  return wrong;
}
)";

/// C116: 1024x1 is not 32x32. C120: an unknown architecture compiles, runs the default, and is told
/// once.
constexpr const char* small_checks = R"(
namespace s = small::k;
static_assert(s::select({"A", 8, 0}, {1000, 1}).parameters().B == 1);
static_assert(s::select({"A", 8, 0}, {34, 31}).parameters().B == 2);
static_assert(s::select({"A", 8, 0}, {512, 2}).row->problem.M == 1024);
std::vector<std::string> told;
int warned_once() {
  s::support::warning_hook() = [](const std::string& message) { told.push_back(message); };
  s::select_or_warn({"A", 8, 0}, {7, 7});
  const bool silent = told.empty();
  for (int i = 0; i < 3; ++i) {
    s::select_or_warn({"New GPU", 13, 5}, {32, 32});
  }
  const bool once = told.size() == 1 &&
                    told[0] == "k: not tuned for New GPU (compute capability 13.5): runs with the "
                               "configuration of A, found by: default";
  return silent && once ? 0 : 1;
}
)";

std::string small_header() {
  const Results results =
      made_up_results(small_spec({{1024, 1}, {32, 32}}), named_device("A", 8, 0),
                      {{{{"B", 1}}, {1, 2}}, {{{"B", 2}}, {2, 1}}});
  HeaderOptions options;
  options.name_space = "small";
  return tuned_header({results}, options);
}

std::string hostile_header() {
  Results results =
      made_up_results(small_spec({{8, 8}}), named_device("A", 8, 0), {{{{"B", 4}}, {2e-3}}});
  results.spec_name = "a \"b\" */ class";
  results.device.name = "bad\n#error \" */ \\ \xe2\x80\xae ?\?/";
  results.environment = "ends in a backslash \\";
  results.parameters = {{"class", {1, 2}, Role::tile, {}},
                        {"geometry", {1, 2}, Role::tile, {}},
                        {"std", {1}, Role::other, {}},
                        {"text", {"a\"b\\"}, Role::other, {}}};
  results.problems = {{{"int", 7}, {"double", 2.5}, {"parameters", "x\n"}}};
  results.launch = {{"std * 32"},
                    {"class * int + geometry", "1 if text == 'int' else 3"},
                    "0",
                    {{"problem", "class * 2"}},
                    "k"};
  results.removed = {{"int % class == 1 and problem > 0 and parameters == 'x\n'", 0}};
  Record& record = results.records[0];
  record.parameters = {{"class", 2}, {"geometry", 3}, {"std", 1}, {"text", "a\"b\\"}};
  record.problems[0].problem = results.problems[0];
  HeaderOptions options;
  options.name_space = "hostile";
  options.command = "x\n#error";
  return tuned_header({results}, options);
}

constexpr const char* hostile_checks = R"(
constexpr auto hostile_one = hostile::a_b_class::Tuned::geometry({});
static_assert(hostile_one.grid.x == 17 && hostile_one.grid.y == 3 && hostile_one.block.x == 32);
static_assert(hostile::a_b_class::Tuned::class_ == 2);
static_assert(hostile::a_b_class::Tuned::text == "a\"b\\");
static_assert(hostile::a_b_class::select({}, {}).valid);
static_assert(!hostile::a_b_class::select({}, {8}).valid);
)";

/// A header each, with the expression as its grid, and what it should be.
std::string operator_headers() {
  const std::vector<std::string> expressions = {"M // N",
                                                "-M // N",
                                                "M % N",
                                                "-M % N",
                                                "M / N * 100",
                                                "ceil_div(-M, N)",
                                                "min(M, 2.5)",
                                                "max(M, N, 4000)",
                                                "abs(N - M)",
                                                "N ** 3",
                                                "log2(1024)",
                                                "log2(M) * 1000",
                                                "7.5 // 2 + M",
                                                "M in [1, 1000]",
                                                "not M == N",
                                                "1 < N <= M",
                                                "M if N > 5 else 2",
                                                "(N > 5) + (M > 5)",
                                                "M and N",
                                                "0 or M",
                                                "-7.5 % 2 * 1000",
                                                "M - (N - 1)",
                                                "2 ** 40 + M",
                                                "M > 1 and N > 1 or M > 7"};
  Results results =
      made_up_results(small_spec({{1000, 300}}), named_device("A", 8, 0), {{{{"B", 4}}, {2e-3}}});
  Scope scope;
  scope.set(results.problems.front());
  std::string text;
  for (std::size_t i = 0; i < expressions.size(); ++i) {
    const Expression expression = Expression::parse(expressions[i]);
    results.launch.grid = {expression.to_string()};
    HeaderOptions options;
    options.name_space = fmt::format("case{}", i);
    text += tuned_header({results}, options);
    text += fmt::format("static_assert(case{}::k::Tuned::geometry({{}}).grid.x == {});\n", i,
                        static_cast<std::int64_t>(expression.evaluate(scope).as_real()));
  }
  return text;
}

constexpr const char* main_function = R"(
int main(int argc, char**) {
  if (argc > 1) {
    const auto chosen = program::scale::select({"B", 9, 0}, {4096});
    const auto& program = program::scale::program(chosen);
    std::puts(program.name_expression);
    std::puts(program.option_count == 1 ? program.options[0] : "");
    std::fputs(program::scale::source_of(program).c_str(), stdout);
    return 0;
  }
  return compare_all() * 2 + warned_once();
}
)";

/// The headers and a program of checks in one folder.
class GeneratedHeader : public ::testing::Test {
 protected:
  GeneratedHeader() {
    const std::vector<Sample> macros = {macro_sample(folder_)};
    HeaderOptions source = options_with(HeaderEmbed::source, macros);
    source.name_space = "program";
    folder_.write("templates.hpp", template_header(templates_, HeaderEmbed::launcher));
    folder_.write("scale_source.hpp", tuned_header(results_of(macros[0]), source));
    folder_.write("scale.hpp",
                  tuned_header(results_of(macros[0]), options_with(HeaderEmbed::launcher, macros)));
    folder_.write("small.hpp", small_header());
    folder_.write("check.cpp",
                  std::string("#include \"templates.hpp\"\n#include \"scale_source.hpp\"\n"
                              "#include \"templates.hpp\"\n#include \"small.hpp\"\n"
                              "#include <vector>\n") +
                      template_checks + small_checks + hostile_header() + hostile_checks +
                      operator_headers() + main_function);
  }
  std::string compile(const std::string& command, const std::string& files) const {
    return output_of(
        fmt::format("cd '{}' && {} {} -o program", folder_.path().string(), command, files));
  }
  std::string run(const std::string& arguments = "") const {
    return output_of((folder_.path() / "program").string() + " " + arguments);
  }

  TemporaryFolder folder_;
  std::vector<Sample> templates_ = samples();
};

TEST_F(GeneratedHeader, CompilesAndSelectsTheSameAtCompileTimeAndAtRunTime) {
  ASSERT_EQ(compile("g++ " + warnings, "check.cpp"), "");
  EXPECT_EQ(run(), "");
  if (find_program("clang++").empty()) {
    GTEST_SKIP() << "clang++ is not here: compiled with g++ alone";
  }
  ASSERT_EQ(compile("clang++ " + warnings, "check.cpp"), "");
  EXPECT_EQ(run(), "");
}

TEST_F(GeneratedHeader, MacrosCompileAsC) {
  std::vector<Results> all;
  for (const Sample& sample : templates_) {
    for (Results& results : results_of(sample)) {
      all.push_back(std::move(results));
    }
  }
  for (const auto& [file, text] : tuned_macros(all, {}, "tuned.h")) {
    folder_.write(file, text);
  }
  folder_.write("check.c",
                "#define ROOFTUNE_DEVICE_NVIDIA_A100_40_GB\n#include \"tuned.h\"\n"
                "#if SGEMM_M512_N512_K512_BM != 64 || SGEMM_M512_N512_K512_LAUNCH_GRID_X "
                "!= 8 || TRANSPOSE_DEFAULT_LAUNCH_BLOCK_Y != 8\n#error wrong\n#endif\n"
                "int main(void) { return sizeof(SGEMM_M512_N512_K512_T) == 4 ? 0 : 1; }\n");
  ASSERT_EQ(compile("gcc -std=c99 -Wall -Wextra -Wpedantic -Werror", "check.c"), "");
  EXPECT_EQ(run(), "");
}

TEST_F(GeneratedHeader, TheEmbeddedSourceIsWhatNvrtcCompiles) {
  ASSERT_EQ(compile("g++ " + warnings, "check.cpp"), "");
  const std::string printed = run("source");
  const std::string first_lines = "scale\n--use_fast_math\n";
  ASSERT_EQ(printed.substr(0, first_lines.size()), first_lines);
  KernelInstance instance;
  instance.source = folder_.path() / "scale.cu";
  instance.source_text = printed.substr(first_lines.size());
  instance.name_expression = "scale";
  instance.options = {"--use_fast_math"};
  EXPECT_THAT(instance.source_text, HasSubstr("#define BLOCK 128\n"));
  const CompileResult compiled = compile_nvrtc(instance, "sm_90");
  ASSERT_TRUE(std::holds_alternative<KernelBinary>(compiled))
      << std::get<Failure>(compiled).log << instance.source_text;
  EXPECT_EQ(std::get<KernelBinary>(compiled).resources->max_threads, 128);
}

TEST_F(GeneratedHeader, LaunchersCompileForEveryArchitectureAndGiveErrorsBack) {
  const std::string nvcc = find_program("nvcc");
  if (nvcc.empty()) {
    GTEST_SKIP() << "nvcc is not here: launchers are not compiled";
  }
  folder_.write("other.cu",
                "#include \"scale.hpp\"\nnamespace t = rooftune_tuned;\n"
                "cudaError_t other() { return t::scale::launch(nullptr, {64}, "
                "static_cast<float*>(nullptr), 64); }\n");
  folder_.write("launch.cu", R"(
#include "scale.hpp"
#include "templates.hpp"
namespace t = rooftune_tuned;
cudaError_t other();
#if defined(BLOCK) || defined(FACTOR)
#error macros of the source leak
#endif
int main() {
  float* data = nullptr;
  half* halves = nullptr;
  unsigned int* count = nullptr;
  int devices = 0;
  if (cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0) {
    return 0;  // null pointers are not for a real device
  }
  const cudaError_t errors[] = {
      t::sgemm::launch(nullptr, {512, 512, 512}, data, data, data, 512, 512, 512),
      t::sgemm::launch(nullptr, {512, 512, 512}, halves, halves, data, 512, 512, 512),
      t::reduction::launch(nullptr, {65536}, data, data, data, count, 65536),
      t::transpose::launch(nullptr, t::transpose::select({}, {64, 64}), data, data, 64, 64),
      other()};
  int wrong = 0;
  for (const cudaError_t error : errors) {
    wrong += error == cudaSuccess || error == cudaErrorInvalidValue ? 1 : 0;
  }
  // A line that may not run at this size, and one whose kernel takes other types.
  wrong += t::scale::launch(nullptr, t::scale::Selection{}, data, 64) != cudaErrorInvalidValue;
  constexpr auto half_line = t::sgemm::select({"", 9, 0}, {512, 512, 512}, 0);
  static_assert(half_line.parameters().T == "half");
  wrong += t::sgemm::launch(nullptr, half_line, data, data, data, 1, 1, 1) != cudaErrorInvalidValue;
  return wrong;
}
)");
  ASSERT_EQ(compile(nvcc + " -std=c++17 -Werror all-warnings -Xcompiler -Wall,-Wextra,-Werror "
                           "-gencode arch=compute_80,code=sm_80 -gencode "
                           "arch=compute_90,code=sm_90 --threads 2",
                    "launch.cu other.cu"),
            "");
  EXPECT_EQ(run(), "");
}

/// As much of the CUDA runtime as a launcher calls: remembers, and runs the kernel once.
constexpr const char* runtime_double = R"(
#pragma once
#include <cstddef>
#include <cstring>
#include <utility>
#define __global__
struct dim3 { unsigned x, y, z; dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c) {} };
enum cudaError_t { cudaSuccess, cudaErrorInvalidValue = 1, cudaErrorInvalidConfiguration = 9,
                   cudaErrorLaunchFailure = 719 };
using cudaStream_t = int*;
struct cudaDeviceProp { char name[256]; int major, minor; };
struct cudaFuncAttributes { std::size_t sharedSizeBytes; };
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize };
inline std::size_t static_bytes = 0;
inline int opted_in = 0, properties_asked = 0;
inline unsigned blocks = 0;
inline cudaError_t answer = cudaSuccess;
inline cudaError_t cudaGetDevice(int* device) { *device = 0; return cudaSuccess; }
inline cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
  std::strcpy(properties->name, "NVIDIA A");
  properties->major = 8;
  properties->minor = 0;
  ++properties_asked;
  return cudaSuccess;
}
template <class T> cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, T*) {
  attributes->sharedSizeBytes = static_bytes;
  return cudaSuccess;
}
template <class T> cudaError_t cudaFuncSetAttribute(T*, cudaFuncAttribute, int bytes) {
  opted_in = bytes;
  return cudaSuccess;
}
template <class... Types, std::size_t... Places>
void call(void (*kernel)(Types...), void** arguments, std::index_sequence<Places...>) {
  kernel(*static_cast<Types*>(arguments[Places])...);
}
template <class... Types>
cudaError_t cudaLaunchKernel(void (*kernel)(Types...), dim3 grid, dim3, void** arguments,
                             std::size_t, cudaStream_t) {
  blocks = grid.x;
  call(kernel, arguments, std::index_sequence_for<Types...>());
  return answer;
}
)";

/// C020: 48 KiB of dynamic shared memory and one static byte have to be asked for.
constexpr const char* launch_checks = R"(
namespace t = rooftune_tuned::k;
int main() {
  float result[2] = {};
  int wrong = 0;
  const auto expect = [&wrong](bool holds) { wrong += holds ? 0 : 1; };
  expect(t::launch(nullptr, {48}, result, 7) == cudaSuccess);
  expect(result[0] == 7 && result[1] == 32 && blocks == 2 && opted_in == 0);
  static_bytes = 16;
  expect(t::launch(nullptr, {48}, result, 7) == cudaSuccess && opted_in == 48 * 1024);
  static_bytes = 0;
  expect(t::launch(nullptr, {64}, result, 8) == cudaSuccess && opted_in == 64 * 1024);
  expect(result[0] == 8 && result[1] == 64 && blocks == 1);
  expect(properties_asked == 1);
  answer = cudaErrorLaunchFailure;
  expect(t::launch(nullptr, {64}, result, 8) == cudaErrorLaunchFailure);
  blocks = 99;
  expect(t::launch(nullptr, {-1}, result, 8) == cudaErrorInvalidConfiguration && blocks == 99);
  return wrong;
}
)";

TEST(GeneratedLauncher, AsksForSharedMemoryAndGivesErrorsBack) {
  const TemporaryFolder folder;
  folder.write("k.cu",
               "template <int B> __global__ void k(float* a, int n) {\n"
               "  a[0] = static_cast<float>(n);\n  a[1] = B;\n}\n");
  folder.write("k.yaml",
               "kernel: {source: k.cu, name: \"k<{B}>\"}\nconstants: {M: 1}\n"
               "parameters: {B: {values: [32, 64]}}\n"
               "launch: {block: [B], grid: [\"ceil_div(M, B)\"], shared_bytes: M * 1024}\n"
               "arguments: [{name: a, type: float, count: 2, access: out}, "
               "{name: n, type: int, value: M}]\nproblems: [{M: 48}, {M: 64}]\n");
  const Spec spec = load_spec(folder.path() / "k.yaml");
  HeaderOptions options;
  options.embed = HeaderEmbed::launcher;
  options.spec_of = [&](const Results&) -> const Spec& { return spec; };
  const Results results = made_up_results(spec, named_device("A", 8, 0),
                                          {{{{"B", 32}}, {1, 2}}, {{{"B", 64}}, {2, 1}}});
  folder.write("cuda_runtime.h", runtime_double);
  folder.write("check.cpp", tuned_header({results}, options) + launch_checks);
  EXPECT_EQ(
      output_of(fmt::format("cd '{}' && g++ {} -D__CUDACC__ -I. check.cpp -o check && ./check",
                            folder.path().string(), warnings)),
      "");
}

}  // namespace
}  // namespace rooftune
