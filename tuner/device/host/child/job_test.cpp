#include "tuner/device/host/child/job.hpp"

#include <gtest/gtest.h>

namespace rooftune::host_child {
namespace {

TEST(Job, SurvivesItsFile) {
  Job job;
  job.task = Task::measure;
  job.result = "/a folder/result";
  job.grid[1] = 7;
  job.block[2] = 64;
  job.shared_bytes = 49152;
  job.workers = 3;
  job.strict = true;
  job.seed = 0xffffffffffffffff;
  job.sampling.relative_noise = 0.1;
  JobArgument scalar;
  scalar.scalar = {0, 255, 7, 1};
  JobArgument buffer;
  buffer.is_buffer = true;
  buffer.name = "C";
  buffer.format = ElementFormat::bf16;
  buffer.count = 12;
  buffer.direction = Direction::inout;
  buffer.input = "/in put";
  buffer.expected = "/expected";
  buffer.limits = {1e-4, 0.1};
  job.arguments = {scalar, buffer};

  const Job read = read_job(write_job(job));
  EXPECT_EQ(write_job(read), write_job(job));
  EXPECT_EQ(read.task, Task::measure);
  EXPECT_EQ(read.result, "/a folder/result");
  EXPECT_EQ(read.seed, job.seed);
  EXPECT_EQ(read.arguments.size(), 2U);
  EXPECT_EQ(read.arguments[0].scalar, scalar.scalar);
  EXPECT_EQ(read.arguments[1].bytes(), 24U);
  EXPECT_EQ(read.arguments[1].input, "/in put");
  EXPECT_EQ(read.arguments[1].store, "");
  EXPECT_EQ(read.arguments[1].limits.absolute, 0.1);
}

TEST(Job, RefusesWordsThatItDoesNotKnow) {
  EXPECT_THROW(read_job("task dance\n"), std::runtime_error);
  EXPECT_THROW(read_job("colour red\n"), std::runtime_error);
  EXPECT_THROW(read_job("buffer f128 1 in\n"), std::runtime_error);
}

}  // namespace
}  // namespace rooftune::host_child
