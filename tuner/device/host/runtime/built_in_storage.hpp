// CUDA's built-in variables as the runtime writes them; kernels see the same objects as constants.
// Internal to the runtime library.
#pragma once

#include "calls.hpp"

namespace rooftune_host::storage {

extern constinit thread_local uint3 thread_index asm("rooftune_host_thread_index");
extern constinit thread_local uint3 block_index asm("rooftune_host_block_index");
extern constinit thread_local dim3 block_shape asm("rooftune_host_block_shape");
extern constinit thread_local dim3 grid_shape asm("rooftune_host_grid_shape");
extern constinit thread_local unsigned char* dynamic_shared_memory asm(
    "rooftune_host_dynamic_shared_memory");
extern constinit thread_local SharedSlot* shared_slots asm("rooftune_host_shared_slots");

}  // namespace rooftune_host::storage
