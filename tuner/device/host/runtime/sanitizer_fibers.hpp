// Tells the sanitizers of the check and race builds which stack the code runs on, and what orders
// memory. Does nothing, and takes no room, in the time build. Internal to the runtime library.
//
// The library itself is compiled without ThreadSanitizer in the race build: it switches stacks, and
// reads what threads have on theirs. ROOFTUNE_HOST_RACE says that its users are compiled with it.
#pragma once

#include <cstddef>

#if defined(ROOFTUNE_HOST_RACE)
extern "C" {
void* __tsan_get_current_fiber();
void* __tsan_create_fiber(unsigned flags);
void __tsan_destroy_fiber(void* fiber);
void __tsan_switch_to_fiber(void* fiber, unsigned flags);
void __tsan_set_fiber_name(void* fiber, const char* name);
void __tsan_acquire(void* address);
void __tsan_release(void* address);
void AnnotateIgnoreReadsBegin(const char* file, int line);
void AnnotateIgnoreReadsEnd(const char* file, int line);
void AnnotateIgnoreWritesBegin(const char* file, int line);
void AnnotateIgnoreWritesEnd(const char* file, int line);
}
#elif defined(__SANITIZE_ADDRESS__)
#include <pthread.h>
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace rooftune_host {

#if defined(ROOFTUNE_HOST_RACE)

/// ThreadSanitizer takes threads for ordered that share a fiber, or accuses them where they share
/// a stack: so each CUDA thread of a launch has its own.
inline constexpr bool one_thread_a_fiber = true;

class SanitizerFiber {
 public:
  SanitizerFiber() = default;
  SanitizerFiber(const SanitizerFiber&) = delete;
  SanitizerFiber& operator=(const SanitizerFiber&) = delete;
  ~SanitizerFiber() {
    if (owned_) {
      __tsan_destroy_fiber(fiber_);
    }
  }
  /// The OS thread's own stack.
  void is_native() { fiber_ = __tsan_get_current_fiber(); }
  void has_stack(const void*, std::size_t) {
    fiber_ = __tsan_create_fiber(0);
    owned_ = true;
  }
  void set_name(const char* name) { __tsan_set_fiber_name(fiber_, name); }
  void leave_for(SanitizerFiber& to) {
    constexpr unsigned unordered = 1;  // __tsan_switch_to_fiber_no_sync
    __tsan_switch_to_fiber(to.fiber_, unordered);
  }
  void arrive() {}
  /// What follows on this stack counts as done by `other`.
  void hand_over_to(SanitizerFiber& other) { leave_for(other); }
  /// The thread will not go on: what it did is before what follows an acquire of `end`.
  void abandon(SanitizerFiber& native, void* end) {
    native.leave_for(*this);
    __tsan_release(end);
    leave_for(native);
  }

 private:
  void* fiber_ = nullptr;
  bool owned_ = false;
};

/// As long as it lives, what the code does to memory is nobody's doing: for filling memory that a
/// kernel takes for fresh, and for the runtime's own work on a CUDA thread's stack.
class Unseen {
 public:
  Unseen() {
    AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
    AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
  }
  ~Unseen() {
    AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
    AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
  }
  Unseen(const Unseen&) = delete;
  Unseen& operator=(const Unseen&) = delete;
};

/// All that was done before a release is before what follows an acquire of the same place.
inline void release_memory(void* place) {
  __tsan_release(place);
}
inline void acquire_memory(void* place) {
  __tsan_acquire(place);
}

#elif defined(__SANITIZE_ADDRESS__)

inline constexpr bool one_thread_a_fiber = false;

class SanitizerFiber {
 public:
  void is_native() {
    pthread_attr_t attributes;
    void* bottom = nullptr;
    pthread_getattr_np(pthread_self(), &attributes);
    pthread_attr_getstack(&attributes, &bottom, &bytes_);
    pthread_attr_destroy(&attributes);
    bottom_ = bottom;
  }
  void has_stack(const void* bottom, std::size_t bytes) {
    bottom_ = bottom;
    bytes_ = bytes;
  }
  void set_name(const char*) {}
  void leave_for(SanitizerFiber& to) {
    __sanitizer_start_switch_fiber(&fake_stack_, to.bottom_, to.bytes_);
  }
  void arrive() { __sanitizer_finish_switch_fiber(fake_stack_, nullptr, nullptr); }
  void hand_over_to(SanitizerFiber&) {}
  /// What runs on the stack will not go on: forgets its frames' red zones.
  void abandon(SanitizerFiber&, void*) {
    __asan_unpoison_memory_region(bottom_, bytes_);
    fake_stack_ = nullptr;
  }

 private:
  void* fake_stack_ = nullptr;
  const void* bottom_ = nullptr;
  std::size_t bytes_ = 0;
};

inline void release_memory(void*) {}
inline void acquire_memory(void*) {}

#else

inline constexpr bool one_thread_a_fiber = false;

class SanitizerFiber {
 public:
  void is_native() {}
  void has_stack(const void*, std::size_t) {}
  void set_name(const char*) {}
  void leave_for(SanitizerFiber&) {}
  void arrive() {}
  void hand_over_to(SanitizerFiber&) {}
  void abandon(SanitizerFiber&, void*) {}
};

inline void release_memory(void*) {}
inline void acquire_memory(void*) {}

#endif

#ifndef ROOFTUNE_HOST_RACE
struct Unseen {
  Unseen() {}
};
#endif

/// Whether asynchronous copies are made when they are waited for: see calls.hpp.
#if defined(ROOFTUNE_HOST_RACE) || defined(__SANITIZE_ADDRESS__)
inline constexpr bool copies_are_late = true;
#else
inline constexpr bool copies_are_late = false;
#endif

/// Whether set_name is of any use.
#if defined(ROOFTUNE_HOST_RACE)
inline constexpr bool fibers_have_names = true;
#else
inline constexpr bool fibers_have_names = false;
#endif

}  // namespace rooftune_host
