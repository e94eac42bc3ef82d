// A copy of n floats: what every other kernel that moves data is held against.
template <typename T, int N>
struct alignas(sizeof(T) * N) Pack {
  T item[N];
};

template <int BLOCK, int ITEMS, int VECTOR>
__global__ void __launch_bounds__(BLOCK)
    copy(const float* __restrict__ in, float* __restrict__ out, int n) {
  using Floats = Pack<float, VECTOR>;
  const int packs = n / VECTOR;
  const int first = static_cast<int>(blockIdx.x) * BLOCK * ITEMS + static_cast<int>(threadIdx.x);
  Floats items[ITEMS];
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) {
    if (first + i * BLOCK < packs) {
      items[i] = reinterpret_cast<const Floats*>(in)[first + i * BLOCK];
    }
  }
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) {
    if (first + i * BLOCK < packs) {
      reinterpret_cast<Floats*>(out)[first + i * BLOCK] = items[i];
    }
  }
}

__global__ void copy_reference(const float* in, float* out, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) {
    out[i] = in[i];
  }
}
