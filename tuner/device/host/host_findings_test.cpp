#include "tuner/device/host/host_findings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

namespace rooftune::host {
namespace {

using testing::HasSubstr;

const std::filesystem::path runtime = "/opt/rooftune/host";

std::optional<Failure> failure_of(const std::string& lines, const ProcessResult& process) {
  return failure_of_run(read_findings(lines), process, {"/no/program", runtime, 10});
}

ProcessResult exited(int status, const std::string& output = "") {
  ProcessResult process;
  process.exit_status = status;
  process.output = output;
  return process;
}

std::string report_of(const std::string& text) {
  return read_sanitizer_report(text, runtime).value_or("no report");
}

TEST(HostFindings, ARunThatIsDoneIsNoFailure) {
  const std::string lines =
      "launched\nerror 1e-06 C[3]: got 1, expected 1.000001\nverified 0.25\n"
      "sample 0.5 0.6\nsample 0.4 0.7\nnote stopped early\n"
      "count host__l2_bytes.sum 1152\ndone\n";
  EXPECT_FALSE(failure_of(lines, exited(0)));
  const Findings findings = read_findings(lines);
  EXPECT_TRUE(findings.verified);
  EXPECT_EQ(findings.verification_seconds, 0.25);
  EXPECT_EQ(findings.max_error, 1e-6);
  EXPECT_EQ(findings.max_error_where, "C[3]: got 1, expected 1.000001");
  EXPECT_EQ(findings.seconds, (std::vector<double>{0.5, 0.4}));
  EXPECT_EQ(findings.wall_seconds, (std::vector<double>{0.6, 0.7}));
  EXPECT_EQ(findings.note, "stopped early");
  EXPECT_EQ(findings.counts.at("host__l2_bytes.sum"), 1152);
}

TEST(HostFindings, KeepsTheLargestErrorOfAllBuffers) {
  const Findings findings =
      read_findings("error 1e-3 A[0]: x\nerror inf B[1]: y\nerror 0 C[0]: z\n");
  EXPECT_EQ(findings.max_error_where, "B[1]: y");
}

TEST(HostFindings, ARunThatStopsEarlyIsACrash) {
  const auto failure = failure_of("launched\n", exited(7, "oops"));
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->outcome, Outcome::crashed);
  EXPECT_EQ(failure->reason, "the kernel's process ended early with status 7");
  EXPECT_EQ(failure->log, "oops");
}

TEST(HostFindings, ShowsTheFirstWrongElementAndCountsThem) {
  const auto failure = failure_of("launched\nwrong C 1024 C[7]: got nan, expected 1\n", exited(0));
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->outcome, Outcome::wrong_result);
  EXPECT_EQ(failure->reason,
            "wrong result: C[7]: got nan, expected 1 (1,024 elements of C beyond the tolerance)");
}

TEST(HostFindings, FaultsOfTheRuntimeHaveTheirOutcome) {
  const auto outcome = [](const std::string& kind) {
    return failure_of("fault " + kind + "\t/a/k.cu\t12\tmessage\n", exited(0))->outcome;
  };
  EXPECT_EQ(outcome("cannot launch"), Outcome::cannot_launch);
  EXPECT_EQ(outcome("data race"), Outcome::wrong_result);
  EXPECT_EQ(outcome("deadlock"), Outcome::timed_out);
  EXPECT_EQ(outcome("barrier divergence"), Outcome::crashed);
}

TEST(HostFindings, FaultsOfTheRuntimeAreShortenedToFileNames) {
  const auto failure = failure_of(
      "fault data race\t/a/k.cu\t12\tdata race at /a/k.cu:12 and /a/k.cu:15\n", exited(0));
  EXPECT_EQ(failure->reason, "k.cu:12: data race at k.cu:12 and k.cu:15");
}

TEST(HostFindings, ASignalWithoutAFindingIsNamed) {
  ProcessResult process;
  process.signal = SIGFPE;
  EXPECT_EQ(failure_of("", process)->reason, "integer division by zero (signal 8)");
  process.signal = SIGSEGV;
  EXPECT_THAT(failure_of("", process)->reason, HasSubstr("maybe a stack overflow"));
  process.signal = SIGKILL;
  EXPECT_EQ(failure_of("", process)->outcome, Outcome::out_of_memory);
}

TEST(HostFindings, ATimeOutSaysTheLimit) {
  ProcessResult process;
  process.timed_out = true;
  process.signal = SIGKILL;
  const auto failure = failure_of("launched\n", process);
  EXPECT_EQ(failure->outcome, Outcome::timed_out);
  EXPECT_THAT(failure->reason, HasSubstr("a launch took more than 10 s"));
}

TEST(HostFindings, WantOfMemoryIsItsOwnOutcome) {
  EXPECT_EQ(failure_of("failed no memory for A: Cannot allocate memory\n", exited(3))->outcome,
            Outcome::out_of_memory);
}

TEST(SanitizerReport, AddressSanitizerNamesAccessPlaceAndBuffer) {
  EXPECT_EQ(report_of("rooftune: the address is 12 bytes past the end of A\n"
                      "=====\n==12==ERROR: AddressSanitizer: use-after-poison on address 0x7f\n"
                      "READ of size 16 at 0x7f thread T0\n"
                      "    #0 0x40 in __ldg /opt/rooftune/host/runtime/prelude/built_ins.hpp:80\n"
                      "    #1 0x41 in void k<4>(float*) /home/u/my.cu:31\n"
                      "    #2 0x42 in main /home/u/other.cu:1\n"),
            "my.cu:31: read of 16 bytes 12 bytes past the end of A (AddressSanitizer: "
            "use-after-poison)");
}

TEST(SanitizerReport, AStackFaultHasNoBuffer) {
  EXPECT_EQ(report_of("rooftune: the address is outside of every buffer\n"
                      "==12==ERROR: AddressSanitizer: stack-buffer-overflow on address 0x7f\n"
                      "WRITE of size 4 at 0x7f thread T0\n"
                      "    #0 0x41 in k(float*) /home/u/my.cu:9:3\n"),
            "my.cu:9: write of 4 bytes (AddressSanitizer: stack-buffer-overflow)");
}

TEST(SanitizerReport, UndefinedBehaviourIsQuoted) {
  EXPECT_EQ(report_of("/home/u/my.cu:5:12: runtime error: signed integer overflow: 1 + 2 cannot be "
                      "represented in type 'int'\n    #0 0x1 in k /home/u/my.cu:5\n"),
            "my.cu:5: signed integer overflow: 1 + 2 cannot be represented in type 'int' "
            "(UndefinedBehaviorSanitizer)");
}

TEST(SanitizerReport, OtherOutputIsNone) {
  EXPECT_EQ(report_of("a kernel may print what it likes\n"), "no report");
}

}  // namespace
}  // namespace rooftune::host
