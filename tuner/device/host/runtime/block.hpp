// Runs blocks, one after another, on the OS thread that owns it. Internal to the runtime library.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "async_copies.hpp"
#include "calls.hpp"
#include "fiber.hpp"
#include "launch.hpp"
#include "shared_memory.hpp"

namespace rooftune_host {

inline constexpr unsigned warp_size = 32;

std::string triple(uint3 index);

/// What the blocks of one launch have in common.
struct KernelCall {
  const LaunchShape& shape;
  void (*thread)(void** args);
  void** args;
  const LaunchOptions& options;
  unsigned threads;      ///< of a block
  std::uint64_t blocks;  ///< of the grid
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
  void end_launch();
  /// Runs one block to its end. The error where it failed.
  std::optional<LaunchError> run(uint3 block_index);

  // What the block's threads call; see calls.hpp.
  BarrierVotes barrier(bool vote, Location where);
  void collective(const Collective& collective, unsigned mask, void* data, Location where);
  unsigned active_lanes() const;
  unsigned linear_thread() const { return running_->linear; }
  unsigned converge(Location where);
  void wait_until(const Condition& condition, Location where);
  void yield();
  AsyncCopies& async_copies() { return copies_[running_->linear]; }
  SharedMemory& shared_memory() { return shared_; }
  /// Ends the block with an error. `text` is called for the message, so that nothing which it is
  /// made of is left on the stack that is abandoned here.
  template <class Text>
  [[noreturn]] void fail(LaunchError::Kind kind, Location where, const Text& text) {
    running_->sanitizer.hand_over_to(main_.sanitizer);
    {
      const Unseen unseen;
      set_error(kind, where, text());
    }
    resume_from(*running_, main_);
    __builtin_unreachable();
  }

 private:
  /// A fiber with its stack, kept from block to block.
  struct PooledFiber {
    PooledFiber(std::size_t stack_bytes, std::size_t color) : stack(stack_bytes, color) {
      fiber.sanitizer.has_stack(stack.bottom(), stack.bytes());
    }
    Stack stack;
    Fiber fiber;
  };
  struct Barrier {
    FiberQueue waiting;
    void* order = nullptr;  ///< what orders memory between its threads, for the race build
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
    void* order;  ///< as Barrier's; null where the collective orders nothing
    FiberQueue waiting;
  };
  /// Lanes of a warp that asked at one place which others are with them.
  struct Convergence {
    Location where;
    unsigned lanes;
    FiberQueue waiting;
  };
  /// A thread that waits for something which nobody announces.
  struct Waiter {
    Fiber* fiber;
    Condition condition;
    Location where;
  };
  struct Warp {
    unsigned exited = 0;  ///< lanes, those that the block does not have included
    std::vector<Rendezvous> pending;
    std::vector<Convergence> convergences;
    std::array<void*, 32> data{};
  };

  static void fiber_entry();
  [[noreturn]] void run_threads();
  void begin_thread(Fiber& self);
  void end_thread(Fiber& self);
  void resume_from(Fiber& from, Fiber& to);
  Fiber& fresh_fiber();
  Fiber& next_fiber();
  void wait();
  void wake_waiters();
  void release_convergences();
  void release_barrier();
  PooledFiber& make_fiber();
  void* new_order();
  void meet(Warp& warp, std::size_t rendezvous);
  std::size_t join(Warp& warp, const Collective& collective, unsigned mask, Location where);
  void reset_fibers();
  void order_threads(uint3 block_index);
  void stop_at_race();
  [[noreturn]] void report_stuck();
  void set_error(LaunchError::Kind kind, Location where, const std::string& what);
  std::string waiting_text() const;

  const KernelCall* call_ = nullptr;
  Fiber main_;
  Fiber* running_ = nullptr;
  FiberQueue ready_;
  FiberQueue idle_;  ///< fibers whose thread has ended
  std::deque<PooledFiber> pool_;
  std::size_t pool_used_ = 0;  ///< fibers of the pool that have been entered
  std::vector<unsigned> order_;
  unsigned started_ = 0;
  uint3 next_index_{};  ///< of the thread to start where they start in order
  unsigned live_ = 0;   ///< threads that have not exited
  Barrier barrier_;
  std::vector<Warp> warps_;
  std::vector<Waiter> waiters_;
  std::vector<AsyncCopies> copies_;  ///< of each thread, where copies are made late
  SharedMemory shared_;
  std::optional<LaunchError> error_;
  std::vector<std::uint64_t> orders_;  ///< places that stand for barriers, race build
  std::size_t next_order_ = 0;
  char launch_begin_ = 0;  ///< likewise, for the begin and the end of a launch
  char launch_end_ = 0;
};

}  // namespace rooftune_host
