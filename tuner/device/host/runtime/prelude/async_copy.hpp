// Copies that a kernel starts and waits for later: what cuda_pipeline.h, cuda/pipeline,
// cuda/barrier and cooperative_groups/memcpy_async.h have in common. On the host a copy is made at
// once; where faults are looked for, when it is waited for, and what it goes to is spoilt until
// then.
#pragma once

#include <cstring>

#include "../calls.hpp"
#include "qualifiers.hpp"

namespace rooftune_host {

/// In units that the sanitizers see as the kernel's own accesses.
inline void copy_now(const AsyncCopy& copy) {
  auto* to = static_cast<unsigned char*>(copy.to);
  const auto* from = static_cast<const unsigned char*>(copy.from);
#ifdef ROOFTUNE_HOST_CHECKED
  for (std::size_t i = 0; i < copy.bytes; ++i) {
    const_cast<volatile unsigned char*>(to)[i] = from[i];
  }
#else
  std::memcpy(to, from, copy.bytes);
#endif
  if (copy.zeros != 0) {
    std::memset(to + copy.bytes, 0, copy.zeros);
  }
}

inline void start_copy(void* to, const void* from, std::size_t bytes, std::size_t zeros = 0) {
  const AsyncCopy copy{to, from, bytes, zeros};
#ifdef ROOFTUNE_HOST_CHECKED
  std::memset(to, 0xFF, bytes + zeros);
  queue_async_copy(copy);
#else
  copy_now(copy);
#endif
}

inline void end_batch() {
#ifdef ROOFTUNE_HOST_CHECKED
  commit_async_copies();
#endif
}

/// Until no more than `batches` of the calling thread's batches are outstanding.
inline void wait_for_copies([[maybe_unused]] unsigned batches) {
#ifdef ROOFTUNE_HOST_CHECKED
  for (AsyncCopy copy; take_async_copy(batches, copy);) {
    copy_now(copy);
  }
#endif
}

/// Starts the part of a copy that falls to one of `threads` threads.
inline void start_shared_copy(void* to, const void* from, std::size_t bytes, unsigned rank,
                              unsigned threads) {
  constexpr std::size_t piece = 16;
  for (std::size_t at = piece * rank; at < bytes; at += piece * threads) {
    start_copy(static_cast<unsigned char*>(to) + at, static_cast<const unsigned char*>(from) + at,
               bytes - at < piece ? bytes - at : piece);
  }
}

}  // namespace rooftune_host
