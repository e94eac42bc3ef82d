// Atomic functions. Where ThreadSanitizer watches they order memory, so that code which publishes
// data through them (with a fence) is not accused; elsewhere they are as relaxed as CUDA's.
#pragma once

#include <type_traits>

#include "../calls.hpp"

namespace rooftune_host {

#ifdef __SANITIZE_THREAD__
inline constexpr int atomic_order = __ATOMIC_ACQ_REL;
inline constexpr int atomic_load_order = __ATOMIC_ACQUIRE;
#else
inline constexpr int atomic_order = __ATOMIC_RELAXED;
inline constexpr int atomic_load_order = __ATOMIC_RELAXED;
#endif

/// An unsigned integer of T's size.
template <class T>
using BitsOf =
    std::conditional_t<sizeof(T) == 2, unsigned short,
                       std::conditional_t<sizeof(T) == 4, unsigned int, unsigned long long>>;

/// `*address = update(*address)` in one step. The value before.
template <class T, class Update>
inline T atomic_update(T* address, Update update) {
  using Bits = BitsOf<T>;
  static_assert(sizeof(T) == sizeof(Bits),
                "an atomic of this size has no counterpart on the host device");
  auto* target = reinterpret_cast<Bits __attribute__((may_alias))*>(address);
  Bits before = __atomic_load_n(target, atomic_load_order);
  for (;;) {
    T old;
    __builtin_memcpy(static_cast<void*>(&old), &before, sizeof(T));
    const T wanted = update(old);
    Bits after;
    __builtin_memcpy(&after, static_cast<const void*>(&wanted), sizeof(T));
    if (__atomic_compare_exchange_n(target, &before, after, true, atomic_order,
                                    atomic_load_order)) {
      return old;
    }
  }
}

}  // namespace rooftune_host

#define ROOFTUNE_HOST_ATOMIC_INTEGER(type)                                                        \
  inline type atomicAdd(type* address, type value) {                                              \
    return __atomic_fetch_add(address, value, rooftune_host::atomic_order);                       \
  }                                                                                               \
  inline type atomicSub(type* address, type value) {                                              \
    return __atomic_fetch_sub(address, value, rooftune_host::atomic_order);                       \
  }                                                                                               \
  inline type atomicAnd(type* address, type value) {                                              \
    return __atomic_fetch_and(address, value, rooftune_host::atomic_order);                       \
  }                                                                                               \
  inline type atomicOr(type* address, type value) {                                               \
    return __atomic_fetch_or(address, value, rooftune_host::atomic_order);                        \
  }                                                                                               \
  inline type atomicXor(type* address, type value) {                                              \
    return __atomic_fetch_xor(address, value, rooftune_host::atomic_order);                       \
  }                                                                                               \
  inline type atomicMin(type* address, type value) {                                              \
    return rooftune_host::atomic_update(address,                                                  \
                                        [value](type old) { return value < old ? value : old; }); \
  }                                                                                               \
  inline type atomicMax(type* address, type value) {                                              \
    return rooftune_host::atomic_update(address,                                                  \
                                        [value](type old) { return old < value ? value : old; }); \
  }
ROOFTUNE_HOST_ATOMIC_INTEGER(int)
ROOFTUNE_HOST_ATOMIC_INTEGER(unsigned int)
ROOFTUNE_HOST_ATOMIC_INTEGER(long long)
ROOFTUNE_HOST_ATOMIC_INTEGER(unsigned long long)
#undef ROOFTUNE_HOST_ATOMIC_INTEGER

// A thread that finds nothing changed may be waiting, in a loop, for another of its block.
#define ROOFTUNE_HOST_ATOMIC_EXCHANGE(type)                                \
  inline type atomicExch(type* address, type value) {                      \
    type old;                                                              \
    __atomic_exchange(address, &value, &old, rooftune_host::atomic_order); \
    if (__builtin_memcmp(&old, &value, sizeof(type)) == 0) {               \
      rooftune_host::yield_thread();                                       \
    }                                                                      \
    return old;                                                            \
  }
ROOFTUNE_HOST_ATOMIC_EXCHANGE(int)
ROOFTUNE_HOST_ATOMIC_EXCHANGE(unsigned int)
ROOFTUNE_HOST_ATOMIC_EXCHANGE(unsigned long long)
ROOFTUNE_HOST_ATOMIC_EXCHANGE(float)
#undef ROOFTUNE_HOST_ATOMIC_EXCHANGE
#define ROOFTUNE_HOST_ATOMIC_CAS(type)                                    \
  inline type atomicCAS(type* address, type expected, type value) {       \
    if (!__atomic_compare_exchange_n(address, &expected, value, false,    \
                                     rooftune_host::atomic_order,         \
                                     rooftune_host::atomic_load_order)) { \
      rooftune_host::yield_thread();                                      \
    }                                                                     \
    return expected;                                                      \
  }
ROOFTUNE_HOST_ATOMIC_CAS(int)
ROOFTUNE_HOST_ATOMIC_CAS(unsigned int)
ROOFTUNE_HOST_ATOMIC_CAS(unsigned long long)
ROOFTUNE_HOST_ATOMIC_CAS(unsigned short)
#undef ROOFTUNE_HOST_ATOMIC_CAS

inline float atomicAdd(float* address, float value) {
  return rooftune_host::atomic_update(address, [value](float old) { return old + value; });
}
inline double atomicAdd(double* address, double value) {
  return rooftune_host::atomic_update(address, [value](double old) { return old + value; });
}
inline unsigned atomicInc(unsigned* address, unsigned limit) {
  return rooftune_host::atomic_update(
      address, [limit](unsigned old) { return old >= limit ? 0U : old + 1; });
}
inline unsigned atomicDec(unsigned* address, unsigned limit) {
  return rooftune_host::atomic_update(
      address, [limit](unsigned old) { return old == 0 || old > limit ? limit : old - 1; });
}

// On the host a block's scope and the system's are the device's.
#define ROOFTUNE_HOST_ATOMIC_SCOPES(name)                   \
  template <class T, class... Values>                       \
  inline auto name##_block(T* address, Values... values) {  \
    return name(address, values...);                        \
  }                                                         \
  template <class T, class... Values>                       \
  inline auto name##_system(T* address, Values... values) { \
    return name(address, values...);                        \
  }
ROOFTUNE_HOST_ATOMIC_SCOPES(atomicAdd)
ROOFTUNE_HOST_ATOMIC_SCOPES(atomicSub)
ROOFTUNE_HOST_ATOMIC_SCOPES(atomicMin)
ROOFTUNE_HOST_ATOMIC_SCOPES(atomicMax)
ROOFTUNE_HOST_ATOMIC_SCOPES(atomicAnd)
ROOFTUNE_HOST_ATOMIC_SCOPES(atomicOr)
ROOFTUNE_HOST_ATOMIC_SCOPES(atomicXor)
ROOFTUNE_HOST_ATOMIC_SCOPES(atomicExch)
ROOFTUNE_HOST_ATOMIC_SCOPES(atomicCAS)
ROOFTUNE_HOST_ATOMIC_SCOPES(atomicInc)
ROOFTUNE_HOST_ATOMIC_SCOPES(atomicDec)
#undef ROOFTUNE_HOST_ATOMIC_SCOPES
