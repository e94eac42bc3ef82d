// The loops that measure the host's ceilings, once per instruction set and chosen at run time.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace rooftune::ceilings {

enum class InstructionSet { plain, avx2, avx512 };
std::string_view to_string(InstructionSet set);

struct Kernels {
  InstructionSet set = InstructionSet::plain;
  /// `rounds` times a batch of independent multiply-adds in registers; returns the FLOP done.
  double (*fma_fp32)(std::size_t rounds);
  double (*fma_fp64)(std::size_t rounds);
  /// Sums `count` floats, `passes` times. Both kernels want count a multiple of `granule` and
  /// pointers aligned to 64 bytes.
  void (*read)(const float* from, std::size_t count, std::size_t passes);
  /// to = a + scale * b, `passes` times.
  void (*triad)(float* to, const float* a, const float* b, std::size_t count, std::size_t passes);
};
inline constexpr std::size_t granule = 256;  ///< floats

/// The sets that this CPU can run, widest last.
std::vector<Kernels> supported_kernels();

}  // namespace rooftune::ceilings
