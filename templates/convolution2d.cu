// 2D convolution of an image of floats with a FILTER x FILTER filter, without a border: the image
// has FILTER - 1 more rows and columns than the result.

enum class Staging {
  direct,  // every use reads the image, from a cache at best
  shared,  // a block's part of the image goes through shared memory once
};

/// A block of BLOCK_X x BLOCK_Y threads computes TILE_X x TILE_Y results in each thread. PADDING
/// floats at the end of each row of the tile in shared memory shift its rows over the banks.
template <int FILTER, int BLOCK_X, int BLOCK_Y, int TILE_X, int TILE_Y, Staging STAGING,
          int PADDING>
__global__ void __launch_bounds__((BLOCK_X) * (BLOCK_Y))
    convolution2d(const float* __restrict__ image, const float* __restrict__ filter,
                  float* __restrict__ result, int width, int height) {
  constexpr int WIDTH = BLOCK_X * TILE_X;  // of the block's part of the result
  constexpr int HEIGHT = BLOCK_Y * TILE_Y;
  constexpr int IN_WIDTH = WIDTH + FILTER - 1;
  constexpr int IN_HEIGHT = HEIGHT + FILTER - 1;
  constexpr bool STAGED = STAGING == Staging::shared;
  __shared__ float weights[FILTER * FILTER];
  __shared__ float part[STAGED ? IN_HEIGHT : 1][STAGED ? IN_WIDTH + PADDING : 1];

  const int x = static_cast<int>(threadIdx.x);
  const int y = static_cast<int>(threadIdx.y);
  const int first_x = static_cast<int>(blockIdx.x) * WIDTH;
  const int first_y = static_cast<int>(blockIdx.y) * HEIGHT;
  const int image_width = width + FILTER - 1;
  const int image_height = height + FILTER - 1;

  for (int i = y * BLOCK_X + x; i < FILTER * FILTER; i += BLOCK_X * BLOCK_Y) {
    weights[i] = filter[i];
  }
  if constexpr (STAGED) {
    for (int row = y; row < IN_HEIGHT; row += BLOCK_Y) {
      for (int column = x; column < IN_WIDTH; column += BLOCK_X) {
        const int image_x = first_x + column;
        const int image_y = first_y + row;
        if (image_x < image_width && image_y < image_height) {
          part[row][column] = image[static_cast<size_t>(image_y) * image_width + image_x];
        }
      }
    }
  }
  __syncthreads();

  float sum[TILE_Y][TILE_X] = {};
#pragma unroll
  for (int i = 0; i < FILTER; ++i) {
#pragma unroll
    for (int j = 0; j < FILTER; ++j) {
      const float weight = weights[i * FILTER + j];
#pragma unroll
      for (int tile_y = 0; tile_y < TILE_Y; ++tile_y) {
#pragma unroll
        for (int tile_x = 0; tile_x < TILE_X; ++tile_x) {
          // Neighbouring threads take neighbouring columns: coalesced, and free of conflicts.
          const int row = y + tile_y * BLOCK_Y + i;
          const int column = x + tile_x * BLOCK_X + j;
          if constexpr (STAGED) {
            sum[tile_y][tile_x] += weight * part[row][column];
          } else {
            const int image_x = min(first_x + column, image_width - 1);
            const int image_y = min(first_y + row, image_height - 1);
            sum[tile_y][tile_x] +=
                weight * image[static_cast<size_t>(image_y) * image_width + image_x];
          }
        }
      }
    }
  }

#pragma unroll
  for (int tile_y = 0; tile_y < TILE_Y; ++tile_y) {
#pragma unroll
    for (int tile_x = 0; tile_x < TILE_X; ++tile_x) {
      const int result_x = first_x + x + tile_x * BLOCK_X;
      const int result_y = first_y + y + tile_y * BLOCK_Y;
      if (result_x < width && result_y < height) {
        result[static_cast<size_t>(result_y) * width + result_x] = sum[tile_y][tile_x];
      }
    }
  }
}

template <int FILTER>
__global__ void convolution2d_reference(const float* image, const float* filter, float* result,
                                        int width, int height) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (x < width && y < height) {
    float sum = 0.0f;
    for (int i = 0; i < FILTER; ++i) {
      for (int j = 0; j < FILTER; ++j) {
        sum += filter[i * FILTER + j] *
               image[static_cast<size_t>(y + i) * (width + FILTER - 1) + x + j];
      }
    }
    result[static_cast<size_t>(y) * width + x] = sum;
  }
}
