// nvcuda::wmma against a product by definition, for every shape, type and layout.

#include <mma.h>

#include <random>
#include <vector>

#include "run_kernel.hpp"

namespace rooftune_host {
namespace {

using namespace nvcuda;
using ::testing::HasSubstr;

template <class Layout>
std::size_t offset(int row, int column, int leading) {
  return std::is_same_v<Layout, wmma::row_major> ? static_cast<std::size_t>(row) * leading + column
                                                 : static_cast<std::size_t>(column) * leading + row;
}

template <class Stored, class Number>
std::vector<Stored> small_numbers(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<Stored> values(count);
  for (Stored& x : values) {
    // Few bits, so that every product and sum is exact in every type.
    x = static_cast<Stored>(static_cast<Number>(random() % 7));
  }
  return values;
}

template <class T, int m, int n, int k, class Sum, class A_layout, class B_layout>
void expect_product(wmma::layout_t layout) {
  using A = wmma::fragment<wmma::matrix_a, m, n, k, T, A_layout>;
  using B = wmma::fragment<wmma::matrix_b, m, n, k, T, B_layout>;
  using C = wmma::fragment<wmma::accumulator, m, n, k, Sum>;
  using Stored = typename A::storage_element_type;
  using Number = std::conditional_t<std::is_integral_v<Stored>, int, float>;
  constexpr int leading = 40;  // wider than any of the matrices
  const auto a = small_numbers<Stored, Number>(leading * 40, 1);
  const auto b = small_numbers<Stored, Number>(leading * 40, 2);
  std::vector<Sum> c(leading * 40, static_cast<Sum>(Number(3)));
  const auto before = c;
  expect_runs({1, 64}, [&] {
    if (threadIdx.x >= 32) {
      return;  // the second warp has nothing to do
    }
    A fragment_a;
    B fragment_b;
    C sums;
    C product;
    wmma::load_matrix_sync(fragment_a, a.data(), leading);
    wmma::load_matrix_sync(fragment_b, b.data(), leading);
    wmma::load_matrix_sync(sums, c.data(), leading, layout);
    wmma::mma_sync(product, fragment_a, fragment_b, sums);
    for (int i = 0; i < product.num_elements; ++i) {
      product.x[i] = product.x[i] * static_cast<Sum>(Number(2));
    }
    wmma::store_matrix_sync(c.data(), product, leading, layout);
  });
  for (int row = 0; row < m; ++row) {
    for (int column = 0; column < n; ++column) {
      double sum = 3;
      for (int p = 0; p < k; ++p) {
        sum += static_cast<double>(a[offset<A_layout>(row, p, leading)]) *
               static_cast<double>(b[offset<B_layout>(p, column, leading)]);
      }
      const std::size_t at = layout == wmma::mem_row_major
                                 ? offset<wmma::row_major>(row, column, leading)
                                 : offset<wmma::col_major>(row, column, leading);
      ASSERT_EQ(static_cast<double>(c[at]), 2 * sum) << row << ", " << column;
    }
  }
  // Nothing beside the matrix was touched.
  const int rows = layout == wmma::mem_row_major ? m : n;
  const int used = layout == wmma::mem_row_major ? n : m;
  for (int row = 0; row < 40; ++row) {
    for (int i = row < rows ? used : 0; i < leading; ++i) {
      ASSERT_EQ(static_cast<double>(c[row * leading + i]), 3);
    }
  }
}

template <class T, int m, int n, int k, class Sum>
void expect_products() {
  for (const auto layout : {wmma::mem_row_major, wmma::mem_col_major}) {
    expect_product<T, m, n, k, Sum, wmma::row_major, wmma::row_major>(layout);
    expect_product<T, m, n, k, Sum, wmma::row_major, wmma::col_major>(layout);
    expect_product<T, m, n, k, Sum, wmma::col_major, wmma::row_major>(layout);
    expect_product<T, m, n, k, Sum, wmma::col_major, wmma::col_major>(layout);
  }
}

template <class T, class Sum>
void expect_products_of_every_shape() {
  expect_products<T, 16, 16, 16, Sum>();
  expect_products<T, 32, 8, 16, Sum>();
  expect_products<T, 8, 32, 16, Sum>();
}

TEST(Wmma, MultipliesHalf) {
  expect_products_of_every_shape<__half, float>();
  expect_products_of_every_shape<__half, __half>();
}
TEST(Wmma, MultipliesBfloat16) {
  expect_products_of_every_shape<__nv_bfloat16, float>();
}
TEST(Wmma, MultipliesIntegers) {
  expect_products_of_every_shape<signed char, int>();
  expect_products_of_every_shape<unsigned char, int>();
}
TEST(Wmma, MultipliesTf32) {
  expect_products<wmma::precision::tf32, 16, 16, 8, float>();
}
TEST(Wmma, MultipliesDouble) {
  expect_products<double, 8, 8, 4, double>();
}

TEST(Wmma, SeesNoMoreThanTf32Has) {
  expect_runs({1, 32}, [&] {
    wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::row_major> b;
    wmma::fragment<wmma::accumulator, 16, 16, 8, float> c;
    const float fine = 1 + 0x1p-10F + 0x1p-11F;  // the last bit is beyond tf32
    wmma::fill_fragment(a, fine);
    wmma::fill_fragment(b, 1.0F);
    wmma::fill_fragment(c, 0.0F);
    wmma::mma_sync(c, a, b, c);
    EXPECT_EQ(c.x[0], 8 * (1 + 0x1p-10F));
    EXPECT_EQ(wmma::__float_to_tf32(fine), 1 + 0x1p-9F);  // a tie, away from zero
    EXPECT_EQ(wmma::__float_to_tf32(-fine), -1 - 0x1p-9F);
    EXPECT_TRUE(std::isinf(wmma::__float_to_tf32(INFINITY)));
  });
}

TEST(Wmma, NeedsTheWholeWarp) {
  const LaunchReport report = run_kernel({1, 24}, [] {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> b;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
    wmma::fill_fragment(a, 1.0F);
    wmma::fill_fragment(b, 1.0F);
    wmma::fill_fragment(c, 0.0F);
#line 70 "partial.cu"
    wmma::mma_sync(c, a, b, c);
  });
  ASSERT_TRUE(report.error);
  EXPECT_THAT(report.error->message,
              HasSubstr("partial.cu:70: mma_sync: all 32 lanes of the warp take part"));
}

}  // namespace
}  // namespace rooftune_host
