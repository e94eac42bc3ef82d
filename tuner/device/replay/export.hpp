// Recordings in the formats of other tools. Pure: text out of a recording.
#pragma once

#include <string>
#include <vector>

#include "tuner/device/replay/recording.hpp"

namespace rooftune {

/// "t4", "kernel-tuner", "csv": names for --format.
std::vector<std::string> export_formats();

/// The recording as text of that format; times in milliseconds. T4 and Kernel Tuner files read back
/// (read_recording) to the same times, outcomes, resources, launches and counters, and load in
/// Kernel Tuner: its own words stand for the outcomes there. Throws InputError for a recording
/// that the format cannot hold.
std::string export_text(const Recording& recording, const std::string& format);

/// Packs with gzip where the name ends in ".gz". Throws InputError where it cannot be written.
std::string packed_for(const std::filesystem::path& file, const std::string& text);

}  // namespace rooftune
