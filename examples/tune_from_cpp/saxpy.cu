// y += a * x, VECTOR neighbours at a time, each thread ITEMS times.
template <int BLOCK, int VECTOR, int ITEMS>
__global__ void __launch_bounds__(BLOCK) saxpy(const float* x, float* y, float a, int n) {
  const int first = (blockIdx.x * BLOCK * ITEMS + threadIdx.x) * VECTOR;
#pragma unroll
  for (int item = 0; item < ITEMS; ++item) {
#pragma unroll
    for (int lane = 0; lane < VECTOR; ++lane) {
      const int i = first + item * BLOCK * VECTOR + lane;
      if (i < n) {
        y[i] += a * x[i];
      }
    }
  }
}

__global__ void saxpy_reference(const float* x, float* y, float a, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    y[i] += a * x[i];
  }
}
