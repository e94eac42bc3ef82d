// Stable hashes for keys in files: the same on every machine and in every run.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace rooftune {

/// 64-bit FNV-1a.
std::uint64_t stable_hash(std::string_view bytes, std::uint64_t seed = 0xcbf29ce484222325ULL);
/// Sixteen hexadecimal digits of stable_hash.
std::string hash_text(std::string_view bytes);

}  // namespace rooftune
