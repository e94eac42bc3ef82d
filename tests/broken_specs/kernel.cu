// The kernel of the broken specs.
template <int BLOCK, typename T>
__global__ void scale(const T* in, T* out, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) {
    out[i] = in[i] * T(2);
  }
}

__global__ void scale_reference(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    out[i] = in[i] * 2;
  }
}
