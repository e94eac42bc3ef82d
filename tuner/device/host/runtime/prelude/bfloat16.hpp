// cuda_bf16.h: bfloat16.
#pragma once

#include <utility>

#include "atomics.hpp"
#include "small_float.hpp"
#include "warp.hpp"

#define ROOFTUNE_HOST_SCALAR __nv_bfloat16
#define ROOFTUNE_HOST_PAIR __nv_bfloat162
#define ROOFTUNE_HOST_RAW __nv_bfloat16_raw
#define ROOFTUNE_HOST_PAIR_RAW __nv_bfloat162_raw
#define ROOFTUNE_HOST_FORMAT Bfloat16Format
#include "small_float_functions.inc"

using nv_bfloat16 = __nv_bfloat16;
using nv_bfloat162 = __nv_bfloat162;

#define ROOFTUNE_HOST_SCALAR __nv_bfloat16
#define ROOFTUNE_HOST_PAIR __nv_bfloat162
#define ROOFTUNE_HOST_RAW __nv_bfloat16_raw
#define ROOFTUNE_HOST_NAME bfloat16
#include "small_float_conversions.inc"

inline __nv_bfloat162 make_bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) {
  return {x, y};
}
inline __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) {
  return {x, y};
}
inline __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 x) {
  return {x, x};
}
inline __nv_bfloat162 __float2bfloat162_rn(float x) {
  return __bfloat162bfloat162(__nv_bfloat16(x));
}
inline __nv_bfloat162 __floats2bfloat162_rn(float x, float y) {
  return {__nv_bfloat16(x), __nv_bfloat16(y)};
}
inline __nv_bfloat162 __float22bfloat162_rn(float2 x) {
  return __floats2bfloat162_rn(x.x, x.y);
}
inline float2 __bfloat1622float2(__nv_bfloat162 x) {
  return {x.x, x.y};
}
inline __nv_bfloat16 __low2bfloat16(__nv_bfloat162 x) {
  return x.x;
}
inline __nv_bfloat16 __high2bfloat16(__nv_bfloat162 x) {
  return x.y;
}
inline __nv_bfloat162 __low2bfloat162(__nv_bfloat162 x) {
  return {x.x, x.x};
}
inline __nv_bfloat162 __high2bfloat162(__nv_bfloat162 x) {
  return {x.y, x.y};
}
inline __nv_bfloat162 __lows2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) {
  return {a.x, b.x};
}
inline __nv_bfloat162 __highs2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) {
  return {a.y, b.y};
}
inline __nv_bfloat162 __lowhigh2highlow(__nv_bfloat162 x) {
  return {x.y, x.x};
}
