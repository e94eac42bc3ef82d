// cooperative_groups::inclusive_scan and exclusive_scan over the lanes of a group.
#pragma once

#include "reduce.h"

namespace cooperative_groups {

template <class Group, class T, class Operation = plus<T>>
inline T inclusive_scan(const Group& group, T value, Operation operation = {},
                        ROOFTUNE_HOST_WHERE) {
  const auto all = rooftune_host::gather(group.mask(), value, file, line);
  T result = all.value[group.lane_of(0)];
  for (unsigned rank = 1; rank <= group.thread_rank(); ++rank) {
    result = operation(result, all.value[group.lane_of(rank)]);
  }
  return result;
}

/// The first thread gets T{}.
template <class Group, class T, class Operation = plus<T>>
inline T exclusive_scan(const Group& group, T value, Operation operation = {},
                        ROOFTUNE_HOST_WHERE) {
  const T inclusive = inclusive_scan(group, value, operation, file, line);
  const T before = group.shfl_up(inclusive, 1, file, line);
  return group.thread_rank() == 0 ? T{} : before;
}

}  // namespace cooperative_groups
