#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tuner/cli/test_command.hpp"
#include "tuner/session/results.hpp"
#include "tuner/session/temporary_folder.hpp"

namespace rooftune::cli {
namespace {

using ::testing::HasSubstr;
using testing::TemporaryFolder;

Results tuned(DeviceKind kind) {
  Results it;
  it.spec_name = "sgemm";
  it.spec_hash = "abc";
  it.device.name = "Some device";
  it.device.kind = kind;
  it.parameters = {{"BM", {32, 64}, Role::tile, {}}};
  it.problems = {{{"M", 512}}};
  it.launch = {{"256"}, {"ceil_div(M, BM)"}, "0", {}, "sgemm<{BM}>"};
  Record record;
  record.parameters = {{"BM", 64}};
  record.seconds = 1e-3;
  ProblemResult problem;
  problem.measurement.emplace().verified = true;
  record.problems = {problem};
  it.records = {record};
  return it;
}

TEST(HeaderCommand, WritesAFileThatSaysHowItIsMadeAgain) {
  const TemporaryFolder folder;
  const std::string results = (folder.path() / "results.json").string();
  const std::string header = (folder.path() / "tuned.hpp").string();
  write_results(tuned(DeviceKind::cuda), results);
  const CommandResult result = run_command({"header", folder.path().string(), "-o", header});
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.out, header + "\n");
  EXPECT_THAT(folder.read("tuned.hpp"), HasSubstr("// Made again by: rooftune header " +
                                                  folder.path().string() + " -o " + header + "\n"));
  EXPECT_THAT(run_command({"header", results, "--namespace", "a::b"}).out,
              HasSubstr("namespace a::b {"));
}

TEST(HeaderCommand, HostResultsHaveToBeAskedFor) {
  const TemporaryFolder folder;
  write_results(tuned(DeviceKind::host), folder.path() / "results.json");
  const CommandResult refused = run_command({"header", folder.path().string()});
  EXPECT_EQ(refused.status, 1);
  EXPECT_THAT(refused.err, HasSubstr("--include-host lets it enter"));
  EXPECT_EQ(run_command({"header", folder.path().string(), "--include-host"}).status, 0);
}

}  // namespace
}  // namespace rooftune::cli
