// Sums a block's elements in a tree. With INSIDE, the barrier stands where only some threads come.

template <int BLOCK, int INSIDE>
__global__ void block_sum(const float* in, float* out) {
  __shared__ float sums[BLOCK];
  const int thread = static_cast<int>(threadIdx.x);
  sums[thread] = in[static_cast<int>(blockIdx.x) * BLOCK + thread];
  __syncthreads();
  for (int half = BLOCK / 2; half > 0; half /= 2) {
    if (thread < half) {
      sums[thread] += sums[thread + half];
      if constexpr (INSIDE == 1) {
        __syncthreads();  // the fault is here
      }
    }
    if constexpr (INSIDE == 0) {
      __syncthreads();
    }
  }
  if (thread == 0) {
    out[blockIdx.x] = sums[0];
  }
}

template <int BLOCK>
__global__ void block_sum_reference(const float* in, float* out) {
  float sum = 0.0f;
  for (int i = 0; i < BLOCK; ++i) {
    sum += in[static_cast<int>(blockIdx.x) * BLOCK + i];
  }
  out[blockIdx.x] = sum;
}
