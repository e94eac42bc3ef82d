// What the vendor's own code takes on this GPU: a device copy, and cuBLAS in FP32 and on the tensor
// cores. One JSON document on stdout, times in seconds, the best of several samples.
#include <cublas_v2.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>

namespace {

void check(bool fine, const char* what) {
  if (!fine) {
    std::fprintf(stderr, "baselines: %s failed\n", what);
    std::exit(1);
  }
}

double best_seconds(const std::function<void()>& run) {
  cudaEvent_t begin;
  cudaEvent_t end;
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  double best = 1e9;
  for (int i = 0; i < 20; ++i) {
    cudaEventRecord(begin);
    run();
    cudaEventRecord(end);
    check(cudaEventSynchronize(end) == cudaSuccess, "a run");
    float milliseconds = 0;
    cudaEventElapsedTime(&milliseconds, begin, end);
    if (i >= 3) {
      best = std::min(best, milliseconds * 1e-3);
    }
  }
  return best;
}

}  // namespace

int main(int argc, char** argv) {
  check(argc == 3, "reading the arguments (COPY_FLOATS MATRIX_SIZE)");
  const std::size_t floats = std::strtoull(argv[1], nullptr, 10);
  const int n = std::atoi(argv[2]);
  void* a = nullptr;
  void* b = nullptr;
  void* c = nullptr;
  const std::size_t bytes = std::max(floats, static_cast<std::size_t>(n) * n) * sizeof(float);
  check(cudaMalloc(&a, bytes) == cudaSuccess && cudaMalloc(&b, bytes) == cudaSuccess &&
            cudaMalloc(&c, bytes) == cudaSuccess,
        "allocating");
  cudaMemset(a, 0, bytes);
  cudaMemset(b, 0, bytes);
  const double copy = best_seconds(
      [&] { cudaMemcpyAsync(b, a, floats * sizeof(float), cudaMemcpyDeviceToDevice); });
  cublasHandle_t blas;
  check(cublasCreate(&blas) == CUBLAS_STATUS_SUCCESS, "starting cuBLAS");
  const float one = 1;
  const float zero = 0;
  const auto gemm = [&](cudaDataType_t inputs, cublasComputeType_t compute) {
    return best_seconds([&] {
      check(cublasGemmEx(blas, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, a, inputs, n, b, inputs, n,
                         &zero, c, CUDA_R_32F, n, compute,
                         CUBLAS_GEMM_DEFAULT) == CUBLAS_STATUS_SUCCESS,
            "cuBLAS");
    });
  };
  const double fp32 = gemm(CUDA_R_32F, CUBLAS_COMPUTE_32F_PEDANTIC);  // no TF32
  const double tensor = gemm(CUDA_R_16F, CUBLAS_COMPUTE_32F);
  std::printf("{\"copy\": %.9g, \"sgemm\": %.9g, \"tensor\": %.9g}\n", copy, fp32, tensor);
}
