// Sum of n floats. Bound by DRAM when it is done well; what stands in the way is too few bytes in
// flight, the tree inside a block, and what the blocks do with their partial sums.

/// `N` items that move in one access of sizeof(T) * N bytes.
template <typename T, int N>
struct alignas(sizeof(T) * N) Pack {
  T item[N];
};

enum class Combine {
  shuffle,      // warps reduce in registers, one value a warp goes through shared memory
  shared_tree,  // the whole block halves an array in shared memory
};
enum class Finish {
  atomic,      // every block adds its sum to the result
  last_block,  // every block stores its sum, and the block that comes last adds them up
};

/// Sum over the 32 lanes of a warp; lane 0 gets it.
__device__ inline float warp_sum(float value) {
#pragma unroll
  for (int offset = 16; offset > 0; offset /= 2) {
    value += __shfl_down_sync(0xffffffffu, value, offset);
  }
  return value;
}

/// Sum over the block; thread 0 gets it. `scratch` holds BLOCK floats, and is free afterwards only
/// past another barrier.
template <int BLOCK, Combine COMBINE>
__device__ inline float block_sum(float value, float* scratch) {
  const int thread = static_cast<int>(threadIdx.x);
  if constexpr (COMBINE == Combine::shuffle) {
    value = warp_sum(value);
    if (thread % 32 == 0) {
      scratch[thread / 32] = value;
    }
    __syncthreads();
    if (thread < 32) {
      value = warp_sum(thread < BLOCK / 32 ? scratch[thread] : 0.0f);
    }
    return value;
  } else {
    scratch[thread] = value;
    __syncthreads();
#pragma unroll
    for (int half = BLOCK / 2; half > 0; half /= 2) {
      if (thread < half) {
        scratch[thread] += scratch[thread + half];
      }
      __syncthreads();
    }
    return scratch[0];
  }
}

/// A block sums BLOCK * ITEMS packs of VECTOR floats. n must be a multiple of VECTOR. `result` and
/// `arrived` must be zero before the launch, `arrived` is zero again after it; `partial` is
/// scratch, a float for each block.
template <int BLOCK, int ITEMS, int VECTOR, Combine COMBINE, Finish FINISH>
__global__ void __launch_bounds__(BLOCK)
    reduction(const float* __restrict__ in, float* __restrict__ result, float* __restrict__ partial,
              unsigned int* __restrict__ arrived, int n) {
  static_assert(BLOCK % 32 == 0, "whole warps");
  using Floats = Pack<float, VECTOR>;
  __shared__ float scratch[BLOCK];

  const int thread = static_cast<int>(threadIdx.x);
  const int packs = n / VECTOR;
  const int first = static_cast<int>(blockIdx.x) * BLOCK * ITEMS + thread;
  const Floats* in_packs = reinterpret_cast<const Floats*>(in);

  float sum[VECTOR] = {};  // independent chains
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) {
    const int pack = first + i * BLOCK;
    if (pack < packs) {
      const Floats value = in_packs[pack];
#pragma unroll
      for (int v = 0; v < VECTOR; ++v) {
        sum[v] += value.item[v];
      }
    }
  }
#pragma unroll
  for (int v = 1; v < VECTOR; ++v) {
    sum[0] += sum[v];
  }

  const float total = block_sum<BLOCK, COMBINE>(sum[0], scratch);
  if constexpr (FINISH == Finish::atomic) {
    if (thread == 0) {
      atomicAdd(result, total);
    }
  } else {
    __shared__ bool is_last;
    if (thread == 0) {
      partial[blockIdx.x] = total;
      __threadfence();  // the sum is visible before its arrival is
      is_last = atomicAdd(arrived, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (is_last) {  // the same in the whole block
      __threadfence();
      float rest = 0.0f;
      const volatile float* sums = partial;  // written by other blocks
      for (int block = thread; block < static_cast<int>(gridDim.x); block += BLOCK) {
        rest += sums[block];
      }
      rest = block_sum<BLOCK, COMBINE>(rest, scratch);
      if (thread == 0) {
        *result = rest;
        *arrived = 0;  // ready for the next launch
      }
    }
  }
}

/// One block, in double precision.
__global__ void reduction_reference(const float* in, float* result, float*, unsigned int*, int n) {
  __shared__ double sums[256];
  double sum = 0.0;
  for (int i = static_cast<int>(threadIdx.x); i < n; i += 256) {
    sum += in[i];
  }
  sums[threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    double total = 0.0;
    for (int i = 0; i < 256; ++i) {
      total += sums[i];
    }
    *result = static_cast<float>(total);
  }
}
