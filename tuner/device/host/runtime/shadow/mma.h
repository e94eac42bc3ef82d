// nvcuda::wmma: a warp multiplies small matrices. What a tensor core does is done by the last lane
// to arrive, for all of them.
//
// Which element of a matrix a lane holds is not specified by CUDA; here lane i holds the i-th part
// of the matrix in the order in which its fragment lies in memory. Products and sums of half,
// bfloat16 and tf32 are float's; half accumulators are rounded once, at the end.
#pragma once

#include "../prelude.hpp"

namespace nvcuda::wmma {

struct matrix_a;
struct matrix_b;
struct accumulator;
struct row_major;
struct col_major;
enum layout_t { mem_row_major, mem_col_major };

namespace precision {
struct tf32;
}

/// Rounds to the 10 bits of mantissa that tf32 has: to nearest, ties away from zero.
inline float __float_to_tf32(float value) {
  const unsigned bits = __float_as_uint(value);
  const bool finite = (bits & 0x7F800000U) != 0x7F800000U;
  return __uint_as_float(finite ? (bits + 0x1000U) & ~0x1FFFU : bits);
}

namespace detail {

template <class T>
struct Element {
  using Stored = T;
  using Computed = T;
};
template <>
struct Element<__half> {
  using Stored = __half;
  using Computed = float;
};
template <>
struct Element<__nv_bfloat16> {
  using Stored = __nv_bfloat16;
  using Computed = float;
};
template <>
struct Element<precision::tf32> {
  using Stored = float;
  using Computed = float;
};
template <>
struct Element<signed char> {
  using Stored = signed char;
  using Computed = int;
};
template <>
struct Element<unsigned char> {
  using Stored = unsigned char;
  using Computed = int;
};

template <class T, class... Others>
inline constexpr bool is_one_of = (std::is_same_v<T, Others> || ...);

template <class Use, int m, int n, int k, class T>
constexpr bool exists() {
  constexpr bool accumulates = std::is_same_v<Use, accumulator>;
  constexpr bool wide = (m == 16 && n == 16 && k == 16) || (m == 32 && n == 8 && k == 16) ||
                        (m == 8 && n == 32 && k == 16);
  if (accumulates) {
    return (wide && is_one_of<T, __half, float, int>) ||
           (m == 16 && n == 16 && k == 8 && is_one_of<T, float>) ||
           (m == 8 && n == 8 && k == 4 && is_one_of<T, double>);
  }
  return (wide && is_one_of<T, __half, __nv_bfloat16, signed char, unsigned char>) ||
         (m == 16 && n == 16 && k == 8 && is_one_of<T, precision::tf32>) ||
         (m == 8 && n == 8 && k == 4 && is_one_of<T, double>);
}

}  // namespace detail

template <class Use, int m, int n, int k, class T, class Layout = void>
struct fragment {
  static_assert(detail::exists<Use, m, n, k, T>(),
                "a wmma fragment of this shape and type has no counterpart on the host device");
  using element_type = T;
  using storage_element_type = typename detail::Element<T>::Stored;
  static constexpr int rows = std::is_same_v<Use, matrix_b> ? k : m;
  static constexpr int columns = std::is_same_v<Use, matrix_a> ? k : n;
  static constexpr bool is_column_major = std::is_same_v<Layout, col_major>;
  static constexpr int num_elements = rows * columns / 32;
  static constexpr int num_storage_elements = num_elements;

  storage_element_type x[num_elements];
};

namespace detail {

inline constexpr unsigned whole_warp = 0xFFFFFFFFU;
inline constexpr rooftune_host::Collective load_collective{"load_matrix_sync", nullptr, false};
inline constexpr rooftune_host::Collective store_collective{"store_matrix_sync", nullptr, false};

/// Where lanes go together for form alone: each could go on by itself. Checked where faults are
/// looked for.
inline void meet_for_form([[maybe_unused]] const rooftune_host::Collective& collective,
                          [[maybe_unused]] const char* file, [[maybe_unused]] int line) {
#ifdef ROOFTUNE_HOST_CHECKED
  rooftune_host::warp_collective(collective, whole_warp, nullptr, file, line);
#endif
}

#ifdef ROOFTUNE_HOST_COUNT
struct FragmentScope {
  FragmentScope() { rooftune_host::begin_fragment(); }
  ~FragmentScope() { rooftune_host::end_fragment(); }
  FragmentScope(const FragmentScope&) = delete;
  FragmentScope& operator=(const FragmentScope&) = delete;
};
#else
struct FragmentScope {
  FragmentScope() {}
};
#endif

/// Calls visit(element of the fragment, offset in memory) for what the calling lane holds. The
/// fragment lies in the order of its own layout, memory in that of `column_major`.
template <class Fragment, class Visit>
inline void for_each_element(unsigned leading, bool column_major, const Visit& visit) {
  const FragmentScope scope;
  constexpr bool by_columns = Fragment::is_column_major;
  constexpr int run = by_columns ? Fragment::rows : Fragment::columns;
  const int first = static_cast<int>(rooftune_host::lane_index()) * Fragment::num_elements;
  for (int i = 0; i < Fragment::num_elements; ++i) {
    const int outer = (first + i) / run;
    const int inner = (first + i) % run;
    const bool same = column_major == by_columns;
    visit(i, static_cast<std::size_t>(same ? outer : inner) * leading +
                 static_cast<std::size_t>(same ? inner : outer));
  }
}

#ifdef __F16C__
/// Eight halves at a time; g++ does not find it by itself.
inline void widen(const __half* in, float* out, int count) {
  using Halves = short __attribute__((vector_size(16), aligned(2)));
  using Floats = float __attribute__((vector_size(32), aligned(4)));
  for (int i = 0; i < count; i += 8) {
    const auto halves = *reinterpret_cast<const Halves*>(in + i);
    *reinterpret_cast<Floats*>(out + i) = __builtin_ia32_vcvtph2ps256(halves);
  }
}
#endif
template <class In, class Out>
inline void widen(const In* in, Out* out, int count) {
  for (int i = 0; i < count; ++i) {
    out[i] = static_cast<Out>(in[i]);
  }
}
/// Tensor cores look at no more than tf32's bits.
inline void truncate_to_tf32(float* values, int count) {
  for (int i = 0; i < count; ++i) {
    values[i] = __uint_as_float(__float_as_uint(values[i]) & ~0x1FFFU);
  }
}

/// A matrix of all lanes' parts, in the fragment's order.
template <class Fragment>
struct Whole {
  typename Fragment::storage_element_type x[Fragment::rows * Fragment::columns];
};

/// As rows of the type that is computed with.
template <class Fragment, class Computed>
inline void to_rows(const Whole<Fragment>& whole, Computed* out) {
  constexpr int size = Fragment::rows * Fragment::columns;
  if constexpr (Fragment::is_column_major) {
    Computed columns[size];
    widen(whole.x, columns, size);
    for (int row = 0; row < Fragment::rows; ++row) {
      for (int column = 0; column < Fragment::columns; ++column) {
        out[row * Fragment::columns + column] = columns[column * Fragment::rows + row];
      }
    }
  } else {
    widen(whole.x, out, size);
  }
  if constexpr (std::is_same_v<typename Fragment::element_type, precision::tf32>) {
    truncate_to_tf32(out, size);
  }
}

/// sums += a * b, row by row. A row of the result is one vector, which stays in registers.
template <int m, int n, int k, class Computed>
inline void multiply(const Computed* a, const Computed* b, Computed* sums) {
  using Row [[gnu::vector_size(sizeof(Computed) * n), gnu::aligned(sizeof(Computed))]] = Computed;
  for (int i = 0; i < m; ++i) {
    Row sum = *reinterpret_cast<const Row*>(sums + i * n);
    for (int p = 0; p < k; ++p) {
      sum += a[i * k + p] * *reinterpret_cast<const Row*>(b + p * n);
    }
    *reinterpret_cast<Row*>(sums + i * n) = sum;
  }
}

template <class A, class B, class C, class D>
struct MultiplyLane {
  const A* a;
  const B* b;
  const C* c;
  D* d;
  bool whole_warp;
};

template <class A, class B, class C, class D>
ROOFTUNE_HOST_UNINSTRUMENTED void meet_in_multiply(const rooftune_host::Lanes& lanes) {
  using Lane = MultiplyLane<A, B, C, D>;
  using Computed = typename Element<typename A::element_type>::Computed;
  Whole<A> a;
  Whole<B> b;
  Whole<C> c;
  for (unsigned i = 0; i < 32; ++i) {
    if ((lanes.active >> i & 1U) == 0) {
      continue;
    }
    auto& lane = *static_cast<Lane*>(lanes.data[i]);
    lane.whole_warp = lanes.active == whole_warp;
    for (int e = 0; e < A::num_elements; ++e) {
      a.x[i * A::num_elements + e] = lane.a->x[e];
    }
    for (int e = 0; e < B::num_elements; ++e) {
      b.x[i * B::num_elements + e] = lane.b->x[e];
    }
    for (int e = 0; e < C::num_elements; ++e) {
      c.x[i * C::num_elements + e] = lane.c->x[e];
    }
  }
  if (lanes.active != whole_warp) {
    return;
  }
  alignas(64) Computed wide_a[A::rows * A::columns];
  alignas(64) Computed wide_b[B::rows * B::columns];
  alignas(64) Computed sums[C::rows * C::columns];
  to_rows<A>(a, wide_a);
  to_rows<B>(b, wide_b);
  to_rows<C>(c, sums);
  multiply<A::rows, B::columns, A::columns>(wide_a, wide_b, sums);
  Whole<D> d;
  widen(sums, d.x, D::rows * D::columns);
  for (unsigned i = 0; i < 32; ++i) {
    for (int e = 0; e < D::num_elements; ++e) {
      static_cast<Lane*>(lanes.data[i])->d->x[e] = d.x[i * D::num_elements + e];
    }
  }
}

template <class A, class B, class C, class D>
inline constexpr rooftune_host::Collective multiply_collective{
    "mma_sync", &meet_in_multiply<A, B, C, D>, false};

}  // namespace detail

template <class Use, int m, int n, int k, class T, class Layout, class V>
inline void fill_fragment(fragment<Use, m, n, k, T, Layout>& to, const V& value) {
  for (auto& x : to.x) {
    x = static_cast<typename detail::Element<T>::Stored>(value);
  }
}

template <class Use, int m, int n, int k, class T, class Layout, class Memory>
inline void load_matrix_sync(fragment<Use, m, n, k, T, Layout>& to, const Memory* from,
                             unsigned leading, ROOFTUNE_HOST_WHERE) {
  static_assert(!std::is_same_v<Use, accumulator>, "an accumulator is loaded with a layout_t");
  using Fragment = fragment<Use, m, n, k, T, Layout>;
  static_assert(std::is_same_v<Memory, typename Fragment::storage_element_type>,
                "load_matrix_sync: memory and fragment have different element types");
  detail::meet_for_form(detail::load_collective, file, line);
  detail::for_each_element<Fragment>(leading, Fragment::is_column_major,
                                     [&](int i, std::size_t at) { to.x[i] = from[at]; });
}

template <int m, int n, int k, class T>
inline void load_matrix_sync(fragment<accumulator, m, n, k, T>& to, const T* from, unsigned leading,
                             layout_t layout, ROOFTUNE_HOST_WHERE) {
  detail::meet_for_form(detail::load_collective, file, line);
  detail::for_each_element<fragment<accumulator, m, n, k, T>>(
      leading, layout == mem_col_major, [&](int i, std::size_t at) { to.x[i] = from[at]; });
}

template <int m, int n, int k, class T>
inline void store_matrix_sync(T* to, const fragment<accumulator, m, n, k, T>& from,
                              unsigned leading, layout_t layout, ROOFTUNE_HOST_WHERE) {
  detail::meet_for_form(detail::store_collective, file, line);
  detail::for_each_element<fragment<accumulator, m, n, k, T>>(
      leading, layout == mem_col_major, [&](int i, std::size_t at) { to[at] = from.x[i]; });
}

/// d = a * b + c. `saturate`: of integers, which never leave int's range here.
template <int m, int n, int k, class T, class A_layout, class B_layout, class C_type, class D_type>
inline void mma_sync(fragment<accumulator, m, n, k, D_type>& d,
                     const fragment<matrix_a, m, n, k, T, A_layout>& a,
                     const fragment<matrix_b, m, n, k, T, B_layout>& b,
                     const fragment<accumulator, m, n, k, C_type>& c,
                     [[maybe_unused]] bool saturate = false, ROOFTUNE_HOST_WHERE) {
  using A = fragment<matrix_a, m, n, k, T, A_layout>;
  using B = fragment<matrix_b, m, n, k, T, B_layout>;
  using C = fragment<accumulator, m, n, k, C_type>;
  using D = fragment<accumulator, m, n, k, D_type>;
  detail::MultiplyLane<A, B, C, D> lane{&a, &b, &c, &d, true};
  rooftune_host::warp_collective(detail::multiply_collective<A, B, C, D>, detail::whole_warp, &lane,
                                 file, line);
  if (!lane.whole_warp) {
    rooftune_host::assertion_failed("all 32 lanes of the warp take part", "mma_sync", file, line);
  }
}

}  // namespace nvcuda::wmma
