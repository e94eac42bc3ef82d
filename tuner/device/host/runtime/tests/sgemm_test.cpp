// A whole kernel, as the rewriter makes it: the tiled product that rooftune's own template is
// about.

#include <random>
#include <vector>

#include "run_kernel.hpp"

namespace rooftune_host {
namespace {

template <int BM, int BN, int BK, int TM, int TN>
void sgemm(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int n,
           int k) {
  auto& as = shared_array<float[BK][BM]>(0, "as", __FILE__, __LINE__);
  auto& bs = shared_array<float[BK][BN]>(1, "bs", __FILE__, __LINE__);
  constexpr int threads = (BM / TM) * (BN / TN);
  const int row = static_cast<int>(threadIdx.x) / (BN / TN) * TM;
  const int column = static_cast<int>(threadIdx.x) % (BN / TN) * TN;
  const int block_row = static_cast<int>(blockIdx.y) * BM;
  const int block_column = static_cast<int>(blockIdx.x) * BN;
  float sums[TM][TN] = {};
  for (int base = 0; base < k; base += BK) {
    for (int i = static_cast<int>(threadIdx.x); i < BM * BK; i += threads) {
      as[i % BK][i / BK] = a[(block_row + i / BK) * k + base + i % BK];
    }
    for (int i = static_cast<int>(threadIdx.x); i < BK * BN; i += threads) {
      bs[i / BN][i % BN] = b[(base + i / BN) * n + block_column + i % BN];
    }
    __syncthreads();
    for (int p = 0; p < BK; ++p) {
      for (int i = 0; i < TM; ++i) {
        for (int j = 0; j < TN; ++j) {
          sums[i][j] += as[p][row + i] * bs[p][column + j];
        }
      }
    }
    __syncthreads();
  }
  for (int i = 0; i < TM; ++i) {
    for (int j = 0; j < TN; ++j) {
      c[(block_row + row + i) * n + block_column + column + j] = sums[i][j];
    }
  }
}

TEST(Sgemm, With256ThreadsIsRight) {
  constexpr int m = 128;
  constexpr int n = 192;
  constexpr int k = 96;
  std::mt19937 random(1);
  std::uniform_real_distribution<float> uniform(-1, 1);
  std::vector<float> a(m * k);
  std::vector<float> b(k * n);
  std::vector<float> c(m * n, NAN);
  for (auto* matrix : {&a, &b}) {
    for (float& x : *matrix) {
      x = uniform(random);
    }
  }
  for (bool checks : {false, true}) {
    LaunchOptions options;
    options.checks = checks;
    expect_runs(
        {dim3(n / 64, m / 64), 256},
        [&] { sgemm<64, 64, 8, 4, 4>(a.data(), b.data(), c.data(), n, k); }, options);
    for (int i = 0; i < m; ++i) {
      for (int j = 0; j < n; ++j) {
        double sum = 0;
        for (int p = 0; p < k; ++p) {
          sum += static_cast<double>(a[i * k + p]) * b[p * n + j];
        }
        ASSERT_NEAR(c[i * n + j], sum, 1e-4) << i << ", " << j;
      }
    }
  }
}

}  // namespace
}  // namespace rooftune_host
