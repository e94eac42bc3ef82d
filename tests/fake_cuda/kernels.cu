// What the tests tune on the double of the driver. NVRTC really compiles it; the double runs its
// own counterparts of the kernels on the host (kernels.cpp).

template <int BLOCK>
__global__ void scale(const float* in, float* out, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) {
    out[i] = 2 * in[i];
  }
}

__global__ void scale_reference(const float* in, float* out, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    out[i] = 2 * in[i];
  }
}

/// In place: run twice on the same data, it is wrong.
template <int BLOCK>
__global__ void accumulate(const float* in, float* data, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) {
    data[i] += in[i];
  }
}

__global__ void accumulate_reference(const float* in, float* data, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    data[i] += in[i];
  }
}
