#include "block.hpp"

#include <cstring>
#include <utility>

#include "built_in_storage.hpp"

namespace rooftune_host {

namespace {

constexpr unsigned warp_size = 32;
// Virtual memory: pages that a thread does not touch cost nothing.
constexpr std::size_t stack_bytes = std::size_t{256} << 10;

constinit thread_local BlockRunner* current_runner = nullptr;

std::string triple(uint3 index) {
  return "(" + std::to_string(index.x) + ", " + std::to_string(index.y) + ", " +
         std::to_string(index.z) + ")";
}

std::string count_of_threads(unsigned count) {
  return std::to_string(count) + (count == 1 ? " thread" : " threads");
}

std::string lanes_text(unsigned mask) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string text = "0x";
  for (int shift = 28; shift >= 0; shift -= 4) {
    text += digits[(mask >> shift) & 15U];
  }
  return text;
}

uint3 index_of(unsigned linear, const dim3& shape) {
  return {linear % shape.x, linear / shape.x % shape.y, linear / shape.x / shape.y};
}

}  // namespace

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
  shared_.begin_launch(call.shape.dynamic_shared_bytes, call.options.checks);
  warps_.resize((call.threads + warp_size - 1) / warp_size);
  storage::block_shape = call.shape.block;
  storage::grid_shape = call.shape.grid;
  storage::dynamic_shared_memory = shared_.dynamic();
  storage::shared_slots = shared_.slots();
}

std::optional<LaunchError> BlockRunner::run(uint3 block_index) {
  storage::block_index = block_index;
  live_ = call_->threads;
  started_ = 0;
  for (Warp& warp : warps_) {
    warp.exited = 0;
  }
  if (const unsigned last = call_->threads % warp_size; last != 0) {
    warps_.back().exited = ~0U << last;
  }
  order_threads(block_index);
  shared_.begin_block();
  resume_from(main_, fresh_fiber());
  if (error_) {
    reset_fibers();
  } else if (const auto damage = shared_.find_damage()) {
    set_error(LaunchError::Kind::shared_memory, damage->what, {damage->file, damage->line});
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

void BlockRunner::fiber_entry(boost::context::detail::transfer_t transfer) {
  auto& previous = *static_cast<Fiber*>(transfer.data);
  previous.context = transfer.fctx;
  BlockRunner& runner = current();
  runner.running_->sanitizer.arrive_from(previous.sanitizer);
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
    Fiber* next = live_ == 0 ? &main_ : ready_.pop();
    if (next == nullptr) {
      if (started_ == call_->threads) {
        report_stuck();
      }
      continue;
    }
    idle_.push(self);
    resume_from(self, *next);
  }
}

void BlockRunner::begin_thread(Fiber& self) {
  const unsigned linear = order_.empty() ? started_ : order_[started_];
  ++started_;
  self.linear = linear;
  self.index = index_of(linear, call_->shape.block);
  storage::thread_index = self.index;
}

void BlockRunner::end_thread(Fiber& self) {
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
  if (pool_used_ == pool_.size()) {
    // Steps of 17 cache lines, within the page and beyond it: see Stack.
    pool_.emplace_back(stack_bytes, pool_.size() * 17 % 256 * 64);
  }
  PooledFiber& pooled = pool_[pool_used_++];
  pooled.fiber.context = boost::context::detail::make_fcontext(
      pooled.stack.top(), pooled.stack.bytes(), &BlockRunner::fiber_entry);
  return pooled.fiber;
}

/// Runs other threads until something has put the running one into the ready queue and its turn
/// comes.
void BlockRunner::wait() {
  Fiber& self = *running_;
  Fiber* next = ready_.pop();
  if (next == nullptr) {
    if (started_ == call_->threads) {
      report_stuck();
    }
    next = &fresh_fiber();
  }
  resume_from(self, *next);
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
  for (Warp& warp : warps_) {
    warp.pending.clear();
  }
  pool_used_ = 0;
}

// Barriers.

BarrierVotes BlockRunner::barrier(bool vote, Location where) {
  if (barrier_.arrived == 0) {
    barrier_.where = where;
  } else if (!(barrier_.where == where)) {
    fail(LaunchError::Kind::barrier_divergence,
         "thread " + triple(running_->index) + " reached the barrier at " + where.text() +
             " while " + count_of_threads(barrier_.arrived) + " of " +
             std::to_string(call_->threads) + " wait at " + barrier_.where.text(),
         where);
  }
  barrier_.yes += vote ? 1U : 0U;
  if (++barrier_.arrived == live_) {
    release_barrier();
  } else {
    barrier_.waiting.push(*running_);
    wait();
  }
  return barrier_.result;
}

void BlockRunner::release_barrier() {
  if (live_ != call_->threads && call_->options.checks) {
    fail(LaunchError::Kind::barrier_divergence,
         count_of_threads(barrier_.arrived) + " of " + std::to_string(call_->threads) +
             " wait at the barrier at " + barrier_.where.text() + ", the others have exited",
         barrier_.where);
  }
  barrier_.result = {barrier_.arrived, barrier_.yes};
  barrier_.arrived = 0;
  barrier_.yes = 0;
  ready_.append(barrier_.waiting);
}

// Warp collectives.

unsigned BlockRunner::active_lanes() const {
  return ~warps_[running_->linear / warp_size].exited;
}

void BlockRunner::collective(const Collective& collective, unsigned mask, void* data,
                             Location where) {
  Warp& warp = warps_[running_->linear / warp_size];
  const unsigned lane = running_->linear % warp_size;
  warp.data[lane] = data;
  const std::size_t rendezvous = join(warp, collective, mask, where);
  Rendezvous& mine = warp.pending[rendezvous];
  mine.arrived |= 1U << lane;
  if (mine.arrived == (mask & ~warp.exited)) {
    meet(warp, rendezvous);
  } else {
    mine.waiting.push(*running_);
    wait();
  }
}

/// The rendezvous that a lane goes to, or an error where its lanes can never meet.
std::size_t BlockRunner::join(Warp& warp, const Collective& collective, unsigned mask,
                              Location where) {
  const unsigned lane = running_->linear % warp_size;
  const auto mismatch = [&](const std::string& what) {
    fail(LaunchError::Kind::collective_mismatch,
         "thread " + triple(running_->index) + " (lane " + std::to_string(lane) + ") called " +
             collective.name + " at " + where.text() + " " + what,
         where);
  };
  if ((mask >> lane & 1U) == 0) {
    mismatch("with mask " + lanes_text(mask) + ", which does not name its own lane");
  }
  for (std::size_t i = 0; i < warp.pending.size(); ++i) {
    const Rendezvous& other = warp.pending[i];
    const bool waits_for_me = (other.mask >> lane & 1U) != 0;
    if (!waits_for_me) {
      continue;
    }
    if (other.mask == mask && other.collective == &collective) {
      return i;
    }
    if (other.mask == mask || (other.arrived & mask) != 0) {
      mismatch("with mask " + lanes_text(mask) + " while lanes " + lanes_text(other.arrived) +
               " wait for it in " + other.collective->name + " at " + other.where.text() +
               " with mask " + lanes_text(other.mask));
    }
  }
  warp.pending.push_back({&collective, mask, 0, where, {}});
  return warp.pending.size() - 1;
}

void BlockRunner::meet(Warp& warp, std::size_t rendezvous) {
  Rendezvous& complete = warp.pending[rendezvous];
  if (complete.collective->meet != nullptr) {
    complete.collective->meet({warp.data.data(), complete.arrived, call_->options.checks});
  }
  ready_.append(complete.waiting);
  complete = warp.pending.back();
  warp.pending.pop_back();
}

// Errors.

void BlockRunner::set_error(LaunchError::Kind kind, const std::string& what, Location where) {
  error_ = LaunchError{kind,
                       std::string(to_string(kind)) + " in kernel " + call_->options.kernel_name +
                           ", block " + triple(storage::block_index) + ": " + what,
                       where.file, where.line};
}

void BlockRunner::fail(LaunchError::Kind kind, const std::string& what, Location where) {
  set_error(kind, what, where);
  resume_from(*running_, main_);
  __builtin_unreachable();
}

void BlockRunner::report_stuck() {
  std::string waiting;
  Location where;
  if (barrier_.arrived != 0) {
    where = barrier_.where;
    waiting = count_of_threads(barrier_.arrived) + " at the barrier at " + where.text();
  }
  for (std::size_t i = 0; i < warps_.size(); ++i) {
    for (const Rendezvous& rendezvous : warps_[i].pending) {
      where = rendezvous.where;
      waiting += (waiting.empty() ? "" : "; ") + std::string("lanes ") +
                 lanes_text(rendezvous.arrived) + " of warp " + std::to_string(i) + " in " +
                 rendezvous.collective->name + " at " + where.text() + " for lanes " +
                 lanes_text(rendezvous.mask & ~rendezvous.arrived & ~warps_[i].exited);
    }
  }
  fail(LaunchError::Kind::deadlock, "every thread waits: " + waiting, where);
}

}  // namespace rooftune_host
