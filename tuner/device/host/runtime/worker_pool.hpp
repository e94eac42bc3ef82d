// OS threads that are kept from launch to launch. Internal to the runtime library.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <vector>

namespace rooftune_host {

class WorkerPool {
 public:
  /// Made at the first use, never destroyed: its threads end with the process.
  static WorkerPool& instance();

  /// Calls task(0) to task(workers - 1), each on its own thread, the first on the caller's.
  /// Worker i is the same OS thread every time.
  void run(unsigned workers, const std::function<void(unsigned)>& task);

 private:
  void serve(unsigned index, unsigned long seen);

  std::mutex mutex_;
  std::condition_variable start_;
  std::condition_variable done_;
  unsigned threads_ = 0;
  unsigned long generation_ = 0;
  unsigned wanted_ = 0;
  unsigned remaining_ = 0;
  const std::function<void(unsigned)>* task_ = nullptr;
};

}  // namespace rooftune_host
