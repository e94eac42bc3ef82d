// Adds each element's right neighbour. Without GUARD the last thread reads past the end of `in`.

template <int BLOCK, int GUARD>
__global__ void add_neighbour(const float* in, float* out, int n) {
  const int i = static_cast<int>(blockIdx.x) * BLOCK + static_cast<int>(threadIdx.x);
  if (i < n) {
    float sum = in[i];
    if (GUARD == 0 || i + 1 < n) {
      sum += in[i + 1];  // the fault is here
    }
    out[i] = sum;
  }
}

__global__ void add_neighbour_reference(const float* in, float* out, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) {
    out[i] = in[i] + (i + 1 < n ? in[i + 1] : 0.0f);
  }
}
