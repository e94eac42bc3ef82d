// Kernels through the whole host device: compiled, proved and timed in processes of their own.
#include "tuner/device/host/host_device.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <future>

#include "tuner/core/error.hpp"
#include "tuner/space/space.hpp"
#include "tuner/spec/instance.hpp"
#include "tuner/spec/spec.hpp"

namespace rooftune {
namespace {

using testing::HasSubstr;

namespace fs = std::filesystem;

const fs::path source_folder = ROOFTUNE_SOURCE_DIR;
const fs::path kernels = source_folder / "tests" / "host" / "kernels.cu";

/// A spec for a kernel of kernels.cu that takes (in, out, n), with what `more` adds.
Spec spec_for(
    const std::string& name, const std::string& parameters, const std::string& reference,
    const std::string& more = "launch: {block: [64], grid: [n // 64], shared_bytes: 256}") {
  return parse_spec("kernel: {source: " + kernels.string() + ", name: \"" + name +
                        "\"}\nconstants: {n: 256}\nparameters: {" + parameters + "}\n" + more +
                        "\narguments:\n  - {name: in, type: float, count: n}\n"
                        "  - {name: out, type: float, count: n, access: out}\n"
                        "  - {name: n, type: int, value: n}\n"
                        "verify: {kernel: " +
                        reference + ", block: [64], grid: [n // 64]}\n",
                    "test.yaml");
}

/// The line, from 1, of the first line of the file that contains `text`.
int line_of(const fs::path& file, const std::string& text) {
  std::ifstream in(file);
  int number = 1;
  for (std::string line; std::getline(in, line); ++number) {
    if (line.find(text) != std::string::npos) {
      return number;
    }
  }
  ADD_FAILURE() << file << " has no " << text;
  return 0;
}

std::string place(const fs::path& file, const std::string& text) {
  return file.filename().string() + ":" + std::to_string(line_of(file, text)) + ": ";
}

/// One configuration of a spec, compiled and measured.
class Runner {
 public:
  explicit Runner(Spec spec, HostBuild build = HostBuild::time, bool proof_only = false)
      : Runner(std::move(spec), HostOptions{build, 2, {}, proof_only}) {}
  Runner(Spec spec, const HostOptions& options)
      : spec_(std::move(spec)), device_(make_host_device(options)) {
    options_.minimum_seconds = 1e-3;
    options_.minimum_samples = 2;
    options_.timeout_seconds = 60;
  }

  KernelInstance instance(const NamedValues& parameters) const {
    return instantiate(spec_, parameters, spec_.problems.front());
  }
  MeasureResult run(const NamedValues& parameters) {
    const KernelInstance kernel = instance(parameters);
    const CompileResult compiled = device_->compile(kernel);
    if (const auto* failure = std::get_if<Failure>(&compiled)) {
      return *failure;
    }
    return device_->measure(kernel, std::get<KernelBinary>(compiled), options_);
  }
  /// Runs a configuration that must be right.
  Measurement measure(const NamedValues& parameters) {
    const MeasureResult result = run(parameters);
    if (const auto* failure = std::get_if<Failure>(&result)) {
      ADD_FAILURE() << to_string(parameters) << ": " << failure->reason << "\n"
                    << failure->log.substr(0, 2000);
      return {};
    }
    return std::get<Measurement>(result);
  }
  /// Runs a configuration that must fail.
  Failure fail(const NamedValues& parameters) {
    const MeasureResult result = run(parameters);
    if (const auto* failure = std::get_if<Failure>(&result)) {
      return *failure;
    }
    ADD_FAILURE() << to_string(parameters) << " did not fail";
    return {};
  }

  const Spec& spec() const { return spec_; }
  MeasureOptions& options() { return options_; }

 private:
  Spec spec_;
  std::unique_ptr<Device> device_;
  MeasureOptions options_;
};

TEST(HostDevice, TheTemplatesAreRightAndTimed) {
  const std::vector<std::pair<std::string, std::vector<Override>>> cases = {
      {"triad.yaml", {{"n", "65536"}}},
      {"transpose.yaml", {{"rows", "256"}, {"columns", "192"}}},
      {"reduction.yaml", {{"n", "65536"}}},
      {"sgemm.yaml", {{"M", "64"}, {"N", "96"}, {"K", "32"}}},
  };
  for (const auto& [file, overrides] : cases) {
    Runner runner(load_spec(source_folder / "configs" / "kernels" / file, overrides));
    const Space space(runner.spec());
    std::mt19937_64 random(1);
    for (const Configuration& configuration : space.sample(2, random)) {
      const NamedValues parameters = space.values(configuration);
      const Measurement measurement = runner.measure(parameters);
      EXPECT_TRUE(measurement.verified) << file << " " << to_string(parameters);
      EXPECT_GT(measurement.seconds, 0.0);
      EXPECT_GE(measurement.samples.size(), 1U);
      EXPECT_EQ(measurement.clock, "cpu time per worker");
    }
  }
}

/// What a kernel of the three arguments gives for MODE or ITEMS.
Failure failure_of(const std::string& name, const std::string& parameter, int value,
                   const std::string& reference = "macro_style_reference") {
  Runner runner(
      spec_for(name, parameter + ": {values: [" + std::to_string(value) + "]}", reference));
  return runner.fail({{parameter, value}});
}

TEST(HostDevice, UnderstandsSharedMemoryOfEveryKind) {
  for (const std::string name : {"dynamic_shared", "two_instantiations"}) {
    Runner runner(spec_for(name, "unused: {values: [1]}", "reverse_reference"));
    EXPECT_TRUE(runner.measure({{"unused", 1}}).verified) << name;
  }
}

TEST(HostDevice, MeasuresWhatRunsOnGpusAndProvesWhatCudaDefines) {
  const Spec spec = spec_for("early_exit", "unused: {values: [1]}", "reverse_reference");
  EXPECT_TRUE(Runner(spec).measure({{"unused", 1}}).verified);
  const Failure failure = Runner(spec, HostBuild::time, true).fail({{"unused", 1}});
  EXPECT_THAT(failure.reason, HasSubstr("32 threads of 64 wait at the barrier"));
}

TEST(HostDevice, AProofIsNotTimed) {
  const Spec spec = spec_for("macro_style", "ITEMS: {values: [1]}", "macro_style_reference");
  const Measurement proof = Runner(spec, HostBuild::time, true).measure({{"ITEMS", 1}});
  EXPECT_TRUE(proof.verified);
  EXPECT_EQ(proof.samples.size(), 1U);  // of the run that proved it
}

TEST(HostDevice, PassesEveryKindOfArgument) {
  Runner runner(
      parse_spec("kernel: {source: " + kernels.string() + ", name: all_arguments}" + R"yaml(
constants: {n: 100}
parameters: {BLOCK: {values: [32], role: block}}
launch: {block: [BLOCK], grid: ["ceil_div(n, BLOCK)"]}
arguments:
  - {name: halves, type: half, count: n, fill: "uniform(-4, 4)"}
  - {name: doubles, type: double, count: n}
  - {name: bytes, type: signed char, count: n, fill: "uniform_integer(-100, 100)"}
  - {name: sums, type: long long, count: n, access: inout, fill: iota}
  - {name: factor, type: float, value: 2.5}
  - {name: offset, type: unsigned char, value: 200}
  - {name: negative, type: bool, value: true}
  - {name: n, type: unsigned int, value: n}
verify: {kernel: all_arguments_reference, block: [1], grid: [1]}
)yaml",
                 "test.yaml"));
  EXPECT_TRUE(runner.measure({{"BLOCK", 32}}).verified);
}

TEST(HostDevice, TakesParametersAsDefines) {
  Runner runner(spec_for("macro_style", "ITEMS: {values: [1, 4]}", "macro_style_reference"));
  EXPECT_TRUE(runner.measure({{"ITEMS", 1}}).verified);
  EXPECT_TRUE(runner.measure({{"ITEMS", 4}}).verified);
}

TEST(HostDevice, DefinesOfTheTunedKernelAloneLeaveTheReferenceAlone) {
  const fs::path folder = fs::path(testing::TempDir()) / "host_reference_runs";
  fs::remove_all(folder);
  {
    Runner runner(spec_for("macro_style", "ITEMS: {values: [1, 4]}", "macro_style_reference"),
                  {HostBuild::time, 2, folder, true});
    runner.measure({{"ITEMS", 1}});
    runner.measure({{"ITEMS", 4}});
  }
  int runs = 0;
  for (const auto& entry : fs::directory_iterator(folder)) {
    runs += entry.path().filename().string().rfind("expected-", 0) == 0 ? 1 : 0;
  }
  EXPECT_EQ(runs, 1);
  fs::remove_all(folder);
}

TEST(HostDevice, AnUndefinedFunctionIsNamed) {
  const Failure failure = failure_of("faulty<{MODE}>", "MODE", 9);
  EXPECT_EQ(failure.outcome, Outcome::compile_failed);
  EXPECT_THAT(failure.reason, HasSubstr("undefined reference to `nowhere(float)'"));
}

TEST(HostDevice, WhatADefineBreaksIsAFailedConfiguration) {
  const Failure ptx = failure_of("macro_style", "ITEMS", 3);
  EXPECT_EQ(ptx.outcome, Outcome::compile_failed);
  EXPECT_THAT(ptx.reason, HasSubstr("inline PTX"));
  EXPECT_THAT(ptx.log, HasSubstr(kernels.string() + ":" +
                                 std::to_string(line_of(kernels, "asm volatile")) + ":3: "));
  const Failure error = failure_of("macro_style", "ITEMS", 5);
  EXPECT_EQ(error.outcome, Outcome::compile_failed);
  EXPECT_THAT(error.reason, HasSubstr(place(kernels, "this_is_not_declared") +
                                      "'this_is_not_declared' was not declared"));
}

TEST(HostDevice, AStaticAssertionIsAFailedConfiguration) {
  const Failure failure = failure_of("faulty<{MODE}>", "MODE", 7);
  EXPECT_EQ(failure.outcome, Outcome::compile_failed);
  EXPECT_THAT(failure.reason, HasSubstr(place(kernels, "static_assert") +
                                        "static assertion failed: there is no mode 7"));
}

TEST(HostDevice, FindsWritesBesideABuffer) {
  const Failure failure = failure_of("faulty<{MODE}>", "MODE", 1);
  EXPECT_EQ(failure.outcome, Outcome::crashed);
  EXPECT_THAT(failure.reason, HasSubstr("out: written 0 bytes past its end"));
}

TEST(HostDevice, ACrashNamesItsLineAndTheBufferNearby) {
  const Failure failure = failure_of("faulty<{MODE}>", "MODE", 2);
  EXPECT_EQ(failure.outcome, Outcome::crashed);
  EXPECT_EQ(failure.reason,
            place(kernels, "// MODE 2") +
                "memory fault at an address 20000 bytes past the end of out (signal 11)");
  const Failure wild = failure_of("faulty<{MODE}>", "MODE", 5);
  EXPECT_EQ(wild.reason, place(kernels, "// MODE 5") +
                             "memory fault at an address outside of every buffer (signal 11)");
}

TEST(HostDevice, AWrongResultShowsTheFirstWrongElement) {
  const Failure nan = failure_of("faulty<{MODE}>", "MODE", 3);
  EXPECT_EQ(nan.outcome, Outcome::wrong_result);
  EXPECT_THAT(nan.reason, HasSubstr("out[7]: got "));
  EXPECT_THAT(nan.reason, HasSubstr("1 element of out"));
  EXPECT_EQ(failure_of("faulty<{MODE}>", "MODE", 4).outcome, Outcome::wrong_result);
  // Shared memory that was never written is not a number, whatever was there before.
  EXPECT_THAT(failure_of("faulty<{MODE}>", "MODE", 8).reason, HasSubstr("(256 elements of out"));
}

TEST(HostDevice, ATrapNamesItsLine) {
  const Failure failure = failure_of("faulty<{MODE}>", "MODE", 6);
  EXPECT_EQ(failure.outcome, Outcome::crashed);
  EXPECT_THAT(failure.reason, HasSubstr(place(kernels, "// MODE 6")));
}

TEST(HostDevice, ALaunchThatNoGpuTakesCannotRun) {
  Runner runner(spec_for("faulty<0>", "BLOCK: {values: [2048]}", "macro_style_reference",
                         "launch: {block: [BLOCK], grid: [1]}"));
  const Failure failure = runner.fail({{"BLOCK", 2048}});
  EXPECT_EQ(failure.outcome, Outcome::cannot_launch);
  EXPECT_THAT(failure.reason, HasSubstr("2048 x 1 x 1"));
}

/// The message of the InputError that a spec ends with.
std::string refusal(const Spec& spec) {
  try {
    Runner runner(spec);
    const MeasureResult result = runner.run({{"unused", 1}});
    const auto* failure = std::get_if<Failure>(&result);
    return failure != nullptr ? "failed: " + failure->reason : "right";
  } catch (const InputError& error) {
    return error.what();
  }
}

std::string refusal(const std::string& name, const std::string& reference) {
  return refusal(spec_for(name, "unused: {values: [1]}", reference));
}

TEST(HostDevice, RefusesAReferenceThatProvesNothing) {
  EXPECT_THAT(refusal("faulty<0>", "nan_reference"), HasSubstr("gives not-a-number at out[3]"));
  EXPECT_THAT(refusal("faulty<0>", "lazy_reference"), HasSubstr("writes nothing to out"));
  EXPECT_THAT(refusal("faulty<0>", "crashing_reference"),
              HasSubstr("crashing_reference failed: kernels.cu:"));
}

// Reading a spec finds these too where it can tell; a name that macros make is found here.
TEST(HostDevice, RefusesAKernelThatIsNotThere) {
  Spec spec = spec_for("macro_style", "unused: {values: [1]}", "macro_style_reference");
  spec.kernel->name.text = TextTemplate::parse("no_such_kernel<1>");
  EXPECT_THAT(refusal(spec), HasSubstr("kernels.cu has no kernel \"no_such_kernel\""));
}

TEST(HostDevice, RefusesArgumentsThatDoNotFitTheKernel) {
  Spec spec = spec_for("macro_style", "unused: {values: [1]}", "macro_style_reference");
  spec.arguments[0].type.text = TextTemplate::parse("double");
  EXPECT_THAT(refusal(spec), HasSubstr("argument 1 (in) is a buffer of double in the spec"));
  spec.arguments.erase(spec.arguments.begin());
  EXPECT_THAT(refusal(spec), HasSubstr("the spec gives 2 arguments, and the kernel macro_style"));
}

TEST(HostDevice, SharesOnePrecompiledHeaderBetweenProcesses) {
  const fs::path cache = fs::path(testing::TempDir()) / "host_cache";
  fs::remove_all(cache);
  fs::create_directories(cache / "rooftune" / "host-time-old");
  fs::last_write_time(cache / "rooftune" / "host-time-old",
                      fs::file_time_type::clock::now() - std::chrono::hours(24 * 40));
  setenv("XDG_CACHE_HOME", cache.c_str(), 1);
  const Spec spec = spec_for("macro_style", "ITEMS: {values: [1]}", "macro_style_reference");
  // Two devices know nothing of each other, like two processes.
  const auto run = [&] { return Runner(spec).measure({{"ITEMS", 1}}).verified; };
  auto other = std::async(std::launch::async, run);
  EXPECT_TRUE(run());
  EXPECT_TRUE(other.get());
  unsetenv("XDG_CACHE_HOME");
  std::vector<std::string> entries;
  for (const auto& entry : fs::directory_iterator(cache / "rooftune")) {
    entries.push_back(entry.path().filename().string());
    EXPECT_TRUE(fs::exists(entry.path() / "variant.hpp.gch"));
  }
  ASSERT_EQ(entries.size(), 1U) << testing::PrintToString(entries);
  EXPECT_THAT(entries[0], testing::StartsWith("host-time-"));
  fs::remove_all(cache);
}

// The planted faults: each is found for what it is, and the rest of its space is right.

const fs::path faults = source_folder / "tests" / "faults";

struct PlantedFault {
  std::string name;
  std::vector<NamedValues> right;
  NamedValues wrong;
};

Failure find_fault(const PlantedFault& fault, HostBuild build, double timeout_seconds = 60) {
  Runner runner(load_spec(faults / (fault.name + ".yaml")), build);
  for (const NamedValues& parameters : fault.right) {
    EXPECT_TRUE(runner.measure(parameters).verified) << to_string(parameters);
  }
  runner.options().timeout_seconds = timeout_seconds;
  return runner.fail(fault.wrong);
}

TEST(PlantedFaults, AnEndlessLoopIsStoppedAndPlaced) {
  const Failure failure = find_fault(
      {"endless_loop", {{{"STRIDE", 1}}, {{"STRIDE", 2}}}, {{"STRIDE", 6}}}, HostBuild::time, 1.0);
  EXPECT_EQ(failure.outcome, Outcome::timed_out);
  const int loop = line_of(faults / "endless_loop.cu", "i != n");
  EXPECT_THAT(failure.reason,
              testing::AnyOf(HasSubstr("endless_loop.cu:" + std::to_string(loop) + ": "),
                             HasSubstr("endless_loop.cu:" + std::to_string(loop + 1) + ": ")));
  EXPECT_THAT(failure.reason, HasSubstr("a launch took more than 1 s: an endless loop"));
}

const PlantedFault removed_barrier = {
    "removed_barrier",
    {{{"BLOCK", 32}, {"BARRIER", 1}}, {{"BLOCK", 64}, {"BARRIER", 1}}},
    {{"BLOCK", 64}, {"BARRIER", 0}}};
const PlantedFault out_of_bounds = {"out_of_bounds",
                                    {{{"BLOCK", 32}, {"GUARD", 1}}, {{"BLOCK", 64}, {"GUARD", 1}}},
                                    {{"BLOCK", 64}, {"GUARD", 0}}};
const PlantedFault histogram = {"histogram",
                                {{{"BLOCK", 32}, {"ATOMIC", 1}}, {{"BLOCK", 64}, {"ATOMIC", 1}}},
                                {{"BLOCK", 64}, {"ATOMIC", 0}}};
const PlantedFault divergent_barrier = {
    "divergent_barrier",
    {{{"BLOCK", 32}, {"INSIDE", 0}}, {{"BLOCK", 64}, {"INSIDE", 0}}},
    {{"BLOCK", 64}, {"INSIDE", 1}}};

TEST(PlantedFaults, ARemovedBarrierGivesAWrongResult) {
  for (const HostBuild build : {HostBuild::time, HostBuild::check}) {
    const Failure failure = find_fault(removed_barrier, build);
    EXPECT_EQ(failure.outcome, Outcome::wrong_result) << failure.reason;
  }
}

TEST(PlantedFaults, ARemovedBarrierIsADataRace) {
  const Failure failure = find_fault(removed_barrier, HostBuild::race);
  EXPECT_EQ(failure.outcome, Outcome::wrong_result) << failure.reason;
  const fs::path file = faults / "removed_barrier.cu";
  const std::string write =
      "write of 4 bytes at removed_barrier.cu:" + std::to_string(line_of(file, "tile[thread] ="));
  const std::string read =
      "read of 4 bytes at removed_barrier.cu:" + std::to_string(line_of(file, "fault shows here"));
  EXPECT_THAT(failure.reason, HasSubstr("data race in kernel reverse_blocks<64, 0>, block ("));
  EXPECT_THAT(failure.reason, HasSubstr(write));
  EXPECT_THAT(failure.reason, HasSubstr(read));
}

TEST(PlantedFaults, ANonAtomicHistogramIsADataRace) {
  const Failure failure = find_fault(histogram, HostBuild::race);
  EXPECT_EQ(failure.outcome, Outcome::wrong_result) << failure.reason;
  EXPECT_THAT(failure.reason,
              testing::StartsWith(place(faults / "histogram.cu", "the fault is here") +
                                  "data race in kernel histogram<64, 0>, block ("));
}

TEST(PlantedFaults, AnOutOfBoundsReadSpoilsTheResult) {
  const Failure failure = find_fault(out_of_bounds, HostBuild::time);
  EXPECT_EQ(failure.outcome, Outcome::wrong_result) << failure.reason;
  EXPECT_THAT(failure.reason, HasSubstr("out[199]: got "));
}

TEST(PlantedFaults, AnOutOfBoundsReadIsPlacedBySanitizers) {
  const Failure failure = find_fault(out_of_bounds, HostBuild::check);
  EXPECT_EQ(failure.outcome, Outcome::crashed) << failure.reason;
  EXPECT_EQ(failure.reason, place(faults / "out_of_bounds.cu", "the fault is here") +
                                "read of 4 bytes 0 bytes past the end of in (AddressSanitizer: "
                                "use-after-poison)");
}

TEST(PlantedFaults, ABarrierInDivergentCodeIsPlaced) {
  for (const HostBuild build : {HostBuild::check, HostBuild::race}) {
    const Failure failure = find_fault(divergent_barrier, build);
    EXPECT_EQ(failure.outcome, Outcome::crashed) << failure.reason;
    EXPECT_THAT(failure.reason,
                testing::StartsWith(place(faults / "divergent_barrier.cu", "the fault is here")));
    EXPECT_THAT(failure.reason,
                HasSubstr("barrier divergence in kernel block_sum<64, 1>, block ("));
  }
}

}  // namespace
}  // namespace rooftune
