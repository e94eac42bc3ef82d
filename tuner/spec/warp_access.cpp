#include "tuner/spec/warp_access.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace rooftune {
namespace {

constexpr std::int64_t lanes = 32;
constexpr std::int64_t banks = 32;
constexpr std::int64_t words_in_line = 32;

/// Each word once, ascending.
std::vector<std::int64_t> distinct_words(const WarpAccess& access) {
  std::vector<std::int64_t> words;
  words.reserve(static_cast<std::size_t>(lanes * access.words));
  for (std::int64_t lane = 0; lane < lanes; ++lane) {
    const std::int64_t first =
        lane % access.width * access.step + lane / access.width * access.pitch;
    for (std::int64_t word = 0; word < access.words; ++word) {
      words.push_back(first + word);
    }
  }
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  return words;
}

}  // namespace

std::int64_t wavefronts(const WarpAccess& access) {
  std::array<std::int64_t, banks> in_bank{};
  for (const std::int64_t word : distinct_words(access)) {
    ++in_bank[static_cast<std::size_t>(word % banks)];
  }
  return *std::max_element(in_bank.begin(), in_bank.end());
}

double lines(const WarpAccess& access) {
  const std::vector<std::int64_t> words = distinct_words(access);
  std::int64_t touched = 0;
  for (std::int64_t offset = 0; offset < words_in_line; ++offset) {
    std::int64_t last = -1;
    for (const std::int64_t word : words) {
      const std::int64_t line = (word + offset) / words_in_line;
      touched += line != last ? 1 : 0;
      last = line;
    }
  }
  return static_cast<double>(touched) / static_cast<double>(words_in_line);
}

}  // namespace rooftune
