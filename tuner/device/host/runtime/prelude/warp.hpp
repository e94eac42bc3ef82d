// Warp collectives. Each lane brings its part, and the last one to arrive gives all of them theirs.
#pragma once

#include <type_traits>

#include "../calls.hpp"
#include "qualifiers.hpp"

namespace rooftune_host {

/// What a shuffle moves: CUDA's overloads take arithmetic types and half precision.
template <class T>
inline constexpr bool is_shuffled = std::is_arithmetic_v<T>;

template <class T>
struct ShuffleLane {
  T value;
  T result;
  unsigned source;
};

/// A value that is hard to overlook (NaN, -1) where CUDA leaves it undefined.
template <class T>
inline T undefined_value() {
  T value;
  __builtin_memset(static_cast<void*>(&value), 0xFF, sizeof(T));
  return value;
}

template <class T>
ROOFTUNE_HOST_UNINSTRUMENTED void meet_in_shuffle(const Lanes& lanes) {
  for (unsigned lane = 0; lane < 32; ++lane) {
    if ((lanes.active >> lane & 1U) == 0) {
      continue;
    }
    auto& self = *static_cast<ShuffleLane<T>*>(lanes.data[lane]);
    if ((lanes.active >> self.source & 1U) != 0) {
      self.result = static_cast<const ShuffleLane<T>*>(lanes.data[self.source])->value;
    } else if (lanes.checks) {
      __builtin_memset(static_cast<void*>(&self.result), 0xFF, sizeof(T));
    }
  }
}

template <class T>
inline constexpr Collective shuffle_collective{"a shuffle", &meet_in_shuffle<T>, false};

template <class T>
inline T shuffle(unsigned mask, T value, unsigned source, const char* file, int line) {
  ShuffleLane<T> lane{value, value, source};
  warp_collective(shuffle_collective<T>, mask, &lane, file, line);
  return lane.result;
}

struct VoteLane {
  bool vote;
  unsigned yes;
  unsigned active;
};
ROOFTUNE_HOST_UNINSTRUMENTED inline void meet_in_vote(const Lanes& lanes) {
  unsigned yes = 0;
  for (unsigned lane = 0; lane < 32; ++lane) {
    if ((lanes.active >> lane & 1U) != 0 && static_cast<VoteLane*>(lanes.data[lane])->vote) {
      yes |= 1U << lane;
    }
  }
  for (unsigned lane = 0; lane < 32; ++lane) {
    if ((lanes.active >> lane & 1U) != 0) {
      static_cast<VoteLane*>(lanes.data[lane])->yes = yes;
      static_cast<VoteLane*>(lanes.data[lane])->active = lanes.active;
    }
  }
}
inline constexpr Collective ballot_collective{"__ballot_sync", &meet_in_vote, false};
inline constexpr Collective any_collective{"__any_sync", &meet_in_vote, false};
inline constexpr Collective all_collective{"__all_sync", &meet_in_vote, false};
inline constexpr Collective warp_barrier{"__syncwarp", nullptr, true};

inline VoteLane vote(const Collective& collective, unsigned mask, bool yes, const char* file,
                     int line) {
  VoteLane lane{yes, 0, 0};
  warp_collective(collective, mask, &lane, file, line);
  return lane;
}

/// Every lane gets what all lanes brought.
template <class T>
struct Gathered {
  unsigned active;
  T value[32];
};
template <class T>
struct GatherLane {
  T value;
  Gathered<T> all;
};
template <class T>
ROOFTUNE_HOST_UNINSTRUMENTED void meet_in_gather(const Lanes& lanes) {
  for (unsigned to = 0; to < 32; ++to) {
    if ((lanes.active >> to & 1U) == 0) {
      continue;
    }
    Gathered<T>& all = static_cast<GatherLane<T>*>(lanes.data[to])->all;
    all.active = lanes.active;
    for (unsigned from = 0; from < 32; ++from) {
      if ((lanes.active >> from & 1U) != 0) {
        all.value[from] = static_cast<const GatherLane<T>*>(lanes.data[from])->value;
      }
    }
  }
}
template <class T>
inline constexpr Collective gather_collective{"a match or scan", &meet_in_gather<T>, false};

template <class T>
inline Gathered<T> gather(unsigned mask, T value, const char* file, int line) {
  GatherLane<T> lane{value, {}};
  warp_collective(gather_collective<T>, mask, &lane, file, line);
  return lane.all;
}

struct Match {
  unsigned same;  ///< lanes with the caller's value
  bool all;
};
template <class T>
inline Match match(unsigned mask, T value, const char* file, int line) {
  const Gathered<T> all = gather(mask, value, file, line);
  unsigned same = 0;
  for (unsigned i = 0; i < 32; ++i) {
    if ((all.active >> i & 1U) != 0 && all.value[i] == value) {
      same |= 1U << i;
    }
  }
  return {same, same == all.active};
}

template <class T, class Operation>
struct ReduceLane {
  T value;
  T result;
  const Operation* operation;
};
/// In the order of the lanes.
template <class T, class Operation>
ROOFTUNE_HOST_UNINSTRUMENTED void meet_in_reduce(const Lanes& lanes) {
  using Lane = ReduceLane<T, Operation>;
  const auto first = static_cast<unsigned>(__builtin_ctz(lanes.active));
  const auto* lane = static_cast<const Lane*>(lanes.data[first]);
  const Operation operation = *lane->operation;
  T result = lane->value;
  for (unsigned i = first + 1; i < 32; ++i) {
    if ((lanes.active >> i & 1U) != 0) {
      const T value = static_cast<const Lane*>(lanes.data[i])->value;
      result = operation(result, value);
    }
  }
  for (unsigned i = first; i < 32; ++i) {
    if ((lanes.active >> i & 1U) != 0) {
      static_cast<Lane*>(lanes.data[i])->result = result;
    }
  }
}
template <class T, class Operation>
inline constexpr Collective reduce_collective{"a reduction", &meet_in_reduce<T, Operation>, false};

template <class T, class Operation>
inline T reduce(unsigned mask, T value, const Operation& operation, const char* file, int line) {
  ReduceLane<T, Operation> lane{value, value, &operation};
  warp_collective(reduce_collective<T, Operation>, mask, &lane, file, line);
  return lane.result;
}

}  // namespace rooftune_host

#define ROOFTUNE_HOST_WHERE const char *file = __builtin_FILE(), int line = __builtin_LINE()

inline void __syncwarp(unsigned mask = 0xFFFFFFFFU, ROOFTUNE_HOST_WHERE) {
  rooftune_host::warp_collective(rooftune_host::warp_barrier, mask, nullptr, file, line);
}

template <class T, class = std::enable_if_t<rooftune_host::is_shuffled<T>>>
inline T __shfl_sync(unsigned mask, T value, int source, int width = 32, ROOFTUNE_HOST_WHERE) {
  const unsigned lane = rooftune_host::lane_index();
  const auto group = static_cast<unsigned>(width);
  return rooftune_host::shuffle(
      mask, value, (lane & ~(group - 1)) | (static_cast<unsigned>(source) & (group - 1)), file,
      line);
}
template <class T, class = std::enable_if_t<rooftune_host::is_shuffled<T>>>
inline T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32,
                        ROOFTUNE_HOST_WHERE) {
  const unsigned lane = rooftune_host::lane_index();
  const unsigned in_group = lane & (static_cast<unsigned>(width) - 1);
  return rooftune_host::shuffle(mask, value, delta <= in_group ? lane - delta : lane, file, line);
}
template <class T, class = std::enable_if_t<rooftune_host::is_shuffled<T>>>
inline T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32,
                          ROOFTUNE_HOST_WHERE) {
  const unsigned lane = rooftune_host::lane_index();
  const unsigned in_group = lane & (static_cast<unsigned>(width) - 1);
  const bool inside = in_group + delta < static_cast<unsigned>(width);
  return rooftune_host::shuffle(mask, value, inside ? lane + delta : lane, file, line);
}
template <class T, class = std::enable_if_t<rooftune_host::is_shuffled<T>>>
inline T __shfl_xor_sync(unsigned mask, T value, int lane_mask, int width = 32,
                         ROOFTUNE_HOST_WHERE) {
  const unsigned lane = rooftune_host::lane_index();
  const auto group = static_cast<unsigned>(width);
  const unsigned source = lane ^ static_cast<unsigned>(lane_mask);
  // As the hardware: a source in a later group gives the lane's own value.
  const bool inside = source <= (lane | (group - 1));
  return rooftune_host::shuffle(mask, value, inside ? source & 31U : lane, file, line);
}

inline unsigned __ballot_sync(unsigned mask, int predicate, ROOFTUNE_HOST_WHERE) {
  return rooftune_host::vote(rooftune_host::ballot_collective, mask, predicate != 0, file, line)
      .yes;
}
inline int __any_sync(unsigned mask, int predicate, ROOFTUNE_HOST_WHERE) {
  return rooftune_host::vote(rooftune_host::any_collective, mask, predicate != 0, file, line).yes !=
                 0
             ? 1
             : 0;
}
inline int __all_sync(unsigned mask, int predicate, ROOFTUNE_HOST_WHERE) {
  const auto lane =
      rooftune_host::vote(rooftune_host::all_collective, mask, predicate != 0, file, line);
  return lane.yes == lane.active ? 1 : 0;
}
inline unsigned __activemask(ROOFTUNE_HOST_WHERE) {
  return rooftune_host::converged_lanes(file, line);
}

template <class T>
inline unsigned __match_any_sync(unsigned mask, T value, ROOFTUNE_HOST_WHERE) {
  return rooftune_host::match(mask, value, file, line).same;
}
template <class T>
inline unsigned __match_all_sync(unsigned mask, T value, int* all, ROOFTUNE_HOST_WHERE) {
  const auto match = rooftune_host::match(mask, value, file, line);
  *all = match.all ? 1 : 0;
  return match.all ? match.same : 0;
}

#define ROOFTUNE_HOST_REDUCE(name, type, expression)                                            \
  inline type name(unsigned mask, type value, ROOFTUNE_HOST_WHERE) {                            \
    return rooftune_host::reduce(                                                               \
        mask, value, [](type a, type b) { return static_cast<type>(expression); }, file, line); \
  }
ROOFTUNE_HOST_REDUCE(__reduce_add_sync, unsigned, a + b)
ROOFTUNE_HOST_REDUCE(__reduce_add_sync, int, static_cast<unsigned>(a) + static_cast<unsigned>(b))
ROOFTUNE_HOST_REDUCE(__reduce_min_sync, unsigned, a < b ? a : b)
ROOFTUNE_HOST_REDUCE(__reduce_min_sync, int, a < b ? a : b)
ROOFTUNE_HOST_REDUCE(__reduce_max_sync, unsigned, a < b ? b : a)
ROOFTUNE_HOST_REDUCE(__reduce_max_sync, int, a < b ? b : a)
ROOFTUNE_HOST_REDUCE(__reduce_and_sync, unsigned, a& b)
ROOFTUNE_HOST_REDUCE(__reduce_or_sync, unsigned, a | b)
ROOFTUNE_HOST_REDUCE(__reduce_xor_sync, unsigned, a ^ b)
#undef ROOFTUNE_HOST_REDUCE
