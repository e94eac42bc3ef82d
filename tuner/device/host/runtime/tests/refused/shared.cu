#include <cuda_runtime.h>
__global__ void kernel() {
  __shared__ int left_over;
}
