#include "tuner/device/fill.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "tuner/core/error.hpp"
#include "tuner/device/small_floats.hpp"

namespace rooftune {
namespace {

/// splitmix64's finaliser: every bit of the result depends on every bit of `x`.
std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

/// In [0, 1).
double unit(std::uint64_t stream, std::uint64_t index) {
  return static_cast<double>(mix(stream ^ (index * 0xd1342543de82ef95ULL)) >> 11) * 0x1p-53;
}

double fill_value(const Fill& fill, std::uint64_t stream, std::uint64_t index) {
  switch (fill.kind) {
    case Fill::Kind::zero:
      return 0;
    case Fill::Kind::constant:
      return fill.low;
    case Fill::Kind::uniform:
      return fill.low + (fill.high - fill.low) * unit(stream, index);
    case Fill::Kind::uniform_integer:
      return std::floor(fill.low + (fill.high - fill.low + 1) * unit(stream, index));
    case Fill::Kind::iota:
      break;
  }
  return static_cast<double>(index);
}

template <class T, class Convert>
void write(std::span<std::byte> out, Convert value_at) {
  for (std::size_t i = 0; i * sizeof(T) < out.size(); ++i) {
    const T value = value_at(i);
    std::memcpy(out.data() + i * sizeof(T), &value, sizeof(T));
  }
}

/// Stores `value_at(i)`, a double, for each element of `out`.
template <class ValueAt>
void store(ElementFormat format, std::span<std::byte> out, ValueAt value_at) {
  const auto as = [&]<class T>(T) {
    write<T>(out, [&](std::size_t i) { return static_cast<T>(std::floor(value_at(i))); });
  };
  switch (format) {
    case ElementFormat::f64:
      return write<double>(out, value_at);
    case ElementFormat::f32:
      return write<float>(out, [&](std::size_t i) { return static_cast<float>(value_at(i)); });
    case ElementFormat::f16:
      return write<std::uint16_t>(
          out, [&](std::size_t i) { return half_from(static_cast<float>(value_at(i))); });
    case ElementFormat::bf16:
      return write<std::uint16_t>(
          out, [&](std::size_t i) { return bfloat16_from(static_cast<float>(value_at(i))); });
    case ElementFormat::i8:
      return as(std::int8_t{});
    case ElementFormat::i16:
      return as(std::int16_t{});
    case ElementFormat::i32:
      return as(std::int32_t{});
    case ElementFormat::i64:
      return as(std::int64_t{});
    case ElementFormat::u8:
      return as(std::uint8_t{});
    case ElementFormat::u16:
      return as(std::uint16_t{});
    case ElementFormat::u32:
      return as(std::uint32_t{});
    case ElementFormat::u64:
      return as(std::uint64_t{});
  }
}

/// Spacing of the numbers just above 1; 0 for integers.
double epsilon_of(ElementFormat format) {
  switch (format) {
    case ElementFormat::f64:
      return 0x1p-52;
    case ElementFormat::f32:
      return 0x1p-23;
    case ElementFormat::f16:
      return 0x1p-10;
    case ElementFormat::bf16:
      return 0x1p-7;
    default:
      return 0;
  }
}

/// Of arithmetic in that precision. Tensor cores add products of fp16 and bf16 up in fp32.
double epsilon_of(ComputeUnit unit) {
  switch (unit.precision) {
    case Precision::fp64:
      return 0x1p-52;
    case Precision::fp32:
      return 0x1p-23;
    case Precision::tf32:
      return 0x1p-10;
    case Precision::fp16:
      return unit.tensor ? 0x1p-23 : 0x1p-10;
    case Precision::bf16:
      return unit.tensor ? 0x1p-23 : 0x1p-7;
    case Precision::fp8:
      return 0x1p-3;
    case Precision::int8:
      break;
  }
  return 0;
}

}  // namespace

ElementFormat format_of(const ElementType& type) {
  using Kind = ElementType::Kind;
  const bool is_unsigned = type.kind == Kind::unsigned_integer || type.kind == Kind::boolean;
  switch (type.kind) {
    case Kind::real:
      return type.size == 8 ? ElementFormat::f64 : ElementFormat::f32;
    case Kind::half:
      return ElementFormat::f16;
    case Kind::bfloat16:
      return ElementFormat::bf16;
    default:
      break;
  }
  switch (type.size) {
    case 1:
      return is_unsigned ? ElementFormat::u8 : ElementFormat::i8;
    case 2:
      return is_unsigned ? ElementFormat::u16 : ElementFormat::i16;
    case 4:
      return is_unsigned ? ElementFormat::u32 : ElementFormat::i32;
    default:
      return is_unsigned ? ElementFormat::u64 : ElementFormat::i64;
  }
}

void fill_elements(const Argument& argument, std::size_t position, std::uint64_t seed,
                   std::uint64_t first, std::span<std::byte> out) {
  const std::uint64_t stream = mix(seed * 1024 + position);
  store(format_of(argument.type), out,
        [&](std::size_t i) { return fill_value(argument.fill, stream, first + i); });
}

std::vector<std::byte> scalar_bytes(const Argument& argument) {
  const ElementFormat format = format_of(argument.type);
  std::vector<std::byte> bytes(argument.type.size);
  if (is_real(format)) {
    const double value = argument.value.as_real();
    store(format, bytes, [&](std::size_t) { return value; });
    return bytes;
  }
  const std::int64_t value = argument.value.as_integer();
  const bool is_unsigned = format >= ElementFormat::u8;
  const int bits = static_cast<int>(argument.type.size) * 8;
  const bool fits = is_unsigned
                        ? value >= 0 && (bits == 64 || (value >> bits) == 0)
                        : bits == 64 || (value >> (bits - 1)) == 0 || (value >> (bits - 1)) == -1;
  if (!fits) {
    throw ValueError(fmt::format("argument {}: {} does not fit into {}", argument.name, value,
                                 argument.type.name));
  }
  std::memcpy(bytes.data(), &value, bytes.size());  // little-endian, as every GPU is
  return bytes;
}

ErrorLimits error_limits(const KernelInstance& instance, const Argument& output) {
  const Tolerance& given = instance.tolerance;
  if (given.relative || given.absolute) {
    return {given.relative.value_or(0), given.absolute.value_or(0)};
  }
  const ElementFormat format = format_of(output.type);
  if (!is_real(format)) {
    return {};
  }
  double epsilon = epsilon_of(format);
  double flops = 0;
  for (const auto& [unit, count] : instance.work.flops) {
    epsilon = std::max(epsilon, epsilon_of(unit));
    flops += count;
  }
  const double terms =
      flops / (2.0 * static_cast<double>(std::max<std::uint64_t>(1, output.count)));
  return {8 * epsilon * std::sqrt(std::max(16.0, terms)), 0};
}

}  // namespace rooftune
