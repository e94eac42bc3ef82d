// rooftune import and export: what comes in from other tuners replays, what goes out comes back.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "tuner/cli/test_command.hpp"
#include "tuner/core/error.hpp"
#include "tuner/device/replay/export.hpp"
#include "tuner/device/replay/inferred_rules.hpp"
#include "tuner/session/recorded.hpp"
#include "tuner/session/temporary_folder.hpp"
#include "tuner/space/space.hpp"

namespace rooftune {
namespace {

namespace fs = std::filesystem;
using cli::CommandResult;
using cli::run_command;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using testing::TemporaryFolder;
using Json = nlohmann::ordered_json;

std::string text_of(const fs::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

void write(const fs::path& file, const std::string& text) {
  std::ofstream(file) << text;
}

/// A Kernel Tuner cache over bx, tile and pad, of the configurations that `recorded` allows.
std::string cache_text(const std::function<bool(int bx, int tile, int pad)>& recorded) {
  Json cache = Json::object();
  for (const int bx : {16, 32, 48, 64}) {
    for (const int tile : {1, 2, 4}) {
      for (const int pad : {0, 1}) {
        if (recorded(bx, tile, pad)) {
          cache[fmt::format("{},{},{}", bx, tile, pad)] = {
              {"block_size_x", bx}, {"tile", tile}, {"pad", pad}, {"time", 1.0 + bx * tile + pad}};
        }
      }
    }
  }
  cache.begin().value()["time"] = "CompilationFailedConfig";
  return Json({{"device_name", "NVIDIA A100-PCIE-40GB"},
               {"kernel_name", "k"},
               {"problem_size", {4096, 512}},
               {"tune_params_keys", {"block_size_x", "tile", "pad"}},
               {"cache", cache}})
      .dump();
}

TEST(Import, MakesASpecAndARecordingThatReplayAsTheyStand) {
  const TemporaryFolder folder;
  const fs::path file = folder.path() / "stencil-A100.json";
  write(file, cache_text([](int bx, int tile, int pad) {
          return bx * tile <= 128 && (pad == 0 || bx % 32 != 0);
        }));
  const CommandResult imported =
      run_command({"import", file.string(), "--out", (folder.path() / "out").string()});
  ASSERT_EQ(imported.status, 0) << imported.err;
  const fs::path spec_file = folder.path() / "out/stencil.yaml";
  const fs::path recording = folder.path() / "out/stencil-A100.results.json.gz";
  EXPECT_THAT(imported.out, HasSubstr(recording.string()));
  const std::string text = text_of(spec_file);
  EXPECT_THAT(text, HasSubstr("constants: {problem_size_x: 4096, problem_size_y: 512}"));
  EXPECT_THAT(text, HasSubstr("block_size_x: {values: [16, 32, 48, 64], role: block}"));
  EXPECT_THAT(text, HasSubstr("\"block_size_x * tile <= 128\""));
  EXPECT_THAT(text, HasSubstr("# work:"));

  const Space space(load_spec(spec_file));
  EXPECT_EQ(space.size(), open_recording(recording).points.size());
  const CommandResult replayed = run_command({"replay", spec_file.string(), recording.string(),
                                              "--policy", "random", "--repeats", "2", "--json"});
  ASSERT_EQ(replayed.status, 0) << replayed.err;
  EXPECT_EQ(Json::parse(replayed.out).at(0).at("policy"), "random");

  const CommandResult again =
      run_command({"import", file.string(), "--out", (folder.path() / "out").string()});
  EXPECT_EQ(again.status, 1);
  EXPECT_THAT(again.err, HasSubstr("exists already"));
  const CommandResult own = run_command({"import", recording.string(), "--out", "nowhere"});
  EXPECT_EQ(own.status, 1);
  EXPECT_THAT(own.err, HasSubstr("need no import"));
}

TEST(Import, TakesTheConditionsOfAT1Input) {
  const TemporaryFolder folder;
  const fs::path file = folder.path() / "stencil-A100.json";
  write(file, cache_text([](int bx, int tile, int) { return bx * tile <= 128; }));
  const auto t1 = [&](const std::string& condition, const std::string& third) {
    const fs::path input = folder.path() / "stencil.t1.json";
    write(input, Json({{"ConfigurationSpace",
                        {{"TuningParameters",
                          Json::array({{{"Name", "block_size_x"}, {"Values", "[16, 32, 48, 64]"}},
                                       {{"Name", "tile"}, {"Values", "[1, 2, 4]"}},
                                       {{"Name", third}, {"Values", "[0, 1]"}}})},
                         {"Conditions", Json::array({{{"Expression", condition}}})}}},
                       {"KernelSpecification",
                        {{"KernelName", "k"},
                         {"LocalSize", {{"X", "block_size_x"}}},
                         {"ProblemSize", {4096}},
                         {"GridDivX", {"block_size_x", "tile"}}}}})
                     .dump());
    return input.string();
  };
  const std::string out = (folder.path() / "out").string();
  const auto run = [&](const std::string& input) {
    return run_command({"import", file.string(), "--t1", input, "--out", out});
  };
  EXPECT_THAT(run(t1("block_size_x < 64", "pad")).err, HasSubstr("different spaces"));
  EXPECT_THAT(run(t1("tile < 9", "pads")).err, HasSubstr("did you mean \"pads\"?"));

  ASSERT_EQ(run(t1("block_size_x * tile < 129", "pad")).status, 0);
  const std::string text = text_of(folder.path() / "out/stencil.yaml");
  EXPECT_THAT(text, HasSubstr("- \"block_size_x * tile < 129\""));
  EXPECT_THAT(text, Not(HasSubstr("Inferred")));
  EXPECT_THAT(text, HasSubstr("ceil_div(4096, (block_size_x) * (tile))"));

  // The input alone is a spec too.
  const CommandResult alone =
      run_command({"import", t1("tile < 4", "pad"), "--out", (folder.path() / "t1").string()});
  ASSERT_EQ(alone.status, 0) << alone.err;
  EXPECT_EQ(Space(load_spec(folder.path() / "t1/stencil.yaml")).size(), 16U);
}

TEST(Import, HostileTextCannotLeaveItsPlace) {
  const TemporaryFolder folder;
  const fs::path file = folder.path() / "k-A100.json";
  const auto with = [&](const std::string& parameter, const std::string& value) {
    write(file, Json({{"device_name", "x\nparameters: {}\x01"},
                      {"kernel_name", "k\nstop: {}"},
                      {"tune_params_keys", {parameter}},
                      {"cache", {{"a", {{parameter, value}, {"time", 1.0}}}}}})
                    .dump());
    fs::remove_all(folder.path() / "out");
    return run_command({"import", file.string(), "--out", (folder.path() / "out").string()});
  };
  EXPECT_THAT(with("a: {}\nb", "v").err, HasSubstr("cannot be named"));
  EXPECT_THAT(with("min", "v").err, HasSubstr("cannot be named"));
  const std::string value = "q\"uo'te\\\n# {x}";
  ASSERT_EQ(with("p", value).status, 0);
  const Spec spec = load_spec(folder.path() / "out/k.yaml");
  EXPECT_EQ(spec.parameters.at(0).values, std::vector<Value>{value});
}

TEST(InferredRules, ReproduceWhatWasRecordedWhateverItIs) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 12; ++round) {
    Recording recording;
    recording.file = "made.json";
    const std::uint64_t keep = round < 4 ? 100 : 5 + 20 * static_cast<std::uint64_t>(round);
    for (const int a : {1, 2, 3, 4}) {
      for (const int b : {0, 8, 16}) {
        for (const char* c : {"float", "it's"}) {
          for (const bool d : {false, true}) {
            if ((b == 0 || b % (a * 2) == 0 || d) && random() % 100 < keep) {
              RecordedPoint point;
              point.parameters = {{"a", a}, {"b", b}, {"c", c}, {"d", d}};
              point.seconds = 1;
              recording.points.push_back(point);
            }
          }
        }
      }
    }
    finish_recording(recording);
    const InferredRules inferred = infer_rules(recording, {});
    ASSERT_TRUE(inferred.exact);
    Spec spec;
    spec.problems.emplace_back();
    spec.parameters = recording.parameters;
    for (const std::string& text : inferred.rules) {
      spec.rules.push_back({{Expression::parse(text), {}}, text});
    }
    const Space space(spec);
    EXPECT_EQ(space.size(), recording.points.size());
    for (const RecordedPoint& point : recording.points) {
      EXPECT_TRUE(space.contains(*space.find(point.parameters)));
    }
  }
}

/// One point of every outcome, with all that a point can hold.
Recording full_recording() {
  Recording recording;
  recording.file = "made";
  recording.device_name = "NVIDIA A100-PCIE-40GB";
  recording.kernel_name = "k";
  recording.problem_size = {64, 32};
  int i = 0;
  for (const Outcome outcome :
       {Outcome::ok, Outcome::compile_failed, Outcome::cannot_launch, Outcome::wrong_result,
        Outcome::crashed, Outcome::timed_out, Outcome::out_of_memory, Outcome::skipped}) {
    RecordedPoint point;
    point.parameters = {
        {"n", ++i}, {"x", 0.5 * i}, {"flag", i % 2 == 0}, {"T", i < 3 ? "float" : "a, \"b\""}};
    point.outcome = outcome;
    point.compile_seconds = 0.1 * i;
    if (outcome == Outcome::ok) {
      point.seconds = 1.0 / 3 * 1e-3;
      point.samples = {1e-4, 2.0 / 3 * 1e-3};
      point.counters = {{"dram__bytes.sum", 1e9}};
      point.launch = Launch{{7, 2, 1}, {32, 4, 1}, 1024};
      point.resources = Resources{64, 1, 2, 3, 4096, 5, 256};
    } else {
      point.reason = "because,\nof \"this\"";
    }
    recording.points.push_back(point);
  }
  finish_recording(recording);
  return recording;
}

class RoundTrip : public ::testing::TestWithParam<const char*> {};

TEST_P(RoundTrip, GivesTheSameTimesOutcomesAndDetails) {
  const Recording sent = full_recording();
  const TemporaryFolder folder;
  for (const char* name : {"k-A100.json", "k-A100.json.gz"}) {
    const fs::path file = folder.path() / name;
    write(file, packed_for(file, export_text(sent, GetParam())));
    const Recording got = read_recording(file);
    EXPECT_EQ(got.format, GetParam());
    EXPECT_EQ(got.device_name, sent.device_name);
    EXPECT_EQ(got.kernel_name, sent.kernel_name);
    EXPECT_EQ(got.problem_size, sent.problem_size);
    ASSERT_EQ(got.points.size(), sent.points.size());
    for (std::size_t i = 0; i < sent.points.size(); ++i) {
      const RecordedPoint& a = sent.points[i];
      const RecordedPoint& b = got.points[i];
      EXPECT_EQ(to_string(a.parameters), to_string(b.parameters));
      EXPECT_EQ(a.outcome, b.outcome);
      EXPECT_EQ(a.reason, b.reason);
      EXPECT_DOUBLE_EQ(a.seconds, b.seconds);
      EXPECT_DOUBLE_EQ(a.compile_seconds, b.compile_seconds);
      EXPECT_EQ(a.counters, b.counters);
      EXPECT_EQ(a.launch.has_value(), b.launch.has_value());
      EXPECT_EQ(a.resources.has_value(), b.resources.has_value());
    }
    EXPECT_DOUBLE_EQ(got.points[0].samples.at(1), sent.points[0].samples[1]);
    EXPECT_EQ(got.points[0].launch->block, sent.points[0].launch->block);
    EXPECT_EQ(got.points[0].launch->shared_bytes, 1024U);
    EXPECT_EQ(got.points[0].resources->static_shared, 4096);
    EXPECT_EQ(got.points[0].resources->max_threads, 256);
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, RoundTrip, ::testing::Values("t4", "kernel-tuner"));

TEST(Export, IsWhatKernelTunerReads) {
  const std::string text = export_text(full_recording(), "kernel-tuner");
  // Kernel Tuner takes a file for interrupted unless it ends like this.
  EXPECT_THAT(text, ::testing::EndsWith("}\n}\n"));
  const Json json = Json::parse(text);
  for (const char* key : {"device_name", "kernel_name", "problem_size", "tune_params_keys",
                          "tune_params", "objective", "cache"}) {
    EXPECT_TRUE(json.contains(key)) << key;
  }
  EXPECT_EQ(json["tune_params_keys"], Json({"n", "x", "flag", "T"}));
  // Keys are Python's str() of the values.
  const Json& first = json["cache"].at("1,0.5,False,float");
  EXPECT_EQ(json["cache"].count("2,1.0,True,float"), 1U);
  EXPECT_DOUBLE_EQ(first.at("time").get<double>(), 1.0 / 3);
  for (const char* key : {"compile_time", "verification_time", "benchmark_time"}) {
    EXPECT_TRUE(first.at(key).is_number()) << key;
  }
  const std::set<std::string> known = {"InvalidConfig", "CompilationFailedConfig",
                                       "RuntimeFailedConfig"};
  for (const auto& [key, entry] : json["cache"].items()) {
    if (entry["time"].is_string()) {
      EXPECT_EQ(known.count(entry["__error__"].get<std::string>()), 1U) << key;
    }
  }
  Recording clash = full_recording();
  for (RecordedPoint& point : clash.points) {
    point.parameters[0].name = "time";
  }
  clash.parameters.clear();
  finish_recording(clash);
  EXPECT_THROW(export_text(clash, "kernel-tuner"), InputError);
}

TEST(Export, KeepsToTheT4Schema) {
  const Json json = Json::parse(export_text(full_recording(), "t4"));
  EXPECT_THAT(json.at("schema_version").get<std::string>(),
              ContainsRegex("^[0-9]+.[0-9]+.[0-9]+$"));
  const std::set<std::string> invalidities = {"timeout",     "compile",     "runtime",
                                              "correctness", "constraints", "correct"};
  ASSERT_EQ(json.at("results").size(), 8U);
  for (const Json& result : json["results"]) {
    EXPECT_TRUE(result.at("configuration").is_object());
    EXPECT_EQ(invalidities.count(result.at("invalidity").get<std::string>()), 1U);
    EXPECT_TRUE(result.at("correctness").is_number());
    EXPECT_TRUE(result.at("timestamp").is_string());
    EXPECT_TRUE(result.at("objectives").is_array());
    EXPECT_TRUE(result.at("times").at("compilation_time").is_number());
    EXPECT_TRUE(result.at("times").at("runtimes").is_array());
  }
  EXPECT_EQ(json["results"][0].at("measurements").at(0).at("unit"), "ms");
}

TEST(Export, WritesCsvThatSpreadsheetsRead) {
  const std::string text = export_text(full_recording(), "csv");
  EXPECT_THAT(text, HasSubstr("n,x,flag,T,outcome,reason,time_ms,compile_ms,registers,"
                              "static_shared_bytes,dram__bytes.sum\r\n"));
  EXPECT_THAT(text, ContainsRegex("\n1,0.5,false,float,ok,,0.333[0-9]*,100,64,4096,1000000000"));
  EXPECT_THAT(text, HasSubstr("\"a, \"\"b\"\"\",wrong_result,\"because,\nof \"\"this\"\"\",,"));
}

TEST(Export, TakesResultsAndTellsWhatItCannotDo) {
  const TemporaryFolder folder;
  const fs::path cache = folder.path() / "stencil-A100.json";
  write(cache, cache_text([](int, int, int) { return true; }));
  ASSERT_EQ(run_command({"import", cache.string(), "--out", folder.path().string()}).status, 0);
  const std::string results = (folder.path() / "stencil-A100.results.json.gz").string();
  const std::string out = (folder.path() / "again.t4.json.gz").string();
  ASSERT_EQ(run_command({"export", results, "--format", "t4", "-o", out}).status, 0);
  const Recording before = read_recording(cache);
  const Recording after = read_recording(out);
  ASSERT_EQ(after.points.size(), before.points.size());
  EXPECT_EQ(after.points[0].outcome, Outcome::compile_failed);
  EXPECT_DOUBLE_EQ(after.points[5].seconds, before.points[5].seconds);

  EXPECT_EQ(run_command({"export", results, "--format", "xml"}).status, 2);
  EXPECT_EQ(run_command({"export", "nowhere.json", "--format", "csv"}).status, 1);
}

TEST(ShippedRecordings, ReplayAsTheyAre) {
  for (const char* name : {"transpose", "reduction"}) {
    const fs::path folder = fs::path(ROOFTUNE_SOURCE_DIR) / "examples/recorded";
    const std::string spec = (folder / fmt::format("{}.yaml", name)).string();
    const std::string file = (folder / fmt::format("{}-host.results.json.gz", name)).string();
    const Recording recording = open_recording(file);
    ASSERT_TRUE(recording.device.has_value());
    EXPECT_EQ(recording.device->kind, DeviceKind::host);
    EXPECT_EQ(recording.points.size(), Space(load_spec(spec)).size());
    EXPECT_LT(recording.points.size(), 300U);
    const CommandResult replayed =
        run_command({"replay", spec, file, "--policy", "random", "--repeats", "10", "--json"});
    ASSERT_EQ(replayed.status, 0) << replayed.err;
    EXPECT_GT(Json::parse(replayed.out).at(0).at("to").at("1.20").at("reached"), 0);
    const CommandResult advice = run_command({"replay", spec, file, "--advice", "--json"});
    ASSERT_EQ(advice.status, 0) << advice.err;
    EXPECT_EQ(Json::parse(advice.out).at(0).at("evidence"), "model");
  }
}

/// Results of KTT for tiles of 1, 2 and 4, whose L2 traffic is 32 KiB over the tile.
std::string counted_text() {
  Json results = Json::array();
  for (const int tile : {1, 2, 4}) {
    const Json counters = {{{"Name", "lts__t_sectors_op_read.sum"}, {"Value", 1024.0 / tile}},
                           {{"Name", "lts__t_sectors_op_write.sum"}, {"Value", 0.0}}};
    const Json one = {{"X", 1}, {"Y", 1}, {"Z", 1}};
    const Json threads = {{"X", 64}, {"Y", 1}, {"Z", 1}};
    results.push_back({{"Status", "Ok"},
                       {"Configuration", {{{"Name", "tile"}, {"Value", tile}}}},
                       {"TotalDuration", 100.0},
                       {"ComputationResults",
                        {{{"Duration", 100.0},
                          {"GlobalSize", one},
                          {"LocalSize", threads},
                          {"CompilationData", {{"RegistersCount", 32}, {"LocalMemorySize", 0}}},
                          {"ProfilingData", {{"Counters", counters}}}}}}});
  }
  return Json({{"Metadata",
                {{"ComputeApi", "CUDA"},
                 {"Device", "NVIDIA A100-PCIE-40GB"},
                 {"GlobalSizeType", "CUDA"},
                 {"TimeUnit", "Microseconds"}}},
               {"Results", results}})
      .dump();
}

TEST(Replay, ChecksFormulasAgainstRecordedCounters) {
  const TemporaryFolder folder;
  const fs::path recording = folder.path() / "stencil-A100.json";
  write(recording, counted_text());
  const auto check = [&](const std::string& l2, const std::string& flag) {
    const fs::path spec = folder.path() / "spec.yaml";
    write(spec,
          "parameters: {tile: {values: [1, 2, 4]}}\nlaunch: {block: [64], grid: [1]}\n"
          "work: {warp: {chain: 9}, traffic: {l2: " +
              l2 + "}}\n");
    return run_command({"replay", spec.string(), recording.string(), "--formulas", flag});
  };
  const CommandResult right = check("32768 / tile", "--json");
  EXPECT_EQ(right.status, 0) << right.err;
  const Json report = Json::parse(right.out).at(0);
  EXPECT_EQ(report.at("unchecked"), Json::array({"work.warp.chain"}));
  const Json& first = report.at("formulas").at(0);
  EXPECT_EQ(first.at("formula"), "work.traffic.l2");
  EXPECT_EQ(first.at("verdict"), "agrees");
  EXPECT_EQ(first.at("ratio").at("median"), 1.0);
  const CommandResult doubled = check("65536 / tile", "--seed=1");
  EXPECT_EQ(doubled.status, 1);
  EXPECT_THAT(doubled.out, HasSubstr("scaled by 2"));
  EXPECT_THAT(check("32768 * tile", "--seed=1").out, HasSubstr("unrelated"));
}

TEST(Replay, TakesAPriorOfAnotherDevice) {
  const TemporaryFolder folder;
  const fs::path cache = folder.path() / "stencil-A100.json";
  write(cache, cache_text([](int, int, int) { return true; }));
  const fs::path spec = folder.path() / "spec.yaml";
  write(spec,
        "parameters:\n  block_size_x: {values: [16, 32, 48, 64]}\n  tile: {values: [1, 2, 4]}\n"
        "  pad: {values: [0, 1]}\n");
  const auto mean = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words = {"replay",    spec.string(), cache.string(),
                                      "--repeats", "5",           "--json"};
    words.insert(words.end(), more.begin(), more.end());
    const CommandResult result = run_command(words);
    EXPECT_EQ(result.status, 0) << result.err;
    return Json::parse(result.out).at(0).at("to").at("1.01").at("mean").get<double>();
  };
  EXPECT_EQ(mean({"--prior", cache.string()}), 1);
  EXPECT_GT(mean({}), 1);
  const CommandResult useless = run_command(
      {"replay", spec.string(), cache.string(), "--policy", "random", "--prior", cache.string()});
  EXPECT_EQ(useless.status, 1);
  EXPECT_THAT(useless.err, HasSubstr("a prior is of no use to the policy random"));
}

TEST(Replay, NamesTheDifferenceBetweenSpecAndRecording) {
  const TemporaryFolder folder;
  const fs::path cache = folder.path() / "stencil-A100.json";
  write(cache, cache_text([](int bx, int, int) { return bx < 64; }));
  const auto replay = [&](const std::string& parameters) {
    const fs::path spec = folder.path() / "spec.yaml";
    write(spec, "parameters:\n" + parameters);
    return run_command({"replay", spec.string(), cache.string(), "--policy", "random"});
  };
  const std::string two = "  tile: {values: [1, 2, 4]}\n  pad: {values: [0, 1]}\n";
  EXPECT_THAT(replay(two + "  block_x: {values: [16, 32, 48]}\n").err,
              HasSubstr("parameter \"block_x\" is not in the recording"));
  EXPECT_THAT(replay(two).err, HasSubstr("\"block_size_x\" is not in the spec"));
  const CommandResult absent = replay(two + "  block_size_x: {values: [16, 32, 48, 64]}\n");
  EXPECT_EQ(absent.status, 1);
  EXPECT_THAT(absent.err, HasSubstr("lacks 6 of the spec's 24 configurations"));
  EXPECT_EQ(replay(two + "  block_size_x: {values: [16, 32, 48]}\n").status, 0);
}

TEST(SharedRecordings, ImportAndReplay) {
  const char* recordings = std::getenv("ROOFTUNE_RECORDINGS");
  if (recordings == nullptr) {
    GTEST_SKIP() << "ROOFTUNE_RECORDINGS is not set";
  }
  const TemporaryFolder folder;
  const fs::path file = fs::path(recordings) / "ktt/coulomb3d-RTX_2080_Ti.json.gz";
  ASSERT_EQ(run_command({"import", file.string(), "--out", folder.path().string()}).status, 0);
  EXPECT_THAT(text_of(folder.path() / "coulomb3d.yaml"),
              HasSubstr("block: [\"WORK_GROUP_SIZE_X\", \"WORK_GROUP_SIZE_Y\", \"1\"]"));
  EXPECT_EQ(run_command({"replay", (folder.path() / "coulomb3d.yaml").string(),
                         (folder.path() / "coulomb3d-RTX_2080_Ti.results.json.gz").string(),
                         "--policy", "random", "--repeats", "1"})
                .status,
            0);
}

}  // namespace
}  // namespace rooftune
