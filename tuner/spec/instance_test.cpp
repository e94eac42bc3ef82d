#include "tuner/spec/instance.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tuner/spec/test_files.hpp"

namespace rooftune {
namespace {

constexpr const char* text = R"yaml(kernel:
  source: k.cu
  name: "k<{BM}, {T}>"
  options: ["-DTWICE={2 * BM}"]
constants: {M: 100, scale: 1.5}
parameters:
  BM: {values: [16, 32, 0]}
  T: {values: [float, half, quad]}
  U: {values: [1, 2]}
derived: {blocks: "ceil_div(M, BM)"}
launch: {block: [BM, U], grid: [blocks], shared_bytes: 4 * BM}
arguments:
  - {name: A, type: "{T}", count: M, access: inout}
  - {name: s, type: float, value: scale}
  - {name: M, type: int, value: M}
work: {flops: {fp32: 2 * M}, bytes: {dram: 4 * M}, traffic: {l2: M * blocks / U}}
verify: {kernel: "r<{T}>", block: [8], grid: [blocks], tolerance: {absolute: 0.5}}
)yaml";

class Instance : public ::testing::Test {
 protected:
  Instance() : spec_(read(text)) {}
  Spec read(const std::string& yaml) {
    folder_.write("k.cu",
                  "template <int BM, typename T>\n__global__ void k(T* A, float s, int M) {}\n");
    return load_spec(folder_.write("k.yaml", yaml));
  }
  KernelInstance instance(NamedValues parameters, Problem problem = {{"M", 100}, {"scale", 1.5}}) {
    return instantiate(spec_, parameters, problem);
  }
  std::string error(const NamedValues& parameters,
                    const Problem& problem = {{"M", 100}, {"scale", 1.5}}) {
    try {
      instance(parameters, problem);
      return "no error";
    } catch (const InputError& fault) {
      return fault.problem() + " | line " + std::to_string(fault.spot()->line) + " | " +
             fault.hint();
    }
  }

  TestFolder folder_;
  Spec spec_;
};

TEST_F(Instance, EvaluatesEverything) {
  const KernelInstance k = instance({{"BM", 32}, {"T", "half"}, {"U", 2}});
  EXPECT_EQ(k.name_expression, "k<32, half>");
  EXPECT_THAT(k.options, ::testing::ElementsAre("-DTWICE=64"));
  EXPECT_EQ(to_string(k.defines), "U=2");
  EXPECT_EQ(to_string(k.derived), "blocks=4");
  EXPECT_EQ(k.launch.block, (Dim3{32, 2, 1}));
  EXPECT_EQ(k.launch.grid, (Dim3{4, 1, 1}));
  EXPECT_EQ(k.launch.shared_bytes, 128U);
  ASSERT_EQ(k.arguments.size(), 3U);
  EXPECT_EQ(k.arguments[0].type.name, "__half");
  EXPECT_EQ(k.arguments[0].bytes(), 200U);
  EXPECT_EQ(k.arguments[0].access, Access::inout);
  EXPECT_FALSE(k.arguments[1].is_buffer);
  EXPECT_EQ(k.arguments[1].value, 1.5);
  EXPECT_EQ(k.arguments[2].value, 100);
  EXPECT_EQ(k.work.flops.at({Precision::fp32, false}), 200);
  EXPECT_EQ(k.work.traffic.at(Level::l2), 200);
  ASSERT_TRUE(k.reference);
  EXPECT_EQ(k.reference->name_expression, "r<half>");
  EXPECT_EQ(k.reference->launch.grid.x, 4U);
  EXPECT_EQ(k.tolerance.absolute, 0.5);
}

TEST_F(Instance, GeometryIsItsModelAlone) {
  const Geometry geometry =
      evaluate_geometry(spec_, {{"BM", 16}, {"T", "quad"}, {"U", 1}}, {{"M", 100}, {"scale", 1}});
  ASSERT_TRUE(geometry.launch);
  EXPECT_EQ(geometry.launch->grid.x, 7U);
  EXPECT_EQ(geometry.work.traffic.at(Level::l2), 700);
  const Spec bare = read("parameters: {U: {values: [1]}}\n");
  EXPECT_FALSE(evaluate_geometry(bare, {{"U", 1}}, {}).launch);
}

TEST_F(Instance, RefusesAtTheExpressionThatFails) {
  EXPECT_EQ(error({{"BM", 0}, {"T", "float"}, {"U", 1}}),
            "ceil_div(M, BM): division by zero (BM = 0, M = 100) | line 10 | ");
  EXPECT_EQ(error({{"BM", 16}, {"T", "float"}, {"U", 1}}, {{"M", 0}, {"scale", 1}}),
            "launch.grid.x is 0, and should be at least 1 (blocks = 0) | line 11 | ");
  EXPECT_EQ(error({{"BM", 16}, {"T", "float"}, {"U", 0}}),
            "launch.block.y is 0, and should be at least 1 (U = 0) | line 11 | ");
  EXPECT_EQ(error({{"BM", 16}, {"T", "float"}, {"U", 0.5}}),
            "launch.block.y is 0.5, not a whole number (U = 0.5) | line 11 | `//` divides whole "
            "numbers, `/` gives a real");
  EXPECT_EQ(error({{"BM", 16}, {"T", "float"}, {"U", 1}}, {{"M", 5000000000}, {"scale", 1}}),
            "argument M is 5000000000, which does not fit int (M = 5000000000) | line 15 | ");
  EXPECT_EQ(error({{"BM", 16}, {"T", "float"}, {"U", 1}}, {{"M", 8}, {"scale", "big"}}),
            "argument s is the text \"big\" (scale = big) | line 14 | ");
  EXPECT_THAT(error({{"BM", 16}, {"T", "quad"}, {"U", 1}}),
              ::testing::StartsWith("unknown element type \"quad\" | line 13 | known: float, "));
}

TEST_F(Instance, RefusesNegativeAmounts) {
  spec_ = read(
      "parameters: {U: {values: [1]}}\nlaunch: {block: [1], grid: [1]}\n"
      "work: {bytes: {dram: 1 - 2 * U}}\n"
      "arguments: [{name: A, type: float, count: U - 2}]\n");
  EXPECT_EQ(error({{"U", 1}}),
            "the count of A is -1, and should be at least 1 (U = 1) | line 4 | ");
  EXPECT_EQ(error({{"U", 5}}), "work.bytes.dram is -9, which is no amount (U = 5) | line 3 | ");
}

TEST(ElementTypes, KnowsSizesAndSpellings) {
  EXPECT_EQ(element_type("half")->name, "__half");
  EXPECT_EQ(element_type("double")->size, 8U);
  EXPECT_EQ(element_type("uint8_t")->kind, ElementType::Kind::unsigned_integer);
  EXPECT_EQ(element_type("float4"), nullptr);
}

TEST(Geometry, HasWhatAWarpDoesAndWhatIsExpectedOfTheCompiler) {
  const Spec spec = parse_spec(R"(
parameters: {TM: {values: [1, 4]}}
work:
  warp: {instructions: 100 * TM, fp: 64 * TM, special: 2, chain: 900, wait: 1200, code: 1600 * TM}
resources: {registers: 20.4 + TM, shared_bytes: 1024 * TM}
)",
                               "warp.yaml");
  const Geometry geometry = evaluate_geometry(spec, {{"TM", 4}}, {});
  EXPECT_EQ(geometry.work.warp.instructions, 400);
  EXPECT_EQ(geometry.work.warp.fp, 256);
  EXPECT_EQ(geometry.work.warp.special, 2);
  EXPECT_EQ(geometry.work.warp.chain, 900);
  EXPECT_EQ(geometry.work.warp.wait, 1200);
  EXPECT_EQ(geometry.work.warp.code, 6400);
  EXPECT_EQ(geometry.registers, 24);
  EXPECT_EQ(geometry.shared_bytes, 4096);
}

TEST(Geometry, RefusesNegativeCounts) {
  const Spec spec = parse_spec(R"(
parameters: {TM: {values: [1, 4]}}
work: {warp: {chain: 2 - TM}}
)",
                               "warp.yaml");
  try {
    evaluate_geometry(spec, {{"TM", 4}}, {});
    FAIL() << "no error";
  } catch (const InputError& error) {
    EXPECT_EQ(error.problem(), "work.warp.chain is -2, which is no amount (TM = 4)");
  }
}

}  // namespace
}  // namespace rooftune
