#include "calls.hpp"

#include "block.hpp"
#include "built_in_storage.hpp"

namespace rooftune_host {

namespace storage {

constinit thread_local uint3 thread_index{};
constinit thread_local uint3 block_index{};
constinit thread_local dim3 block_shape{};
constinit thread_local dim3 grid_shape{};
constinit thread_local unsigned char* dynamic_shared_memory = nullptr;
constinit thread_local SharedSlot* shared_slots = nullptr;

}  // namespace storage

void block_barrier(const char* file, int line) {
  BlockRunner::current().barrier(false, {file, line});
}

BarrierVotes block_barrier(bool vote, const char* file, int line) {
  return BlockRunner::current().barrier(vote, {file, line});
}

void warp_collective(const Collective& collective, unsigned mask, void* data, const char* file,
                     int line) {
  BlockRunner::current().collective(collective, mask, data, {file, line});
}

unsigned active_lanes() {
  return BlockRunner::current().active_lanes();
}
unsigned lane_index() {
  return BlockRunner::current().linear_thread() % 32;
}
unsigned warp_index() {
  return BlockRunner::current().linear_thread() / 32;
}

unsigned converged_lanes(const char* file, int line) {
  return BlockRunner::current().converge({file, line});
}

void wait_until(const Condition& condition, const char* file, int line) {
  BlockRunner::current().wait_until(condition, {file, line});
}

void queue_async_copy(const AsyncCopy& copy) {
  const Unseen unseen;
  BlockRunner::current().async_copies().queue(copy);
}

void commit_async_copies() {
  BlockRunner::current().async_copies().commit();
}

bool take_async_copy(unsigned batches, AsyncCopy& copy) {
  const Unseen unseen;
  return BlockRunner::current().async_copies().take(batches, copy);
}

void yield_thread() {
  BlockRunner::current().yield();
}

void assertion_failed(const char* expression, const char* function, const char* file, int line) {
  const Location where{file, line};
  BlockRunner::current().fail(LaunchError::Kind::assertion, where,
                              [&] { return where.text() + ": " + function + ": " + expression; });
}

void trap(const char* file, int line) {
  const Location where{file, line};
  BlockRunner::current().fail(LaunchError::Kind::assertion, where,
                              [&] { return where.text() + ": __trap()"; });
}

void* shared_variable(unsigned id, const void* tag, std::size_t bytes, std::size_t alignment,
                      const char* name, const char* file, int line) {
  BlockRunner& runner = BlockRunner::current();
  void* data = runner.shared_memory().variable(id, tag, bytes, alignment, name, file, line);
  if (data == nullptr) {
    runner.fail(LaunchError::Kind::bad_launch, {file, line}, [&] {
      return "with " + std::string(name) + " the kernel has " +
             std::to_string(runner.shared_memory().static_bytes() + bytes) +
             " bytes of static shared memory: every GPU allows at most " +
             std::to_string(static_shared_limit) + " (48 KiB); dynamic shared memory can be more";
    });
  }
  return data;
}

}  // namespace rooftune_host
