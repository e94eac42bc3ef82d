// C = A * B on tensor cores: half in, float sums and results; row-major, A is M x K, B is K x N.
//
// A block computes a BM x BN tile of C in steps of BK along K, through STAGES tiles of A and B in
// shared memory that asynchronous copies fill ahead. Each warp keeps a WM x WN part of the tile in
// fragments of 16 x 16.

#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <mma.h>

/// Launch with (BM / WM) * (BN / WN) warps in x, ceil(N / BN) x ceil(M / BM) blocks, and the
/// dynamic shared memory of the tiles. M, N and K must be multiples of BM, BN and BK: fragments
/// have no edges. PADDING (a multiple of 8 halves, to keep 16-byte copies aligned) shifts the rows
/// of the tiles over the banks.
template <int BM, int BN, int BK, int WM, int WN, int STAGES, int PADDING>
__global__ void __launch_bounds__((BM / WM) * (BN / WN) * 32)
    wmma_gemm(const half* __restrict__ A, const half* __restrict__ B, float* __restrict__ C, int M,
              int N, int K) {
  namespace wmma = nvcuda::wmma;
  constexpr int WARP_COLUMNS = BN / WN;
  constexpr int THREADS = (BM / WM) * WARP_COLUMNS * 32;
  constexpr int COPY = 8;  // halves in a copy of 16 bytes
  constexpr int A_COPIES = BM * BK / (COPY * THREADS);
  constexpr int B_COPIES = BK * BN / (COPY * THREADS);
  constexpr int A_STRIDE = BK + PADDING;
  constexpr int B_STRIDE = BN + PADDING;
  constexpr int STAGE = BM * A_STRIDE + BK * B_STRIDE;  // halves in a stage: A's tile, then B's
  static_assert(BM % WM == 0 && BN % WN == 0 && WM % 16 == 0 && WN % 16 == 0 && BK % 16 == 0,
                "tiles of whole fragments");
  static_assert(A_COPIES * COPY * THREADS == BM * BK && B_COPIES * COPY * THREADS == BK * BN,
                "threads must cover the tiles evenly");
  static_assert(PADDING % 8 == 0, "rows must stay 16-byte aligned");
  extern __shared__ __align__(128) unsigned char shared_bytes[];
  half* tiles = reinterpret_cast<half*>(shared_bytes);

  const int thread = static_cast<int>(threadIdx.x);
  const int warp_row = thread / 32 / WARP_COLUMNS * WM;
  const int warp_column = thread / 32 % WARP_COLUMNS * WN;
  const size_t first_row = static_cast<size_t>(blockIdx.y) * BM;
  const size_t first_column = static_cast<size_t>(blockIdx.x) * BN;

  // Starts the copies of one step's tiles. Every call commits a batch, so that the wait below may
  // count batches; past the end of K the batch is empty.
  const auto fetch = [&](int step) {
    if (step * BK < K) {
      half* a_tile = tiles + step % STAGES * STAGE;
      half* b_tile = a_tile + BM * A_STRIDE;
#pragma unroll
      for (int i = 0; i < A_COPIES; ++i) {
        const int row = (thread + i * THREADS) / (BK / COPY);
        const int k = (thread + i * THREADS) % (BK / COPY) * COPY;
        __pipeline_memcpy_async(a_tile + row * A_STRIDE + k,
                                A + (first_row + row) * K + step * BK + k, 16);
      }
#pragma unroll
      for (int i = 0; i < B_COPIES; ++i) {
        const int k = (thread + i * THREADS) / (BN / COPY);
        const int column = (thread + i * THREADS) % (BN / COPY) * COPY;
        __pipeline_memcpy_async(b_tile + k * B_STRIDE + column,
                                B + static_cast<size_t>(step * BK + k) * N + first_column + column,
                                16);
      }
    }
    __pipeline_commit();
  };

  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum[WM / 16][WN / 16];
#pragma unroll
  for (int i = 0; i < WM / 16; ++i) {
#pragma unroll
    for (int j = 0; j < WN / 16; ++j) {
      wmma::fill_fragment(sum[i][j], 0.0f);
    }
  }

#pragma unroll
  for (int step = 0; step < STAGES - 1; ++step) {
    fetch(step);
  }
  for (int step = 0; step * BK < K; ++step) {
    // This step's tiles have arrived for this thread, then for all; those of later steps may not
    // have. All are done with the step before, whose buffers the next copies fill.
    __pipeline_wait_prior(STAGES - 2);
    __syncthreads();
    fetch(step + STAGES - 1);

    const half* a_tile = tiles + step % STAGES * STAGE;
    const half* b_tile = a_tile + BM * A_STRIDE;
#pragma unroll
    for (int k = 0; k < BK; k += 16) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a[WM / 16];
      wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> b[WN / 16];
#pragma unroll
      for (int i = 0; i < WM / 16; ++i) {
        wmma::load_matrix_sync(a[i], a_tile + (warp_row + i * 16) * A_STRIDE + k, A_STRIDE);
      }
#pragma unroll
      for (int j = 0; j < WN / 16; ++j) {
        wmma::load_matrix_sync(b[j], b_tile + k * B_STRIDE + warp_column + j * 16, B_STRIDE);
      }
#pragma unroll
      for (int i = 0; i < WM / 16; ++i) {
#pragma unroll
        for (int j = 0; j < WN / 16; ++j) {
          wmma::mma_sync(sum[i][j], a[i], b[j], sum[i][j]);
        }
      }
    }
  }

#pragma unroll
  for (int i = 0; i < WM / 16; ++i) {
#pragma unroll
    for (int j = 0; j < WN / 16; ++j) {
      float* corner = C + (first_row + warp_row + i * 16) * N + first_column + warp_column + j * 16;
      wmma::store_matrix_sync(corner, sum[i][j], N, wmma::mem_row_major);
    }
  }
}

__global__ void wmma_gemm_reference(const half* A, const half* B, float* C, int M, int N, int K) {
  const int column = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int row = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (row < M && column < N) {
    float sum = 0.0f;
    for (int k = 0; k < K; ++k) {
      sum += __half2float(A[static_cast<size_t>(row) * K + k]) *
             __half2float(B[static_cast<size_t>(k) * N + column]);
    }
    C[static_cast<size_t>(row) * N + column] = sum;
  }
}
