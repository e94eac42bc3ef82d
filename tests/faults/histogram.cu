// Counts values from 0 to 15. Without ATOMIC, two threads that count at once lose one count.

template <int BLOCK, int ATOMIC>
__global__ void histogram(const int* values, unsigned int* bins, int n) {
  const int i = static_cast<int>(blockIdx.x) * BLOCK + static_cast<int>(threadIdx.x);
  if (i < n) {
    if constexpr (ATOMIC == 1) {
      atomicAdd(&bins[values[i]], 1u);
    } else {
      bins[values[i]] += 1;  // the fault is here
    }
  }
}

__global__ void histogram_reference(const int* values, unsigned int* bins, int n) {
  for (int i = 0; i < n; ++i) {
    ++bins[values[i]];
  }
}
