// cooperative_groups::reduce over the lanes of a tile or a coalesced group.
#pragma once

#include "../cooperative_groups.h"

namespace cooperative_groups {

#define ROOFTUNE_HOST_OPERATION(name, expression)                       \
  template <class T>                                                    \
  struct name {                                                         \
    T operator()(T a, T b) const { return static_cast<T>(expression); } \
  };
ROOFTUNE_HOST_OPERATION(plus, a + b)
ROOFTUNE_HOST_OPERATION(less, b < a ? b : a)
ROOFTUNE_HOST_OPERATION(greater, a < b ? b : a)
ROOFTUNE_HOST_OPERATION(bit_and, a& b)
ROOFTUNE_HOST_OPERATION(bit_or, a | b)
ROOFTUNE_HOST_OPERATION(bit_xor, a ^ b)
#undef ROOFTUNE_HOST_OPERATION

template <class Group, class T, class Operation>
inline T reduce(const Group& group, T value, Operation operation, ROOFTUNE_HOST_WHERE) {
  return rooftune_host::reduce(group.mask(), value, operation, file, line);
}

}  // namespace cooperative_groups
