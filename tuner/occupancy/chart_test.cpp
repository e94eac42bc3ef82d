#include "tuner/occupancy/chart.hpp"

#include <gmock/gmock.h>

#include <algorithm>

namespace rooftune {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

OccupancyRequest request() {
  OccupancyRequest made;
  made.cc = {8, 6};
  made.block = {256, 1, 1};
  made.registers = 72;
  made.static_shared = 8192;
  return made;
}

TEST(SweepText, MergesEqualAnswersAndMarksTheCurrentOne) {
  const std::string text =
      sweep_text(sweep(request(), Axis::registers, {32, 40, 48, 64, 72, 80, 255}));
  EXPECT_EQ(text,
            "compute capability 8.6, 256 threads, 8,192 B shared memory\n"
            "\n"
            "  registers a thread  blocks  warps  occupancy              limited by\n"
            "               1..32       6     48  100.0% ####################  warps\n"
            "              33..40       6     48  100.0% ####################  warps, registers\n"
            "              41..48       5     40   83.3% #################...  registers\n"
            "              49..64       4     32   66.7% #############.......  registers\n"
            "*             65..80       3     24   50.0% ##########..........  registers\n"
            "             81..255       1      8   16.7% ###.................  registers\n"
            "* holds the current value, 72\n");
}

TEST(SweepText, DescribesOtherAxes) {
  OccupancyRequest shaped = request();
  shaped.block = {16, 16, 1};
  shaped.carveout = 65536;
  const std::string text = sweep_text(sweep(shaped, Axis::shared, {0, 1024, 102400}, false));
  EXPECT_THAT(text,
              StartsWith("compute capability 8.6, 16 x 16 x 1 threads, 72 registers, carve-out "
                         "64.0 KiB\n"));
  EXPECT_THAT(text, HasSubstr("0..1,024 "));
  EXPECT_THAT(text, Not(HasSubstr("*")));
}

TEST(SweepCsv, HasARowForEachValue) {
  EXPECT_EQ(sweep_csv(sweep(request(), Axis::registers, {64, 72, 255})),
            "regs,active_blocks,active_warps,occupancy,launchable,limited_by,current\n"
            "64,4,32,0.6667,1,registers,0\n"
            "72,3,24,0.5000,1,registers,1\n"
            "255,1,8,0.1667,1,registers,0\n");
  OccupancyRequest large = request();
  large.block = {512, 1, 1};
  EXPECT_THAT(sweep_csv(sweep(large, Axis::registers, {255})),
              HasSubstr("255,0,0,0.0000,0,registers,1\n"));
  EXPECT_THAT(sweep_text(sweep(large, Axis::registers, {128, 255})),
              HasSubstr("129..255       0      0    0.0% ....................  cannot launch"));
  OccupancyRequest both = request();
  both.cc = {8, 9};
  both.block = {512, 1, 1};
  both.registers = 54;
  EXPECT_THAT(sweep_csv(sweep(both, Axis::shared, {40960})), HasSubstr(",registers+shared,1\n"));
}

TEST(HeatMapText, ShowsTenthsAndTheCurrentCell) {
  const HeatMap map =
      heat_map(request(), Axis::block, {128, 256, 512}, Axis::registers, {40, 72, 255});
  EXPECT_EQ(
      heat_map_text(map),
      "compute capability 8.6, 8,192 B shared memory\n"
      "\n"
      "  registers a thread by threads a block (128 to 512)\n"
      "        40  9 # #\n"
      "        72  5[5]3\n"
      "       255  1 1 .\n"
      "  tenths of the warps: 5 is 50% to 59%, # is 100%, . cannot launch; [ ] is the current "
      "point\n");
}

TEST(HeatMapText, ThinsLongAxes) {
  const MultiprocessorLimits& limits = limits_of({9, 0});
  OccupancyRequest large = request();
  large.cc = {9, 0};
  const std::string text =
      heat_map_text(heat_map(large, Axis::registers, steps_of(Axis::registers, limits),
                             Axis::shared, steps_of(Axis::shared, limits)));
  EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 44);
  EXPECT_THAT(text, HasSubstr(" 232,448 "));
  EXPECT_THAT(text, HasSubstr("["));
}

TEST(HeatMapCsv, HasARowForEachCell) {
  EXPECT_EQ(heat_map_csv(heat_map(request(), Axis::block, {128, 256}, Axis::registers, {40, 72})),
            "block,regs,active_blocks,active_warps,occupancy,current\n"
            "128,40,11,44,0.9167,0\n"
            "256,40,6,48,1.0000,0\n"
            "128,72,7,28,0.5833,0\n"
            "256,72,3,24,0.5000,1\n");
}

/// Tags that open and close, so that a browser will show the document.
void expect_balanced(const std::string& svg) {
  EXPECT_THAT(svg, StartsWith("<svg xmlns=\"http://www.w3.org/2000/svg\""));
  int depth = 0;
  for (std::size_t at = svg.find('<'); at != std::string::npos; at = svg.find('<', at + 1)) {
    const std::size_t end = svg.find('>', at);
    ASSERT_NE(end, std::string::npos);
    if (svg[at + 1] == '/') {
      --depth;
    } else if (svg[end - 1] != '/') {
      ++depth;
    }
    ASSERT_GE(depth, 0);
  }
  EXPECT_EQ(depth, 0);
}

TEST(Svg, MarksTheCurrentPoint) {
  const MultiprocessorLimits& limits = limits_of({8, 6});
  for (const Axis axis : {Axis::block, Axis::registers, Axis::shared}) {
    const std::string svg = sweep_svg(sweep(request(), axis, steps_of(axis, limits)));
    expect_balanced(svg);
    EXPECT_THAT(svg, HasSubstr("class=\"current\""));
    EXPECT_THAT(svg, HasSubstr(": 3 blocks, 50%, limited by registers"));
    EXPECT_THAT(sweep_svg(sweep(request(), axis, steps_of(axis, limits), false)),
                Not(HasSubstr("class=\"current\"")));
  }
  const HeatMap map = heat_map(request(), Axis::block, steps_of(Axis::block, limits),
                               Axis::registers, steps_of(Axis::registers, limits));
  expect_balanced(heat_map_svg(map));
  EXPECT_THAT(heat_map_svg(map), HasSubstr("class=\"current\""));
}

}  // namespace
}  // namespace rooftune
