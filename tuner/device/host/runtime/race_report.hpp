// Race build: what ThreadSanitizer found, in words. Internal to the runtime library.
#pragma once

#include <string>

namespace rooftune_host {

#ifdef ROOFTUNE_HOST_RACE
/// Whether a race was found since the last take_race(). From then on the CUDA thread that ran into
/// it is no longer watched, so that one race is not reported a thousand times.
bool race_seen();
struct RaceFound {
  std::string what;
  std::string file;
  int line;
};
/// The race that was found.
RaceFound take_race();
#endif

}  // namespace rooftune_host
