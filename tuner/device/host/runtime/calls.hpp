// What a kernel, through the prelude, asks of the runtime library. Every call is made by a CUDA
// thread that runs inside launch(); `file` and `line` are those of the kernel's source.
#pragma once

#include <cstddef>
#include <cstdint>

#include "prelude/vector_types.hpp"

namespace rooftune_host {

/// Arrivals at one barrier: how many threads came, and how many of them with a true predicate.
struct BarrierVotes {
  unsigned threads;
  unsigned yes;
};

/// __syncthreads(). Ends the launch with an error where the block's threads diverge: see
/// launch.hpp.
void block_barrier(const char* file, int line);
BarrierVotes block_barrier(bool vote, const char* file, int line);

/// The lanes that meet at a warp collective. `data[lane]` is what that lane brought.
struct Lanes {
  void* const* data;
  unsigned active;  ///< lanes that take part
  bool checks;      ///< give a conspicuous value where CUDA leaves it undefined
};

/// A warp collective: the last lane to arrive runs `meet` for all of them.
struct Collective {
  const char* name;
  void (*meet)(const Lanes& lanes);  ///< may be null
  bool orders_memory;                ///< as __syncwarp does, and a shuffle does not
};

/// Waits until every lane of `mask` that has not exited has called with the same collective and
/// mask. Another collective, another mask of lanes that wait for this one, or a mask without the
/// calling lane end the launch with an error.
void warp_collective(const Collective& collective, unsigned mask, void* data, const char* file,
                     int line);
/// Lanes of the calling thread's warp that have not exited.
unsigned active_lanes();
/// The calling thread's lane, 0 to 31, and its warp in the block.
unsigned lane_index();
unsigned warp_index();

/// The lanes of the calling thread's warp that are at the same place: those that come here before
/// no thread of the block can go on otherwise.
unsigned converged_lanes(const char* file, int line);

/// In the count build: what lies between is a fragment of a warp matrix, of which nobody says which
/// lane moves what. In shared memory it counts as moved without conflicts.
void begin_fragment();
void end_fragment();

/// Something to wait for. It may be asked at any time, by any thread of the block.
struct Condition {
  const char* what;  ///< for messages: "cuda::barrier::wait"
  bool (*holds)(const void* state);
  const void* state;
};
/// Lets other threads of the block run until the condition holds; a deadlock is found.
void wait_until(const Condition& condition, const char* file, int line);

/// Copies of the calling thread that have been asked for and not waited for. In the builds that
/// look for faults a copy is made when it is waited for, so that code which does not wait is found
/// out.
struct AsyncCopy {
  void* to;
  const void* from;
  std::size_t bytes;
  std::size_t zeros;  ///< that follow
};
void queue_async_copy(const AsyncCopy& copy);
/// Ends a batch: what was queued since the last.
void commit_async_copies();
/// The next copy to make so that no more than `batches` are outstanding (the batch that has not
/// been committed is not one). False where there is none.
bool take_async_copy(unsigned batches, AsyncCopy& copy);

/// Lets the block's other threads run: for threads that wait in a loop.
void yield_thread();

/// Ends the launch with an error. Never returns.
[[noreturn]] void assertion_failed(const char* expression, const char* function, const char* file,
                                   int line);
[[noreturn]] void trap(const char* file, int line);

/// A shared variable of the block as the runtime keeps it; `tag` tells types apart that one
/// declaration of a template has.
struct SharedSlot {
  const void* tag;
  unsigned id;
  void* data;
};
inline constexpr unsigned shared_slot_count = 64;
void* shared_variable(unsigned id, const void* tag, std::size_t bytes, std::size_t alignment,
                      const char* name, const char* file, int line);

// Written by the runtime; constant as long as a CUDA thread runs, which `const` tells the compiler:
// it need not read them anew after a store or a call.
extern constinit thread_local unsigned char* const dynamic_shared_memory asm(
    "rooftune_host_dynamic_shared_memory");
extern constinit thread_local SharedSlot* const shared_slots asm("rooftune_host_shared_slots");

template <class T>
inline constexpr char type_tag = 0;

/// A static shared variable; the same object for every thread of the block. `id` numbers the
/// declarations of the kernel's source.
template <class T>
inline T& shared_array(unsigned id, const char* name, const char* file, int line) {
  constexpr std::size_t alignment = alignof(T) < 16 ? 16 : alignof(T);
  const SharedSlot& slot = shared_slots[id % shared_slot_count];
  void* data = slot.tag == &type_tag<T> && slot.id == id
                   ? slot.data
                   : shared_variable(id, &type_tag<T>, sizeof(T), alignment, name, file, line);
  return *static_cast<T*>(__builtin_assume_aligned(data, alignment));
}

/// The block's dynamic shared memory (`extern __shared__ T name[]`).
template <class T>
inline T* dynamic_shared() {
  return static_cast<T*>(__builtin_assume_aligned(dynamic_shared_memory, 16));
}

}  // namespace rooftune_host
