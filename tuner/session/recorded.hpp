// Results as recordings and recordings as results: what rooftune measured can be replayed, and what
// other tools measured can be kept, compared and reported as if rooftune had.
#pragma once

#include <filesystem>

#include "tuner/device/replay/recording.hpp"
#include "tuner/session/results.hpp"

namespace rooftune {

/// Any recording: results.json of rooftune (or the folder of its run), Kernel Tuner, T4, KTT; plain
/// or gzip. Throws InputError.
Recording open_recording(const std::filesystem::path& file_or_folder);

/// The configurations of the space with the time by which they are ranked. With several problem
/// sizes that is the geometric mean, and a remark says so; counters are left out then.
Recording recording_of(const Results& results, const std::filesystem::path& file);

/// An imported recording as results; `spec` is its spec.
Results results_of(const Recording& recording, const Spec& spec);

}  // namespace rooftune
