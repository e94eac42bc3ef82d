#include "tuner/compile/nvrtc_log.hpp"

#include <gmock/gmock.h>

namespace rooftune {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// As NVRTC 13.0 prints them.
constexpr const char* verbose =
    "ptxas warning : For profile sm_80 adjusting per thread register count of 8 to lower bound of "
    "24\n"
    "ptxas info    : 0 bytes gmem\n"
    "ptxas info    : Compiling entry function '_Z4otherPf' for 'sm_80'\n"
    "ptxas info    : Function properties for _Z4otherPf\n"
    "ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
    "ptxas info    : Used 8 registers, used 0 barriers, 360 bytes cmem[0]\n"
    "ptxas info    : Compile time = 1.823 ms\n"
    "ptxas info    : Compiling entry function '_Z2tkILi64EdEvPT0_' for 'sm_80'\n"
    "ptxas info    : Function properties for _Z2tkILi64EdEvPT0_\n"
    "ptxas         .     416 bytes stack frame, 496 bytes spill stores, 492 bytes spill loads\n"
    "ptxas info    : Function properties for _Z6calleev\n"
    "ptxas         .     16 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
    "ptxas info    : Used 32 registers, used 1 barriers, 416 bytes cumulative stack size, 1024 "
    "bytes smem, 364 bytes cmem[0], 8 bytes cmem[2]\n"
    "ptxas info    : Compile time = 7.557 ms\n";

TEST(NvrtcLog, GivesTheResourcesOfOneEntry) {
  const auto resources = resources_in(verbose, "_Z2tkILi64EdEvPT0_");
  ASSERT_TRUE(resources.has_value());
  EXPECT_EQ(resources->registers, 32);
  EXPECT_EQ(resources->stack_frame, 416);
  EXPECT_EQ(resources->spill_stores, 496);
  EXPECT_EQ(resources->spill_loads, 492);
  EXPECT_EQ(resources->static_shared, 1024);
  EXPECT_EQ(resources->constant, 364);
  const auto other = resources_in(verbose, "_Z4otherPf");
  ASSERT_TRUE(other.has_value());
  EXPECT_EQ(other->registers, 8);
  EXPECT_EQ(other->static_shared, 0);
  EXPECT_EQ(resources_in(verbose, "_Z2tk"), std::nullopt);
  EXPECT_EQ(resources_in("", "k"), std::nullopt);
}

TEST(NvrtcLog, NotesWhatPtxasChanged) {
  EXPECT_THAT(notes_in(verbose), ElementsAre("asked for 8 registers a thread, got 24"));
  EXPECT_THAT(notes_in("ptxas warning : Value of threads per SM for entry k is out of range. "
                       ".minnctapersm will be ignored\n"),
              ElementsAre("Value of threads per SM for entry k is out of range. .minnctapersm will "
                          "be ignored"));
  EXPECT_THAT(notes_in("ptxas info    : fine\n"), IsEmpty());
}

TEST(NvrtcLog, FindsTheFirstError) {
  const auto error = first_error(
      "dir (1)/k.cu(7): warning #177-D: variable \"i\" was declared but never referenced\n"
      "  int i;\n"
      "dir (1)/k.cu(12): error: identifier \"b\" is undefined\n"
      "  *a = b;\n"
      "       ^\n"
      "k.cu(13): error: another\n");
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->file, "dir (1)/k.cu");
  EXPECT_EQ(error->line, 12);
  EXPECT_EQ(error->message, "identifier \"b\" is undefined");
  EXPECT_EQ(error->excerpt, "*a = b;");

  const auto fatal = first_error(
      "k.cu(2): catastrophic error: cannot open source file \"mine.h\"\n  #include \"mine.h\"\n");
  ASSERT_TRUE(fatal.has_value());
  EXPECT_EQ(fatal->line, 2);
  EXPECT_EQ(fatal->message, "cannot open source file \"mine.h\"");

  const auto ptxas =
      first_error("ptxas application ptx input, line 27; error   : Unknown modifier\n");
  ASSERT_TRUE(ptxas.has_value());
  EXPECT_EQ(ptxas->message, "ptxas: Unknown modifier");
  EXPECT_EQ(first_error("ptxas info    : 0 bytes gmem\n"), std::nullopt);
}

TEST(NvrtcLog, ReadsWhatPtxasRefuses) {
  const auto shared = shared_overflow_in(
      "ptxas error   : Entry function '_Z1kPf' uses too much shared data (0x10000 bytes, 0xc000 "
      "max)\n");
  ASSERT_TRUE(shared.has_value());
  EXPECT_EQ(shared->need, 65536);
  EXPECT_EQ(shared->limit, 49152);
  EXPECT_FALSE(shared_overflow_in("uses too much global constant data (0x1 bytes, 0x1 max)"));
}

TEST(NvrtcLog, NamesHeadersAndOptions) {
  EXPECT_EQ(missing_header_in("b.cu(1): catastrophic error: could not open source file \"cstdint\" "
                              "(no directories in search list)\n"),
            "cstdint");
  EXPECT_EQ(missing_header_in("fine"), std::nullopt);
  EXPECT_EQ(refused_option_in("nvrtc: error: unrecognized option -Xptxas -v found\n"),
            "-Xptxas -v");
  EXPECT_EQ(refused_option_in("nvrtc: error: invalid value for --std(-std)\n"), std::nullopt);
}

TEST(NvrtcLog, KnowsWhoseOptionItIs) {
  EXPECT_THAT(about_option("-O3"), HasSubstr("-O3 is a flag of nvcc and the host compiler"));
  EXPECT_THAT(about_option("-Xcompiler=-Wall"), HasSubstr("a flag of nvcc for the host compiler"));
  EXPECT_THAT(about_option("-ffast-math"), HasSubstr("NVRTC's is --use_fast_math"));
  EXPECT_THAT(about_option("-march=native"), HasSubstr("a flag of the host compiler"));
  EXPECT_THAT(about_option("--error-limit=3"), HasSubstr("nvcc and the host compiler"));
  EXPECT_THAT(about_option("nonsense"), HasSubstr("no option of NVRTC"));
  EXPECT_THAT(about_option("-Xptxas -v"), HasSubstr("[\"-Xptxas\", \"-v\"]"));
}

TEST(Ptx, TellsTheLaunchBound) {
  constexpr const char* ptx =
      ".visible .entry plain(\n\t.param .u64 plain_param_0\n)\n.maxntid 256, 1, 1\n"
      ".minnctapersm 2\n{\n}\n"
      ".visible .entry shaped(\n)\n.maxntid 8, 4, 2\n{\n}\n"
      ".visible .entry one(\n)\n.maxntid 128\n{\n}\n"
      ".visible .entry free(\n)\n{\n\tret;\n}\n";
  EXPECT_EQ(launch_bound_in(ptx, "plain"), 256);
  EXPECT_EQ(launch_bound_in(ptx, "shaped"), 64);
  EXPECT_EQ(launch_bound_in(ptx, "one"), 128);
  EXPECT_EQ(launch_bound_in(ptx, "free"), 0);
  EXPECT_EQ(launch_bound_in(ptx, "pla"), std::nullopt);
}

}  // namespace
}  // namespace rooftune
