// Compares what a kernel wrote with what was expected. Plain C++ without libraries: compiled into
// the variants of the host device too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace rooftune {

/// How an element is stored.
enum class ElementFormat : std::uint8_t {
  f64,
  f32,
  f16,
  bf16,
  i8,
  i16,
  i32,
  i64,
  u8,
  u16,
  u32,
  u64
};
std::string_view to_string(ElementFormat format);
/// False where there is no such name.
bool element_format_from(std::string_view name, ElementFormat& format);
std::size_t size_of(ElementFormat format);
bool is_real(ElementFormat format);

/// Every output buffer is filled with this 16-bit pattern before a kernel runs: not a number in
/// every floating type, and no likely integer. What still has it afterwards was not written.
inline constexpr std::uint16_t poison_pattern = 0xfff1;
/// Around every buffer, to see what is written beside it. Not a number in every floating type
/// either, so that what is read past the end spoils the result.
inline constexpr std::uint16_t canary_pattern = 0xfff7;

/// How far from the expected value a real element may be:
///
///     absolute + relative * max(|expected|, median of |expected| over the buffer)
///
/// The median stands for the magnitude of the terms behind an element whose sum nearly cancels.
/// Integers must match exactly.
struct ErrorLimits {
  double relative = 0;
  double absolute = 0;
};

struct Comparison {
  std::uint64_t wrong = 0;        ///< elements
  std::uint64_t first_wrong = 0;  ///< index
  double max_error = 0;           ///< relative as above where limits.relative > 0, else absolute
  std::uint64_t max_error_at = 0;
};

/// NaN and infinity equal nothing but the expected infinity. An element that the expected data
/// leaves unwritten must be left unwritten.
Comparison compare(ElementFormat format, const void* got, const void* expected, std::uint64_t count,
                   const ErrorLimits& limits);

struct Census {
  std::uint64_t unwritten = 0;  ///< elements that hold the poison
  std::uint64_t nan = 0;        ///< others that are not a number
  std::uint64_t first_nan = 0;
};
Census take_census(ElementFormat format, const void* data, std::uint64_t count);

/// The element as text: "1.5", "-3", "nan", "unwritten".
std::string element_text(ElementFormat format, const void* data, std::uint64_t index);

}  // namespace rooftune
