// Reading JSON as other tuners write it: gzip, Python's NaN, missing closing brackets.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace rooftune {

/// The file's bytes, unpacked where it is gzip. Throws InputError: missing, unreadable, damaged
/// gzip, or larger than 2 GiB when unpacked.
std::string read_maybe_gzip(const std::filesystem::path& file);

/// Parses JSON. NaN, Infinity and -Infinity outside strings become null (Python writes them). Text
/// that ends early is closed after its last whole entry, and what was done is added to `remarks`.
/// Throws InputError with line and column.
nlohmann::ordered_json parse_recorded_json(std::string text, const std::filesystem::path& file,
                                           std::vector<std::string>& remarks);

}  // namespace rooftune
