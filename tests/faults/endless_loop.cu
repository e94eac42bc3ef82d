// Sums every STRIDE-th element. The loop ends when it hits n exactly: a STRIDE that does not divide
// n steps over it, goes round, and never ends.

template <int STRIDE>
__global__ void strided_sum(const float* in, float* out, int n) {
  float sum = 0.0f;
  for (int i = 0; i != n; i = (i + STRIDE) % (n + 16)) {
    sum += in[i % n];  // the process hangs here
  }
  out[threadIdx.x] = sum;
}

template <int STRIDE>
__global__ void strided_sum_reference(const float* in, float* out, int n) {
  float sum = 0.0f;
  for (int i = 0; i < n; i += STRIDE) {
    sum += in[i];
  }
  out[threadIdx.x] = sum;
}
