// CUDA C++ on the CPU: the first include of every variant, precompiled once for each build.
//
// Kernels are compiled with -fno-strict-aliasing (CUDA code reads float4 through float*) and
// without -ffast-math as a whole: the exact conversions rely on IEEE arithmetic.
#pragma once

// Before the macros below: <memory> uses __noinline__ as an attribute's name.
#include <algorithm>
#include <cfloat>
#include <climits>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <type_traits>
#include <utility>

#include "calls.hpp"
#include "prelude/async_copy.hpp"
#include "prelude/atomics.hpp"
#include "prelude/bfloat16.hpp"
#include "prelude/built_ins.hpp"
#include "prelude/half.hpp"
#include "prelude/math.hpp"
#include "prelude/qualifiers.hpp"
#include "prelude/vector_types.hpp"
#include "prelude/warp.hpp"
