// Runs blocks, one after another, on the OS thread that owns it. Internal to the runtime library.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "calls.hpp"
#include "fiber.hpp"
#include "launch.hpp"
#include "shared_memory.hpp"

namespace rooftune_host {

/// What the blocks of one launch have in common.
struct KernelCall {
  const LaunchShape& shape;
  void (*thread)(void** args);
  void** args;
  const LaunchOptions& options;
  unsigned threads;  ///< of a block
};

/// A place in a kernel's source.
struct Location {
  const char* file = "";
  int line = 0;
  bool operator==(const Location& other) const;
  std::string text() const;
};

class BlockRunner {
 public:
  BlockRunner() = default;
  BlockRunner(const BlockRunner&) = delete;
  BlockRunner& operator=(const BlockRunner&) = delete;

  /// The runner of the calling OS thread, while it runs a block.
  static BlockRunner& current();

  void begin_launch(const KernelCall& call);
  /// Runs one block to its end. The error where it failed.
  std::optional<LaunchError> run(uint3 block_index);

  // What the block's threads call; see calls.hpp.
  BarrierVotes barrier(bool vote, Location where);
  void collective(const Collective& collective, unsigned mask, void* data, Location where);
  unsigned active_lanes() const;
  unsigned linear_thread() const { return running_->linear; }
  void yield();
  SharedMemory& shared_memory() { return shared_; }
  [[noreturn]] void fail(LaunchError::Kind kind, const std::string& what, Location where);

 private:
  /// A fiber with its stack, kept from block to block.
  struct PooledFiber {
    PooledFiber(std::size_t stack_bytes, std::size_t color) : stack(stack_bytes, color) {}
    Stack stack;
    Fiber fiber;
  };
  struct Barrier {
    FiberQueue waiting;
    unsigned arrived = 0;
    unsigned yes = 0;
    Location where;
    BarrierVotes result{};
  };
  /// Lanes of a warp on their way to one collective.
  struct Rendezvous {
    const Collective* collective;
    unsigned mask;
    unsigned arrived;
    Location where;
    FiberQueue waiting;
  };
  struct Warp {
    unsigned exited = 0;  ///< lanes, those that the block does not have included
    std::vector<Rendezvous> pending;
    std::array<void*, 32> data{};
  };

  static void fiber_entry(boost::context::detail::transfer_t transfer);
  [[noreturn]] void run_threads();
  void begin_thread(Fiber& self);
  void end_thread(Fiber& self);
  void resume_from(Fiber& from, Fiber& to);
  Fiber& fresh_fiber();
  void wait();
  void release_barrier();
  void meet(Warp& warp, std::size_t rendezvous);
  std::size_t join(Warp& warp, const Collective& collective, unsigned mask, Location where);
  void reset_fibers();
  void order_threads(uint3 block_index);
  void set_error(LaunchError::Kind kind, const std::string& what, Location where);
  [[noreturn]] void report_stuck();

  const KernelCall* call_ = nullptr;
  Fiber main_;
  Fiber* running_ = nullptr;
  FiberQueue ready_;
  FiberQueue idle_;  ///< fibers whose thread has ended
  std::deque<PooledFiber> pool_;
  std::size_t pool_used_ = 0;  ///< fibers of the pool that have been entered
  std::vector<unsigned> order_;
  unsigned started_ = 0;
  unsigned live_ = 0;  ///< threads that have not exited
  Barrier barrier_;
  std::vector<Warp> warps_;
  SharedMemory shared_;
  std::optional<LaunchError> error_;
};

}  // namespace rooftune_host
