#include "tuner/core/hash.hpp"

#include <fmt/format.h>

namespace rooftune {

std::uint64_t stable_hash(std::string_view bytes, std::uint64_t seed) {
  std::uint64_t hash = seed;
  for (const char byte : bytes) {
    hash ^= static_cast<unsigned char>(byte);
    hash *= 0x100000001b3ULL;
  }
  return hash;
}

std::string hash_text(std::string_view bytes) {
  return fmt::format("{:016x}", stable_hash(bytes));
}

}  // namespace rooftune
