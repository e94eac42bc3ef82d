// cuda_fp16.h: half precision.
#pragma once

#include <utility>

#include "atomics.hpp"
#include "small_float.hpp"
#include "warp.hpp"

#define ROOFTUNE_HOST_SCALAR __half
#define ROOFTUNE_HOST_PAIR __half2
#define ROOFTUNE_HOST_RAW __half_raw
#define ROOFTUNE_HOST_PAIR_RAW __half2_raw
#define ROOFTUNE_HOST_FORMAT HalfFormat
#include "small_float_functions.inc"

using half = __half;
using half2 = __half2;
using __nv_half = __half;
using __nv_half2 = __half2;
using nv_half = __half;
using nv_half2 = __half2;

#define ROOFTUNE_HOST_SCALAR __half
#define ROOFTUNE_HOST_PAIR __half2
#define ROOFTUNE_HOST_RAW __half_raw
#define ROOFTUNE_HOST_NAME half
#include "small_float_conversions.inc"

inline __half2 make_half2(__half x, __half y) {
  return {x, y};
}
inline __half2 __halves2half2(__half x, __half y) {
  return {x, y};
}
inline __half2 __half2half2(__half x) {
  return {x, x};
}
inline __half2 __float2half2_rn(float x) {
  return __half2half2(__half(x));
}
inline __half2 __floats2half2_rn(float x, float y) {
  return {__half(x), __half(y)};
}
inline __half2 __float22half2_rn(float2 x) {
  return __floats2half2_rn(x.x, x.y);
}
inline float2 __half22float2(__half2 x) {
  return {x.x, x.y};
}
inline __half __low2half(__half2 x) {
  return x.x;
}
inline __half __high2half(__half2 x) {
  return x.y;
}
inline __half2 __low2half2(__half2 x) {
  return {x.x, x.x};
}
inline __half2 __high2half2(__half2 x) {
  return {x.y, x.y};
}
inline __half2 __lows2half2(__half2 a, __half2 b) {
  return {a.x, b.x};
}
inline __half2 __highs2half2(__half2 a, __half2 b) {
  return {a.y, b.y};
}
inline __half2 __lowhigh2highlow(__half2 x) {
  return {x.y, x.x};
}
