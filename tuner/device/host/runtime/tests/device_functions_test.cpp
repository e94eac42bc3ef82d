// CUDA's device functions that C++ does not have: bits, integers, conversions, atomics, constants.

#include <atomic>
#include <vector>

#include "run_kernel.hpp"
// After the tests' own headers, as a kernel has none.
#include <cuda_fp8.h>
#include <math_constants.h>

#include <cuda/atomic>
#include <cuda/std/limits>
#include <cuda/std/type_traits>
#include <cuda/std/utility>

namespace rooftune_host {
namespace {

// Here and not with the formats' other tests: these run with fast mathematics too, which may lose
// it.
TEST(Fp8Zero, KeepsItsSign) {
  EXPECT_EQ(__nv_fp8_e4m3(-0.0F).__x, 0x80);
  EXPECT_EQ(__nv_fp8_e5m2(-0.0).__x, 0x80);
  EXPECT_EQ(__nv_fp8_e5m2(0.0F).__x, 0);
}

TEST(Bits, AreCountedAndMoved) {
  EXPECT_EQ(__popc(0xF0F00000U), 8);
  EXPECT_EQ(__popcll(~0ULL), 64);
  EXPECT_EQ(__clz(0), 32);
  EXPECT_EQ(__clz(1), 31);
  EXPECT_EQ(__clzll(0), 64);
  EXPECT_EQ(__clzll(-1), 0);
  EXPECT_EQ(__ffs(0), 0);
  EXPECT_EQ(__ffs(8), 4);
  EXPECT_EQ(__ffsll(1LL << 40), 41);
  EXPECT_EQ(__brev(1U), 0x80000000U);
  EXPECT_EQ(__brev(0x12345678U), 0x1E6A2C48U);
  EXPECT_EQ(__brevll(1ULL), 1ULL << 63);
  EXPECT_EQ(__funnelshift_l(0x80000000U, 0x1U, 1), 3U);
  EXPECT_EQ(__funnelshift_r(0x80000000U, 0x1U, 31), 3U);
  EXPECT_EQ(__byte_perm(0x33221100U, 0x77665544U, 0x7410U), 0x77441100U);
  EXPECT_EQ(__byte_perm(0x00000080U, 0, 0x8888U), 0xFFFFFFFFU);
  EXPECT_EQ(__float_as_int(1.0F), 0x3F800000);
  EXPECT_EQ(__int_as_float(0x40000000), 2.0F);
  EXPECT_EQ(__hiloint2double(__double2hiint(1.25), __double2loint(1.25)), 1.25);
}

TEST(Integers, MultiplyAndAverage) {
  EXPECT_EQ(__umulhi(0x80000000U, 6U), 3U);
  EXPECT_EQ(__mulhi(-1, 1), -1);
  EXPECT_EQ(__umul64hi(1ULL << 63, 6), 3ULL);
  EXPECT_EQ(__mul64hi(-1, 1), -1);
  EXPECT_EQ(__mul24(0x00FFFFFF, 2), -2);
  EXPECT_EQ(__umul24(0xFF000003U, 2U), 6U);
  EXPECT_EQ(__hadd(-3, 2), -1);
  EXPECT_EQ(__rhadd(3, 4), 4);
  EXPECT_EQ(__sad(-2, 3, 10U), 15U);
  EXPECT_EQ(__dp4a(0x01FF0203, 0x02020202, 1), 1 + 2 * (1 - 1 + 2 + 3));
  EXPECT_EQ(__dp4a(0x01FF0203U, 0x01010101U, 0U), 1U + 255 + 2 + 3);
}

TEST(Conversions, SaturateAndRound) {
  EXPECT_EQ(__float2int_rn(2.5F), 2);
  EXPECT_EQ(__float2int_rz(-2.9F), -2);
  EXPECT_EQ(__float2int_rd(-2.1F), -3);
  EXPECT_EQ(__float2int_ru(2.1F), 3);
  EXPECT_EQ(__float2int_rn(1e20F), INT_MAX);
  EXPECT_EQ(__float2int_rn(-1e20F), INT_MIN);
  EXPECT_EQ(__float2uint_rn(-3.0F), 0U);
  EXPECT_EQ(__double2ull_rz(1e30), ULLONG_MAX);
  EXPECT_EQ(__float2int_rn(NAN), 0);
}

TEST(Math, HasCudasOwnFunctions) {
  EXPECT_EQ(rsqrtf(16.0F), 0.25F);
  EXPECT_EQ(__saturatef(-1.0F), 0.0F);
  EXPECT_EQ(__saturatef(0.5F), 0.5F);
  EXPECT_EQ(__saturatef(NAN), 0.0F);
  EXPECT_EQ(__fmaf_rn(1.0F + 0x1p-23F, 1.0F - 0x1p-23F, -1.0F), -0x1p-46F);
  EXPECT_FLOAT_EQ(__expf(1.0F), CUDART_L2E_F * 1.8841690F);
  EXPECT_FLOAT_EQ(exp10f(2.0F), 100.0F);
  EXPECT_NEAR(sinpi(0.5), 1, 1e-15);
  EXPECT_NEAR(normcdf(0.0), 0.5, 1e-15);
}

TEST(MinMax, TakeEveryMixOfTypes) {
  EXPECT_EQ(min(1, 2), 1);
  EXPECT_EQ(max(-1, 1U), 0xFFFFFFFFU);  // as CUDA: unsigned
  EXPECT_EQ(min(3LL, 2ULL), 2ULL);
  EXPECT_EQ(max(1.0F, NAN), 1.0F);
  EXPECT_EQ(min(1.0F, 0.5), 0.5);
}

template <class T>
class AtomicOf : public ::testing::Test {};
using Integers = ::testing::Types<int, unsigned, unsigned long long>;
TYPED_TEST_SUITE(AtomicOf, Integers);

TYPED_TEST(AtomicOf, CombinesOverThreadsAndBlocks) {
  TypeParam sum = 0;
  TypeParam least = 1000;
  TypeParam most = 0;
  TypeParam ored = 0;
  TypeParam anded = static_cast<TypeParam>(-1);
  TypeParam xored = 0;
  TypeParam rest = 64;
  LaunchOptions options;
  options.workers = 2;
  expect_runs(
      {2, 32},
      [&] {
        const auto mine = static_cast<TypeParam>(blockIdx.x * 32 + threadIdx.x + 1);
        atomicAdd(&sum, mine);
        atomicMin(&least, mine);
        atomicMax(&most, mine);
        atomicOr(&ored, mine);
        atomicAnd(&anded, mine | TypeParam{128});
        atomicXor(&xored, mine);
        atomicSub(&rest, TypeParam{1});
      },
      options);
  EXPECT_EQ(sum, TypeParam{64 * 65 / 2});
  EXPECT_EQ(least, TypeParam{1});
  EXPECT_EQ(most, TypeParam{64});
  EXPECT_EQ(ored, TypeParam{127});
  EXPECT_EQ(anded, TypeParam{128});
  EXPECT_EQ(xored, TypeParam{64});
  EXPECT_EQ(rest, TypeParam{0});
}

TEST(Atomics, WrapAroundAndExchange) {
  unsigned up = 0;
  unsigned down = 0;
  int last = -1;
  double sum = 0;
  expect_runs({1, 10}, [&] {
    atomicInc(&up, 3U);
    atomicDec(&down, 4U);
    atomicExch(&last, static_cast<int>(threadIdx.x));
    atomicAdd(&sum, 0.5);
    atomicAdd_block(&sum, 0.5);
  });
  EXPECT_EQ(up, 10U % 4);
  EXPECT_EQ(down, 0U);  // 4 3 2 1 0 4 3 2 1 0
  EXPECT_EQ(last, 9);
  EXPECT_EQ(sum, 10);
}

TEST(CudaAtomic, AddsWhatTheStandardHasNot) {
  int plain = 3;
  cuda::atomic<int, cuda::thread_scope_device> counter(0);
  expect_runs({2, 16}, [&] {
    counter.fetch_add(1, cuda::memory_order_relaxed);
    cuda::atomic_ref<int, cuda::thread_scope_block> ref(plain);
    ref.fetch_max(static_cast<int>(threadIdx.x));
  });
  EXPECT_EQ(counter.load(), 32);
  EXPECT_EQ(plain, 15);
}

TEST(CudaStd, IsTheStandardLibrary) {
  static_assert(cuda::std::is_same_v<cuda::std::remove_const_t<const int>, int>);
  EXPECT_EQ(cuda::std::numeric_limits<int>::max(), INT_MAX);
}

TEST(VectorTypes, HaveCudasSizesAndAlignments) {
  static_assert(sizeof(float3) == 12 && alignof(float3) == 4);
  static_assert(sizeof(float4) == 16 && alignof(float4) == 16);
  static_assert(alignof(float2) == 8 && alignof(double2) == 16 && alignof(uchar4) == 4);
  static_assert(sizeof(dim3) == 12);
  constexpr dim3 shape(4, 2);
  static_assert(shape.x == 4 && shape.y == 2 && shape.z == 1);
  EXPECT_EQ(make_int3(1, 2, 3).z, 3);
}

}  // namespace
}  // namespace rooftune_host
