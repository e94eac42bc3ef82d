// The replay device: a recording answers instead of a measurement. What is not in the recording is
// an error, never invented.
#pragma once

#include <memory>
#include <vector>

#include "tuner/device/device.hpp"
#include "tuner/device/replay/recording.hpp"
#include "tuner/space/space.hpp"

namespace rooftune {

/// The recorded point of each configuration of the space, by index. Throws InputError that names
/// the difference: a parameter that only one side has, a configuration of the space that the
/// recording lacks (how many, and one of them). A recorded parameter may be a constant of the spec
/// when it has that constant's value throughout. Recorded configurations outside the space are
/// counted in `outside`.
struct RecordedSpace {
  std::vector<const RecordedPoint*> points;  ///< never null; into the recording
  std::uint64_t outside = 0;
};
RecordedSpace match_recording(const Spec& spec, const Space& space, const Recording& recording);

/// Answers compile() and measure() from the recording by the instance's parameters (and constants).
/// Throws InputError for a configuration that is absent. Times are labelled "recorded".
std::unique_ptr<Device> make_replay_device(Recording recording, DeviceProfile profile);

}  // namespace rooftune
