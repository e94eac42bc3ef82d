#include <mma.h>
__global__ void kernel() {
  nvcuda::wmma::fragment<nvcuda::wmma::matrix_a, 8, 8, 32, int, nvcuda::wmma::row_major> a;
}
