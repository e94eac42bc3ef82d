// STREAM triad: a[i] = b[i] + scale * c[i]. Bound by DRAM on every device: what there is to tune is
// how many bytes a thread keeps in flight and in which order a block walks through memory.

/// `N` items that move in one access of sizeof(T) * N bytes.
template <typename T, int N>
struct alignas(sizeof(T) * N) Pack {
  T item[N];
};

enum class Order {
  interleaved,  // neighbouring threads take neighbouring packs: coalesced
  blocked,      // a thread's packs lie side by side
};

/// A block covers BLOCK * ITEMS packs of VECTOR floats. n must be a multiple of VECTOR.
template <int BLOCK, int ITEMS, int VECTOR, Order ORDER>
__global__ void __launch_bounds__(BLOCK)
    triad(const float* __restrict__ b, const float* __restrict__ c, float* __restrict__ a,
          float scale, int n) {
  using Floats = Pack<float, VECTOR>;
  const int packs = n / VECTOR;
  const Floats* b_packs = reinterpret_cast<const Floats*>(b);
  const Floats* c_packs = reinterpret_cast<const Floats*>(c);
  Floats* a_packs = reinterpret_cast<Floats*>(a);

  constexpr int STEP = ORDER == Order::interleaved ? BLOCK : 1;
  const int first = static_cast<int>(blockIdx.x) * BLOCK * ITEMS +
                    static_cast<int>(threadIdx.x) * (ORDER == Order::interleaved ? 1 : ITEMS);

  // All loads before the first use, so that they are in flight together.
  Floats b_item[ITEMS], c_item[ITEMS];
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) {
    const int pack = first + i * STEP;
    if (pack < packs) {
      b_item[i] = b_packs[pack];
      c_item[i] = c_packs[pack];
    }
  }
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) {
    const int pack = first + i * STEP;
    if (pack < packs) {
      Floats result;
#pragma unroll
      for (int v = 0; v < VECTOR; ++v) {
        result.item[v] = b_item[i].item[v] + scale * c_item[i].item[v];
      }
      a_packs[pack] = result;
    }
  }
}

__global__ void triad_reference(const float* b, const float* c, float* a, float scale, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) {
    a[i] = b[i] + scale * c[i];
  }
}
