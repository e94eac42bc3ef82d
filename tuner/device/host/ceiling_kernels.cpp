#include "tuner/device/host/ceiling_kernels.hpp"

namespace rooftune::ceilings {
namespace {

// GCC's vector types: the compiler emits the widest instructions that the enclosing function's
// target allows, so one body serves every instruction set once it is inlined there.
template <typename T, std::size_t Bytes>
struct VectorOf {
  typedef T type __attribute__((vector_size(Bytes), may_alias));
};

/// What the optimiser cannot know, so that nothing is computed at compile time or thrown away.
volatile double opaque_half = 0.5;
volatile double opaque_one = 1.0;
volatile double sink = 0;

/// More than latency times units of any CPU (4 x 2), and few enough for 16 registers.
constexpr std::size_t accumulators = 12;

template <typename T, std::size_t Bytes>
[[gnu::always_inline]] inline double fma_body(std::size_t rounds) {
  using Vector = typename VectorOf<T, Bytes>::type;
  constexpr std::size_t batches = 8;
  const Vector scale = Vector{} + static_cast<T>(opaque_half);
  const Vector shift = Vector{} + static_cast<T>(opaque_one);
  Vector sums[accumulators];
  T start = 0;
  for (Vector& sum : sums) {
    sum = shift * start++;  // goes to 2: neither denormal nor infinite
  }
  for (std::size_t round = 0; round < rounds; ++round) {
#pragma GCC unroll 8
    for (std::size_t batch = 0; batch < batches; ++batch) {
#pragma GCC unroll 12
      for (Vector& sum : sums) {
        sum = sum * scale + shift;
      }
    }
  }
  Vector total{};
  for (const Vector& sum : sums) {
    total += sum;
  }
  sink = static_cast<double>(total[0]);
  constexpr std::size_t flops = 2 * (Bytes / sizeof(T)) * accumulators * batches;
  return static_cast<double>(flops) * static_cast<double>(rounds);
}

/// Keeps a pass from being merged with the next one.
[[gnu::always_inline]] inline void forget_memory() {
  asm volatile("" ::: "memory");
}

template <std::size_t Bytes>
[[gnu::always_inline]] inline void read_body(const float* from, std::size_t count,
                                             std::size_t passes) {
  using Vector = typename VectorOf<float, Bytes>::type;
  constexpr std::size_t lanes = Bytes / sizeof(float);
  constexpr std::size_t streams = 8;
  Vector sums[streams] = {};
  for (std::size_t pass = 0; pass < passes; ++pass) {
    forget_memory();
    for (std::size_t i = 0; i < count; i += streams * lanes) {
#pragma GCC unroll 8
      for (std::size_t k = 0; k < streams; ++k) {
        sums[k] += *reinterpret_cast<const Vector*>(from + i + k * lanes);
      }
    }
  }
  Vector total{};
  for (const Vector& sum : sums) {
    total += sum;
  }
  sink = static_cast<double>(total[0]);
}

template <std::size_t Bytes>
[[gnu::always_inline]] inline void triad_body(float* to, const float* a, const float* b,
                                              std::size_t count, std::size_t passes) {
  using Vector = typename VectorOf<float, Bytes>::type;
  constexpr std::size_t lanes = Bytes / sizeof(float);
  constexpr std::size_t unroll = 4;
  const Vector scale = Vector{} + static_cast<float>(opaque_half);
  for (std::size_t pass = 0; pass < passes; ++pass) {
    forget_memory();
    for (std::size_t i = 0; i < count; i += unroll * lanes) {
#pragma GCC unroll 4
      for (std::size_t k = 0; k < unroll; ++k) {
        const std::size_t at = i + k * lanes;
        *reinterpret_cast<Vector*>(to + at) = *reinterpret_cast<const Vector*>(a + at) +
                                              scale * *reinterpret_cast<const Vector*>(b + at);
      }
    }
  }
}

// One set of functions for a target. A macro, because the attribute takes no template argument.
// NOLINTBEGIN(bugprone-macro-parentheses): an attribute stands in no parentheses
#define ROOFTUNE_CEILING_KERNELS(name, bytes, attribute)                                           \
  attribute double name##_fp32(std::size_t rounds) {                                               \
    return fma_body<float, bytes>(rounds);                                                         \
  }                                                                                                \
  attribute double name##_fp64(std::size_t rounds) {                                               \
    return fma_body<double, bytes>(rounds);                                                        \
  }                                                                                                \
  attribute void name##_read(const float* from, std::size_t count, std::size_t passes) {           \
    read_body<bytes>(from, count, passes);                                                         \
  }                                                                                                \
  attribute void name##_triad(float* to, const float* a, const float* b, std::size_t count,        \
                              std::size_t passes) {                                                \
    triad_body<bytes>(to, a, b, count, passes);                                                    \
  }                                                                                                \
  constexpr Kernels name##_kernels = {InstructionSet::name, name##_fp32, name##_fp64, name##_read, \
                                      name##_triad};

ROOFTUNE_CEILING_KERNELS(plain, 16, )
#if defined(__x86_64__)
ROOFTUNE_CEILING_KERNELS(avx2, 32, __attribute__((target("avx2,fma"))))
ROOFTUNE_CEILING_KERNELS(avx512, 64, __attribute__((target("avx512f,avx2,fma"))))
#endif
#undef ROOFTUNE_CEILING_KERNELS
// NOLINTEND(bugprone-macro-parentheses)

}  // namespace

std::string_view to_string(InstructionSet set) {
  switch (set) {
    case InstructionSet::plain:
      break;
    case InstructionSet::avx2:
      return "AVX2";
    case InstructionSet::avx512:
      return "AVX-512";
  }
  return "the compiler's baseline";
}

std::vector<Kernels> supported_kernels() {
  std::vector<Kernels> supported = {plain_kernels};
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0) {
    supported.push_back(avx2_kernels);
    if (__builtin_cpu_supports("avx512f") != 0) {
      supported.push_back(avx512_kernels);
    }
  }
#endif
  return supported;
}

}  // namespace rooftune::ceilings
