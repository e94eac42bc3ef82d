#include "tuner/device/replay/recording.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <cstdlib>
#include <fstream>

#include "tuner/core/error.hpp"

namespace rooftune {
namespace {

using ::testing::HasSubstr;

class RecordingFile : public ::testing::Test {
 protected:
  std::filesystem::path write(const std::string& name, const std::string& text) {
    const auto file = std::filesystem::path(::testing::TempDir()) / name;
    std::ofstream(file) << text;
    return file;
  }
};

std::string message_of(const std::filesystem::path& file) {
  try {
    (void)read_recording(file);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

const std::string kernel_tuner_head = R"({"device_name": "NVIDIA A100-PCIE-40GB",
"kernel_name": "k", "problem_size": [64, 32], "tune_params_keys": ["bx", "T"],
"tune_params": {"bx": [32, 64, 128], "T": ["float"]}, "objective": "time", "cache": {
"64,float": {"bx": 64, "T": "float", "time": 2.5, "times": [2.4, 2.6], "compile_time": 500.0},
"32,float": {"bx": 32, "T": "float", "time": "CompilationFailedConfig"})";

TEST_F(RecordingFile, KernelTunerTimesAreMilliseconds) {
  const Recording recording = read_recording(write("whole.json", kernel_tuner_head + "}}"));
  EXPECT_EQ(recording.format, "kernel-tuner");
  EXPECT_EQ(recording.device_name, "NVIDIA A100-PCIE-40GB");
  EXPECT_EQ(recording.problem_size, (std::vector<std::int64_t>{64, 32}));
  ASSERT_EQ(recording.points.size(), 2U);
  EXPECT_DOUBLE_EQ(recording.points[0].seconds, 2.5e-3);
  EXPECT_DOUBLE_EQ(recording.points[0].samples[1], 2.6e-3);
  EXPECT_DOUBLE_EQ(recording.points[0].compile_seconds, 0.5);
  EXPECT_EQ(recording.points[1].outcome, Outcome::compile_failed);
  EXPECT_EQ(recording.points[1].reason, "CompilationFailedConfig");
  EXPECT_EQ(recording.parameters[0].values, (std::vector<Value>{32, 64}));
  EXPECT_EQ(recording.best(), &recording.points[0]);
  EXPECT_TRUE(recording.remarks.empty());
}

TEST_F(RecordingFile, InterruptedCacheIsReadAsFarAsItIsWhole) {
  const Recording open = read_recording(write("open.json", kernel_tuner_head + ",\n"));
  EXPECT_EQ(open.points.size(), 2U);
  ASSERT_EQ(open.remarks.size(), 1U);
  EXPECT_THAT(open.remarks[0], HasSubstr("lacks its closing brackets"));

  const Recording torn =
      read_recording(write("torn.json", kernel_tuner_head + ",\n\"128,float\": {\"bx\": 128, \"T"));
  EXPECT_EQ(torn.points.size(), 2U);
  EXPECT_THAT(torn.remarks.at(0), HasSubstr("in the middle of an entry (line 6)"));
}

TEST_F(RecordingFile, PythonsNanIsNoDataAndStringsAreLeftAlone) {
  const Recording recording = read_recording(
      write("nan.json", R"({"device_name": "the NaN device", "tune_params_keys": ["bx"], "cache": {
"1": {"bx": 1, "time": NaN}, "2": {"bx": 2, "time": 1.0, "power": -Infinity}}})"));
  EXPECT_EQ(recording.device_name, "the NaN device");
  EXPECT_EQ(recording.points[0].outcome, Outcome::crashed);
  EXPECT_EQ(recording.points[1].outcome, Outcome::ok);
}

TEST_F(RecordingFile, GzipAndPlainReadAlike) {
  const auto plain = write("plain.json", kernel_tuner_head + "}}");
  const auto packed = std::filesystem::path(::testing::TempDir()) / "packed.json.gz";
  gzFile out = gzopen(packed.c_str(), "wb");
  const std::string text = kernel_tuner_head + "}}";
  gzwrite(out, text.data(), static_cast<unsigned>(text.size()));
  gzclose(out);
  EXPECT_EQ(read_recording(packed).points.size(), read_recording(plain).points.size());

  // Cut in the middle: an error, not half a recording.
  std::filesystem::resize_file(packed, std::filesystem::file_size(packed) / 2);
  EXPECT_THAT(message_of(packed), HasSubstr("damaged gzip data"));
}

TEST_F(RecordingFile, KttHoldsResourcesLaunchAndCounters) {
  const Recording recording = read_recording(write("ktt.json", R"({"Metadata": {
"Device": "NVIDIA GeForce RTX 2080 Ti", "TimeUnit": "Microseconds", "GlobalSizeType": "CUDA"},
"Results": [{"Configuration": [{"Name": "BX", "Value": 32, "ValueType": "UnsignedInt"}],
"Status": "Ok", "TotalDuration": 9.0, "KernelName": "conv", "ComputationResults": [{
"Duration": 8.0, "GlobalSize": {"X": 4, "Y": 2, "Z": 1}, "LocalSize": {"X": 32, "Y": 8, "Z": 1},
"CompilationData": {"RegistersCount": 28, "LocalMemorySize": 2944},
"ProfilingData": {"Counters": [{"Name": "dram__sectors_read.sum", "Value": 10.0},
{"Name": "broken", "Value": NaN}]}}]},
{"Configuration": [{"Name": "BX", "Value": 64}], "Status": "ComputationFailed",
"TotalDuration": 0.0, "ComputationResults": []}]})"));
  const RecordedPoint& point = recording.points.at(0);
  EXPECT_DOUBLE_EQ(point.seconds, 8e-6);
  EXPECT_EQ(point.resources->registers, 28);
  EXPECT_EQ(point.resources->static_shared, 2944);
  EXPECT_EQ(point.launch->grid, (Dim3{4, 2, 1}));
  EXPECT_EQ(point.counters, (Counters{{"dram__sectors_read.sum", 10.0}}));
  EXPECT_EQ(recording.points[1].outcome, Outcome::crashed);
}

TEST_F(RecordingFile, T4WhoseObjectiveIsEnergyHoldsTimesToo) {
  const Recording recording = read_recording(write("conv-A100.t4.json", R"({"schema_version": "1",
"metadata": {"timeunit": "milliseconds"}, "results": [
{"configuration": {"bx": 16}, "times": {"compilation": 900, "runtimes": [4.0]},
 "invalidity": "correct", "objectives": ["energy"],
 "measurements": [{"name": "time", "value": 4, "unit": "ms"},
                  {"name": "energy", "value": 0.5, "unit": "J"}]}]})"));
  EXPECT_EQ(recording.points.at(0).seconds, 4e-3);
}

TEST_F(RecordingFile, T4InPublishedSpelling) {
  const Recording recording = read_recording(write("conv-A100.t4.json", R"({"schema_version": "1",
"metadata": {"timeunit": "miliseconds"}, "results": [
{"configuration": {"bx": 16}, "times": {"compilation": 900, "runtimes": [4.0, 4.2]},
 "invalidity": "correct", "measurements": [{"name": "time", "value": 4.1, "unit": ""}],
 "objectives": ["time"]},
{"configuration": {"bx": 32}, "times": {"compilation_time": 1.0}, "invalidity": "correctness",
 "measurements": [], "objectives": ["time"]}]})"));
  EXPECT_EQ(recording.device_name, "A100");
  EXPECT_DOUBLE_EQ(recording.points[0].seconds, 4.1e-3);
  EXPECT_DOUBLE_EQ(recording.points[0].compile_seconds, 0.9);
  EXPECT_EQ(recording.points[1].outcome, Outcome::wrong_result);
  EXPECT_DOUBLE_EQ(recording.points[1].compile_seconds, 1e-3);
}

TEST_F(RecordingFile, T1InputsHoldParametersAndConditions) {
  const auto file = write("p.t1.json", R"({"ConfigurationSpace": {"TuningParameters": [
{"Name": "bx", "Type": "int", "Values": "[16, 32]"},
{"Name": "T", "Type": "string", "Values": "['float', 'half']"}],
"Conditions": [{"Expression": "bx*2<=64 or T == 'half'", "Parameters": ["bx"]}]},
"KernelSpecification": {"KernelName": "conv"}})");
  EXPECT_TRUE(is_t1(file));
  const T1Input input = read_t1(file);
  EXPECT_EQ(input.kernel_name, "conv");
  EXPECT_EQ(input.parameters.at(0).values, (std::vector<Value>{16, 32}));
  EXPECT_EQ(input.parameters.at(1).values, (std::vector<Value>{"float", "half"}));
  EXPECT_EQ(input.conditions, std::vector<std::string>{"bx*2<=64 or T == 'half'"});
}

TEST_F(RecordingFile, DamagedForeignAndHostileFilesAreRefused) {
  EXPECT_THAT(message_of("/nowhere/x.json"), HasSubstr("no such file"));
  EXPECT_THAT(message_of(write("a.json", "hello")), HasSubstr("a.json:1:1: not valid JSON"));
  EXPECT_THAT(message_of(write("b.json", R"({"a": 1})")), HasSubstr("known: Kernel Tuner cache"));
  EXPECT_THAT(message_of(write("c.json", R"({"tune_params_keys": ["x"], "cache": {}})")),
              HasSubstr("holds no configuration"));
  EXPECT_THAT(message_of(write("d.json", R"({"tune_params_keys": ["x"], "cache": {
"1": {"x": 1, "time": 1}, "1b": {"x": 1, "time": 2}}})")),
              HasSubstr("\"x=1\" is recorded twice"));
  EXPECT_THAT(message_of(write("e.json", R"({"tune_params_keys": ["x"], "cache": {
"1": {"time": 1}}})")),
              HasSubstr("lacks its parameter \"x\""));
  EXPECT_THAT(message_of(write("f.json", R"({"tune_params_keys": ["x"], "device_name": [1],
"cache": {"1": {"x": 1, "time": 1}}})")),
              HasSubstr("unexpected type"));
  EXPECT_THAT(message_of(write("g.json", std::string(100000, '['))), HasSubstr("not valid JSON"));
}

/// Counts of whole files against their documentation; only where the recordings are at hand.
TEST(SharedRecordings, HoldTheDocumentedNumberOfConfigurations) {
  const char* folder = std::getenv("ROOFTUNE_RECORDINGS");
  if (folder == nullptr) {
    GTEST_SKIP() << "ROOFTUNE_RECORDINGS is not set";
  }
  struct Expected {
    const char* file;
    std::size_t points;
    std::size_t failed;
  };
  for (const Expected& expected :
       {Expected{"kernel_tuner/convolution_milo-A4000.json.gz", 4362, 161},
        Expected{"kernel_tuner/convolution_milo-A100.t4.json.gz", 4362, 161},
        Expected{"kernel_tuner/convolution-RTX_3090.json.gz", 6768, 1548},
        Expected{"ktt/convolution-RTX_2080_Ti.json.gz", 6768, 1488},
        Expected{"ktt/coulomb3d-RTX_2080_Ti.json.gz", 210, 0}}) {
    const Recording recording = read_recording(std::filesystem::path(folder) / expected.file);
    const auto failed = std::count_if(recording.points.begin(), recording.points.end(),
                                      [](const auto& p) { return p.outcome != Outcome::ok; });
    EXPECT_EQ(recording.points.size(), expected.points) << expected.file;
    EXPECT_EQ(static_cast<std::size_t>(failed), expected.failed) << expected.file;
  }
}

}  // namespace
}  // namespace rooftune
