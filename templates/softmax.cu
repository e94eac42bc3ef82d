// Softmax of each row of a rows x columns matrix of floats. Bound by DRAM when the row stays on the
// chip between its passes; rows too long for registers are read twice, the second time from a cache
// at best.

/// `N` items that move in one access of sizeof(T) * N bytes.
template <typename T, int N>
struct alignas(sizeof(T) * N) Pack {
  T item[N];
};

enum class Hold {
  registers,  // a row is read once and stays in its threads' registers
  memory,     // a row is read twice: maximum and sum in one pass, the results in another
};

/// The largest value of a part of a row, and the sum of exp(value - largest) over it.
struct Partial {
  float largest;
  float sum;
};

// Not infinity: the difference of two infinities is not a number.
constexpr float LOWEST = -3.402823466e38f;

__device__ inline Partial merged(Partial a, Partial b) {
  const float largest = fmaxf(a.largest, b.largest);
  return {largest, a.sum * __expf(a.largest - largest) + b.sum * __expf(b.largest - largest)};
}

/// Merges over the THREADS threads of a row; all of them get the result. Every thread of the block
/// must call it. `scratch` holds THREADS / 32 items for this row.
template <int THREADS>
__device__ inline Partial merged_over_row(Partial mine, Partial* scratch) {
#pragma unroll
  for (int offset = 16; offset > 0; offset /= 2) {
    const Partial other = {__shfl_xor_sync(0xffffffffu, mine.largest, offset),
                           __shfl_xor_sync(0xffffffffu, mine.sum, offset)};
    mine = merged(mine, other);
  }
  if constexpr (THREADS > 32) {
    const int thread = static_cast<int>(threadIdx.x);
    if (thread % 32 == 0) {
      scratch[thread / 32] = mine;
    }
    __syncthreads();
    mine = scratch[0];
#pragma unroll
    for (int warp = 1; warp < THREADS / 32; ++warp) {
      mine = merged(mine, scratch[warp]);
    }
  }
  return mine;
}

/// A block of THREADS x ROWS threads computes ROWS rows. PACKS is ceil(columns / (THREADS *
/// VECTOR)): the packs of a row that a thread takes. columns must be a multiple of VECTOR.
template <int THREADS, int ROWS, int VECTOR, int PACKS, Hold HOLD>
__global__ void __launch_bounds__((THREADS) * (ROWS))
    softmax(const float* __restrict__ in, float* __restrict__ out, int rows, int columns) {
  static_assert(THREADS % 32 == 0, "a row takes whole warps");
  using Floats = Pack<float, VECTOR>;
  __shared__ Partial scratch[ROWS][THREADS / 32];

  const int row = static_cast<int>(blockIdx.x) * ROWS + static_cast<int>(threadIdx.y);
  const bool in_range = row < rows;  // no early return: the barriers are for the whole block
  const int packs = in_range ? columns / VECTOR : 0;
  const size_t start = in_range ? static_cast<size_t>(row) * columns : 0;
  const Floats* in_packs = reinterpret_cast<const Floats*>(in + start);
  Floats* out_packs = reinterpret_cast<Floats*>(out + start);
  const int first = static_cast<int>(threadIdx.x);

  Partial mine = {LOWEST, 0.0f};
  if constexpr (HOLD == Hold::registers) {
    Floats held[PACKS];
#pragma unroll
    for (int i = 0; i < PACKS; ++i) {
      const int pack = first + i * THREADS;
      if (pack < packs) {
        held[i] = in_packs[pack];
#pragma unroll
        for (int v = 0; v < VECTOR; ++v) {
          mine.largest = fmaxf(mine.largest, held[i].item[v]);
        }
      }
    }
#pragma unroll
    for (int i = 0; i < PACKS; ++i) {
      if (first + i * THREADS < packs) {
#pragma unroll
        for (int v = 0; v < VECTOR; ++v) {
          held[i].item[v] = __expf(held[i].item[v] - mine.largest);
          mine.sum += held[i].item[v];
        }
      }
    }
    const Partial all = merged_over_row<THREADS>(mine, scratch[threadIdx.y]);
    const float scale = __expf(mine.largest - all.largest) / all.sum;
#pragma unroll
    for (int i = 0; i < PACKS; ++i) {
      const int pack = first + i * THREADS;
      if (pack < packs) {
#pragma unroll
        for (int v = 0; v < VECTOR; ++v) {
          held[i].item[v] *= scale;
        }
        out_packs[pack] = held[i];
      }
    }
  } else {
    for (int pack = first; pack < packs; pack += THREADS) {
      const Floats value = in_packs[pack];
      float largest = mine.largest;
#pragma unroll
      for (int v = 0; v < VECTOR; ++v) {
        largest = fmaxf(largest, value.item[v]);
      }
      mine.sum *= __expf(mine.largest - largest);
      mine.largest = largest;
#pragma unroll
      for (int v = 0; v < VECTOR; ++v) {
        mine.sum += __expf(value.item[v] - largest);
      }
    }
    const Partial all = merged_over_row<THREADS>(mine, scratch[threadIdx.y]);
    const float scale = 1.0f / all.sum;
    for (int pack = first; pack < packs; pack += THREADS) {
      Floats value = in_packs[pack];
#pragma unroll
      for (int v = 0; v < VECTOR; ++v) {
        value.item[v] = __expf(value.item[v] - all.largest) * scale;
      }
      out_packs[pack] = value;
    }
  }
}

/// A thread a row.
__global__ void softmax_reference(const float* in, float* out, int rows, int columns) {
  const int row = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (row >= rows) {
    return;
  }
  const float* values = in + static_cast<size_t>(row) * columns;
  float* results = out + static_cast<size_t>(row) * columns;
  float largest = values[0];
  for (int column = 1; column < columns; ++column) {
    largest = fmaxf(largest, values[column]);
  }
  float sum = 0.0f;
  for (int column = 0; column < columns; ++column) {
    sum += expf(values[column] - largest);
  }
  for (int column = 0; column < columns; ++column) {
    results[column] = expf(values[column] - largest) / sum;
  }
}
