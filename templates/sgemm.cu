// C = A * B in single precision: row-major, A is M x K, B is K x N, C is M x N. A and B are held as
// T (float, or half at half the bytes); products and sums are float.
//
// A block computes a BM x BN tile of C in steps of BK along K. The tiles of A and B are staged in
// shared memory as floats, A transposed, so that a step along k reads rows of both. Each thread
// keeps TM x TN sums in registers: TM + TN loads from shared memory feed TM * TN multiply-adds.

#include <cuda_fp16.h>

/// `N` items that move in one access of sizeof(T) * N bytes.
template <typename T, int N>
struct alignas(sizeof(T) * N) Pack {
  T item[N];
};

/// Launch with (BM / TM) * (BN / TN) threads in x, and ceil(N / BN) x ceil(M / BM) blocks. Global
/// memory is read in packs of VECTOR items, so K and N must be multiples of VECTOR; other sizes
/// are free: what lies beyond the edges counts as zero.
/// UNROLL: steps along k that are unrolled. STAGES: 2 stores the next tiles into a second pair of
/// buffers, which saves a barrier a step. MIN_BLOCKS: blocks wanted on a multiprocessor, at most
/// 65536 / MIN_BLOCKS registers a block.
template <int BM, int BN, int BK, int TM, int TN, int VECTOR, int UNROLL, int STAGES,
          int MIN_BLOCKS, typename T>
__global__ void __launch_bounds__((BM / TM) * (BN / TN), MIN_BLOCKS)
    sgemm(const T* __restrict__ A, const T* __restrict__ B, float* __restrict__ C, int M, int N,
          int K) {
  constexpr int COLUMNS = BN / TN;  // of threads
  constexpr int ROWS = BM / TM;
  constexpr int THREADS = ROWS * COLUMNS;
  constexpr int A_PACKS = BM * BK / (VECTOR * THREADS);  // that a thread brings in a step
  constexpr int B_PACKS = BK * BN / (VECTOR * THREADS);
  // A thread's rows and columns lie in chunks of up to 4, which neighbouring threads take in turn:
  // the accesses are 16 bytes wide and free of bank conflicts.
  constexpr int ROW_CHUNK = TM < 4 ? TM : 4;
  constexpr int COLUMN_CHUNK = TN < 4 ? TN : 4;
  constexpr int STORE = COLUMN_CHUNK < VECTOR ? COLUMN_CHUNK : VECTOR;
  // Spreads the transposed stores of A over the banks, and keeps rows 16 bytes aligned.
  constexpr int PADDING = 4;
  static_assert(BM % TM == 0 && BN % TN == 0 && BK % VECTOR == 0 && BN % VECTOR == 0, "tiles");
  static_assert(A_PACKS * VECTOR * THREADS == BM * BK, "threads must cover the tile of A evenly");
  static_assert(B_PACKS * VECTOR * THREADS == BK * BN, "threads must cover the tile of B evenly");
  static_assert(TM % ROW_CHUNK == 0 && TN % COLUMN_CHUNK == 0, "chunks");
  static_assert(STAGES == 1 || STAGES == 2, "one pair of buffers, or two");
  using Items = Pack<T, VECTOR>;

  __shared__ __align__(16) float a_tile[STAGES][BK][BM + PADDING];
  __shared__ __align__(16) float b_tile[STAGES][BK][BN];

  const int thread = static_cast<int>(threadIdx.x);
  const int thread_row = thread / COLUMNS;
  const int thread_column = thread % COLUMNS;
  const int first_row = static_cast<int>(blockIdx.y) * BM;
  const int first_column = static_cast<int>(blockIdx.x) * BN;

  Items a_next[A_PACKS], b_next[B_PACKS];  // on their way from global to shared memory
  const auto fetch = [&](int first_k) {
#pragma unroll
    for (int i = 0; i < A_PACKS; ++i) {
      const int pack = thread + i * THREADS;
      const int row = first_row + pack / (BK / VECTOR);
      const int k = first_k + pack % (BK / VECTOR) * VECTOR;
      a_next[i] = Items{};
      if (row < M && k < K) {
        a_next[i] = *reinterpret_cast<const Items*>(A + static_cast<size_t>(row) * K + k);
      }
    }
#pragma unroll
    for (int i = 0; i < B_PACKS; ++i) {
      const int pack = thread + i * THREADS;
      const int k = first_k + pack / (BN / VECTOR);
      const int column = first_column + pack % (BN / VECTOR) * VECTOR;
      b_next[i] = Items{};
      if (k < K && column < N) {
        b_next[i] = *reinterpret_cast<const Items*>(B + static_cast<size_t>(k) * N + column);
      }
    }
  };
  const auto stage = [&](int buffer) {
#pragma unroll
    for (int i = 0; i < A_PACKS; ++i) {
      const int pack = thread + i * THREADS;
#pragma unroll
      for (int v = 0; v < VECTOR; ++v) {
        a_tile[buffer][pack % (BK / VECTOR) * VECTOR + v][pack / (BK / VECTOR)] =
            static_cast<float>(a_next[i].item[v]);
      }
    }
#pragma unroll
    for (int i = 0; i < B_PACKS; ++i) {
      const int pack = thread + i * THREADS;
      Pack<float, VECTOR> items;
#pragma unroll
      for (int v = 0; v < VECTOR; ++v) {
        items.item[v] = static_cast<float>(b_next[i].item[v]);
      }
      *reinterpret_cast<Pack<float, VECTOR>*>(
          &b_tile[buffer][pack / (BN / VECTOR)][pack % (BN / VECTOR) * VECTOR]) = items;
    }
  };

  float sum[TM][TN] = {};
  const auto multiply = [&](int buffer) {
#pragma unroll UNROLL
    for (int k = 0; k < BK; ++k) {
      Pack<float, ROW_CHUNK> a[TM / ROW_CHUNK];
      Pack<float, COLUMN_CHUNK> b[TN / COLUMN_CHUNK];
#pragma unroll
      for (int i = 0; i < TM / ROW_CHUNK; ++i) {
        a[i] = *reinterpret_cast<const Pack<float, ROW_CHUNK>*>(
            &a_tile[buffer][k][(i * ROWS + thread_row) * ROW_CHUNK]);
      }
#pragma unroll
      for (int j = 0; j < TN / COLUMN_CHUNK; ++j) {
        b[j] = *reinterpret_cast<const Pack<float, COLUMN_CHUNK>*>(
            &b_tile[buffer][k][(j * COLUMNS + thread_column) * COLUMN_CHUNK]);
      }
#pragma unroll
      for (int i = 0; i < TM; ++i) {
#pragma unroll
        for (int j = 0; j < TN; ++j) {
          sum[i][j] +=
              a[i / ROW_CHUNK].item[i % ROW_CHUNK] * b[j / COLUMN_CHUNK].item[j % COLUMN_CHUNK];
        }
      }
    }
  };

  fetch(0);
  stage(0);
  __syncthreads();
  int buffer = 0;
  for (int first_k = 0; first_k < K; first_k += BK) {
    const bool more = first_k + BK < K;
    if (more) {
      fetch(first_k + BK);  // in flight during the multiplication
    }
    multiply(buffer);
    if constexpr (STAGES == 1) {
      __syncthreads();  // all have read the tiles before they are overwritten
    } else {
      buffer ^= 1;
    }
    if (more) {
      stage(buffer);
    }
    __syncthreads();
  }

#pragma unroll
  for (int i = 0; i < TM; ++i) {
    const int row = first_row + (i / ROW_CHUNK * ROWS + thread_row) * ROW_CHUNK + i % ROW_CHUNK;
#pragma unroll
    for (int j = 0; j < TN; j += STORE) {
      const int column = first_column +
                         (j / COLUMN_CHUNK * COLUMNS + thread_column) * COLUMN_CHUNK +
                         j % COLUMN_CHUNK;
      if (row < M && column < N) {
        Pack<float, STORE> items;
#pragma unroll
        for (int v = 0; v < STORE; ++v) {
          items.item[v] = sum[i][j + v];
        }
        *reinterpret_cast<Pack<float, STORE>*>(C + static_cast<size_t>(row) * N + column) = items;
      }
    }
  }
}

template <typename T>
__global__ void sgemm_reference(const T* A, const T* B, float* C, int M, int N, int K) {
  const int column = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int row = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (row < M && column < N) {
    float sum = 0.0f;
    for (int k = 0; k < K; ++k) {
      sum += static_cast<float>(A[static_cast<size_t>(row) * K + k]) *
             static_cast<float>(B[static_cast<size_t>(k) * N + column]);
    }
    C[static_cast<size_t>(row) * N + column] = sum;
  }
}
