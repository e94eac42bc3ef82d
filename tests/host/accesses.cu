// Accesses to memory whose numbers are known: see accesses.yaml.

struct alignas(16) Four {
  float item[4];
};

template <int STEP>
__global__ void accesses(const float* in, float* out, unsigned int* total) {
  __shared__ __align__(16) float tile[64 * STEP];
  const int thread = static_cast<int>(threadIdx.x);
  const int i = static_cast<int>(blockIdx.x) * 64 + thread;
  tile[thread * STEP] = in[i];
  __syncthreads();
  const Four four = *reinterpret_cast<const Four*>(&tile[thread % 16 * 4]);
  float sum = 0;  // in a register
  for (int k = 0; k < 4; ++k) {
    sum += four.item[k];
  }
  out[i] = sum;
  if (thread == 0) {
    atomicAdd(total, 1u);
  }
}
