// What a GPU moves at most. Every kernel takes the same three arguments; what each moves in a
// launch is said above it. Blocks and buffers are chosen so that nothing is left over.

/// So much of a sum is never seen, but no compiler knows.
__device__ void keep(unsigned sum, float* out) {
  if (sum == 0x9e3779b9u) {
    out[0] = 1;
  }
}

__device__ unsigned fold(uint4 pack) {
  return pack.x ^ pack.y ^ pack.z ^ pack.w;
}

/// Reads and writes n packs of 16 bytes: BLOCK * ITEMS of them in a block.
template <int BLOCK, int ITEMS>
__global__ void __launch_bounds__(BLOCK) ceiling_copy(const float* in, float* out, int n) {
  const long long first = static_cast<long long>(blockIdx.x) * BLOCK * ITEMS + threadIdx.x;
  uint4 items[ITEMS];
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) {
    items[i] = reinterpret_cast<const uint4*>(in)[first + i * BLOCK];
  }
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) {
    reinterpret_cast<uint4*>(out)[first + i * BLOCK] = items[i];
  }
}

/// Reads n packs of 16 bytes: BLOCK * ITEMS of them in a block.
template <int BLOCK, int ITEMS>
__global__ void __launch_bounds__(BLOCK) ceiling_read(const float* in, float* out, int n) {
  const long long first = static_cast<long long>(blockIdx.x) * BLOCK * ITEMS + threadIdx.x;
  unsigned sum = 0;
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) {
    sum ^= fold(reinterpret_cast<const uint4*>(in)[first + i * BLOCK]);
  }
  keep(sum, out);
}

/// Every block reads all n packs of 16 bytes, past the L1, each from another place on. n is a
/// multiple of BLOCK * ITEMS.
template <int BLOCK, int ITEMS>
__global__ void __launch_bounds__(BLOCK) ceiling_l2(const float* in, float* out, int n) {
  int at = static_cast<int>(static_cast<long long>(blockIdx.x) * BLOCK % n + threadIdx.x);
  unsigned sum = 0;
  for (int read = 0; read < n; read += BLOCK * ITEMS) {
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
      sum ^= fold(__ldcg(reinterpret_cast<const uint4*>(in) + at));
      at += BLOCK;
      at -= at >= n ? n : 0;
    }
  }
  keep(sum, out);
}

/// Each thread reads n * ITEMS packs of 16 bytes of shared memory, without bank conflicts.
template <int BLOCK, int ITEMS>
__global__ void __launch_bounds__(BLOCK) ceiling_shared(const float* in, float* out, int n) {
  __shared__ uint4 tile[BLOCK * ITEMS];
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) {
    tile[i * BLOCK + threadIdx.x] = make_uint4(i, threadIdx.x, blockIdx.x, n);
  }
  __syncthreads();
  const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(tile + threadIdx.x));
  unsigned sum = 0;
#pragma unroll 1
  for (int round = 0; round < n; ++round) {
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
      uint4 pack;
      // Volatile: it is read in every round, whatever the compiler knows of the last one.
      asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                   : "=r"(pack.x), "=r"(pack.y), "=r"(pack.z), "=r"(pack.w)
                   : "r"(address + static_cast<unsigned>(i * BLOCK * sizeof(uint4))));
      sum ^= fold(pack);
    }
  }
  keep(sum, out);
}

/// A launch and nothing else.
__global__ void ceiling_launch(const float* in, float* out, int n) {}
