#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>

#include "tuner/compile/compiler.hpp"

namespace rooftune {
namespace {

/// Instances in order, handed to whichever thread is free.
class Batch {
 public:
  Batch(const std::vector<KernelInstance>& instances, const std::string& architecture,
        BinaryCache* cache, const std::function<void(std::size_t)>& progress)
      : instances_(instances),
        architecture_(architecture),
        cache_(cache),
        progress_(progress),
        results_(instances.size()),
        errors_(instances.size()) {}

  std::vector<CompileResult> run(std::size_t threads) {
    {
      std::vector<std::jthread> workers;
      for (std::size_t i = 1; i < threads; ++i) {
        workers.emplace_back([this] { work(); });
      }
      work();
    }
    for (const std::exception_ptr& error : errors_) {
      if (error) {
        std::rethrow_exception(error);
      }
    }
    return std::move(results_);
  }

 private:
  void work() {
    // After an error nothing new is begun; what was begun before it is finished, so that the first
    // error in order is always the one that is thrown.
    for (std::size_t at = next_++; at < instances_.size() && !stop_; at = next_++) {
      try {
        results_[at] = compile_nvrtc(instances_[at], architecture_, cache_);
      } catch (...) {
        errors_[at] = std::current_exception();
        stop_ = true;
      }
      const std::lock_guard lock(mutex_);
      ++done_;
      if (progress_) {
        progress_(done_);
      }
    }
  }

  const std::vector<KernelInstance>& instances_;
  const std::string& architecture_;
  BinaryCache* cache_;
  const std::function<void(std::size_t)>& progress_;
  std::vector<CompileResult> results_;
  std::vector<std::exception_ptr> errors_;
  std::atomic<std::size_t> next_{0};
  std::atomic<bool> stop_{false};
  std::mutex mutex_;
  std::size_t done_ = 0;
};

}  // namespace

std::vector<CompileResult> compile_all(const std::vector<KernelInstance>& instances,
                                       const std::string& architecture, unsigned jobs,
                                       BinaryCache* cache,
                                       const std::function<void(std::size_t)>& progress) {
  const std::size_t cores = jobs > 0 ? jobs : std::max(1U, std::thread::hardware_concurrency());
  return Batch(instances, architecture, cache, progress).run(std::min(cores, instances.size()));
}

}  // namespace rooftune
