// What a launch takes of energy, by a counter that moves only every now and then.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "tuner/measure/timing.hpp"

namespace rooftune {

struct Energy {
  double joules = 0;   ///< of a launch
  double seconds = 0;  ///< that the GPU was busy with the launches it is the mean of
  int launches = 0;
};

/// The GPU's counter, J; nullopt where it cannot be read.
using EnergyCounter = std::function<std::optional<double>()>;

/// NVML's counter moves every 20 to 100 ms. So the kernel is launched back to back, from one step
/// of the counter to the first one that comes 0.3 s or more later: what lies between is whole
/// steps. The data stays where it is; `inout` buffers are restored before each launch, whose energy
/// is counted too. nullopt, and `why`, where the counter cannot be read or does not move. Whatever
/// a step throws is thrown.
std::optional<Energy> measure_energy(TimingSteps& steps, const EnergyCounter& counter,
                                     double launch_seconds, std::string& why);

}  // namespace rooftune
