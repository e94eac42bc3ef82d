// The spec's formulas against what was counted: the same amount from both sides.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tuner/roofline/roofline.hpp"

namespace rooftune {

/// What is known of a launch without the spec's formulas.
struct Counted {
  Counters counters;
  std::optional<Resources> resources;
  std::optional<Launch> launch;
};

/// One amount of one launch. A formula of zero is a statement; an amount of which the spec or the
/// counters say nothing is not among them.
struct Amount {
  std::string name;     ///< "instructions", "dram", "registers"
  std::string formula;  ///< where the spec has it: "work.traffic.dram"
  std::string counter;  ///< what it is held against, in words
  double expected = 0;  ///< by the formula; unit by name
  double counted = 0;
  /// The launch had local memory (spills, arrays that are indexed), whose traffic is counted too: a
  /// formula of the kernel's source cannot know of it.
  bool spilled = false;
};

/// The amounts that both sides know: warp instructions, FP32 and special-function instructions of
/// warps, FLOP, bytes by level, registers, static shared memory, threads and blocks.
std::vector<Amount> compare_amounts(const Geometry& geometry, const Counted& counted);

}  // namespace rooftune
