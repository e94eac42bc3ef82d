// What a GPU's tensor cores do at most by mma.sync, which WMMA's fragments become too: products of
// tiles in registers, enough of them in each warp to hide that one waits for the one before. A type
// that an architecture does not have does not compile for it.

struct Fp16 {};
struct Bf16 {};
struct Tf32 {};
struct Int8 {};
struct Fp8 {};
struct Fp64 {};

/// The tiles that a thread holds its part of, and their product: sum += a * b.
template <typename Type>
struct Tile;

#define ROOFTUNE_TILE(Type, Sum, constraint, instruction)                                    \
  template <>                                                                                \
  struct Tile<Type> {                                                                        \
    using Number = Sum;                                                                      \
    static constexpr int sums = 4;                                                           \
    static __device__ void multiply(Sum (&sum)[4], const unsigned (&a)[4],                   \
                                    const unsigned (&b)[2]) {                                \
      asm volatile("mma.sync.aligned." instruction                                           \
                   " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"        \
                   : "+" constraint(sum[0]), "+" constraint(sum[1]), "+" constraint(sum[2]), \
                     "+" constraint(sum[3])                                                  \
                   : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));      \
    }                                                                                        \
  };

#if __CUDA_ARCH__ >= 800
ROOFTUNE_TILE(Fp16, float, "f", "m16n8k16.row.col.f32.f16.f16.f32")
ROOFTUNE_TILE(Bf16, float, "f", "m16n8k16.row.col.f32.bf16.bf16.f32")
ROOFTUNE_TILE(Tf32, float, "f", "m16n8k8.row.col.f32.tf32.tf32.f32")
ROOFTUNE_TILE(Int8, int, "r", "m16n8k32.row.col.s32.s8.s8.s32")
template <>
struct Tile<Fp64> {
  using Number = double;
  static constexpr int sums = 2;
  static __device__ void multiply(double (&sum)[2], const unsigned (&a)[4],
                                  const unsigned (&b)[2]) {
    const double left = __hiloint2double(static_cast<int>(a[0]), 0);
    const double right = __hiloint2double(static_cast<int>(b[0]), 0);
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
                 : "+d"(sum[0]), "+d"(sum[1])
                 : "d"(left), "d"(right));
  }
};
#else
template <>
struct Tile<Fp16> {
  using Number = float;
  static constexpr int sums = 4;
  static __device__ void multiply(float (&sum)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
    asm volatile(
        "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32"
        " {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
        : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
        : "r"(a[0]), "r"(a[1]), "r"(b[0]));
  }
};
template <>
struct Tile<Int8> {
  using Number = int;
  static constexpr int sums = 2;
  static __device__ void multiply(int (&sum)[2], const unsigned (&a)[4], const unsigned (&b)[2]) {
    asm volatile("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%0, %1}, {%2}, {%3}, {%0, %1};"
                 : "+r"(sum[0]), "+r"(sum[1])
                 : "r"(a[0]), "r"(b[0]));
  }
};
#endif
#if __CUDA_ARCH__ >= 890
ROOFTUNE_TILE(Fp8, float, "f", "m16n8k32.row.col.f32.e4m3.e4m3.f32")
#endif

/// Each warp: n * UNROLLED * TILES products.
template <typename Type, int TILES, int UNROLLED>
__global__ void __launch_bounds__(256) ceiling_tensor(const float* in, float* out, int n) {
  using Number = typename Tile<Type>::Number;
  constexpr int sums = Tile<Type>::sums;
  unsigned a[4];
  unsigned b[2];
  // Bits that are an ordinary number in every format, another one in every lane.
  for (unsigned i = 0; i < 4; ++i) {
    a[i] = 0x3c3c3c3cu + threadIdx.x * 8 + i;
  }
  for (unsigned i = 0; i < 2; ++i) {
    b[i] = 0x3c3c3c3cu + threadIdx.x * 4 + i;
  }
  Number sum[TILES][sums] = {};
#pragma unroll 1
  for (int i = 0; i < n; ++i) {
#pragma unroll
    for (int step = 0; step < UNROLLED; ++step) {
#pragma unroll
      for (int tile = 0; tile < TILES; ++tile) {
        Tile<Type>::multiply(sum[tile], a, b);
      }
    }
  }
#pragma unroll
  for (int tile = 0; tile < TILES; ++tile) {
    if (sum[tile][0] == static_cast<Number>(123456789)) {
      out[0] = 1;
    }
  }
}
