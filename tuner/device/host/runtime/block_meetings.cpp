// How the threads of a block meet: barriers, warp collectives, and what else they wait for.

#include <algorithm>

#include "block.hpp"
#include "built_in_storage.hpp"
#include "race_report.hpp"

namespace rooftune_host {

namespace {

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

}  // namespace

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

/// Lanes that ask which others are with them wait until no thread of the block can go on: then
/// those that asked at the same place are together, which is all that there is to know.
unsigned BlockRunner::converge(Location where) {
  stop_at_race();
  Warp& warp = warps_[running_->linear / warp_size];
  auto mine = std::find_if(warp.convergences.begin(), warp.convergences.end(),
                           [&](const Convergence& other) { return other.where == where; });
  if (mine == warp.convergences.end()) {
    mine = warp.convergences.insert(mine, {where, 0, {}});
  }
  const unsigned lane = running_->linear % warp_size;
  unsigned lanes = 0;
  warp.data[lane] = &lanes;
  mine->lanes |= 1U << lane;
  mine->waiting.push(*running_);
  wait();
  return lanes;
}

void BlockRunner::release_convergences() {
  for (Warp& warp : warps_) {
    for (Convergence& convergence : warp.convergences) {
      for (unsigned lane = 0; lane < warp_size; ++lane) {
        if ((convergence.lanes >> lane & 1U) != 0) {
          *static_cast<unsigned*>(warp.data[lane]) = convergence.lanes;
        }
      }
      ready_.append(convergence.waiting);
    }
    warp.convergences.clear();
  }
}

// Waiting for a condition.

void BlockRunner::wait_until(const Condition& condition, Location where) {
  stop_at_race();
  // Asked again by the thread itself: what it acquires by that is its own.
  while (!condition.holds(condition.state)) {
    waiters_.push_back({running_, condition, where});
    wait();
  }
}

void BlockRunner::wake_waiters() {
  const Unseen unseen;  // conditions are on the stacks of the threads that wait
  const auto still_waiting = [&](const Waiter& waiter) {
    return !waiter.condition.holds(waiter.condition.state);
  };
  const auto woken = std::stable_partition(waiters_.begin(), waiters_.end(), still_waiting);
  for (auto waiter = woken; waiter != waiters_.end(); ++waiter) {
    ready_.push(*waiter->fiber);
  }
  waiters_.erase(woken, waiters_.end());
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
  where = waiters_.empty() ? where : waiters_.front().where;
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
  for (std::size_t i = 0; i < waiters_.size(); ++i) {
    const Waiter& waiter = waiters_[i];
    const auto alike = [&](const Waiter& other) { return other.where == waiter.where; };
    if (std::find_if(waiters_.begin(), waiters_.end(), alike) - waiters_.begin() ==
        static_cast<std::ptrdiff_t>(i)) {
      const auto count = std::count_if(waiters_.begin(), waiters_.end(), alike);
      text += (text.empty() ? "" : "; ") + count_of_threads(static_cast<unsigned>(count)) + " in " +
              waiter.condition.what + " at " + waiter.where.text();
    }
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
