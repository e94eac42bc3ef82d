// The precompiled header of every variant.
#pragma once
#pragma GCC system_header  // its text is not the user's: the rewriter leaves it alone

#include "../runtime/prelude.hpp"
#include "entry.hpp"

// For the rewriter to see, which runs after the preprocessor.
#undef __global__
#undef __shared__
#undef __cluster_dims__
#undef __block_size__

// What sources ask to tell CUDA's compilers from others: kernels are read as NVRTC reads them,
// without host code. No __CUDA_ARCH__: what is asked of it is a GPU's.
#define __CUDACC__ 1
#define __CUDACC_RTC__ 1

/// For sources that need another branch on the host device.
#define ROOFTUNE_HOST 1
