// cooperative_groups::memcpy_async: the threads of a group copy together.
#pragma once

#include "../cooperative_groups.h"
#include "../cuda/barrier"

namespace cooperative_groups {

template <class Group, class Size>
inline void memcpy_async(const Group& group, void* to, const void* from, const Size& bytes) {
  rooftune_host::start_shared_copy(to, from, static_cast<std::size_t>(bytes),
                                   static_cast<unsigned>(group.thread_rank()),
                                   static_cast<unsigned>(group.size()));
  rooftune_host::end_batch();
}
/// Counts are of elements; the shorter one decides.
template <class Group, class T, class ToSize, class FromSize>
inline void memcpy_async(const Group& group, T* to, const ToSize& to_count, const T* from,
                         const FromSize& from_count) {
  const auto a = static_cast<std::size_t>(to_count);
  const auto b = static_cast<std::size_t>(from_count);
  memcpy_async(group, to, from, sizeof(T) * (a < b ? a : b));
}

template <unsigned Batches, class Group>
inline void wait_prior(const Group& group, ROOFTUNE_HOST_WHERE) {
  rooftune_host::wait_for_copies(Batches);
  group.sync(file, line);
}
template <class Group>
inline void wait(const Group& group, ROOFTUNE_HOST_WHERE) {
  wait_prior<0>(group, file, line);
}

}  // namespace cooperative_groups
