// Tells the sanitizers of the check and race builds which stack the code runs on. Does nothing, and
// takes no room, in the time build. Internal to the runtime library.
#pragma once

#include <cstddef>

namespace rooftune_host {

struct SanitizerFiber {
  void leave_for(SanitizerFiber&) {}
  void arrive_from(SanitizerFiber&) {}
};

}  // namespace rooftune_host
