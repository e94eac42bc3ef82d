// Ctrl-C: once ends the run cleanly, twice at once.
#pragma once

#include <atomic>

namespace rooftune::cli {

/// While it lives, SIGINT and SIGTERM raise the flag; the second one ends the process. One at a
/// time.
class InterruptGuard {
 public:
  InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
  ~InterruptGuard();
  const std::atomic<bool>& flag() const;

 private:
  using Handler = void (*)(int);
  Handler earlier_interrupt_;
  Handler earlier_terminate_;
};

}  // namespace rooftune::cli
