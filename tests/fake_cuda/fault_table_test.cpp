// Whatever a kernel or the driver does to one configuration, that one is recorded with what
// happened, all others are measured, and the journal resumes.
#include "tests/fake_cuda/double_fixture.hpp"

namespace rooftune {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::OnTheDouble;

struct Fault {
  const char* name;
  const char* script;  ///< hits the configuration BLOCK=128
  Outcome outcome;
  const char* says;  ///< what the user reads
};

void PrintTo(const Fault& fault, std::ostream* out) {
  *out << fault.name;
}

const Fault faults[] = {
    // While the kernel runs: the context is spoilt, the worker starts anew.
    {"IllegalAddress", "launch kernel=Li128E -> fault 700", Outcome::crashed,
     "CUDA_ERROR_ILLEGAL_ADDRESS (700): the kernel touched memory that is not its own"},
    {"MisalignedAddress", "launch kernel=Li128E -> fault 716", Outcome::crashed,
     "CUDA_ERROR_MISALIGNED_ADDRESS (716): an access is not aligned to its size"},
    {"IllegalInstruction", "launch kernel=Li128E -> fault 715", Outcome::crashed,
     "CUDA_ERROR_ILLEGAL_INSTRUCTION (715)"},
    {"HardwareStack", "launch kernel=Li128E -> fault 714", Outcome::crashed,
     "CUDA_ERROR_HARDWARE_STACK_ERROR (714): a thread's stack"},
    {"LaunchFailed", "launch kernel=Li128E -> fault 719", Outcome::crashed,
     "CUDA_ERROR_LAUNCH_FAILED (719): the kernel failed while it ran"},
    {"Assertion", "launch kernel=Li128E -> fault 710", Outcome::crashed,
     "CUDA_ERROR_ASSERT (710): an assertion in the kernel failed"},
    {"DriverTimeout", "launch kernel=Li128E -> fault 702", Outcome::timed_out,
     "CUDA_ERROR_LAUNCH_TIMEOUT (702): the driver ended a kernel that ran too long"},
    {"UnknownError", "launch kernel=Li128E -> fault 999", Outcome::crashed,
     "CUDA_ERROR_UNKNOWN (999)"},
    {"UnlistedError", "launch kernel=Li128E -> fault 12345", Outcome::crashed,
     "CUDA error (12345)"},
    // The worker itself.
    {"Hang", "launch kernel=Li128E -> hang", Outcome::timed_out,
     "a launch took more than 0.4 s: an endless loop, or more work than the limit allows"},
    {"Killed", "launch kernel=Li128E -> kill", Outcome::crashed,
     "the worker process ended by signal 9 (killed; for want of host memory?) during a launch"},
    {"Exited", "launch kernel=Li128E -> exit", Outcome::crashed,
     "the worker process ended with status 3 during a launch"},
    {"KilledMidMessage", "launch kernel=Li128E -> torn", Outcome::crashed,
     "the worker process ended by signal 9"},
    // The launch's call: the worker goes on.
    {"OutOfResources", "call kernel=Li128E -> error 701", Outcome::cannot_launch,
     "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES (701): registers, threads or shared memory of a block"},
    {"InvalidValue", "call kernel=Li128E -> error 1", Outcome::cannot_launch,
     "CUDA_ERROR_INVALID_VALUE (1)"},
    {"CooperativeTooLarge", "call kernel=Li128E -> error 720", Outcome::cannot_launch,
     "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE (720)"},
    {"NotSupported", "call kernel=Li128E -> error 801", Outcome::cannot_launch,
     "CUDA_ERROR_NOT_SUPPORTED (801)"},
    // Before the launch.
    {"PtxVersion", "load kernel=Li128E -> error 222", Outcome::cannot_launch,
     "CUDA_ERROR_UNSUPPORTED_PTX_VERSION (222): the driver is older than the NVRTC"},
    {"PtxVersionWithBothVersions", "load kernel=Li128E -> error 222", Outcome::cannot_launch,
     "(here: driver 999.1 (CUDA 13.0); NVRTC "},
    {"InvalidPtx", "load kernel=Li128E -> error 218", Outcome::compile_failed,
     "loading the binary: ptxas fatal: line 7 does not parse"},
    {"InvalidImage", "load kernel=Li128E -> error 200", Outcome::cannot_launch,
     "CUDA_ERROR_INVALID_IMAGE (200)"},
    {"NoBinaryForGpu", "load kernel=Li128E -> error 209", Outcome::cannot_launch,
     "CUDA_ERROR_NO_BINARY_FOR_GPU (209): the binary is for another architecture"},
    {"NoMemoryForBinary", "load kernel=Li128E -> error 2", Outcome::out_of_memory,
     "CUDA_ERROR_OUT_OF_MEMORY (2): device memory does not suffice, loading the binary"},
    {"KernelNotFound", "find kernel=Li128E -> error 500", Outcome::cannot_launch,
     "CUDA_ERROR_NOT_FOUND (500): the binary has no such kernel"},
    {"TooManyThreads", "function kernel=Li128E attribute=0 -> is 64", Outcome::cannot_launch,
     "threads a block: needs 128, the limit of this kernel is 64"},
    {"TooMuchSharedMemory", "function kernel=Li128E attribute=1 -> is 200000",
     Outcome::cannot_launch,
     "shared memory: needs 200000 bytes a block (0 of them dynamic), the "
     "limit is 166912"},
    // What the kernel writes.
    {"Wrong", "launch kernel=Li128E -> wrong", Outcome::wrong_result,
     "1 of 4,096 elements of out are wrong; out[0]: got"},
    {"NotANumber", "launch kernel=Li128E -> nan", Outcome::wrong_result, "out[0]: got nan"},
    {"Unwritten", "launch kernel=Li128E -> unwritten", Outcome::wrong_result,
     "4,096 of 4,096 elements of out are wrong; out[0]: got unwritten"},
    {"Overrun", "launch kernel=Li128E -> overrun", Outcome::wrong_result,
     "out: written 0 bytes past its end"},
    {"Underrun", "launch kernel=Li128E -> underrun", Outcome::wrong_result,
     "out: written 1 bytes before its start"},
};

class FaultTable : public OnTheDouble, public ::testing::WithParamInterface<Fault> {};

TEST_P(FaultTable, IsRecordedAndTheRunGoesOn) {
  const Fault& fault = GetParam();
  script(fault.script);
  TuneOptions with = options();
  const Results results = run(spec_text(), with);
  ASSERT_EQ(results.records.size(), 5U);
  EXPECT_EQ(results.stop, StopReason::space_used_up);
  for (const int block : {32, 64, 128, 256, 512}) {
    const Record* record = record_of(results, block);
    ASSERT_NE(record, nullptr) << block;
    if (block == 128) {
      EXPECT_EQ(to_string(record->outcome), to_string(fault.outcome)) << record->reason;
      EXPECT_THAT(record->reason, HasSubstr(fault.says));
    } else {
      EXPECT_EQ(to_string(record->outcome), "ok") << block << ": " << record->reason;
      EXPECT_TRUE(record->problems.front().measurement->verified);
    }
  }
  // Every launch is told to the journal beforehand.
  EXPECT_THAT(journal(), HasSubstr(R"({"started":{"number":1,)"));

  const std::string before = journal();
  with.resume = true;
  const Results again = run(spec_text(), with);
  EXPECT_EQ(again.records.size(), 5U);
  EXPECT_EQ(again.stop, StopReason::space_used_up);
  EXPECT_EQ(record_of(again, 128)->reason, record_of(results, 128)->reason);
  EXPECT_THAT(journal().substr(before.size()), Not(HasSubstr("started")));
}

INSTANTIATE_TEST_SUITE_P(Device, FaultTable, ::testing::ValuesIn(faults),
                         [](const ::testing::TestParamInfo<Fault>& info) {
                           return std::string(info.param.name);
                         });

}  // namespace
}  // namespace rooftune
