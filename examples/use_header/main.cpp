// Transposes a matrix with the configuration that the generated header has for this device and
// size. Without a GPU, or compiled without nvcc, the CPU does it.
#include <cstdio>
#include <vector>

#include "transpose_tuned.hpp"

namespace tuned = rooftune_tuned::transpose;

namespace {

std::vector<float> transposed_on_cpu(const std::vector<float>& in, const tuned::Problem& size) {
  std::vector<float> out(in.size());
  for (std::int64_t row = 0; row < size.rows; ++row) {
    for (std::int64_t column = 0; column < size.columns; ++column) {
      out[static_cast<std::size_t>(column * size.rows + row)] =
          in[static_cast<std::size_t>(row * size.columns + column)];
    }
  }
  return out;
}

#ifdef __CUDACC__

/// What went wrong, or cudaSuccess.
cudaError_t transpose_on_gpu(const std::vector<float>& in, std::vector<float>& out,
                             const tuned::Problem& size) {
  const std::size_t bytes = in.size() * sizeof(float);
  float* device_in = nullptr;
  float* device_out = nullptr;
  cudaError_t error = cudaMalloc(&device_in, bytes);
  if (error == cudaSuccess) {
    error = cudaMalloc(&device_out, bytes);
  }
  if (error == cudaSuccess) {
    error = cudaMemcpy(device_in, in.data(), bytes, cudaMemcpyHostToDevice);
  }
  if (error == cudaSuccess) {
    // The default stream; then the kernel's own arguments.
    error = tuned::launch(nullptr, size, device_in, device_out, static_cast<int>(size.rows),
                          static_cast<int>(size.columns));
  }
  if (error == cudaSuccess) {
    error = cudaMemcpy(out.data(), device_out, bytes, cudaMemcpyDeviceToHost);
  }
  cudaFree(device_out);
  cudaFree(device_in);
  return error;
}

#endif

/// Where it was computed.
const char* transpose(const std::vector<float>& in, std::vector<float>& out,
                      const tuned::Problem& size) {
#ifdef __CUDACC__
  const cudaError_t error = transpose_on_gpu(in, out, size);
  if (error == cudaSuccess) {
    return "GPU";
  }
  std::printf("no GPU to use: %s\n", cudaGetErrorString(error));
#else
  std::printf("compiled without nvcc\n");
#endif
  out = transposed_on_cpu(in, size);
  return "CPU";
}

}  // namespace

int main() {
  const tuned::Problem size{512, 512};
  std::vector<float> in(static_cast<std::size_t>(size.rows * size.columns));
  for (std::size_t i = 0; i < in.size(); ++i) {
    in[i] = static_cast<float>(i);
  }

  // What the header would run on a device that it does not know, at compile time.
  constexpr auto anywhere = tuned::select({"some new GPU", 99, 0}, {512, 512});
  static_assert(anywhere.match == tuned::Match::by_default && anywhere.valid, "the default runs");
  std::printf("default: %s, measured on %s\n", anywhere.origin().kernel.data(),
              anywhere.row->device.name.data());

  std::vector<float> out(in.size());
  const char* where = transpose(in, out, size);
  const bool right = out == transposed_on_cpu(in, size);
  std::printf("transposed 512 x 512 on the %s: %s\n", where, right ? "right" : "WRONG");
  return right ? 0 : 1;
}
