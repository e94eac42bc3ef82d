// The input files of kernels in the work folder, made once for each fill and size.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "tuner/spec/instance.hpp"

namespace rooftune::host {

/// The file with the elements of the instance's argument at `position`: the user's own, or one in
/// `folder`, which is made where it is not there. Throws InputError for a file of the wrong size
/// and a disk that is full.
std::filesystem::path input_file(const std::filesystem::path& folder, const Argument& argument,
                                 std::size_t position, std::uint64_t seed);

/// Throws InputError where the file does not hold exactly the argument's elements.
void check_size(const std::filesystem::path& file, const Argument& argument);

/// All that the data of an instance depends on, as a text: equal texts mean equal inputs.
std::string data_key(const KernelInstance& instance, std::uint64_t seed);

}  // namespace rooftune::host
