// Saving and resuming a stack. Internal to the runtime library.
//
// Boost.Context does it on every machine, and in the builds that look for faults. It also saves the
// floating-point control words, which kernels do not change: on x86-64 that makes 15 ns of a switch
// that takes 3 without, and a kernel with barriers consists of switches. So the time build has its
// own there.
#pragma once

#include <cstddef>

#if !defined(__x86_64__) || defined(ROOFTUNE_HOST_RACE) || defined(__SANITIZE_ADDRESS__)
#define ROOFTUNE_HOST_BOOST_SWITCH
#include <boost/context/detail/fcontext.hpp>
#endif

namespace rooftune_host {

/// Where to go on on a stack that has been left: valid for one switch.
using StackPosition = void*;

#ifdef ROOFTUNE_HOST_BOOST_SWITCH

/// `entry` must never return.
template <void (*entry)()>
StackPosition new_stack_position(void* top, std::size_t bytes) {
  return boost::context::detail::make_fcontext(
      top, bytes, [](boost::context::detail::transfer_t transfer) {
        *static_cast<StackPosition*>(transfer.data) = transfer.fctx;
        entry();
      });
}

/// Leaves the running stack at `from` and goes on at `to`. Returns when something goes on at
/// `from`.
inline void switch_stack(StackPosition& from, StackPosition to) {
  const auto transfer = boost::context::detail::jump_fcontext(to, &from);
  *static_cast<StackPosition*>(transfer.data) = transfer.fctx;
}

#else

extern "C" void rooftune_host_switch_stack(StackPosition* from, StackPosition to);

template <void (*entry)()>
StackPosition new_stack_position(void* top, std::size_t) {
  // As if entry() had been called from nowhere (a return address of 0 ends the debugger's walk),
  // and left at its first instruction: that address, and six registers below it.
  auto** position = static_cast<void**>(top) - 1;
  *position = nullptr;
  *--position = reinterpret_cast<void*>(entry);
  for (int i = 0; i < 6; ++i) {
    *--position = nullptr;
  }
  return static_cast<void*>(position);
}

inline void switch_stack(StackPosition& from, StackPosition to) {
  rooftune_host_switch_stack(&from, to);
}

#endif

}  // namespace rooftune_host
