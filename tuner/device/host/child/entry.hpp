// Calls a kernel with the arguments of a job, and tells whether they fit its signature. Included
// by every variant.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

namespace rooftune_host {

/// What the spec says of an argument.
struct SpecArgument {
  bool buffer;
  std::size_t size;  ///< of an element, bytes
  bool real;         ///< float or double
  bool integer;      ///< or boolean; the 16-bit floating types are neither
};

template <class P>
constexpr bool scalar_fits(SpecArgument spec) {
  if constexpr (std::is_arithmetic_v<P> || std::is_enum_v<P>) {
    const bool real = std::is_floating_point_v<P>;
    return sizeof(P) == spec.size && !(real && spec.integer) && !(!real && spec.real);
  } else {
    return !std::is_pointer_v<P> && sizeof(P) == spec.size;
  }
}

template <class E>
constexpr bool element_fits(SpecArgument spec) {
  if constexpr (std::is_void_v<E>) {
    return true;
  } else if constexpr (std::is_arithmetic_v<E> && sizeof(E) > 1) {
    return scalar_fits<E>(spec);
  } else {
    return sizeof(E) == 1 || sizeof(E) % spec.size == 0;  // raw bytes, or vectors of elements
  }
}

template <auto Kernel>
struct Entry;

template <class... P, void (*Kernel)(P...)>
struct Entry<Kernel> {
  static constexpr std::size_t count = sizeof...(P);

  static void call(void** arguments) { call(arguments, std::index_sequence_for<P...>()); }

  /// Whether parameter `I`, if there is one, takes what the spec says.
  template <std::size_t I>
  static constexpr bool accepts(SpecArgument spec) {
    if constexpr (I >= count) {
      return true;
    } else {
      using Parameter = std::remove_cv_t<typename At<I, P...>::type>;
      if constexpr (std::is_pointer_v<Parameter>) {
        return spec.buffer &&
               element_fits<std::remove_cv_t<std::remove_pointer_t<Parameter>>>(spec);
      } else {
        return !spec.buffer && scalar_fits<Parameter>(spec);
      }
    }
  }

 private:
  template <std::size_t I, class First, class... Rest>
  struct At : At<I - 1, Rest...> {};
  template <class First, class... Rest>
  struct At<0, First, Rest...> {
    using type = First;
  };

  template <std::size_t... I>
  static void call([[maybe_unused]] void** arguments, std::index_sequence<I...>) {
    Kernel(*static_cast<std::remove_cv_t<P>*>(arguments[I])...);
  }
};

}  // namespace rooftune_host
