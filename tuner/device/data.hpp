// What the data of kernels depends on, as keys, and checks of the files that users give.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "tuner/device/compare.hpp"
#include "tuner/spec/instance.hpp"

namespace rooftune {

/// Throws InputError where the file does not hold exactly the argument's elements.
void check_size(const std::filesystem::path& file, const Argument& argument);

/// All that the data of the argument at `position` depends on, as a text: equal texts mean equal
/// inputs.
std::string argument_key(const Argument& argument, std::size_t position, std::uint64_t seed);
/// The same of all arguments of an instance.
std::string data_key(const KernelInstance& instance, std::uint64_t seed);
/// Of the instance's reference: equal texts mean equal expected outputs. `code`: what the
/// configuration makes of the reference's source.
std::string reference_key(const KernelInstance& instance, std::uint64_t seed,
                          const std::string& code);
/// The same, where each #define is taken to reach the reference.
std::string reference_key(const KernelInstance& instance, std::uint64_t seed);

/// Throws InputError where the reference kernel gives not-a-number, or writes nothing: whatever is
/// held against that would be wrong.
void check_reference_output(const std::string& kernel, const std::string& buffer,
                            const Census& census, std::uint64_t count);

}  // namespace rooftune
