// CUDA's vector types, with CUDA's sizes and alignments. CUDA gives them no operators; kernels
// bring their own.
#pragma once

#define ROOFTUNE_HOST_VECTORS(prefix, type, align2, align4)              \
  struct prefix##1 {                                                     \
    type x;                                                              \
  };                                                                     \
  struct alignas(align2) prefix##2 {                                     \
    type x, y;                                                           \
  };                                                                     \
  struct prefix##3 {                                                     \
    type x, y, z;                                                        \
  };                                                                     \
  struct alignas(align4) prefix##4 {                                     \
    type x, y, z, w;                                                     \
  };                                                                     \
  constexpr prefix##1 make_##prefix##1(type x) {                         \
    return {x};                                                          \
  }                                                                      \
  constexpr prefix##2 make_##prefix##2(type x, type y) {                 \
    return {x, y};                                                       \
  }                                                                      \
  constexpr prefix##3 make_##prefix##3(type x, type y, type z) {         \
    return {x, y, z};                                                    \
  }                                                                      \
  constexpr prefix##4 make_##prefix##4(type x, type y, type z, type w) { \
    return {x, y, z, w};                                                 \
  }

ROOFTUNE_HOST_VECTORS(char, signed char, 2, 4)
ROOFTUNE_HOST_VECTORS(uchar, unsigned char, 2, 4)
ROOFTUNE_HOST_VECTORS(short, short, 4, 8)
ROOFTUNE_HOST_VECTORS(ushort, unsigned short, 4, 8)
ROOFTUNE_HOST_VECTORS(int, int, 8, 16)
ROOFTUNE_HOST_VECTORS(uint, unsigned int, 8, 16)
ROOFTUNE_HOST_VECTORS(long, long, 16, 16)
ROOFTUNE_HOST_VECTORS(ulong, unsigned long, 16, 16)
ROOFTUNE_HOST_VECTORS(longlong, long long, 16, 16)
ROOFTUNE_HOST_VECTORS(ulonglong, unsigned long long, 16, 16)
ROOFTUNE_HOST_VECTORS(float, float, 8, 16)
ROOFTUNE_HOST_VECTORS(double, double, 16, 16)
#undef ROOFTUNE_HOST_VECTORS

struct dim3 {
  unsigned int x = 1, y = 1, z = 1;
  constexpr dim3(unsigned int x_ = 1, unsigned int y_ = 1, unsigned int z_ = 1)  // NOLINT: as CUDA
      : x(x_), y(y_), z(z_) {}
  constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}     // NOLINT(google-explicit-constructor)
  constexpr operator uint3() const { return {x, y, z}; }  // NOLINT(google-explicit-constructor)
};
