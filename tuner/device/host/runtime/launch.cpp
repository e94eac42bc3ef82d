#include "launch.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <ctime>
#include <memory>
#include <mutex>
#include <numeric>
#include <thread>

#include "access_counts.hpp"
#include "block.hpp"
#include "shared_memory.hpp"
#include "worker_pool.hpp"

namespace rooftune_host {

namespace {

/// ThreadSanitizer knows 8,191 threads, and its cost grows with each.
constexpr std::uint64_t race_threads_limit = 4096;

double thread_cpu_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// A worker's runner lives as long as its OS thread, with the stacks that it has made.
BlockRunner& runner_of_this_thread() {
  thread_local const std::unique_ptr<BlockRunner> runner = std::make_unique<BlockRunner>();
  return *runner;
}

/// The order in which blocks start: as they are numbered, or a permutation.
class BlockOrder {
 public:
  BlockOrder(std::uint64_t blocks, const LaunchOptions& options) : blocks_(blocks) {
    if (options.checks && blocks > 1) {
      offset_ = options.seed % blocks;
      stride_ = options.seed * 0x9E3779B97F4A7C15ULL % blocks;
      while (std::gcd(stride_, blocks) != 1) {
        stride_ = (stride_ + 1) % blocks;
      }
    }
  }
  std::uint64_t operator()(std::uint64_t i) const {
    return static_cast<std::uint64_t>((static_cast<__uint128_t>(i) * stride_ + offset_) % blocks_);
  }

 private:
  std::uint64_t blocks_;
  std::uint64_t stride_ = 1;
  std::uint64_t offset_ = 0;
};

/// One launch as its workers share it.
class Launch {
 public:
  Launch(const KernelCall& call, unsigned workers)
      : call_(call),
        order_(call.blocks, call.options),
        // Large enough that the counter is not fought over, small enough to end together.
        chunk_(std::max<std::uint64_t>(1, call.blocks / (std::uint64_t{workers} * 64))),
        cpu_seconds_(workers) {}

  void work(unsigned worker) {
    const double begin = thread_cpu_seconds();
    BlockRunner& runner = runner_of_this_thread();
    runner.begin_launch(call_);
    while (!failed_.load(std::memory_order_relaxed)) {
      const std::uint64_t first = next_.fetch_add(chunk_, std::memory_order_relaxed);
      if (first >= call_.blocks) {
        break;
      }
      run_blocks(runner, first, std::min(first + chunk_, call_.blocks));
    }
    runner.end_launch();
    cpu_seconds_[worker] = thread_cpu_seconds() - begin;
  }

  LaunchReport report(double wall_seconds) { return {wall_seconds, cpu_seconds_, error_}; }

 private:
  void run_blocks(BlockRunner& runner, std::uint64_t first, std::uint64_t last) {
    const dim3& grid = call_.shape.grid;
    for (std::uint64_t i = first; i < last; ++i) {
      const std::uint64_t block = order_(i);
      const auto error = runner.run({static_cast<unsigned>(block % grid.x),
                                     static_cast<unsigned>(block / grid.x % grid.y),
                                     static_cast<unsigned>(block / grid.x / grid.y)});
      if (error) {
        const std::lock_guard lock(mutex_);
        if (!failed_.exchange(true)) {
          error_ = error;
        }
        return;
      }
    }
  }

  const KernelCall& call_;
  BlockOrder order_;
  std::uint64_t chunk_;
  std::vector<double> cpu_seconds_;
  std::atomic<std::uint64_t> next_ = 0;
  std::atomic<bool> failed_ = false;
  std::mutex mutex_;
  std::optional<LaunchError> error_;
};

/// CUDA's limits that hold on every GPU; what is not launchable there must not run here.
std::optional<std::string> launch_fault(const LaunchShape& shape) {
  const auto& [grid, block, shared] = shape;
  const auto text = [](const dim3& d) {
    return std::to_string(d.x) + " x " + std::to_string(d.y) + " x " + std::to_string(d.z);
  };
  const std::uint64_t threads = std::uint64_t{block.x} * block.y * block.z;
  if (threads == 0 || threads > 1024 || block.z > 64) {
    return "a block of " + text(block) + " threads: at least 1 and at most 1024, z at most 64";
  }
  if (grid.x == 0 || grid.y == 0 || grid.z == 0 || grid.x > 0x7FFFFFFFU || grid.y > 65535 ||
      grid.z > 65535) {
    return "a grid of " + text(grid) +
           " blocks: at least 1, x at most 2147483647, y and z at most 65535";
  }
  if (one_thread_a_fiber && threads * grid.x * grid.y * grid.z > race_threads_limit) {
    return text(grid) + " blocks of " + std::to_string(threads) + " threads: at most " +
           std::to_string(race_threads_limit) +
           " threads in all where races are looked for; choose a smaller problem";
  }
  if (shared > dynamic_shared_limit) {
    return std::to_string(shared) + " bytes of dynamic shared memory: at most " +
           std::to_string(dynamic_shared_limit) + " (227 KiB) on any GPU";
  }
  return std::nullopt;
}

}  // namespace

const char* to_string(LaunchError::Kind kind) {
  switch (kind) {
    case LaunchError::Kind::bad_launch:
      return "cannot launch";
    case LaunchError::Kind::barrier_divergence:
      return "barrier divergence";
    case LaunchError::Kind::collective_mismatch:
      return "mismatched warp collective";
    case LaunchError::Kind::deadlock:
      return "deadlock";
    case LaunchError::Kind::shared_memory:
      return "shared memory fault";
    case LaunchError::Kind::assertion:
      return "assertion failed";
    case LaunchError::Kind::data_race:
      return "data race";
  }
  return "";
}

LaunchReport launch(const LaunchShape& shape, void (*thread)(void** args), void** args,
                    const LaunchOptions& options) {
  if (const auto fault = launch_fault(shape)) {
    const auto kind = LaunchError::Kind::bad_launch;
    return {
        0,
        {},
        LaunchError{kind,
                    to_string(kind) + std::string(" kernel ") + options.kernel_name + ": " + *fault,
                    "", 0}};
  }
  const std::uint64_t blocks = std::uint64_t{shape.grid.x} * shape.grid.y * shape.grid.z;
  const unsigned wanted =
      options.workers != 0 ? options.workers : std::max(1U, std::thread::hardware_concurrency());
  // What the race build finds does not depend on which threads really run at once.
  const auto workers = one_thread_a_fiber || accesses_are_counted
                           ? 1U
                           : static_cast<unsigned>(std::min<std::uint64_t>(wanted, blocks));
  const KernelCall call{shape, thread, args, options, shape.block.x * shape.block.y * shape.block.z,
                        blocks};
  Launch running(call, workers);
  const auto begin = std::chrono::steady_clock::now();
  WorkerPool::instance().run(workers, [&](unsigned worker) { running.work(worker); });
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
  return running.report(wall.count());
}

}  // namespace rooftune_host
