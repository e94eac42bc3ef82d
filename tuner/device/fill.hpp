// The input data of a kernel: functions of (seed, argument, index), the same on every device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "tuner/device/compare.hpp"
#include "tuner/spec/instance.hpp"

namespace rooftune {

/// How elements of the type are stored.
ElementFormat format_of(const ElementType& type);

/// Writes the elements of `argument`, from index `first` on, as its fill says; `out` holds a whole
/// number of them. `position` is the argument's place in the kernel's list. Reals are rounded to
/// the type; an integer gets the floor. Fill::uniform_integer includes both its bounds.
void fill_elements(const Argument& argument, std::size_t position, std::uint64_t seed,
                   std::uint64_t first, std::span<std::byte> out);

/// The bytes of a scalar argument's value. Throws ValueError where the type cannot hold it.
std::vector<std::byte> scalar_bytes(const Argument& argument);

/// What the spec's tolerance allows for this output, else
///
///     relative = 8 * epsilon * sqrt(max(16, n))
///
/// where epsilon is that of the coarser of the output's type and the precisions that the spec's
/// work is done in, and n = flops / (2 * elements of output) estimates how many products each
/// output sums: errors of rounding add up like a random walk.
ErrorLimits error_limits(const KernelInstance& instance, const Argument& output);

}  // namespace rooftune
