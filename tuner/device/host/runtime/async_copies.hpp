// Asynchronous copies that a CUDA thread has asked for, in the builds that make them late. Internal
// to the runtime library.
#pragma once

#include <deque>

#include "calls.hpp"

namespace rooftune_host {

class AsyncCopies {
 public:
  void queue(const AsyncCopy& copy) { copies_.push_back({copy, batch_}); }
  void commit() { ++batch_; }
  bool take(unsigned batches, AsyncCopy& copy) {
    if (copies_.empty() || copies_.front().batch + batches >= batch_) {
      return false;
    }
    copy = copies_.front().copy;
    copies_.pop_front();
    return true;
  }

 private:
  struct Queued {
    AsyncCopy copy;
    unsigned long batch;
  };
  std::deque<Queued> copies_;
  unsigned long batch_ = 0;  ///< the one that is being filled
};

}  // namespace rooftune_host
