#include "tuner/session/session.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tuner/core/error.hpp"
#include "tuner/session/fake_device.hpp"
#include "tuner/session/fields.hpp"
#include "tuner/session/journal.hpp"
#include "tuner/session/temporary_folder.hpp"

namespace rooftune {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using testing::FakeDevice;
using ::testing::HasSubstr;
using testing::integer;
using testing::measured;
using ::testing::Not;
using ::testing::StartsWith;
using testing::TemporaryFolder;

/// 24 configurations; 12 MB of compulsory traffic at PAD = 1, so 12 us at least.
constexpr const char* spec_text = R"yaml(
kernel: {source: k.cu, name: "k<{BM}, {tag}>"}
constants: {N: 1000000}
parameters:
  BM: {values: [1, 2, 3, 4, 5, 6, 7, 8], role: tile}
  PAD: {values: [1, 2, 4], role: padding}
derived: {row: items * 2, items: 128, unused: BM * 32, tag: PAD + 0}
launch: {block: ["256"], grid: ["ceil_div(N, 256)"], shared_bytes: row
}
arguments:
  - {name: A, type: float, count: N, access: out}
work:
  flops: {fp32: 2 * N}
  bytes: {dram: "12 * N * PAD"}
)yaml";

/// Listens, and remembers in words.
class Log : public Listener {
 public:
  void on_start(const Results& so_far) override { started = so_far.space_size; }
  void on_proposal(std::uint64_t number, const NamedValues& parameters,
                   const Reason& reason) override {
    EXPECT_FALSE(reason.summary.empty());
    EXPECT_EQ(number, proposals.size() + before + 1);
    proposals.push_back(to_string(parameters));
  }
  void on_record(const Record& record, const Results& so_far) override {
    EXPECT_EQ(to_string(record.parameters), proposals.back());
    EXPECT_EQ(so_far.records.back().number, record.number);
    ++records;
  }
  void on_message(const std::string& text) override { messages.push_back(text); }
  void on_stop(const Results& results) override { stopped = results.stop_text; }

  std::uint64_t before = 0;  ///< evaluations of the run that is resumed
  std::uint64_t started = 0;
  std::vector<std::string> proposals, messages;
  std::string stopped;
  int records = 0;
};

class Tuning : public ::testing::Test {
 protected:
  Spec load(const std::string& more = "", const std::string& text = spec_text) {
    folder_.write("k.cu", "template <int BM, int PAD> __global__ void k(float* a) { a[0] = 1; }");
    return parse_spec(text + more, folder_.path() / "k.yaml");
  }
  TuneOptions options() const {
    TuneOptions it;
    it.policy = "exhaustive";
    it.clock = [] { return 0.0; };
    return it;
  }
  TuneOptions in_folder() const {
    TuneOptions it = options();
    it.out = folder_.path() / "out";
    return it;
  }
  Results run(Device& device, const TuneOptions& options, const std::string& more = "") {
    const Spec spec = load(more);
    return tune(spec, device, options, log_);
  }

  TemporaryFolder folder_;
  Log log_;
};

/// 100 us at BM = 1 down to 30 us at BM = 8, times PAD.
MeasureResult by_tile(const KernelInstance& instance) {
  return measured(static_cast<double>((11 - integer(instance, "BM")) * integer(instance, "PAD")) *
                  10e-6);
}

TEST_F(Tuning, TriesTheWholeSpaceAndFindsTheBest) {
  FakeDevice device(by_tile);
  // Nothing is skipped: no formula proves anything.
  Spec spec = load();
  spec.work = {};
  const Results results = tune(spec, device, options(), log_);
  EXPECT_EQ(results.records.size(), 24U);
  EXPECT_EQ(log_.records, 24);
  EXPECT_EQ(log_.started, 24U);
  EXPECT_EQ(results.stop, StopReason::space_used_up);
  EXPECT_EQ(log_.stopped, results.stop_text);
  ASSERT_NE(results.best(), nullptr);
  EXPECT_EQ(to_string(results.best()->parameters), "BM=8 PAD=1");
  EXPECT_DOUBLE_EQ(results.best()->seconds, 30e-6);
  EXPECT_EQ(results.best()->proposal.summary.empty(), false);
  EXPECT_DOUBLE_EQ(results.best()->compile_seconds, 0.25);
  EXPECT_EQ(results.best()->problems.at(0).launch.grid.x, 3907U);
}

TEST_F(Tuning, PlacesAndDiagnosesEveryConfiguration) {
  FakeDevice device(by_tile);
  TuneOptions two = options();
  two.evaluations = 2;
  const Results results = run(device, two);
  EXPECT_EQ(results.stop, StopReason::evaluations);
  const Record& record = results.records.at(0);
  ASSERT_TRUE(record.problems.at(0).placement);
  EXPECT_NEAR(record.problems[0].placement->fraction, 0.12, 0.001);  // 12 us of 100 us
  EXPECT_TRUE(record.diagnosis);
  EXPECT_FALSE(record.problems[0].bounds.empty());
}

TEST_F(Tuning, WhatProvablyCannotWinIsSkippedAndCounted) {
  FakeDevice device([](const KernelInstance&) { return measured(20e-6); });
  const Results results = run(device, options());
  // At least 24 us at PAD = 2, 48 us at PAD = 4.
  EXPECT_EQ(results.records.size(), 8U);
  for (const auto& [configuration, count] : device.launched) {
    EXPECT_THAT(configuration, HasSubstr("PAD=1"));
  }
  ASSERT_EQ(results.dropped.size(), 1U);
  EXPECT_EQ(results.dropped[0].outcome, Outcome::skipped);
  EXPECT_EQ(results.dropped[0].reason,
            "takes at least 24.0 us by the device's theoretical peaks, the best 20.0 us");
  // After the last PAD = 1 nothing that could be faster is left: the two that were not asked for.
  EXPECT_EQ(results.dropped[0].count, 14U);
  EXPECT_EQ(results.stop, StopReason::proof);
}

TEST_F(Tuning, StopsAtTheCeiling) {
  FakeDevice device([](const KernelInstance& instance) {
    return measured(integer(instance, "BM") == 3 ? 13e-6 : 100e-6);
  });
  const Results results = run(device, options());
  EXPECT_EQ(results.stop, StopReason::ceiling);
  EXPECT_THAT(results.stop_text, HasSubstr("92% of its dram roof"));
  EXPECT_EQ(to_string(results.best()->parameters), "BM=3 PAD=1");
  EXPECT_EQ(device.launched.count("BM=4 PAD=1"), 0U);
}

TEST_F(Tuning, StopsWhenNothingBetterIsLeft) {
  // Only PAD = 1 at BM = 8 moves few bytes: once it is measured, no other can be faster.
  FakeDevice device([](const KernelInstance&) { return measured(40e-6); });
  Spec spec = load("stop: {ceiling: 0.99}\n",
                   std::string(spec_text).replace(std::string(spec_text).find("12 * N * PAD"), 12,
                                                  "39 * N * PAD + (BM - 1) * N"));
  const Results results = tune(spec, device, options(), log_);
  EXPECT_EQ(results.stop, StopReason::proof);
  EXPECT_THAT(results.stop_text, AllOf(HasSubstr("more than 5.0% faster"),
                                       HasSubstr("at least 40.0 us"), HasSubstr("23 config")));
  EXPECT_EQ(results.records.size(), 1U);
}

TEST_F(Tuning, ATimeBelowTheBoundEndsTheTrustInTheModel) {
  FakeDevice device([](const KernelInstance&) { return measured(5e-6); });
  const Results results = run(device, options(), "stop: {ceiling: 0.99}\n");
  EXPECT_EQ(results.records.size(), 24U) << "nothing is skipped, nothing is proven";
  EXPECT_THAT(log_.messages, Contains(HasSubstr("took 5.00 us, less than the 12.0 us")));
}

TEST_F(Tuning, FailuresAreRecordedWithOutcomeAndReason) {
  FakeDevice device([](const KernelInstance& instance) -> MeasureResult {
    switch (integer(instance, "BM")) {
      case 1:
        return Failure{Outcome::wrong_result, "A[3]: got 1, expected 2", ""};
      case 2:
        throw std::runtime_error("the driver is gone");
      case 3:
        return Failure{Outcome::timed_out, "no end after 10 s", ""};
      default:
        return measured(50e-6);
    }
  });
  device.refused = {"BM=4 PAD=1"};
  TuneOptions few = options();
  few.evaluations = 24;
  Spec spec = load();
  spec.work = {};
  const Results results = tune(spec, device, few, log_);
  std::map<std::string, Record> by_name;
  for (const Record& record : results.records) {
    by_name[to_string(record.parameters)] = record;
  }
  EXPECT_EQ(by_name["BM=1 PAD=1"].outcome, Outcome::wrong_result);
  EXPECT_EQ(by_name["BM=1 PAD=1"].reason, "A[3]: got 1, expected 2");
  EXPECT_EQ(by_name["BM=1 PAD=1"].seconds, 0);
  EXPECT_EQ(by_name["BM=2 PAD=1"].outcome, Outcome::crashed);
  EXPECT_EQ(by_name["BM=2 PAD=1"].reason, "the driver is gone");
  EXPECT_EQ(by_name["BM=3 PAD=1"].outcome, Outcome::timed_out);
  EXPECT_EQ(by_name["BM=4 PAD=1"].outcome, Outcome::compile_failed);
  EXPECT_EQ(by_name["BM=4 PAD=1"].log, "k.cu(1): error");
  EXPECT_EQ(by_name["BM=4 PAD=2"].outcome, Outcome::ok);
  EXPECT_EQ(results.best()->outcome, Outcome::ok);
}

TEST_F(Tuning, WhatCannotLaunchIsDroppedBeforeItIsCompiled) {
  FakeDevice device(by_tile);
  device.device.cc = {8, 0};
  const std::string big =
      std::string(spec_text).replace(std::string(spec_text).find("\"256\"]"), 5, "\"256 * BM\"");
  Spec spec = load("", big);
  spec.work = {};
  const Results results = tune(spec, device, options(), log_);
  EXPECT_EQ(results.records.size(), 12U);  // BM = 5 is 1280 threads
  EXPECT_EQ(device.compiled.count("BM=5 PAD=1"), 0U);
  ASSERT_EQ(results.dropped.size(), 1U);
  EXPECT_EQ(results.dropped[0].outcome, Outcome::cannot_launch);
  EXPECT_THAT(results.dropped[0].reason, HasSubstr("1024"));
  EXPECT_EQ(results.dropped[0].count, 12U);
}

TEST_F(Tuning, TheBaselineIsMeasuredFirst) {
  FakeDevice device(by_tile);
  const Results results = run(device, options(), "baseline: {BM: 5, PAD: 2}\n");
  EXPECT_EQ(log_.proposals.front(), "BM=5 PAD=2");
  EXPECT_EQ(results.baseline_record()->number, 1U);
  EXPECT_DOUBLE_EQ(*results.speedup(), 4.0);  // 120 us to 30 us
  EXPECT_EQ(std::count(log_.proposals.begin(), log_.proposals.end(), "BM=5 PAD=2"), 1);
  // In the finals it stands beside the best.
  EXPECT_EQ(results.baseline_record()->finals.size(), 3U);
}

TEST_F(Tuning, ABaselineThatTheRulesForbidIsComparedWithOnly) {
  FakeDevice device([](const KernelInstance& instance) {
    return measured(integer(instance, "BM") == 1 ? 15e-6 : 30e-6);
  });
  const Results results =
      run(device, options(), "constraints: [BM > 1]\nbaseline: {BM: 1, PAD: 1}\n");
  EXPECT_FALSE(results.records.at(0).in_space);
  EXPECT_EQ(to_string(results.best()->parameters), "BM=2 PAD=1");
  EXPECT_DOUBLE_EQ(*results.speedup(), 0.5);
  EXPECT_THAT(log_.messages, Contains(HasSubstr("outside of the space")));
}

TEST_F(Tuning, SeveralProblemsCountByTheirGeometricMean) {
  FakeDevice device([](const KernelInstance& instance) -> MeasureResult {
    const std::int64_t n = find_value(instance.problem, "N")->as_integer();
    if (n == 1000 && integer(instance, "BM") == 2) {
      return Failure{Outcome::wrong_result, "A[0] is wrong", ""};
    }
    return measured(n == 1000 ? 4e-6 : 100e-6);
  });
  TuneOptions few = options();
  few.evaluations = 24;
  const Results results = run(device, few, "problems: [{N: 1000000}, {N: 1000}]\n");
  EXPECT_DOUBLE_EQ(results.records.at(0).seconds, 20e-6);
  ASSERT_EQ(results.records[0].problems.size(), 2U);
  EXPECT_TRUE(results.records[0].diagnosis);
  const auto failed = std::find_if(results.records.begin(), results.records.end(),
                                   [](auto& r) { return r.outcome == Outcome::wrong_result; });
  ASSERT_NE(failed, results.records.end());
  EXPECT_EQ(failed->reason, "A[0] is wrong (at N=1000)");
  // The name does not depend on N: one binary serves both.
  EXPECT_EQ(device.compiled.at("BM=2 PAD=1"), 1);
}

TEST_F(Tuning, FinalistsAreMeasuredAgainInTurn) {
  std::vector<std::string> order;
  std::map<std::string, int> times;
  FakeDevice device([&](const KernelInstance& instance) {
    const std::string name = to_string(instance.parameters);
    order.push_back(name);
    // BM = 2 was lucky once; BM = 3 is as good, time and again.
    const bool lucky = name == "BM=2 PAD=1" && times[name]++ == 0;
    if (lucky) {
      return measured(20e-6);
    }
    return measured(integer(instance, "BM") == 2   ? 20.9e-6
                    : integer(instance, "BM") == 3 ? 20.5e-6
                                                   : 30e-6);
  });
  const Results results = run(device, options());
  EXPECT_EQ(to_string(results.best()->parameters), "BM=3 PAD=1");
  EXPECT_EQ(results.best()->finals, std::vector<double>(3, 20.5e-6));
  const std::vector<std::string> last(order.end() - 6, order.end());
  EXPECT_EQ(last, (std::vector<std::string>{"BM=2 PAD=1", "BM=3 PAD=1", "BM=2 PAD=1", "BM=3 PAD=1",
                                            "BM=2 PAD=1", "BM=3 PAD=1"}));
  EXPECT_TRUE(results.ties().empty());
}

TEST_F(Tuning, StopsAfterItsSeconds) {
  FakeDevice device(by_tile);
  double time = 0;
  TuneOptions limited = options();
  limited.seconds = 10;
  limited.clock = [&] { return time += 1; };
  const Results results = run(device, limited, "stop: {seconds: 1000}\n");
  EXPECT_EQ(results.stop, StopReason::seconds);
  EXPECT_LT(results.records.size(), 10U);
  EXPECT_GE(results.elapsed_seconds, 10);
}

TEST_F(Tuning, AnInterruptKeepsWhatIsThere) {
  std::atomic<bool> interrupted = false;
  FakeDevice device([&](const KernelInstance& instance) {
    interrupted = integer(instance, "BM") == 4;
    return by_tile(instance);
  });
  TuneOptions with = in_folder();
  with.interrupted = &interrupted;
  const Results results = run(device, with);
  EXPECT_EQ(results.stop, StopReason::interrupted);
  EXPECT_TRUE(results.best()->finals.empty()) << "an interrupt ends the run at once";
  EXPECT_EQ(read_results(with.out / "results.json").records.size(), results.records.size());
}

TEST_F(Tuning, AMeasurementThatAnInterruptCutShortIsNoAnswer) {
  std::atomic<bool> interrupted = false;
  FakeDevice device([&](const KernelInstance& instance) -> MeasureResult {
    if (integer(instance, "BM") < 4) {
      return by_tile(instance);
    }
    interrupted = true;
    return Failure{Outcome::crashed, "signal 2", ""};
  });
  TuneOptions with = in_folder();
  with.interrupted = &interrupted;
  const Results results = run(device, with);
  EXPECT_EQ(results.stop, StopReason::interrupted);
  for (const Record& record : results.records) {
    EXPECT_EQ(record.outcome, Outcome::ok);
  }
  EXPECT_THAT(folder_.read("out/journal.jsonl"), Not(HasSubstr("signal 2")));
}

TEST_F(Tuning, ALostDeviceEndsTheRun) {
  int launches = 0;
  FakeDevice device([&](const KernelInstance& instance) -> MeasureResult {
    if (++launches > 4) {
      return Failure{Outcome::crashed, "no device", ""};
    }
    return by_tile(instance);
  });
  const Results results = run(device, options());
  EXPECT_EQ(results.stop, StopReason::device_lost);
  EXPECT_EQ(results.records.size(), 9U);  // the best was tried again after five crashes
  EXPECT_THAT(results.stop_text, HasSubstr("the best one no longer runs"));
}

TEST_F(Tuning, ConfigurationsThatCrashInARowAreNoLostDevice) {
  FakeDevice device([](const KernelInstance& instance) -> MeasureResult {
    if (integer(instance, "PAD") > 1) {
      return Failure{Outcome::crashed, "illegal address", ""};
    }
    return measured(100e-6);
  });
  const Results results = run(device, options(), "constraints: [PAD > 1 or BM == 1]\n");
  EXPECT_EQ(results.stop, StopReason::space_used_up);
  EXPECT_EQ(results.records.size(), 17U);
}

TEST_F(Tuning, AnEmptySpaceIsRefusedWithItsRules) {
  FakeDevice device(by_tile);
  try {
    run(device, in_folder(), "constraints: [BM > 7, PAD % 3 == 0]\n");
    FAIL() << "not refused";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("the rules remove all 24 configurations"),
                                    HasSubstr("24  PAD % 3 == 0"), HasSubstr("0  BM > 7")));
  }
  EXPECT_FALSE(exists(folder_.path() / "out"));
}

TEST_F(Tuning, EnergyIsNoObjectiveWhereTheDeviceHasNoCounterOfIt) {
  FakeDevice device([](const KernelInstance&) { return measured(1e-3); });
  try {
    run(device, options(), "objective: energy\n");
    ADD_FAILURE();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("cannot be read: this device has no counter of it"));
  }
}

TEST_F(Tuning, TheSpecIsInTheResults) {
  FakeDevice device(by_tile);
  TuneOptions few = in_folder();
  few.evaluations = 1;
  few.overrides = {"N=5"};
  few.command = "rooftune tune k.yaml";
  run(device, few);
  const Results results = read_results(few.out / "results.json");
  EXPECT_EQ(results.spec_name, "k");
  EXPECT_THAT(results.spec_text, HasSubstr("role: padding"));
  EXPECT_EQ(results.overrides, few.overrides);
  EXPECT_EQ(results.command, few.command);
  EXPECT_EQ(results.device.name, "Fake device");
  EXPECT_EQ(results.launch.grid, std::vector<std::string>{"ceil_div(N, 256)"});
  EXPECT_EQ(results.launch.kernel, "k<{BM}, {tag}>");
  using Pair = std::pair<std::string, std::string>;
  EXPECT_EQ(results.launch.derived,
            (std::vector<Pair>{{"items", "128"}, {"row", "items * 2"}, {"tag", "PAD + 0"}}))
      << "what the launch and the name need";
  EXPECT_EQ(results.raw_size, 24U);
  EXPECT_FALSE(results.environment.empty());
}

/// Remembers what it was asked and told.
class ScriptedPolicy : public Policy {
 public:
  ScriptedPolicy(const SearchContext& context, std::vector<std::string>& script)
      : space_(*context.space), script_(script) {}
  std::optional<Proposal> ask() override {
    if (next_ == space_.size()) {
      return std::nullopt;
    }
    Proposal proposal{space_.at(next_++), {}};
    proposal.reason.summary = "the next one";
    script_.push_back("ask " + to_string(space_.values(proposal.configuration)));
    return proposal;
  }
  void tell(const Observation& observation) override {
    script_.push_back("tell " + to_string(space_.values(observation.configuration)));
  }

 private:
  const Space& space_;
  std::vector<std::string>& script_;
  std::uint64_t next_ = 0;
};

TEST_F(Tuning, CompilesAheadButNoMoreThanTheBudgetMeasures) {
  std::vector<std::string> script;
  TuneOptions five = options();
  five.evaluations = 5;
  five.policy = "scripted";
  five.make_policy = [&](const SearchContext& context) {
    return std::make_unique<ScriptedPolicy>(context, script);
  };
  const auto run_on = [&](DeviceKind kind) {
    FakeDevice device(by_tile);
    device.device.kind = kind;
    device.jobs = 2;
    script.clear();
    log_ = Log();
    Spec spec = load();
    spec.work = {};
    const Results results = tune(spec, device, five, log_);
    EXPECT_EQ(results.policy, "scripted");
    EXPECT_EQ(results.records.size(), 5U);
    EXPECT_EQ(device.compiled.size(), 5U);
    std::string text;
    for (const std::string& line : script) {
      text += line.substr(0, 1) == "a" ? 'a' : 't';
    }
    return text;
  };
  // A GPU measures one while the next is compiled; on the host they take turns.
  EXPECT_EQ(run_on(DeviceKind::cuda), "aatatatatt");
  EXPECT_EQ(run_on(DeviceKind::host), "aattaattat");
}

// Resuming.

/// All but what the wall clock says.
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

class Resuming : public Tuning, public ::testing::WithParamInterface<const char*> {};

TEST_P(Resuming, AKilledRunGoesOnAsIfItHadNotBeen) {
  TuneOptions plain = in_folder();
  plain.policy = GetParam();
  plain.evaluations = 12;
  FakeDevice undisturbed(by_tile);
  undisturbed.jobs = 3;
  const Results expected = run(undisturbed, plain, "baseline: {BM: 5, PAD: 2}\n");
  ASSERT_GT(expected.records.size(), 8U);

  for (const int killed_after : {0, 5, 8}) {
    std::filesystem::remove_all(plain.out);
    FakeDevice killed(by_tile);
    log_ = Log();
    killed.jobs = 3;
    killed.killed_after = killed_after;
    EXPECT_THROW(run(killed, plain, "baseline: {BM: 5, PAD: 2}\n"), FakeDevice::Killed);

    FakeDevice second(by_tile);
    second.jobs = 3;
    TuneOptions resumed = plain;
    resumed.resume = true;
    log_ = Log();
    log_.before = static_cast<std::uint64_t>(killed_after);
    const Results results = run(second, resumed, "baseline: {BM: 5, PAD: 2}\n");
    EXPECT_EQ(timeless(results), timeless(expected)) << killed_after;
    EXPECT_EQ(timeless(read_results(plain.out / "results.json")), timeless(expected));
    EXPECT_EQ(killed.launches + second.launches, undisturbed.launches)
        << "nothing is measured twice";
  }
}

TEST_P(Resuming, AFinishedRunIsNotMeasuredAgain) {
  TuneOptions plain = in_folder();
  plain.policy = GetParam();
  plain.evaluations = 10;
  FakeDevice device(by_tile);
  const Results expected = run(device, plain);
  plain.resume = true;
  FakeDevice again(by_tile);
  EXPECT_EQ(timeless(run(again, plain)), timeless(expected));
  EXPECT_EQ(again.launches, 0);
}

TEST_P(Resuming, ALargerBudgetGoesOn) {
  TuneOptions plain = in_folder();
  plain.policy = GetParam();
  plain.evaluations = 5;
  FakeDevice device(by_tile);
  const Results first = run(device, plain);
  plain.resume = true;
  plain.evaluations = 9;
  FakeDevice again(by_tile);
  again.jobs = 2;  // what is asked for ahead may differ from the first run
  log_ = Log();
  log_.before = 5;
  const Results second = run(again, plain);
  EXPECT_EQ(second.records.size(), 9U);
  for (const Record& record : first.records) {
    const auto same = [&](const Record& other) { return other.parameters == record.parameters; };
    EXPECT_EQ(std::count_if(second.records.begin(), second.records.end(), same), 1);
  }
  // A smaller one takes nothing away.
  plain.evaluations = 2;
  FakeDevice third(by_tile);
  EXPECT_EQ(run(third, plain).records.size(), 9U);
}

INSTANTIATE_TEST_SUITE_P(Policies, Resuming,
                         ::testing::ValuesIn({"exhaustive", "random", "roofline"}),
                         [](const auto& info) { return std::string(info.param); });

TEST_F(Tuning, WhatEndedRooftuneTwiceIsSkippedAfterwards) {
  TuneOptions resumed = in_folder();
  resumed.resume = true;
  for (int attempt = 0; attempt < 2; ++attempt) {
    FakeDevice killed(by_tile);
    killed.killed_after = attempt == 0 ? 3 : 0;
    log_ = Log();
    log_.before = attempt == 0 ? 0 : 3;
    EXPECT_THROW(run(killed, resumed), FakeDevice::Killed);
  }
  FakeDevice device(by_tile);
  log_ = Log();
  log_.before = 3;
  const Results results = run(device, resumed);
  const Record& fourth = results.records.at(3);
  EXPECT_EQ(fourth.outcome, Outcome::crashed);
  EXPECT_THAT(fourth.reason, StartsWith("rooftune itself ended while this configuration ran"));
  EXPECT_EQ(device.launched.count(to_string(fourth.parameters)), 0U);
}

TEST_F(Tuning, AnotherSpecIsNotResumed) {
  FakeDevice device(by_tile);
  TuneOptions few = in_folder();
  few.evaluations = 1;
  run(device, few);
  few.resume = true;
  EXPECT_THROW(run(device, few, "stop: {ceiling: 0.5}\n"), InputError);
}

TEST_F(Tuning, ResumingNothingBeginsAnew) {
  FakeDevice device(by_tile);
  TuneOptions few = in_folder();
  few.evaluations = 1;
  few.resume = true;
  EXPECT_EQ(run(device, few).records.size(), 1U);
  EXPECT_THAT(log_.messages, Contains(HasSubstr("nothing to resume")));
}

}  // namespace
}  // namespace rooftune
