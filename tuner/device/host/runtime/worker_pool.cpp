#include "worker_pool.hpp"

#include <thread>

namespace rooftune_host {

WorkerPool& WorkerPool::instance() {
  static auto* pool = new WorkerPool;
  return *pool;
}

void WorkerPool::run(unsigned workers, const std::function<void(unsigned)>& task) {
  {
    const std::lock_guard lock(mutex_);
    for (; threads_ + 1 < workers; ++threads_) {
      std::thread([this, index = threads_ + 1, seen = generation_] {
        serve(index, seen);
      }).detach();
    }
    task_ = &task;
    wanted_ = workers;
    remaining_ = workers - 1;
    ++generation_;
  }
  if (workers > 1) {
    start_.notify_all();
  }
  task(0);
  std::unique_lock lock(mutex_);
  done_.wait(lock, [this] { return remaining_ == 0; });
}

void WorkerPool::serve(unsigned index, unsigned long seen) {
  std::unique_lock lock(mutex_);
  for (;;) {
    start_.wait(lock, [&] { return generation_ != seen; });
    seen = generation_;
    if (index >= wanted_) {
      continue;
    }
    const auto& task = *task_;
    lock.unlock();
    task(index);
    lock.lock();
    if (--remaining_ == 0) {
      done_.notify_one();
    }
  }
}

}  // namespace rooftune_host
