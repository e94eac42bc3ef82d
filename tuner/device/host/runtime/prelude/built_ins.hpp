// Built-in variables, barriers, fences, and what else CUDA has without a header.
#pragma once

#include <chrono>
#include <cstdio>

#include "../calls.hpp"

extern constinit thread_local const uint3 threadIdx asm("rooftune_host_thread_index");
extern constinit thread_local const uint3 blockIdx asm("rooftune_host_block_index");
extern constinit thread_local const dim3 blockDim asm("rooftune_host_block_shape");
extern constinit thread_local const dim3 gridDim asm("rooftune_host_grid_shape");
inline constexpr int warpSize = 32;

inline void __syncthreads(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  rooftune_host::block_barrier(file, line);
}
inline int __syncthreads_count(int predicate, const char* file = __builtin_FILE(),
                               int line = __builtin_LINE()) {
  return static_cast<int>(rooftune_host::block_barrier(predicate != 0, file, line).yes);
}
inline int __syncthreads_and(int predicate, const char* file = __builtin_FILE(),
                             int line = __builtin_LINE()) {
  const auto votes = rooftune_host::block_barrier(predicate != 0, file, line);
  return votes.yes == votes.threads ? 1 : 0;
}
inline int __syncthreads_or(int predicate, const char* file = __builtin_FILE(),
                            int line = __builtin_LINE()) {
  return rooftune_host::block_barrier(predicate != 0, file, line).yes != 0 ? 1 : 0;
}

// A block's threads share an OS thread: between them the compiler alone must keep the order.
inline void __threadfence_block() {
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
}
#ifdef __SANITIZE_THREAD__
// ThreadSanitizer does not know fences; the atomics beside them order memory in that build.
inline void __threadfence() {
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
}
#else
inline void __threadfence() {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
#endif
inline void __threadfence_system() {
  __threadfence();
}

inline void __nanosleep(unsigned) {
  rooftune_host::yield_thread();
}
[[noreturn]] inline void __trap(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  rooftune_host::trap(file, line);
}
inline void __brkpt() {}
inline void __prof_trigger(int) {}

inline long long clock64() {
  return static_cast<long long>(__builtin_ia32_rdtsc());
}
inline long clock() {
  return static_cast<long>(clock64());
}  // as CUDA's clock_t
/// Nanoseconds.
inline unsigned long long __globaltimer() {
  return static_cast<unsigned long long>(
      std::chrono::steady_clock::now().time_since_epoch().count());
}

// Loads and stores with cache hints: the hints have no counterpart.
#define ROOFTUNE_HOST_LOAD(name)    \
  template <class T>                \
  inline T name(const T* address) { \
    return *address;                \
  }
ROOFTUNE_HOST_LOAD(__ldg)
ROOFTUNE_HOST_LOAD(__ldcg)
ROOFTUNE_HOST_LOAD(__ldca)
ROOFTUNE_HOST_LOAD(__ldcs)
ROOFTUNE_HOST_LOAD(__ldlu)
ROOFTUNE_HOST_LOAD(__ldcv)
#undef ROOFTUNE_HOST_LOAD
#define ROOFTUNE_HOST_STORE(name)         \
  template <class T>                      \
  inline void name(T* address, T value) { \
    *address = value;                     \
  }
ROOFTUNE_HOST_STORE(__stwb)
ROOFTUNE_HOST_STORE(__stcg)
ROOFTUNE_HOST_STORE(__stcs)
ROOFTUNE_HOST_STORE(__stwt)
#undef ROOFTUNE_HOST_STORE

// CUDA's assert ends the kernel, not the process.
#undef assert
#ifdef NDEBUG
#define assert(expression) static_cast<void>(0)
#else
#define assert(expression)             \
  ((expression) ? static_cast<void>(0) \
                : rooftune_host::assertion_failed(#expression, __func__, __FILE__, __LINE__))
#endif
