// Asynchronous copies into shared memory, as C functions and as nvcuda::experimental::pipeline.
#pragma once

#include "cuda_pipeline_primitives.h"

namespace nvcuda::experimental {

class pipeline {
 public:
  pipeline() = default;
  pipeline(const pipeline&) = delete;
  pipeline& operator=(const pipeline&) = delete;
  std::size_t commit() {
    __pipeline_commit();
    return batches_++;
  }
  void commit_and_wait() {
    commit();
    __pipeline_wait_prior(0);
  }
  void wait(std::size_t batch) { __pipeline_wait_prior(batches_ - 1 - batch); }
  template <unsigned batches>
  void wait_prior() {
    __pipeline_wait_prior(batches);
  }

 private:
  std::size_t batches_ = 0;
};

template <class T>
inline void memcpy_async(T& to, const T& from, pipeline&) {
  __pipeline_memcpy_async(&to, &from, sizeof(T));
}

}  // namespace nvcuda::experimental
