// The launch of a recorded kernel as expressions, where the recording holds each launch.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tuner/device/replay/recording.hpp"

namespace rooftune {

struct InferredLaunch {
  std::vector<std::string> block;  ///< x, y, z
  std::vector<std::string> grid;
};

/// Only what holds for every recorded launch: block sizes that are a parameter or fixed, blocks
/// that are fixed or an extent (a parameter with one value, else a number) divided by at most two
/// parameters. nullopt where the recording holds no launches, or others.
std::optional<InferredLaunch> infer_launch(const Recording& recording);

}  // namespace rooftune
