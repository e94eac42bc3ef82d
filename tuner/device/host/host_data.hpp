// The input files of kernels in the work folder, made once for each fill and size.
#pragma once

#include <cstdint>
#include <filesystem>

#include "tuner/spec/instance.hpp"

namespace rooftune::host {

/// The file with the elements of the instance's argument at `position`: the user's own, or one in
/// `folder`, which is made where it is not there. Throws InputError for a file of the wrong size
/// and a disk that is full.
std::filesystem::path input_file(const std::filesystem::path& folder, const Argument& argument,
                                 std::size_t position, std::uint64_t seed);

}  // namespace rooftune::host
