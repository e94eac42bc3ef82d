// Transpose of a rows x columns matrix of floats through a tile in shared memory, so that both the
// reads and the writes of global memory run along rows.

/// `N` items that move in one access of sizeof(T) * N bytes.
template <typename T, int N>
struct alignas(sizeof(T) * N) Pack {
  T item[N];
};

/// A block of (TILE / VECTOR) x ROWS threads moves a TILE x TILE tile, each thread TILE / ROWS
/// packs of VECTOR floats. PADDING floats at the end of each row of the tile spread a column over
/// the banks. rows and columns must be multiples of VECTOR.
template <int TILE, int ROWS, int VECTOR, int PADDING>
__global__ void __launch_bounds__((TILE / VECTOR) * ROWS)
    transpose(const float* __restrict__ in, float* __restrict__ out, int rows, int columns) {
  static_assert(TILE % VECTOR == 0 && TILE % ROWS == 0, "threads must cover the tile evenly");
  using Floats = Pack<float, VECTOR>;
  __shared__ float tile[TILE][TILE + PADDING];

  const int lane = static_cast<int>(threadIdx.x) * VECTOR;  // the pack's place in a row of the tile
  const int line = static_cast<int>(threadIdx.y);           // the first of the thread's rows
  const int first_row = static_cast<int>(blockIdx.y) * TILE;
  const int first_column = static_cast<int>(blockIdx.x) * TILE;

#pragma unroll
  for (int i = 0; i < TILE; i += ROWS) {
    const int row = first_row + line + i;
    const int column = first_column + lane;
    if (row < rows && column < columns) {
      const Floats pack =
          *reinterpret_cast<const Floats*>(in + static_cast<size_t>(row) * columns + column);
#pragma unroll
      for (int v = 0; v < VECTOR; ++v) {
        tile[line + i][lane + v] = pack.item[v];
      }
    }
  }
  __syncthreads();
#pragma unroll
  for (int i = 0; i < TILE; i += ROWS) {
    const int row = first_column + line + i;  // of the transposed matrix
    const int column = first_row + lane;
    if (row < columns && column < rows) {
      Floats pack;
#pragma unroll
      for (int v = 0; v < VECTOR; ++v) {
        pack.item[v] = tile[lane + v][line + i];
      }
      *reinterpret_cast<Floats*>(out + static_cast<size_t>(row) * rows + column) = pack;
    }
  }
}

__global__ void transpose_reference(const float* in, float* out, int rows, int columns) {
  const int column = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int row = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (row < rows && column < columns) {
    out[static_cast<size_t>(column) * rows + row] = in[static_cast<size_t>(row) * columns + column];
  }
}
