// One CUDA thread in flight: a stack, the context saved there, and what the thread waits for.
// Internal to the runtime library.
#pragma once

#include <cstddef>

#include "prelude/vector_types.hpp"
#include "sanitizer_fibers.hpp"
#include "stack_switch.hpp"

namespace rooftune_host {

/// A piece of memory for a fiber's stack, with a guard page below it.
class Stack {
 public:
  /// `color` staggers the stacks' tops: tops at the same offset of their pages would compete for
  /// the same few sets of the caches. Throws std::bad_alloc.
  explicit Stack(std::size_t bytes, std::size_t color);
  ~Stack();
  Stack(const Stack&) = delete;
  Stack& operator=(const Stack&) = delete;
  void* top() const { return top_; }
  const void* bottom() const { return bottom_; }
  std::size_t bytes() const { return static_cast<std::size_t>(top_ - bottom_); }

 private:
  char* mapping_;
  std::size_t mapped_bytes_;
  char* bottom_;
  char* top_;
};

struct Fiber {
  Fiber* next = nullptr;             ///< in the one queue that it is in
  StackPosition position = nullptr;  ///< where it goes on
  uint3 index{};                     ///< threadIdx
  unsigned linear = 0;               ///< of the thread in its block
  SanitizerFiber sanitizer;
};

/// First in, first out; linked through Fiber::next, so moving a whole queue costs nothing.
class FiberQueue {
 public:
  bool empty() const { return head_ == nullptr; }
  void push(Fiber& fiber) {
    fiber.next = nullptr;
    if (head_ == nullptr) {
      head_ = &fiber;
    } else {
      tail_->next = &fiber;
    }
    tail_ = &fiber;
  }
  /// nullptr where it is empty.
  Fiber* pop() {
    Fiber* first = head_;
    if (first != nullptr) {
      head_ = first->next;
    }
    return first;
  }
  void append(FiberQueue& other) {
    if (other.empty()) {
      return;
    }
    if (head_ == nullptr) {
      head_ = other.head_;
    } else {
      tail_->next = other.head_;
    }
    tail_ = other.tail_;
    other.head_ = nullptr;
  }
  void clear() { head_ = nullptr; }

 private:
  Fiber* head_ = nullptr;
  Fiber* tail_ = nullptr;
};

/// Leaves the running fiber `from` and goes on with `to`. Returns when something switches back.
inline void switch_fiber(Fiber& from, Fiber& to) {
  from.sanitizer.leave_for(to.sanitizer);
  switch_stack(from.position, to.position);
  from.sanitizer.arrive();
}

}  // namespace rooftune_host
