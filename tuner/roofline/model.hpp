// Internal to the stage: amounts of work against roofs, shared by bound times, placement and
// diagnosis.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tuner/roofline/roofline.hpp"

namespace rooftune::model {

inline constexpr double warp_lanes = 32;

/// Bytes that this configuration moves at a level: its traffic, else the compulsory bytes; 0
/// unknown.
double moved_bytes(const Work& work, Level level);
/// Bytes that every configuration must move: the compulsory ones, else the traffic; 0 unknown.
double compulsory_bytes(const Work& work, Level level);

/// The roof that a unit is held against; nullptr where the device has none. The host computes the
/// short floating-point formats in fp32 and is held against that.
const Roof* compute_roof(const DeviceProfile& device, ComputeUnit unit);
/// The name of the roof that compute_roof looks for.
std::string compute_roof_name(const DeviceProfile& device, ComputeUnit unit);

/// The work of one pipe (CUDA cores, or tensor cores) at its roofs.
struct PipeTime {
  double seconds = 0;           ///< one unit after the other: they share the pipe
  double provable_seconds = 0;  ///< the longest of the units alone, at theoretical peaks
  std::string name;             ///< "fp32", "fp32 + fp64"
  std::string basis;            ///< "137 GFLOP fp32 at 19.5 TFLOP/s (data sheet)"
};
/// nullopt where the pipe has no work with a roof.
std::optional<PipeTime> pipe_time(const Work& work, const DeviceProfile& device, bool tensor);

/// "2.15 GB", powers of 1000.
std::string bytes_text(double bytes);
/// "137 GFLOP".
std::string flop_text(double flops);
/// "1.56 TB/s (data sheet)".
std::string roof_text(const Roof& roof);

Bound bound_of(Level level);

/// Whether occupancy can be computed for the device.
bool knows_limits(const DeviceProfile& device);

/// Blocks over multiprocessors: what the shape of the grid costs.
struct GridShape {
  double blocks = 0;
  double multiprocessors = 0;
  double warps = 0;            ///< of the whole grid
  double resident_warps = 0;   ///< of a full multiprocessor; 0 unknown
  double resident_blocks = 0;  ///< of a full multiprocessor; 0 unknown

  /// Schedulers of the device over schedulers that can have a warp at all: 1 or more.
  double idle_factor(const DeviceProfile& device) const;
  /// Time of the fullest multiprocessor over the mean, blocks taken as equal: 1 or more.
  double imbalance() const;
  /// Fills of the device; blocks / multiprocessors where residency is unknown.
  double waves() const;
};
std::optional<GridShape> grid_shape(const ModelInput& input, const DeviceProfile& device);

}  // namespace rooftune::model
