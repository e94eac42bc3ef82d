#include "block.hpp"

#include <cstring>
#include <utility>

#include "built_in_storage.hpp"
#include "race_report.hpp"

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
  main_.sanitizer.is_native();
  shared_.begin_launch(call.shape.dynamic_shared_bytes, call.options.checks);
  warps_.resize((call.threads + warp_size - 1) / warp_size);
  for (Warp& warp : warps_) {
    warp.pending.reserve(warp_size);
  }
  storage::block_shape = call.shape.block;
  storage::grid_shape = call.shape.grid;
  storage::shared_slots = shared_.slots();
  if constexpr (one_thread_a_fiber) {
    // Now, since ThreadSanitizer takes a thread that maps or allocates memory for its writer.
    pool_used_ = 0;
    while (pool_.size() < call.threads * call.blocks) {
      make_fiber();
    }
    orders_.resize(std::size_t{1} << 14);
    order_.reserve(call.threads);
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
    Fiber* next = live_ == 0 ? &main_ : ready_.pop();
    if (next == nullptr && started_ == call_->threads) {
      report_stuck();
    }
    if constexpr (one_thread_a_fiber) {
      resume_from(self, next != nullptr ? *next : fresh_fiber());
    } else if (next != nullptr) {
      idle_.push(self);
      resume_from(self, *next);
    }
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
  for (PooledFiber& pooled : pool_) {
    pooled.fiber.sanitizer.abandon(main_.sanitizer, &launch_end_);
  }
  pool_used_ = 0;
  if constexpr (one_thread_a_fiber) {
    pool_.clear();
  }
}

// Barriers.

BarrierVotes BlockRunner::barrier(bool vote, Location where) {
  stop_at_race();
  if (barrier_.arrived == 0) {
    barrier_.where = where;
    barrier_.order = new_order();
  } else if (!(barrier_.where == where)) {
    fail(LaunchError::Kind::barrier_divergence, where, [&] {
      return "thread " + triple(running_->index) + " reached the barrier at " + where.text() +
             " while " + count_of_threads(barrier_.arrived) + " of " +
             std::to_string(call_->threads) + " wait at " + barrier_.where.text();
    });
  }
  void* const order = barrier_.order;
  release_memory(order);
  barrier_.yes += vote ? 1U : 0U;
  if (++barrier_.arrived == live_) {
    release_barrier();
  } else {
    barrier_.waiting.push(*running_);
    wait();
  }
  acquire_memory(order);
  return barrier_.result;
}

void BlockRunner::release_barrier() {
  const LaunchOptions& options = call_->options;
  if (live_ != call_->threads && options.checks && !options.exits_are_right) {
    fail(LaunchError::Kind::barrier_divergence, barrier_.where, [&] {
      return count_of_threads(barrier_.arrived) + " of " + std::to_string(call_->threads) +
             " wait at the barrier at " + barrier_.where.text() + ", the others have exited";
    });
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
  stop_at_race();
  Warp& warp = warps_[running_->linear / warp_size];
  const unsigned lane = running_->linear % warp_size;
  warp.data[lane] = data;
  const std::size_t rendezvous = join(warp, collective, mask, where);
  Rendezvous& mine = warp.pending[rendezvous];
  mine.arrived |= 1U << lane;
  void* const order = mine.order;
  if (order != nullptr) {
    release_memory(order);
  }
  if (mine.arrived == (mask & ~warp.exited)) {
    meet(warp, rendezvous);
  } else {
    mine.waiting.push(*running_);
    wait();
  }
  if (order != nullptr) {
    acquire_memory(order);
  }
}

/// The rendezvous that a lane goes to, or an error where its lanes can never meet.
std::size_t BlockRunner::join(Warp& warp, const Collective& collective, unsigned mask,
                              Location where) {
  const unsigned lane = running_->linear % warp_size;
  const auto mismatch = [&](const auto& text) {
    fail(LaunchError::Kind::collective_mismatch, where, [&] {
      return "thread " + triple(running_->index) + " (lane " + std::to_string(lane) + ") called " +
             collective.name + " at " + where.text() + " with mask " + lanes_text(mask) + text();
    });
  };
  if ((mask >> lane & 1U) == 0) {
    mismatch([] { return ", which does not name its own lane"; });
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
      mismatch([&] {
        return " while lanes " + lanes_text(other.arrived) + " wait for it in " +
               other.collective->name + " at " + other.where.text() + " with mask " +
               lanes_text(other.mask);
      });
    }
  }
  void* const order = collective.orders_memory ? new_order() : nullptr;
  warp.pending.push_back({&collective, mask, 0, where, order, {}});
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

void BlockRunner::set_error(LaunchError::Kind kind, Location where, const std::string& what) {
  error_ = LaunchError{kind,
                       std::string(to_string(kind)) + " in kernel " + call_->options.kernel_name +
                           ", block " + triple(storage::block_index) + ": " + what,
                       where.file, where.line};
}

void BlockRunner::stop_at_race() {
#ifdef ROOFTUNE_HOST_RACE
  if (race_seen()) {
    // Static: the error keeps the place beyond this stack.
    static RaceFound race;
    race = take_race();
    fail(LaunchError::Kind::data_race, {race.file.c_str(), race.line}, [] { return race.what; });
  }
#endif
}

void BlockRunner::report_stuck() {
  Location where = barrier_.where;
  for (const Warp& warp : warps_) {
    where = warp.pending.empty() ? where : warp.pending.front().where;
  }
  fail(LaunchError::Kind::deadlock, where,
       [this] { return "every thread waits: " + waiting_text(); });
}

std::string BlockRunner::waiting_text() const {
  std::string text;
  if (barrier_.arrived != 0) {
    text = count_of_threads(barrier_.arrived) + " at the barrier at " + barrier_.where.text();
  }
  for (std::size_t i = 0; i < warps_.size(); ++i) {
    for (const Rendezvous& rendezvous : warps_[i].pending) {
      text += (text.empty() ? "" : "; ") + std::string("lanes ") + lanes_text(rendezvous.arrived) +
              " of warp " + std::to_string(i) + " in " + rendezvous.collective->name + " at " +
              rendezvous.where.text() + " for lanes " +
              lanes_text(rendezvous.mask & ~rendezvous.arrived & ~warps_[i].exited);
    }
  }
  return text;
}

}  // namespace rooftune_host
