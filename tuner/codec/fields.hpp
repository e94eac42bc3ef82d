// For the source files that describe a stage's types to the codec: each writes
// `template <class A, Is<Type> T> void members(A& archive, T& it)` once, for both directions.
#pragma once

#include <concepts>

#include "tuner/codec/codec.hpp"

namespace rooftune::codec {

template <class T, class U>
concept Is = std::same_as<std::remove_const_t<T>, U>;

#define ROOFTUNE_FIELDS(Type)                    \
  void fields(Writer& archive, const Type& it) { \
    members(archive, it);                        \
  }                                              \
  void fields(Reader& archive, Type& it) {       \
    members(archive, it);                        \
  }

}  // namespace rooftune::codec
