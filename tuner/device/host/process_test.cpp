#include "tuner/device/host/process.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "tuner/core/error.hpp"

namespace rooftune::host {
namespace {

using testing::HasSubstr;

ProcessResult shell(const std::string& script, double timeout_seconds = 20,
                    bool heartbeat = false) {
  return run_process({{"sh", "-c", script}, {{"GREETING", "hello"}}, timeout_seconds, heartbeat});
}

TEST(Process, GivesStatusAndOutput) {
  const ProcessResult result = shell("echo $GREETING; echo error >&2; exit 3");
  EXPECT_EQ(result.exit_status, 3);
  EXPECT_EQ(result.output, "hello\nerror\n");
  EXPECT_FALSE(result.succeeded());
  EXPECT_FALSE(result.timed_out);
}

TEST(Process, GivesTheSignalThatEndedIt) {
  const ProcessResult result = shell("kill -SEGV $$");
  EXPECT_EQ(result.signal, SIGSEGV);
  EXPECT_FALSE(result.succeeded());
}

TEST(Process, ReadsMoreThanAPipeHolds) {
  EXPECT_EQ(shell("head -c 1000000 /dev/zero").output.size(), 1000000U);
}

TEST(Process, KillsWhatTakesTooLongWithItsChildren) {
  const ProcessResult result = shell("sh -c 'sleep 100' & echo $!; wait", 0.2);
  EXPECT_TRUE(result.timed_out);
  EXPECT_FALSE(result.succeeded());
  // The grandchild is gone, or waits to be reaped by init.
  const std::string pid = result.output.substr(0, result.output.find('\n'));
  EXPECT_NE(shell("grep -q 'State:.[^Z]' /proc/" + pid + "/status").exit_status, 0);
}

TEST(Process, DoesNotWaitForWhatAChildLeavesBehind) {
  const ProcessResult result = shell("sleep 100 & exit 0");
  EXPECT_TRUE(result.succeeded());
  EXPECT_LT(result.seconds, 50);
}

TEST(Process, TheLimitCountsFromTheLastHeartbeat) {
  const std::string beats = "for i in 1 2 3 4 5 6; do sleep 0.2; printf x >&3; done";
  EXPECT_TRUE(shell(beats, 0.8, true).succeeded());
  EXPECT_TRUE(shell(beats + "; sleep 100", 0.8, true).timed_out);
}

TEST(Process, ShowsWhereABusyProcessIsStuck) {
  EXPECT_FALSE(shell("while :; do :; done", 1).stuck_at.empty());
}

TEST(Process, AMissingProgramIsAnInputError) {
  try {
    run_process({{"no-such-program"}, {}, 1, false});
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("cannot start no-such-program"));
  }
}

}  // namespace
}  // namespace rooftune::host
