// CUDA's qualifiers as the host's compiler understands them, and the tokens that it must refuse.
#pragma once

#define __global__
#define __device__
#define __host__
#define __constant__
#define __managed__
#define __grid_constant__
#define __launch_bounds__(...)
#define __maxnreg__(...)
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __builtin_align__(bytes) __attribute__((aligned(bytes)))
#define __device_builtin__
#define __cudart_builtin__
#define __inline_hint__ inline
#define __nv_pure__ __attribute__((pure))

/// Stands where CUDA has something that the host device does not: the message names it.
#define ROOFTUNE_HOST_PRAGMA(text) _Pragma(#text)
#define ROOFTUNE_HOST_ERROR(message) ROOFTUNE_HOST_PRAGMA(GCC error #message)
#define ROOFTUNE_HOST_UNSUPPORTED(what) \
  ROOFTUNE_HOST_ERROR(what has no counterpart on the host device)

// The rewriter replaces every __shared__ that it understands; one that is left must not become an
// ordinary variable.
#define __shared__ ROOFTUNE_HOST_UNSUPPORTED(this use of __shared__)
#define __cluster_dims__(...) ROOFTUNE_HOST_UNSUPPORTED(__cluster_dims__)
#define __block_size__(...) ROOFTUNE_HOST_UNSUPPORTED(__block_size__)

/// Defined in the builds that look for faults, where they are worth what they cost.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define ROOFTUNE_HOST_CHECKED
#endif

/// Code of the runtime that the compiler of a kernel sees, and ThreadSanitizer must not: it reads
/// what other lanes have on their stacks.
#ifdef __SANITIZE_THREAD__
#define ROOFTUNE_HOST_UNINSTRUMENTED __attribute__((no_sanitize_thread, noinline))
#else
#define ROOFTUNE_HOST_UNINSTRUMENTED
#endif
