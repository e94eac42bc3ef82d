// Runs a kernel on the CPU: the threads of a block as fibers on one OS thread, blocks over a
// persistent pool of OS threads. Linked into every variant of a kernel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "prelude/vector_types.hpp"

namespace rooftune_host {

struct LaunchShape {
  dim3 grid;
  dim3 block;
  std::size_t dynamic_shared_bytes = 0;
};

struct LaunchOptions {
  const char* kernel_name = "kernel";  ///< for messages
  unsigned workers = 0;                ///< OS threads; 0: all cores
  /// Finds faults at some cost: threads and blocks run in an order permuted by `seed`, shared
  /// memory starts each block as NaN between red zones that are looked at when it ends, values that
  /// CUDA leaves undefined are NaN, and (unless exits_are_right) a thread that exits while others
  /// wait at a barrier is an error.
  bool checks = false;
  bool exits_are_right = false;  ///< as GPUs since Volta take them, whatever CUDA says
  std::uint64_t seed = 1;
};

struct LaunchError {
  enum class Kind {
    bad_launch,           ///< a shape or size that cannot be launched
    barrier_divergence,   ///< threads wait at different barriers, or (checks) some have exited
    collective_mismatch,  ///< lanes of a warp in different collectives or with different masks
    deadlock,             ///< every thread waits
    shared_memory,        ///< too much of it, or a red zone was written
    assertion,            ///< assert() or __trap()
    data_race,            ///< race build: two accesses that nothing orders
  };
  Kind kind;
  std::string message;  ///< names kernel, block, file and line
  std::string file;     ///< where, as far as it is known
  int line = 0;
};
const char* to_string(LaunchError::Kind kind);

struct LaunchReport {
  double wall_seconds = 0;
  std::vector<double> cpu_seconds;   ///< of each worker
  std::optional<LaunchError> error;  ///< the results are worthless where there is one
};

/// Calls `thread(args)` once for each thread of the grid, with CUDA's built-in variables set.
/// Returns when all have ended, or at the first error.
///
/// Barriers. All threads of a block that have not exited must meet at the same barrier (source
/// line): threads at different ones are an error. Exited threads do not count, as on GPUs since
/// Volta; with `checks` they are an error, as for NVIDIA's synccheck, since CUDA leaves a barrier
/// in divergent code undefined.
///
/// Not for several threads at once: a process runs one launch at a time.
LaunchReport launch(const LaunchShape& shape, void (*thread)(void** args), void** args,
                    const LaunchOptions& options);

}  // namespace rooftune_host
