// The element types that buffers and scalar arguments may have.
#include <algorithm>
#include <array>
#include <utility>

#include "tuner/spec/instance.hpp"

namespace rooftune {
namespace {

using Kind = ElementType::Kind;

/// What a spec may write, and what it is; sizes as CUDA on 64-bit Linux has them.
const std::array<std::pair<std::string_view, ElementType>, 37>& types() {
  static const std::array<std::pair<std::string_view, ElementType>, 37> table = {{
      {"float", {"float", 4, Kind::real}},
      {"double", {"double", 8, Kind::real}},
      {"half", {"__half", 2, Kind::half}},
      {"__half", {"__half", 2, Kind::half}},
      {"nv_bfloat16", {"__nv_bfloat16", 2, Kind::bfloat16}},
      {"__nv_bfloat16", {"__nv_bfloat16", 2, Kind::bfloat16}},
      {"bool", {"bool", 1, Kind::boolean}},
      {"char", {"char", 1, Kind::signed_integer}},
      {"signed char", {"signed char", 1, Kind::signed_integer}},
      {"short", {"short", 2, Kind::signed_integer}},
      {"int", {"int", 4, Kind::signed_integer}},
      {"long", {"long", 8, Kind::signed_integer}},
      {"long long", {"long long", 8, Kind::signed_integer}},
      {"int8_t", {"signed char", 1, Kind::signed_integer}},
      {"int16_t", {"short", 2, Kind::signed_integer}},
      {"int32_t", {"int", 4, Kind::signed_integer}},
      {"int64_t", {"long", 8, Kind::signed_integer}},
      {"std::int8_t", {"signed char", 1, Kind::signed_integer}},
      {"std::int16_t", {"short", 2, Kind::signed_integer}},
      {"std::int32_t", {"int", 4, Kind::signed_integer}},
      {"std::int64_t", {"long", 8, Kind::signed_integer}},
      {"unsigned char", {"unsigned char", 1, Kind::unsigned_integer}},
      {"unsigned short", {"unsigned short", 2, Kind::unsigned_integer}},
      {"unsigned", {"unsigned int", 4, Kind::unsigned_integer}},
      {"unsigned int", {"unsigned int", 4, Kind::unsigned_integer}},
      {"unsigned long", {"unsigned long", 8, Kind::unsigned_integer}},
      {"unsigned long long", {"unsigned long long", 8, Kind::unsigned_integer}},
      {"uint8_t", {"unsigned char", 1, Kind::unsigned_integer}},
      {"uint16_t", {"unsigned short", 2, Kind::unsigned_integer}},
      {"uint32_t", {"unsigned int", 4, Kind::unsigned_integer}},
      {"uint64_t", {"unsigned long", 8, Kind::unsigned_integer}},
      {"size_t", {"unsigned long", 8, Kind::unsigned_integer}},
      {"std::uint8_t", {"unsigned char", 1, Kind::unsigned_integer}},
      {"std::uint16_t", {"unsigned short", 2, Kind::unsigned_integer}},
      {"std::uint32_t", {"unsigned int", 4, Kind::unsigned_integer}},
      {"std::uint64_t", {"unsigned long", 8, Kind::unsigned_integer}},
      {"std::size_t", {"unsigned long", 8, Kind::unsigned_integer}},
  }};
  return table;
}

}  // namespace

const ElementType* element_type(std::string_view name) {
  const auto found = std::find_if(types().begin(), types().end(),
                                  [&](const auto& row) { return row.first == name; });
  return found == types().end() ? nullptr : &found->second;
}

std::vector<std::string> element_type_names() {
  std::vector<std::string> names;
  for (const auto& [name, type] : types()) {
    const bool alias = name.starts_with("std::") || name.starts_with("__");
    if (!alias) {
      names.emplace_back(name);
    }
  }
  return names;
}

}  // namespace rooftune
