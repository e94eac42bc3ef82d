// Small kernels, each with a piece of CUDA that the host device must understand. Macro parameters
// come from the specs in the tests.
#include <cuda_fp16.h>

#ifndef __CUDACC_RTC__
#include <host_code_only>
int main() {
  return 0;
}
#endif

#define SHARED_ARRAY(type, name, size) __shared__ type name[size]

// Dynamic shared memory, declared outside of the function.
extern __shared__ float dynamic_tile[];

__global__ void dynamic_shared(const float* in, float* out, int n) {
  const unsigned i = threadIdx.x;
  dynamic_tile[i] = in[blockIdx.x * blockDim.x + i];
  __syncthreads();
  out[blockIdx.x * blockDim.x + i] = dynamic_tile[blockDim.x - 1 - i];
}

// A shared array from a macro, in a device function template with two instantiations of one type.
template <int PART>
__device__ float* part_of_tile() {
  SHARED_ARRAY(float, part, 64);
  return part;
}

__global__ void two_instantiations(const float* in, float* out, int n) {
  float* first = part_of_tile<0>();
  float* second = part_of_tile<1>();
  first[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
  second[threadIdx.x] = -1.0f;
  __syncthreads();
  out[blockIdx.x * 64 + threadIdx.x] = first[63 - threadIdx.x];
}

__global__ void reverse_reference(const float* in, float* out, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) {
    out[i] = in[i / 64 * 64 + 63 - i % 64];
  }
}

// Threads that exit before a barrier: undefined by CUDA's manual, and right on every GPU since
// Volta.
__global__ void early_exit(const float* in, float* out, int n) {
  __shared__ float tile[64];
  tile[threadIdx.x] = in[blockIdx.x * 64 + 63 - threadIdx.x];
  __syncthreads();
  out[blockIdx.x * 64 + threadIdx.x] = tile[threadIdx.x];
  if (threadIdx.x >= 32) {
    return;
  }
  __syncthreads();
}

// Every kind of argument.
__global__ void all_arguments(const __half* halves, const double* doubles, const signed char* bytes,
                              long long* sums, float factor, unsigned char offset, bool negative,
                              unsigned int n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    const double value = __half2float(halves[i]) + doubles[i] + bytes[i] + offset;
    sums[i] += static_cast<long long>((negative ? -1.0 : 1.0) * factor * value);
  }
}

__global__ void all_arguments_reference(const __half* halves, const double* doubles,
                                        const signed char* bytes, long long* sums, float factor,
                                        unsigned char offset, bool negative, unsigned int n) {
  for (unsigned i = 0; i < n; ++i) {
    double value = 0.0;
    value += __half2float(halves[i]);
    value += doubles[i];
    value += bytes[i];
    value += offset;
    value *= factor;
    sums[i] += static_cast<long long>(negative ? -value : value);
  }
}

// A macro-style kernel: ITEMS comes as a #define.
#ifndef ITEMS
#define ITEMS 1
#endif
extern "C" __global__ void macro_style(const float* in, float* out, int n) {
  const int first = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x) * ITEMS;
#pragma unroll ITEMS
  for (int k = 0; k < ITEMS; ++k) {
    if (first + k < n) {
      out[first + k] = 2.0f * in[first + k];
    }
  }
#if ITEMS == 3
  asm volatile("// what only a GPU can do");
#endif
#if ITEMS == 5
  out[0] = this_is_not_declared;
#endif
}

extern "C" __global__ void macro_style_reference(const float* in, float* out, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) {
    out[i] = 2.0f * in[i];
  }
}

// Faults: MODE chooses.
__device__ float nowhere(float x);

template <int MODE>
__global__ void faulty(const float* in, float* out, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) {
    out[i] = 2.0f * in[i];
  }
  if (MODE == 1 && i == 0) {
    out[n] = 1.0f;  // just past the end
  }
  if (MODE == 2 && i == 0) {
    out[n + 5000] = 1.0f;  // MODE 2
  }
  if (MODE == 3 && i == 7) {
    out[i] = 0.0f / 0.0f * in[i];
  }
  if (MODE == 4 && i == 7) {
    out[i] += 1e-2f;
  }
  if (MODE == 5 && i == 0) {
    *reinterpret_cast<volatile float*>(16) = 1.0f;  // MODE 5
  }
  if (MODE == 6 && i == 0) {
    __trap();  // MODE 6
  }
  static_assert(MODE != 7, "there is no mode 7");
  if (MODE == 8) {
    __shared__ float unset[64];
    out[i] = unset[threadIdx.x];
  }
  if constexpr (MODE == 9) {
    out[i] = nowhere(in[i]);
  }
}

__global__ void nan_reference(const float* in, float* out, int n) {
  out[3] = in[0] * (0.0f / 0.0f);
}

__global__ void lazy_reference(const float* in, float* out, int n) {}

__global__ void crashing_reference(const float* in, float* out, int n) {
  *reinterpret_cast<volatile float*>(16) = 1.0f;
}
