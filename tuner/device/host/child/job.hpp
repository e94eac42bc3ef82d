// What a variant's process is told to do: a text file, a word and its value on each line. Written
// by the host device, read by the process.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tuner/device/compare.hpp"
#include "tuner/measure/sampling.hpp"

namespace rooftune::host_child {

enum class Task {
  reference,  ///< run once and store the outputs
  verify,     ///< run once and compare
  measure,    ///< the same, then time it
};

enum class Direction { in, out, inout };

struct JobArgument {
  bool is_buffer = false;
  std::vector<unsigned char> scalar;  ///< the value's bytes
  std::string name;
  ElementFormat format = ElementFormat::f32;
  std::uint64_t count = 0;  ///< elements
  Direction direction = Direction::in;
  std::string input;     ///< file that holds the elements; empty for an output
  std::string expected;  ///< file to compare with; empty where nothing is known
  std::string store;     ///< file to write the elements to
  ErrorLimits limits;

  std::uint64_t bytes() const { return count * size_of(format); }
};

struct Job {
  Task task = Task::verify;
  std::string result;  ///< file that the process appends its findings to
  std::uint64_t grid[3] = {1, 1, 1};
  std::uint64_t block[3] = {1, 1, 1};
  std::uint64_t shared_bytes = 0;
  unsigned workers = 1;
  bool strict = false;     ///< threads that exit before a barrier are an error
  std::uint64_t seed = 1;  ///< of permuted orders
  SamplingRules sampling;
  std::vector<JobArgument> arguments;
};

std::string write_job(const Job& job);
/// Throws std::runtime_error.
Job read_job(const std::string& text);

}  // namespace rooftune::host_child
