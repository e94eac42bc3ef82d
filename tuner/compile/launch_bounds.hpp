// What __launch_bounds__ and register caps do to one kernel: recompiled with each, side by side.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tuner/compile/compiler.hpp"

namespace rooftune {

/// The source with the launch bounds of one kernel replaced: `bounds` is what stands in the
/// parentheses ("256, 2"), empty for none. Lines keep their numbers. nullopt where the text does
/// not declare the kernel. `kernel` is its name, with or without namespaces.
std::optional<std::string> with_launch_bounds(const std::string& text, const std::string& kernel,
                                              const std::string& bounds);

/// One way to bound a kernel, and what came of it.
struct BoundedVariant {
  std::string label;   ///< "as written", "2 blocks", "64 registers"
  int min_blocks = 0;  ///< asked for with __launch_bounds__(threads, min_blocks); 0 where not
  int cap = 0;         ///< asked for with --maxrregcount; 0 where not
  CompileResult result;
  std::optional<Occupancy> occupancy;  ///< where it compiled
};

struct LaunchBoundsStudy {
  std::vector<BoundedVariant> variants;  ///< as written, unbounded, by blocks, by registers
  /// The least min_blocks with more spilled bytes than without bounds.
  std::optional<int> spills_from;
  /// The least min_blocks from which on all spill more than the most blocks that fit need cost.
  std::optional<int> only_spills_from;
};

/// Bytes that a variant spills, stores and loads together; 0 where it did not compile.
std::int64_t spilled(const BoundedVariant& variant);

/// Throws InputError as compile_nvrtc does, and where the source does not hold the kernel.
LaunchBoundsStudy study_launch_bounds(const KernelInstance& instance,
                                      const std::string& architecture,
                                      BinaryCache* cache = nullptr);

}  // namespace rooftune
