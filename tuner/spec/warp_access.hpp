// How the lanes of a warp meet memory: the two functions of the expression language that count it.
#pragma once

#include <cstdint>

namespace rooftune {

/// One access of a warp: lane i is thread (i % width, i / width) of its block and reads or writes
/// `words` consecutive 4-byte words from word x * step + y * pitch on.
struct WarpAccess {
  std::int64_t width = 32;  ///< at least 1
  std::int64_t step = 1;    ///< at least 0
  std::int64_t pitch = 0;   ///< at least 0
  std::int64_t words = 1;   ///< 1 to 4
};

/// Passes through the 32 banks of shared memory: the most distinct words in any bank. Lanes that
/// share a word share its pass.
std::int64_t wavefronts(const WarpAccess& access);
/// 128-byte lines of global memory that are touched, on average over where the first word lies.
double lines(const WarpAccess& access);

}  // namespace rooftune
