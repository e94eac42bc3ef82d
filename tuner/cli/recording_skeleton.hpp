// The beginning of a spec, from what a recording says: `rooftune import`.
#pragma once

#include <optional>
#include <string>

#include "tuner/device/replay/recording.hpp"

namespace rooftune::cli {

/// What the skeleton is made of: a recording, a T1 input, or both.
struct SkeletonSource {
  const Recording* recording = nullptr;
  const T1Input* input = nullptr;
  std::string recording_file;  ///< as the comments name it
};

struct RecordingSkeleton {
  std::string text;     ///< a spec in YAML with comments
  std::string warning;  ///< why it does not replay as it stands; empty where it does
};

/// Throws InputError: the recording and the T1 input are of different spaces.
RecordingSkeleton recording_skeleton(const SkeletonSource& source);

}  // namespace rooftune::cli
