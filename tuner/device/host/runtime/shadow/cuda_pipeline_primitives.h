// __pipeline_memcpy_async and its companions.
#pragma once

#include "../prelude.hpp"

/// `zfill`: of the `size` bytes, how many at the end become zeros instead.
inline void __pipeline_memcpy_async(void* to, const void* from, std::size_t size,
                                    std::size_t zfill = 0) {
  rooftune_host::start_copy(to, from, size - zfill, zfill);
}
inline void __pipeline_commit() {
  rooftune_host::end_batch();
}
inline void __pipeline_wait_prior(std::size_t batches) {
  rooftune_host::wait_for_copies(static_cast<unsigned>(batches));
}
