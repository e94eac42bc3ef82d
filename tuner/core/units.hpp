// Numbers for people, each with its unit, and the shape of a launch.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace rooftune {

/// 1.23 ms, 45.6 us, 12.0 s (three significant digits).
std::string format_seconds(double seconds);
/// 1.23 mJ.
std::string format_joules(double joules);
/// 1.30 TB/s, 256 GB/s (powers of 1000).
std::string format_bandwidth(double bytes_per_second);
/// 14.3 TFLOP/s.
std::string format_flops(double flops_per_second);
/// 48.0 KiB, 512 B (powers of 1024).
std::string format_bytes(double bytes);
/// 1,152: grouped by thousands.
std::string format_count(std::uint64_t count);
/// 71% of 0.71.
std::string format_percent(double fraction);

/// "1.2ms", "45us", "0.3 s" to seconds; throws ValueError that lists the units.
double parse_seconds(std::string_view text);

struct Dim3 {
  std::uint64_t x = 1;
  std::uint64_t y = 1;
  std::uint64_t z = 1;
  std::uint64_t count() const { return x * y * z; }
  friend bool operator==(const Dim3&, const Dim3&) = default;
};

/// "128 x 4 x 1".
std::string to_string(const Dim3& dim);

}  // namespace rooftune
