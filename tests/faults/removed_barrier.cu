// Reverses each block's elements through shared memory. Without BARRIER a thread reads what another
// may not have written yet.

template <int BLOCK, int BARRIER>
__global__ void reverse_blocks(const float* in, float* out, int n) {
  __shared__ float tile[BLOCK];
  const int thread = static_cast<int>(threadIdx.x);
  const int first = static_cast<int>(blockIdx.x) * BLOCK;
  tile[thread] = in[first + thread];
  if constexpr (BARRIER == 1) {
    __syncthreads();
  }
  out[first + thread] = tile[BLOCK - 1 - thread];  // the fault shows here
}

template <int BLOCK>
__global__ void reverse_blocks_reference(const float* in, float* out, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) {
    out[i] = in[i / BLOCK * BLOCK + BLOCK - 1 - i % BLOCK];
  }
}
