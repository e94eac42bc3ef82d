// The command as people run it: a process of its own, on the host device, killed and resumed.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/algorithm/string/replace.hpp>
#include <chrono>
#include <csignal>
#include <thread>

#include "tuner/cli/test_command.hpp"
#include "tuner/session/fake_device.hpp"
#include "tuner/session/fields.hpp"
#include "tuner/session/journal.hpp"
#include "tuner/session/temporary_folder.hpp"

namespace rooftune {
namespace {

using ::testing::AllOf;
using testing::FakeDevice;
using ::testing::HasSubstr;
using testing::TemporaryFolder;

/// A process that this test started.
class Process {
 public:
  Process(const std::vector<std::string>& words, const std::filesystem::path& folder) {
    pid_ = fork();
    if (pid_ == 0) {
      redirect(STDOUT_FILENO, folder / "stdout");
      redirect(STDERR_FILENO, folder / "stderr");
      std::vector<char*> arguments;
      for (const std::string& word : words) {
        arguments.push_back(const_cast<char*>(word.c_str()));
      }
      arguments.push_back(nullptr);
      execv(arguments[0], arguments.data());
      _exit(127);
    }
  }
  void signal(int number) const { kill(pid_, number); }
  bool is_running() const {
    siginfo_t state{};
    waitid(P_PID, static_cast<id_t>(pid_), &state, WEXITED | WNOHANG | WNOWAIT);
    return state.si_pid == 0;
  }
  /// The exit status, or minus the signal that ended it.
  int wait() const {
    int status = 0;
    waitpid(pid_, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }

 private:
  static void redirect(int descriptor, const std::filesystem::path& file) {
    dup2(open(file.c_str(), O_CREAT | O_WRONLY | O_TRUNC, 0600), descriptor);
  }
  pid_t pid_ = 0;
};

class EndToEnd : public ::testing::Test {
 protected:
  void SetUp() override { folder_.write("triad.yaml", far_from_its_ceiling()); }

  /// The shipped triad with a claim to move a twelfth of its bytes: on no machine does it come near
  /// its roof, which would end the run before the evaluations are used up.
  static std::string far_from_its_ceiling() {
    const std::filesystem::path source = ROOFTUNE_SOURCE_DIR;
    std::string text = read_file(source / "configs/kernels/triad.yaml");
    boost::replace_all(text, "../../templates", (source / "templates").string());
    boost::replace_all(text, "dram: 12 * n", "dram: n");
    return text;
  }

  std::vector<std::string> command(const std::string& evaluations,
                                   const std::vector<std::string>& more) const {
    std::vector<std::string> words = {ROOFTUNE_BINARY_DIR "/rooftune",
                                      "tune",
                                      (folder_.path() / "triad.yaml").string(),
                                      "--device",
                                      "host",
                                      "--set",
                                      "n=65536",
                                      "--evaluations",
                                      evaluations,
                                      "--policy",
                                      "random",
                                      "--out",
                                      out().string()};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  std::filesystem::path out() const { return folder_.path() / "out"; }
  Results results() const { return read_results(out() / "results.json"); }
  std::vector<Record> journal_records() const {
    const std::string text = folder_.read("out/journal.jsonl");
    return text.empty() ? std::vector<Record>{} : parse_journal(text, "journal").records;
  }
  /// Until the run has answered that many; false where it ends before.
  bool wait_for_records(std::size_t count, const Process& process) const {
    while (journal_records().size() < count) {
      if (!process.is_running()) {
        return false;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return true;
  }

  TemporaryFolder folder_;
};

TEST_F(EndToEnd, TunesOnTheHost) {
  const Process process(command("6", {"--explain"}), folder_.path());
  ASSERT_EQ(process.wait(), 0) << folder_.read("stderr");
  const Results found = results();
  EXPECT_EQ(found.records.size(), 6U);
  EXPECT_EQ(found.stop, StopReason::evaluations);
  EXPECT_EQ(found.device.kind, DeviceKind::host);
  ASSERT_NE(found.best(), nullptr);
  const Measurement& measurement = *found.best()->problems.at(0).measurement;
  EXPECT_TRUE(measurement.verified);
  EXPECT_GT(measurement.samples.size(), 1U);
  EXPECT_TRUE(found.best()->problems[0].placement);
  EXPECT_TRUE(found.best()->diagnosis);
  EXPECT_THAT(folder_.read("stdout"),
              AllOf(HasSubstr("best: "), HasSubstr("6 evaluations of "),
                    HasSubstr("results   " + out().string() + "/results.json")));
  EXPECT_THAT(folder_.read("stderr"), HasSubstr("    because "));
  for (const char* name : {"roofline.svg", "report.html", "triad_tuned.hpp"}) {
    EXPECT_TRUE(exists(out() / name)) << name;
  }
  EXPECT_THAT(folder_.read("out/triad_tuned.hpp"), HasSubstr("the host: says nothing about a GPU"));
}

TEST_F(EndToEnd, AKilledRunIsResumedWithNothingMeasuredAgain) {
  const Process first(command("6", {}), folder_.path());
  ASSERT_TRUE(wait_for_records(2, first)) << folder_.read("stderr");
  first.signal(SIGKILL);
  EXPECT_EQ(first.wait(), -SIGKILL);
  const std::vector<Record> before = journal_records();
  const Process second(command("6", {"--resume"}), folder_.path());
  ASSERT_EQ(second.wait(), 0) << folder_.read("stderr");
  const Results found = results();
  ASSERT_EQ(found.records.size(), 6U);
  ASSERT_LT(before.size(), 6U);
  std::set<std::string> seen;
  for (std::size_t i = 0; i < found.records.size(); ++i) {
    EXPECT_TRUE(seen.insert(to_string(found.records[i].parameters)).second);
    if (i < before.size()) {  // what was answered is the answer, finals apart
      Record record = found.records[i];
      record.finals.clear();
      EXPECT_EQ(codec::encode(record), codec::encode(before[i]));
    }
  }
}

TEST_F(EndToEnd, CtrlCKeepsTheResults) {
  const Process process(command("1000", {}), folder_.path());
  ASSERT_TRUE(wait_for_records(1, process)) << folder_.read("stderr");
  process.signal(SIGINT);
  EXPECT_EQ(process.wait(), 1);
  EXPECT_EQ(results().stop, StopReason::interrupted);
  EXPECT_THAT(folder_.read("stdout"), HasSubstr("stopped: interrupted after "));
}

// With times that repeat, in a process that is killed at any moment.

constexpr const char* spec_text = R"yaml(
kernel: {source: k.cu, name: "k<{BM}, {BN}>"}
constants: {N: 1000000}
parameters:
  BM: {values: [1, 2, 3, 4, 5, 6, 7, 8], role: tile}
  BN: {values: [1, 2, 3, 4], role: tile}
launch: {block: ["256"], grid: ["ceil_div(N, 256)"]}
arguments:
  - {name: A, type: float, count: N, access: out}
work: {bytes: {dram: 12 * N}}
stop: {evaluations: 25}
)yaml";

int tune_with_repeating_times(const std::filesystem::path& folder, const std::string& out,
                              std::vector<std::string> more) {
  std::vector<std::string> words = {"tune", (folder / "k.yaml").string(), "--out",
                                    (folder / out).string()};
  words.insert(words.end(), more.begin(), more.end());
  const auto answer = [](const KernelInstance& instance) -> MeasureResult {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    const double bm = static_cast<double>(testing::integer(instance, "BM"));
    const double bn = static_cast<double>(testing::integer(instance, "BN"));
    if (bm == bn) {
      return Failure{Outcome::wrong_result, "A[0] is wrong", ""};
    }
    return testing::measured(1e-4 + 1e-5 * ((bm - 5) * (bm - 5) + (bn - 2) * (bn - 2)));
  };
  return cli::run_command(words,
                          [&](const std::string&) { return std::make_unique<FakeDevice>(answer); })
      .status;
}

/// All but what the wall clock says, and how it was called.
codec::Json timeless(Results results) {
  for (Record& record : results.records) {
    record.timestamp = "";
    record.elapsed_seconds = 0;
  }
  results.elapsed_seconds = 0;
  codec::Json json = codec::encode(results);
  json["records"] = codec::encode(results.records);
  return json;
}

TEST(KillAndResume, EndsAsAnUninterruptedRun) {
  const TemporaryFolder folder;
  folder.write("k.yaml", spec_text);
  folder.write("k.cu", "template <int BM, int BN> __global__ void k(float* a) { a[0] = BM; }");
  ASSERT_EQ(tune_with_repeating_times(folder.path(), "whole", {}), 0);
  const Results whole = read_results(folder.path() / "whole" / "results.json");
  int kills = 0;
  for (const int milliseconds : {40, 90, 150}) {
    const pid_t child = fork();
    if (child == 0) {
      tune_with_repeating_times(folder.path(), "killed", {"--resume"});
      _exit(0);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    kills += WIFSIGNALED(status) ? 1 : 0;
  }
  ASSERT_EQ(tune_with_repeating_times(folder.path(), "killed", {"--resume"}), 0);
  const Results resumed = read_results(folder.path() / "killed" / "results.json");
  EXPECT_EQ(timeless(resumed), timeless(whole)) << "killed " << kills << " times";
}

// What only a device finds wrong.

class BrokenForADevice : public ::testing::Test {
 protected:
  using DeviceOpener = cli::DeviceOpener;

  std::string refusal(const std::string& spec, const std::string& source,
                      const DeviceOpener& open_device = rooftune::open_device) const {
    folder_.write("k.cu", source);
    const std::string file = folder_.write("k.yaml", spec).string();
    const cli::CommandResult result = cli::run_command(
        {"tune", file, "--device", "host", "--out", (folder_.path() / "out").string()},
        open_device);
    EXPECT_EQ(result.status, 1);
    std::string text = result.err;
    const std::string path = folder_.path().string();
    for (std::size_t at = 0; (at = text.find(path, at)) != std::string::npos;) {
      text.replace(at, path.size(), "FOLDER");
    }
    return text;
  }
  static std::string spec_with(const std::string& name, const std::string& more) {
    return "kernel: {source: k.cu, name: \"" + name +
           "\"}\nparameters:\n  BM: {values: [1, 2], role: tile}\nlaunch: {block: [32], grid: "
           "[1]}\narguments:\n  - {name: A, type: float, count: 32, access: out}\n" +
           more;
  }

  TemporaryFolder folder_;
};

constexpr const char* kernel = "template <int BM> __global__ void k(float* a) { a[0] = BM; }\n";

TEST_F(BrokenForADevice, ANameThatIsNotInTheSource) {
  EXPECT_THAT(refusal(spec_with("sgem<{BM}>", ""), kernel), HasSubstr("sgem"));
}

TEST_F(BrokenForADevice, AnEmptySpace) {
  EXPECT_THAT(refusal(spec_with("k<{BM}>", "constraints: [BM > 2]\n"), kernel),
              HasSubstr("rooftune: FOLDER/k.yaml: the space is empty: the rules remove all 2 "
                        "configurations\n"
                        "  relax a rule or add values; configurations that each rule removes:\n"
                        "                2  BM > 2\n"));
}

TEST_F(BrokenForADevice, FewerArgumentsThanTheKernelTakes) {
  EXPECT_THAT(refusal(spec_with("k<{BM}>", ""),
                      "template <int BM> __global__ void k(float* a, int n) { a[0] = n; }\n"),
              AllOf(HasSubstr("FOLDER/k.yaml:"), HasSubstr("argument")));
}

TEST_F(BrokenForADevice, MoreSharedMemoryThanTheDeviceHas) {
  const DeviceOpener a100 = [](const std::string&) {
    auto device =
        std::make_unique<FakeDevice>([](const KernelInstance&) { return testing::measured(1e-3); });
    device->device.cc = {8, 0};
    return device;
  };
  std::string spec = spec_with("k<{BM}>", "");
  spec.replace(spec.find("grid: [1]"), 9, "grid: [1], shared_bytes: 200000 * BM");
  const std::string text = refusal(spec, kernel, a100);
  EXPECT_THAT(text, HasSubstr("2 cannot_launch without a trial, the first: "));
  EXPECT_THAT(text, AllOf(HasSubstr("200000"), HasSubstr("shared")));
}

}  // namespace
}  // namespace rooftune
