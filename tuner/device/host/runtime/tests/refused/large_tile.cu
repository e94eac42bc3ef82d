#include <cooperative_groups.h>
__global__ void kernel() {
  cooperative_groups::tiled_partition<64>(cooperative_groups::this_thread_block()).sync();
}
