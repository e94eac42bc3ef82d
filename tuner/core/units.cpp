#include "tuner/core/units.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <string>

#include "tuner/core/error.hpp"

namespace rooftune {
namespace {

struct Unit {
  double size;
  std::string_view name;
};

/// Three significant digits in the largest unit that leaves at least 1; `units` descend.
template <std::size_t N>
std::string with_unit(double value, const std::array<Unit, N>& units) {
  if (!std::isfinite(value)) {
    return fmt::format("{}", value);
  }
  const Unit* unit = &units.back();
  for (const Unit& candidate : units) {
    // 0.9995 would print as 1.00: it belongs to the larger unit already.
    if (std::abs(value) >= candidate.size * 0.9995) {
      unit = &candidate;
      break;
    }
  }
  const double scaled = value / unit->size;
  const int decimals = std::abs(scaled) < 9.995 ? 2 : std::abs(scaled) < 99.95 ? 1 : 0;
  return fmt::format("{:.{}f} {}", scaled, decimals, unit->name);
}

constexpr std::array<Unit, 5> seconds_units = {
    {{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}, {1e-12, "ps"}}};

}  // namespace

std::string format_seconds(double seconds) {
  return with_unit(seconds, seconds_units);
}

std::string format_joules(double joules) {
  constexpr std::array<Unit, 5> units = {
      {{1e3, "kJ"}, {1, "J"}, {1e-3, "mJ"}, {1e-6, "uJ"}, {1e-9, "nJ"}}};
  return with_unit(joules, units);
}

std::string format_bandwidth(double bytes_per_second) {
  constexpr std::array<Unit, 5> units = {
      {{1e12, "TB/s"}, {1e9, "GB/s"}, {1e6, "MB/s"}, {1e3, "kB/s"}, {1, "B/s"}}};
  return with_unit(bytes_per_second, units);
}

std::string format_flops(double flops_per_second) {
  constexpr std::array<Unit, 6> units = {{{1e15, "PFLOP/s"},
                                          {1e12, "TFLOP/s"},
                                          {1e9, "GFLOP/s"},
                                          {1e6, "MFLOP/s"},
                                          {1e3, "kFLOP/s"},
                                          {1, "FLOP/s"}}};
  return with_unit(flops_per_second, units);
}

std::string format_bytes(double bytes) {
  if (bytes < 1024) {
    return fmt::format("{:.0f} B", bytes);
  }
  constexpr std::array<Unit, 4> units = {
      {{1099511627776.0, "TiB"}, {1073741824.0, "GiB"}, {1048576.0, "MiB"}, {1024.0, "KiB"}}};
  return with_unit(bytes, units);
}

std::string format_count(std::uint64_t count) {
  std::string text = std::to_string(count);
  for (auto at = static_cast<std::ptrdiff_t>(text.size()) - 3; at > 0; at -= 3) {
    text.insert(static_cast<std::size_t>(at), ",");
  }
  return text;
}

std::string format_percent(double fraction) {
  const double percent = fraction * 100;
  return std::abs(percent) < 9.95 ? fmt::format("{:.1f}%", percent)
                                  : fmt::format("{:.0f}%", percent);
}

double parse_seconds(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  while (!unit.empty() && unit.front() == ' ') {
    unit.remove_prefix(1);
  }
  if (error == std::errc{}) {
    for (const Unit& known : seconds_units) {
      if (unit == known.name) {
        return number * known.size;
      }
    }
  }
  throw ValueError(
      fmt::format("\"{}\" is not a time: write a number and one of s, ms, us, ns", text));
}

std::string to_string(const Dim3& dim) {
  return fmt::format("{} x {} x {}", dim.x, dim.y, dim.z);
}

}  // namespace rooftune
