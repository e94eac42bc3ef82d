#include "tuner/session/results.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <nlohmann/json.hpp>

#include "tuner/core/error.hpp"
#include "tuner/session/fields.hpp"
#include "tuner/session/sample_results.hpp"
#include "tuner/session/temporary_folder.hpp"

namespace rooftune {
namespace {

using codec::Json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::sample_results;
using testing::TemporaryFolder;

std::string error_of(const std::filesystem::path& file) {
  try {
    read_results(file);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

struct Anything {
  template <class T>
  operator T() const;  // NOLINT(google-explicit-constructor): stands for a member of any type
};

/// How many members an aggregate has.
template <class T, class... Members>
constexpr std::size_t members_of() {
  if constexpr (requires { T{Members{}..., Anything{}}; }) {
    return members_of<T, Members..., Anything>();
  } else {
    return sizeof...(Members);
  }
}

TEST(ResultsFile, NoMemberIsForgotten) {
  testing::Sampler sample(2);
  const Results results = sample_results(2);
  Record record = testing::sample_record(sample, 1);
  ProblemResult& problem = record.problems.front();
  problem.placement->contradiction = "set";
  record.occupancy = Occupancy{1, 1, 1, 1, 1, 1, 1, {Resource::warps}, true, "set"};
  const auto check = [](const auto& value, std::size_t left_out = 0) {
    using T = std::remove_cvref_t<decltype(value)>;
    EXPECT_EQ(codec::encode(value).size(), members_of<T>() - left_out) << codec::encode(value);
  };
  Results stopped = results;
  stopped.stop = StopReason::proof;
  check(stopped, 1);  // the records, which stand under "results"
  check(results.device);
  check(results.device.roofs.front());
  check(results.parameters.front(), 1);  // where it stands in the spec
  check(results.removed.front());
  check(results.dropped.front());
  check(results.launch);
  check(record);
  check(record.proposal);
  check(*record.resources);
  check(*record.occupancy);
  check(*record.diagnosis);
  check(record.diagnosis->findings.front());
  check(record.diagnosis->findings.front().remedies.front());
  check(problem);
  check(problem.launch);
  check(problem.bounds.front());
  check(*problem.measurement);
  check(*problem.placement);
  check(problem.placement->levels.front());
}

TEST(ResultsFile, ReadsBackExactly) {
  const TemporaryFolder folder;
  for (std::uint64_t seed = 0; seed < 25; ++seed) {
    const auto one = folder.path() / "one.json";
    const auto two = folder.path() / "two.json";
    const Results results = sample_results(seed);
    write_results(results, one);
    const Results back = read_results(one);
    // Written again it is the same file; and the JSON of each part is that of the original.
    write_results(back, two);
    EXPECT_EQ(folder.read("one.json"), folder.read("two.json"));
    EXPECT_EQ(codec::encode(results), codec::encode(back));
    EXPECT_EQ(codec::encode(results.records), codec::encode(back.records));
  }
}

TEST(ResultsFile, KeepsBitsAndKindsOfValues) {
  const TemporaryFolder folder;
  Results results = sample_results(1);
  testing::Sampler sample(7);
  Record record = testing::sample_record(sample, 1);
  record.seconds = 0.1;
  record.parameters = {{"i", 2},
                       {"r", 2.0},
                       {"b", true},
                       {"s", "2"},
                       {"inf", std::numeric_limits<double>::infinity()},
                       {"text", "inf"}};
  record.problems.front().measurement->max_error = std::numeric_limits<double>::infinity();
  results.records = {record};
  write_results(results, folder.path() / "r.json");
  const Results read = read_results(folder.path() / "r.json");
  const Record& back = read.records.at(0);
  EXPECT_EQ(std::bit_cast<std::uint64_t>(back.seconds), std::bit_cast<std::uint64_t>(0.1));
  ASSERT_EQ(back.parameters.size(), record.parameters.size());
  for (std::size_t i = 0; i < record.parameters.size(); ++i) {
    EXPECT_EQ(back.parameters[i].name, record.parameters[i].name);
    EXPECT_EQ(back.parameters[i].value.kind(), record.parameters[i].value.kind());
    EXPECT_EQ(back.parameters[i].value, record.parameters[i].value);
  }
  EXPECT_EQ(back.problems.at(0).measurement->max_error, std::numeric_limits<double>::infinity());
  EXPECT_EQ(back.problems.at(0).launch.grid, record.problems.front().launch.grid);
  EXPECT_EQ(read.raw_size, std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(read.records.size(), 1U);
  EXPECT_EQ(read.device.name, results.device.name);
  EXPECT_EQ(read.launch.derived, results.launch.derived);
}

TEST(ResultsFile, HasTheFieldsOfT4) {
  const TemporaryFolder folder;
  Results results = sample_results(1);
  testing::Sampler sample(3);
  Record good = testing::sample_record(sample, 1);
  good.outcome = Outcome::ok;
  good.problems.resize(1);
  good.problems[0].measurement->samples = {0.001, 0.003};
  good.problems[0].measurement->verification_seconds = 0.5;
  good.seconds = 0.002;
  good.finals.clear();
  for (ProblemResult& problem : good.problems) {
    problem.measurement->joules = 0.25;
  }
  results.objective = Objective::energy;
  good.compile_seconds = 0.25;
  Record bad = testing::sample_record(sample, 2);
  bad.outcome = Outcome::wrong_result;
  results.records = {good, bad};
  write_results(results, folder.path() / "r.json");
  const Json json = Json::parse(folder.read("r.json"));
  EXPECT_EQ(json["metadata"]["timeunit"], "milliseconds");
  const Json& first = json["results"][0];
  EXPECT_EQ(first["configuration"], codec::encode_values(good.parameters));
  EXPECT_EQ(first["times"]["compilation"], 250.0);
  EXPECT_EQ(first["times"]["validation"], 500.0);
  EXPECT_EQ(first["times"]["runtimes"], Json({1.0, 3.0}));
  EXPECT_EQ(first["invalidity"], "correct");
  EXPECT_EQ(first["correctness"], 1);
  EXPECT_EQ(first["measurements"], (Json{{{"name", "time"}, {"value", 2.0}, {"unit", "ms"}},
                                         {{"name", "energy"}, {"value", 0.25}, {"unit", "J"}}}));
  EXPECT_EQ(first["objectives"], Json::array({"energy"}));
  EXPECT_EQ(json["results"][1]["invalidity"], "correctness");
  EXPECT_EQ(json["results"][1]["correctness"], 0);
  EXPECT_TRUE(json["results"][1]["measurements"].empty());
}

TEST(ResultsFile, BytesThatAreNotTextDoNotStopTheWriting) {
  const TemporaryFolder folder;
  Results results = sample_results(1);
  results.environment = "compiler said: \xff\xfe";
  write_results(results, folder.path() / "r.json");
  EXPECT_THAT(read_results(folder.path() / "r.json").environment, HasSubstr("compiler said: "));
}

TEST(ResultsFile, EveryCutIsRefused) {
  const TemporaryFolder folder;
  write_results(sample_results(5), folder.path() / "r.json");
  const std::string whole = folder.read("r.json");
  for (std::size_t size = 0; size + 2 < whole.size(); size += 397) {
    const auto file = folder.write("cut.json", whole.substr(0, size));
    EXPECT_THAT(error_of(file), HasSubstr("cut.json: not a complete JSON document")) << size;
  }
}

TEST(ResultsFile, ForeignNewerAndDamagedOnesAreRefused) {
  const TemporaryFolder folder;
  EXPECT_THAT(error_of(folder.path() / "none.json"), HasSubstr("No such file"));
  EXPECT_THAT(error_of(folder.path()), HasSubstr("it is a folder"));
  EXPECT_THAT(error_of(folder.write("t4.json", R"({"results": []})")),
              HasSubstr("not a results file of rooftune"));
  EXPECT_THAT(error_of(folder.write("list.json", "[1]")), HasSubstr("not a results file"));
  write_results(sample_results(5), folder.path() / "r.json");
  Json json = Json::parse(folder.read("r.json"));
  json["schema_version"] = 99;
  EXPECT_THAT(error_of(folder.write("new.json", json.dump())),
              HasSubstr("new.json: schema version 99 is newer than this rooftune reads (1)"));
}

TEST(ResultsFile, DamageIsToldWithItsPlace) {
  const TemporaryFolder folder;
  Results results = sample_results(5);
  testing::Sampler sample(3);
  results.records = {testing::sample_record(sample, 1)};
  write_results(results, folder.path() / "r.json");
  const Json whole = Json::parse(folder.read("r.json"));
  const auto damage = [&](const char* pointer, const Json& value) {
    Json json = whole;
    json[Json::json_pointer(pointer)] = value;
    return error_of(folder.write("d.json", json.dump()));
  };
  EXPECT_THAT(damage("/results/0/rooftune/seconds", "fast"),
              HasSubstr("d.json: results[0].rooftune.seconds: a number is expected"));
  EXPECT_THAT(damage("/results/0/rooftune/outcome", "okay"),
              HasSubstr("results[0].rooftune.outcome: \"okay\" is unknown: did you mean \"ok\"?"));
  EXPECT_THAT(damage("/seed", -1), HasSubstr("seed: the integer is out of range"));
  EXPECT_THAT(damage("/seed", 1.5), HasSubstr("seed: an integer is expected"));
  EXPECT_THAT(damage("/device/roofs", 1), HasSubstr("device.roofs: a list is expected"));
  EXPECT_THAT(damage("/results/0/rooftune", Json::object()),
              HasSubstr("results[0].rooftune.number: it is missing"));
  EXPECT_THAT(damage("/results", nullptr), HasSubstr("results: a list is expected"));
}

TEST(ResultsFile, OlderOnesLackWhatWasAddedLater) {
  const TemporaryFolder folder;
  Results results = sample_results(5);
  testing::Sampler sample(3);
  results.records = {testing::sample_record(sample, 1)};
  write_results(results, folder.path() / "r.json");
  Json json = Json::parse(folder.read("r.json"));
  Json& measurement = json["results"][0]["rooftune"]["problems"][0]["measurement"];
  for (const char* name : {"dropped_samples", "slowest_clock", "fastest_clock", "joules"}) {
    ASSERT_EQ(measurement.erase(name), 1U) << name;
  }
  const Results old = read_results(folder.write("old.json", json.dump()));
  EXPECT_EQ(old.records[0].problems[0].measurement->dropped_samples, 0);
  EXPECT_EQ(old.records[0].problems[0].measurement->seconds,
            results.records[0].problems[0].measurement->seconds);
}

Record timed(std::uint64_t number, double seconds, std::vector<double> finals = {}) {
  Record record;
  record.number = number;
  record.parameters = {{"BM", number}};
  record.seconds = seconds;
  record.finals = std::move(finals);
  return record;
}

TEST(Results, TheBestOfTheFinalsIsTheBest) {
  Results results;
  EXPECT_EQ(results.best(), nullptr);
  results.records = {timed(1, 1.0), timed(2, 0.5), timed(3, 0.1)};
  results.records[2].outcome = Outcome::wrong_result;
  EXPECT_EQ(results.best()->number, 2U);
  // The lucky 0.5 does not repeat; the median of what was measured in turn counts.
  results.records = {timed(1, 0.51, {0.52, 0.53, 0.9}), timed(2, 0.5, {0.56, 0.57, 0.55}),
                     timed(3, 0.54)};
  EXPECT_EQ(results.best()->number, 1U);
  EXPECT_DOUBLE_EQ(results.best()->ranked_seconds(), 0.53);
}

TEST(Results, ABaselineOutsideOfTheSpaceIsNeverTheBest) {
  Results results;
  results.records = {timed(1, 0.5), timed(2, 1.0)};
  results.records[0].in_space = false;
  results.baseline = results.records[0].parameters;
  EXPECT_EQ(results.best()->number, 2U);
  EXPECT_DOUBLE_EQ(*results.speedup(), 0.5);
}

TEST(Results, TiesAreThoseWhoseFinalsReachTheBest) {
  Results results;
  results.records = {timed(1, 0.50, {0.50, 0.51, 0.52}), timed(2, 0.50, {0.515, 0.53, 0.54}),
                     timed(3, 0.52, {0.53, 0.54, 0.55}), timed(4, 0.7)};
  EXPECT_THAT(results.ties(), ElementsAre(2U));
}

TEST(Results, FractionIsTheGeometricMeanAtTheRankedTime) {
  Record record = timed(1, 1.0, {2.0});
  EXPECT_EQ(record.roof_fraction(), std::nullopt);
  record.problems.resize(2);
  for (ProblemResult& result : record.problems) {
    result.placement.emplace();
  }
  record.problems[0].placement->fraction = 0.9;
  record.problems[1].placement->fraction = 0.4;
  EXPECT_DOUBLE_EQ(*record.roof_fraction(), 0.3);
}

TEST(Verdict, SaysBestBoundFractionSpeedupAndCount) {
  Results results;
  results.space_size = 1152;
  EXPECT_EQ(verdict(results), "no configuration succeeded; 0 evaluations of 1,152");
  results.records = {timed(1, 3e-3), timed(2, 1.5e-3)};
  results.records[0].parameters = {{"BM", 32}, {"T", "float"}};
  results.records[1].parameters = {{"BM", 64}, {"T", "float"}};
  results.baseline = results.records[0].parameters;
  ProblemResult problem;
  problem.placement.emplace().fraction = 0.71;
  results.records[1].problems = {problem};
  Diagnosis diagnosis;
  diagnosis.verdict = Diagnosis::Verdict::bound;
  diagnosis.findings.emplace_back().bound = Bound::shared;
  results.records[1].diagnosis = diagnosis;
  EXPECT_EQ(verdict(results),
            "best: BM=64 T=float; 1.50 ms; bound by shared; 71% of its ceiling; 2.00x the "
            "baseline; 2 evaluations of 1,152");
}

}  // namespace
}  // namespace rooftune
