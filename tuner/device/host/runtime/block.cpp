#include "block.hpp"

#include <cstring>
#include <utility>

#include "access_counts.hpp"
#include "built_in_storage.hpp"

namespace rooftune_host {

namespace {

// Virtual memory: pages that a thread does not touch cost nothing.
constexpr std::size_t stack_bytes = std::size_t{256} << 10;

constinit thread_local BlockRunner* current_runner = nullptr;

uint3 index_of(unsigned linear, const dim3& shape) {
  return {linear % shape.x, linear / shape.x % shape.y, linear / shape.x / shape.y};
}

}  // namespace

std::string triple(uint3 index) {
  return "(" + std::to_string(index.x) + ", " + std::to_string(index.y) + ", " +
         std::to_string(index.z) + ")";
}

bool Location::operator==(const Location& other) const {
  return line == other.line && (file == other.file || std::strcmp(file, other.file) == 0);
}

std::string Location::text() const {
  return std::string(file) + ":" + std::to_string(line);
}

BlockRunner& BlockRunner::current() {
  return *current_runner;
}

void BlockRunner::begin_launch(const KernelCall& call) {
  call_ = &call;
  current_runner = this;
  main_.sanitizer.is_native();
  shared_.begin_launch(call.shape.dynamic_shared_bytes, call.options.checks);
  if constexpr (accesses_are_counted) {
    begin_counting(call.threads);
  }
  warps_.resize((call.threads + warp_size - 1) / warp_size);
  for (Warp& warp : warps_) {
    warp.pending.reserve(warp_size);
    warp.convergences.reserve(warp_size);
  }
  storage::block_shape = call.shape.block;
  storage::grid_shape = call.shape.grid;
  storage::shared_slots = shared_.slots();
  if (copies_are_late) {
    copies_.resize(call.threads);
  }
  if constexpr (one_thread_a_fiber) {
    // Now, since ThreadSanitizer takes a thread that maps or allocates memory for its writer.
    pool_used_ = 0;
    while (pool_.size() < call.threads * call.blocks) {
      make_fiber();
    }
    orders_.resize(std::size_t{1} << 14);
    order_.reserve(call.threads);
    waiters_.reserve(call.threads);
  }
  release_memory(&launch_begin_);
}

void BlockRunner::end_launch() {
  acquire_memory(&launch_end_);
}

std::optional<LaunchError> BlockRunner::run(uint3 block_index) {
  storage::block_index = block_index;
  live_ = call_->threads;
  started_ = 0;
  next_index_ = {};
  for (Warp& warp : warps_) {
    warp.exited = 0;
  }
  if (const unsigned last = call_->threads % warp_size; last != 0) {
    warps_.back().exited = ~0U << last;
  }
  order_threads(block_index);
  shared_.begin_block();
  storage::dynamic_shared_memory = shared_.dynamic();
  resume_from(main_, fresh_fiber());
  if (error_) {
    reset_fibers();
  } else if (const auto damage = shared_.find_damage()) {
    set_error(LaunchError::Kind::shared_memory, {damage->file, damage->line}, damage->what);
  }
  if constexpr (accesses_are_counted) {
    count_block(shared_.static_bytes());
  }
  return std::exchange(error_, std::nullopt);
}

void BlockRunner::order_threads(uint3 block_index) {
  order_.clear();
  if (!call_->options.checks) {
    return;
  }
  // A Fisher-Yates shuffle of its own: the standard library's differs between implementations.
  order_.resize(call_->threads);
  std::uint64_t state = call_->options.seed + block_index.x + 0x10001ULL * block_index.y +
                        0x100000001ULL * block_index.z;
  for (unsigned i = 0; i < call_->threads; ++i) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    const auto j = static_cast<unsigned>((state >> 33) % (i + 1));
    order_[i] = order_[j];
    order_[j] = i;
  }
}

// The fibers.

void BlockRunner::fiber_entry() {
  BlockRunner& runner = current();
  runner.running_->sanitizer.arrive();
  runner.run_threads();
}

/// The life of a fiber: runs thread after thread as long as none blocks, so that threads which
/// never synchronise cost no switch.
void BlockRunner::run_threads() {
  Fiber& self = *running_;
  for (;;) {
    begin_thread(self);
    call_->thread(call_->args);
    end_thread(self);
    if (!one_thread_a_fiber && ready_.empty() && started_ < call_->threads) {
      continue;
    }
    Fiber& next = live_ == 0 ? main_ : next_fiber();
    if (!one_thread_a_fiber) {
      idle_.push(self);
    }
    resume_from(self, next);
  }
}

void BlockRunner::begin_thread(Fiber& self) {
  const dim3& shape = call_->shape.block;
  if (order_.empty()) {
    self.linear = started_;
    self.index = next_index_;
    if (++next_index_.x == shape.x) {
      next_index_.x = 0;
      if (++next_index_.y == shape.y) {
        next_index_.y = 0;
        ++next_index_.z;
      }
    }
  } else {
    self.linear = order_[started_];
    self.index = index_of(self.linear, shape);
  }
  ++started_;
  storage::thread_index = self.index;
  if constexpr (fibers_have_names) {
    self.sanitizer.set_name(
        ("block " + triple(storage::block_index) + ", thread " + triple(self.index)).c_str());
  }
  if (copies_are_late) {
    const Unseen unseen;
    copies_[self.linear] = {};
  }
  acquire_memory(&launch_begin_);
}

void BlockRunner::end_thread(Fiber& self) {
  stop_at_race();
  release_memory(&launch_end_);
  --live_;
  Warp& warp = warps_[self.linear / warp_size];
  warp.exited |= 1U << (self.linear % warp_size);
  for (std::size_t i = 0; i < warp.pending.size(); ++i) {
    if ((warp.pending[i].mask & ~warp.exited) == warp.pending[i].arrived) {
      meet(warp, i--);
    }
  }
  if (barrier_.arrived != 0 && barrier_.arrived == live_) {
    release_barrier();
  }
}

void BlockRunner::resume_from(Fiber& from, Fiber& to) {
  running_ = &to;
  storage::thread_index = to.index;
  switch_fiber(from, to);
}

Fiber& BlockRunner::fresh_fiber() {
  if (Fiber* fiber = idle_.pop()) {
    return *fiber;
  }
  PooledFiber& pooled = pool_used_ < pool_.size() ? pool_[pool_used_] : make_fiber();
  ++pool_used_;
  pooled.fiber.position =
      new_stack_position<&BlockRunner::fiber_entry>(pooled.stack.top(), pooled.stack.bytes());
  return pooled.fiber;
}

BlockRunner::PooledFiber& BlockRunner::make_fiber() {
  // Steps of 17 cache lines, within the page and beyond it: see Stack.
  return pool_.emplace_back(stack_bytes, pool_.size() * 17 % 256 * 64);
}

/// A place that no barrier of the launch has used, so that what ThreadSanitizer learns there is
/// about one meeting of threads.
void* BlockRunner::new_order() {
  return orders_.empty() ? nullptr : &orders_[next_order_++ % orders_.size()];
}

/// What to go on with when the running thread cannot: a thread that is ready, else one that has not
/// started, else one of those that wait for what nobody announces.
Fiber& BlockRunner::next_fiber() {
  if (Fiber* fiber = ready_.pop()) {
    return *fiber;
  }
  if (started_ < call_->threads) {
    return fresh_fiber();
  }
  wake_waiters();
  if (ready_.empty()) {
    release_convergences();
  }
  if (ready_.empty()) {
    report_stuck();
  }
  return *ready_.pop();
}

/// Runs other threads until something has put the running one into the ready queue and its turn
/// comes.
void BlockRunner::wait() {
  Fiber& self = *running_;
  Fiber& next = next_fiber();
  if (&next != &self) {
    resume_from(self, next);
  }
}

void BlockRunner::yield() {
  Fiber& self = *running_;
  // Threads that have not started go first: the ready ones may all be waiting for them in a loop.
  if (started_ < call_->threads) {
    ready_.push(self);
    resume_from(self, fresh_fiber());
  } else if (Fiber* next = ready_.pop()) {
    ready_.push(self);
    resume_from(self, *next);
  }
}

/// After an error: the fibers' threads are abandoned where they are, nothing of theirs is
/// destroyed.
void BlockRunner::reset_fibers() {
  ready_.clear();
  idle_.clear();
  barrier_.waiting.clear();
  barrier_.arrived = 0;
  barrier_.yes = 0;
  waiters_.clear();
  for (Warp& warp : warps_) {
    warp.pending.clear();
    warp.convergences.clear();
  }
  for (PooledFiber& pooled : pool_) {
    pooled.fiber.sanitizer.abandon(main_.sanitizer, &launch_end_);
  }
  pool_used_ = 0;
  if constexpr (one_thread_a_fiber) {
    pool_.clear();
  }
}

}  // namespace rooftune_host
