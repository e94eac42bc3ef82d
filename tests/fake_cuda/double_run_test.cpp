// Whole runs on the double of the driver. No figure here says anything about a GPU.
#include "tests/fake_cuda/double_fixture.hpp"
#include "tuner/core/error.hpp"

namespace rooftune {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::OnTheDouble;

using DoubleRun = OnTheDouble;

std::string refusal(const std::string& device) {
  try {
    open_device(device);
  } catch (const InputError& error) {
    return error.what();
  }
  return "opened";
}

TEST_F(DoubleRun, TunesProvesAndTimes) {
  const Results results = run(spec_text(), options());
  ASSERT_EQ(results.records.size(), 5U);
  for (const Record& record : results.records) {
    ASSERT_EQ(record.outcome, Outcome::ok) << record.reason;
    const Measurement& measurement = *record.problems.front().measurement;
    EXPECT_TRUE(measurement.verified);
    EXPECT_EQ(measurement.clock, "gpu events, cold");
    EXPECT_EQ(measurement.max_error, 0);
    EXPECT_EQ(measurement.slowest_clock, 1400e6);
  }
  // The double takes 1 ms for the smallest block and a tenth less for each larger one.
  EXPECT_EQ(find_value(results.best()->parameters, "BLOCK")->as_integer(), 512);
  EXPECT_NEAR(results.best()->seconds, 0.9 * 0.9 * 0.9 * 0.9 * 1e-3, 1e-9);
  EXPECT_THAT(results.environment, HasSubstr("driver 999.1 (CUDA 13.0); NVRTC "));
  EXPECT_THAT(results.environment, HasSubstr("sm_80"));
}

TEST_F(DoubleRun, InoutBuffersAreRestoredBeforeEveryRun) {
  const Results results = run(spec_text("accumulate", "inout"), options());
  ASSERT_EQ(results.records.size(), 5U);
  for (const Record& record : results.records) {
    EXPECT_EQ(record.outcome, Outcome::ok) << record.reason;
  }
}

TEST_F(DoubleRun, WarmRunsSaySo) {
  TuneOptions with = options();
  with.measure.warm = true;
  const Results results = run(spec_text(), with);
  EXPECT_EQ(results.best()->problems.front().measurement->clock, "gpu events, warm");
}

TEST_F(DoubleRun, BuffersThatDoNotFitAreSaidWithTheirNeed) {
  script("device memory_mb=8");
  TuneOptions with = options();
  const Results results = run(spec_text("accumulate", "inout") + "# larger\n", with);
  EXPECT_EQ(results.records.front().outcome, Outcome::ok);
  std::string large = spec_text("accumulate", "inout");
  large.replace(large.find("n: 4096"), 7, "n: 1048576");
  with.out = folder / "large";
  const Results none = run(large, with);
  ASSERT_EQ(none.records.size(), 5U);
  for (const Record& record : none.records) {
    EXPECT_EQ(record.outcome, Outcome::out_of_memory);
    EXPECT_THAT(record.reason, HasSubstr("the buffers need 12.0 MiB of device memory, copies of "
                                         "inout buffers included; there was no room for "));
  }
}

TEST_F(DoubleRun, AnAllocationThatFailsOnceIsTriedAgainWithoutWhatIsNotNeeded) {
  // 1 is what flushes the L2; 2 and 3 are the first data set's, 4 that of the second problem.
  script("alloc n=4 -> error 2");
  const Results results = run(spec_text() + "problems: [{n: 4096}, {n: 2048}]\n", options());
  for (const Record& record : results.records) {
    EXPECT_EQ(record.outcome, Outcome::ok) << record.reason;
  }
}

TEST_F(DoubleRun, ALostDeviceEndsTheRunWithTheReasonAndResumesWhenItIsBack) {
  script("launch kernel=Li128E -> lost");
  TuneOptions with = options();
  const Results results = run(spec_text(), with);
  EXPECT_EQ(results.stop, StopReason::device_lost);
  EXPECT_THAT(
      results.stop_text,
      HasSubstr("cuda:0 cannot be used: its worker failed to start 3 times: "
                "CUDA_ERROR_NO_DEVICE (100): the driver finds no GPU, starting the driver"));
  EXPECT_EQ(record_of(results, 128), nullptr);  // it is not to blame

  std::filesystem::remove(folder / "script.lost");
  script("");
  with.resume = true;
  const Results again = run(spec_text(), with);
  EXPECT_EQ(again.stop, StopReason::space_used_up);
  ASSERT_EQ(again.records.size(), 5U);
  EXPECT_EQ(record_of(again, 128)->outcome, Outcome::ok);
}

TEST_F(DoubleRun, AWorkerThatFailsToStartTwiceIsTriedAThirdTime) {
  script("context -> error 46 times=2");
  EXPECT_EQ(run(spec_text(), options()).records.size(), 5U);
}

TEST_F(DoubleRun, AWorkerThatNeverStartsEndsTheRunWithTheReason) {
  script("context -> error 46");
  const Results results = run(spec_text(), options());
  EXPECT_EQ(results.stop, StopReason::device_lost);
  EXPECT_THAT(results.stop_text, HasSubstr("CUDA_ERROR_DEVICE_UNAVAILABLE (46): another process "
                                           "has the GPU for itself, making a context"));
  EXPECT_TRUE(results.records.empty());
}

TEST_F(DoubleRun, AReferenceThatFailsIsTheSpecsFault) {
  for (const auto& [rule, says] : std::vector<std::pair<std::string, std::string>>{
           {"launch kernel=reference -> fault 700",
            "the reference kernel _Z15scale_referencePKfPfi failed: CUDA_ERROR_ILLEGAL_ADDRESS"},
           {"launch kernel=reference -> kill",
            "the reference kernel broke the worker process, which ended by signal 9"},
           {"launch kernel=reference -> nan",
            "the reference kernel _Z15scale_referencePKfPfi gives not-a-number at out[0]"},
           {"launch kernel=reference -> unwritten",
            "the reference kernel _Z15scale_referencePKfPfi writes nothing to out"}}) {
    script(rule);
    try {
      run(spec_text(), options());
      ADD_FAILURE() << rule;
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), HasSubstr(says));
    }
  }
}

TEST_F(DoubleRun, ThrottledSamplesAreDropped) {
  script("clock mhz=700 after=10 until=12");
  const Results results = run(spec_text(), options());
  int dropped = 0;
  for (const Record& record : results.records) {
    ASSERT_EQ(record.outcome, Outcome::ok);
    const Measurement& measurement = *record.problems.front().measurement;
    EXPECT_FALSE(measurement.samples.empty());
    dropped += measurement.dropped_samples;
  }
  EXPECT_GT(dropped, 0);
}

TEST_F(DoubleRun, AGpuThatStaysThrottledIsMeasuredAndSaysSo) {
  script("clock mhz=700");
  const Results results = run(spec_text(), options());
  const Measurement& measurement = *results.best()->problems.front().measurement;
  EXPECT_FALSE(measurement.samples.empty());
  EXPECT_THAT(measurement.note,
              HasSubstr("throttled and staying so: the clock was down to 700 MHz"));
}

TEST_F(DoubleRun, NoiseAndDriftEndInATimeOutInWords) {
  script("time kernel=Li64E noise=0.3\ntime kernel=Li256E drift=0.05");
  const Results results = run(spec_text(), options());
  EXPECT_THAT(record_of(results, 64)->problems.front().measurement->note,
              ::testing::AnyOf(HasSubstr("stopped after"), HasSubstr("abandoned after")));
  EXPECT_GT(record_of(results, 64)->problems.front().measurement->relative_noise, 0.01);
}

TEST_F(DoubleRun, WhatIsCertainlySlowerIsAbandoned) {
  script("time kernel=Li32E us=100000\ntime kernel=Li64E us=100000");
  const Results results = run(spec_text(), options());
  const auto note = [&](int block) {
    return record_of(results, block)->problems.front().measurement->note;
  };
  // Whichever of the two comes after a quicker one; one of them is not the first.
  EXPECT_THAT(note(32) + note(64), HasSubstr("abandoned after 2 samples"));
}

TEST_F(DoubleRun, ADriverThatWaitsInsideAHoldIsNoDeadlock) {
  script("call kernel=Li128E -> waits");
  TuneOptions with = options();
  with.measure.timeout_seconds = 10;
  const Results results = run(spec_text(), with);
  ASSERT_EQ(record_of(results, 128)->outcome, Outcome::ok);
  EXPECT_THAT(record_of(results, 128)->problems.front().measurement->note,
              HasSubstr("samples may hold gaps between launches"));
}

TEST_F(DoubleRun, EqualGpusShareTheWorkAndGiveTheSameRun) {
  script("device\ndevice\n");
  TuneOptions with = options();
  const Results one = run(spec_text(), with, "cuda:0");
  with.out = folder / "all";
  const Results two = run(spec_text(), with, "cuda:all");
  ASSERT_EQ(two.records.size(), one.records.size());
  EXPECT_EQ(two.best()->parameters, one.best()->parameters);
  for (const Record& record : two.records) {
    EXPECT_EQ(record.outcome, Outcome::ok) << record.reason;
  }
  EXPECT_THAT(two.environment, HasSubstr("2 equal GPUs in parallel"));
}

TEST_F(DoubleRun, AFaultOnOneOfSeveralGpusIsTheConfigurationsAlone) {
  script("device\ndevice\nlaunch kernel=Li128E -> kill");
  const Results results = run(spec_text(), options(), "cuda:0,cuda:1");
  ASSERT_EQ(results.records.size(), 5U);
  for (const Record& record : results.records) {
    const bool is_faulty = find_value(record.parameters, "BLOCK")->as_integer() == 128;
    EXPECT_EQ(record.outcome, is_faulty ? Outcome::crashed : Outcome::ok) << record.reason;
  }
}

TEST_F(DoubleRun, UnequalGpusAreRefused) {
  script("device name=Fake_A\ndevice name=Fake_B");
  EXPECT_THAT(refusal("cuda:0,cuda:1"),
              HasSubstr("cuda:0 (Fake A) and cuda:1 (Fake B) are not equal"));
  EXPECT_EQ(refusal("cuda:1"), "opened");
  EXPECT_THAT(refusal("cuda:2"), HasSubstr("device cuda:2 is not available: there are 2 GPUs"));
  EXPECT_THAT(refusal("cuda:0,cuda:0"), HasSubstr("names cuda:0 twice"));
}

TEST_F(DoubleRun, AnOlderGpuThanNvrtcKnowsIsRefusedWithTheList) {
  script("device cc=5.0");
  EXPECT_THAT(refusal("cuda:0"), HasSubstr("does not compile for sm_50, the architecture of this "
                                           "GPU\n  it knows sm_"));
}

TEST_F(DoubleRun, ANewerGpuThanNvrtcKnowsGetsPtxAndAWarning) {
  script("device cc=99.0");
  const Results results = run(spec_text(), options());
  ASSERT_EQ(results.records.size(), 5U);
  for (const Record& record : results.records) {
    EXPECT_EQ(record.outcome, Outcome::ok) << record.reason;
  }
  EXPECT_THAT(told.messages, Contains(HasSubstr("this GPU (sm_990) is newer than NVRTC ")));
  EXPECT_THAT(results.environment, HasSubstr("compute_"));
}

TEST_F(DoubleRun, NoDriverAndNoGpuAreSaid) {
  setenv("ROOFTUNE_CUDA_DRIVER", "libno_such_driver.so.1", 1);
  EXPECT_THAT(refusal("cuda"),
              HasSubstr("no NVIDIA driver: libno_such_driver.so.1 cannot be loaded"));
  setenv("ROOFTUNE_CUDA_DRIVER", FAKE_CUDA_LIBRARY, 1);
  script("start -> error 803");
  EXPECT_THAT(refusal("cuda"), HasSubstr("the NVIDIA driver does not start: "
                                         "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH (803)"));
  EXPECT_EQ(refusal("auto"), "opened");
}

TEST_F(DoubleRun, WithoutNvmlThereAreNoClocksAndTheRunGoesOn) {
  script("nvml -> error 999");
  const Results results = run(spec_text(), options());
  ASSERT_EQ(results.records.size(), 5U);
  EXPECT_EQ(results.best()->problems.front().measurement->slowest_clock, 0);
}

TEST_F(DoubleRun, DataAndExpectedOutputsComeFromFiles) {
  std::vector<float> in(4096);
  std::vector<float> expected(4096);
  for (std::size_t i = 0; i < in.size(); ++i) {
    in[i] = static_cast<float>(i);
    expected[i] = 2 * in[i];
  }
  const auto write = [&](const char* name, const std::vector<float>& data) {
    std::ofstream(folder / name, std::ios::binary)
        .write(reinterpret_cast<const char*>(data.data()),
               static_cast<std::streamsize>(data.size() * sizeof(float)));
  };
  write("in.bin", in);
  write("expected.bin", expected);
  std::string text = spec_text();
  const std::string fill = "fill: \"uniform(-1, 1)\"";
  text.replace(text.find(fill), fill.size(), "file: in.bin");
  text.replace(text.find("verify:"), std::string::npos, "verify: {file: expected.bin}\n");
  const Results results = run(text, options());
  ASSERT_EQ(results.records.size(), 5U);
  EXPECT_EQ(results.records.front().outcome, Outcome::ok) << results.records.front().reason;
  EXPECT_TRUE(results.best()->problems.front().measurement->verified);
  expected.pop_back();
  write("expected.bin", expected);
  TuneOptions with = options();
  with.out = folder / "short";
  try {
    run(text, with);
    ADD_FAILURE();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("expected.bin has 16380 bytes; out takes 16384"));
  }
}

TEST_F(DoubleRun, EnergyIsReadForTheBestSoFar) {
  const Results results = run(spec_text(), options());
  const Record& best = *results.best();
  const Measurement& measurement = *best.problems.front().measurement;
  // The double takes 100 W; a step of its counter is known to a batch of launches.
  EXPECT_NEAR(best.joules() / (100 * best.seconds), 1, 0.03);
  EXPECT_THAT(measurement.note, HasSubstr("energy over "));
  EXPECT_THAT(verdict(results), HasSubstr(" mJ a launch; "));
  EXPECT_EQ(read_results(folder / "out" / "results.json").best()->joules(), best.joules());
  EXPECT_THAT(read(folder / "out" / "results.json"), HasSubstr("\"unit\": \"J\""));
}

TEST_F(DoubleRun, EnergyCanBeTheObjective) {
  // The slowest takes the least: 1 ms at 30 W against 0.66 ms at 400 W.
  script("power kernel=Li32E watts=30\npower kernel=Li512E watts=400");
  TuneOptions with = options();
  const Results results = run(spec_text() + "objective: energy\n", with);
  ASSERT_EQ(results.records.size(), 5U);
  EXPECT_EQ(results.stop, StopReason::space_used_up);
  for (const Record& record : results.records) {
    EXPECT_EQ(record.outcome, Outcome::ok) << record.reason;
    EXPECT_GT(record.joules(), 0);
    EXPECT_THAT(record.problems.front().measurement->note, Not(HasSubstr("abandoned")));
  }
  const auto best_block = [](const Results& of) {
    return find_value(of.best()->parameters, "BLOCK")->as_integer();
  };
  EXPECT_EQ(best_block(results), 32);
  EXPECT_NEAR(record_of(results, 512)->joules() / (400 * record_of(results, 512)->seconds), 1,
              0.03);
  const Results kept = read_results(folder / "out" / "results.json");
  EXPECT_EQ(kept.objective, Objective::energy);
  EXPECT_EQ(best_block(kept), 32);

  with.resume = true;
  const std::string before = journal();
  const Results again = run(spec_text() + "objective: energy\n", with);
  EXPECT_EQ(best_block(again), 32);
  EXPECT_THAT(journal().substr(before.size()), Not(HasSubstr("started")));
}

TEST_F(DoubleRun, EnergyThatCannotBeReadIsNoObjective) {
  script("energy -> error 3");
  EXPECT_EQ(run(spec_text(), options()).best()->joules(), 0);
  try {
    run(spec_text() + "objective: energy\n", options());
    ADD_FAILURE();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(),
                HasSubstr("`objective: energy`, but the energy of kernels on Fake GPU "
                          "cannot be read: NVML does not tell that of cuda:0"));
    EXPECT_THAT(error.what(), HasSubstr("leave `objective` out to tune for time"));
  }
}

TEST_F(DoubleRun, EnergyThatIsLostOnTheWayIsThatConfigurationsFailure) {
  script("power watts=0");
  const Results results = run(spec_text() + "objective: energy\n", options());
  ASSERT_EQ(results.records.size(), 5U);
  EXPECT_THAT(results.records.front().reason, HasSubstr("energy counter does not move"));
  EXPECT_EQ(results.best(), nullptr);
}

#if FAKE_CUDA_HAS_CUPTI

class DoubleCounters : public OnTheDouble {
 protected:
  Results count(CounterLevel level) {
    TuneOptions with = options();
    with.measure.counters = level;
    return run(spec_text(), with);
  }
  static const Counters& counters_of(const Record& record) {
    return record.problems.front().measurement->counters;
  }
};

TEST_F(DoubleCounters, AreReadForEveryConfigurationAndTheCostlyOnesForTheBest) {
  script("metric name=dram__bytes.sum -> value 32768");
  const Results results = count(CounterLevel::full);
  int full = 0;
  for (const Record& record : results.records) {
    if (counters_of(record).empty()) {  // not worth their time
      EXPECT_THAT(record.problems.front().measurement->note, HasSubstr("abandoned"));
      continue;
    }
    EXPECT_EQ(counters_of(record).at("dram__bytes.sum"), 32768);
    full += counters_of(record).count("sm__warps_active.avg.pct_of_peak_sustained_active") > 0;
  }
  EXPECT_EQ(counters_of(*results.best()).count("sm__warps_active.avg.pct_of_peak_sustained_active"),
            1U);
  EXPECT_GT(full, 0);
  EXPECT_THAT(told.messages, Contains(HasSubstr("counters: 13 metrics in 3 passes")));
}

TEST_F(DoubleCounters, OffReadsNone) {
  EXPECT_TRUE(counters_of(*count(CounterLevel::off).best()).empty());
}

TEST_F(DoubleCounters, NotANumberIsNoData) {
  script("metric name=dram__bytes.sum -> nan");
  const Results results = count(CounterLevel::roofline);
  EXPECT_EQ(counters_of(*results.best()).count("dram__bytes.sum"), 0U);
  EXPECT_EQ(counters_of(*results.best()).at("lts__t_bytes.sum"), 1000);
}

TEST_F(DoubleCounters, AMetricThatTheChipDoesNotHaveIsLeftOut) {
  script("metric name=dram__bytes.sum -> unknown");
  const Results results = count(CounterLevel::roofline);
  EXPECT_EQ(counters_of(*results.best()).count("dram__bytes.sum"), 0U);
  EXPECT_EQ(counters_of(*results.best()).size(), 12U);
  EXPECT_THAT(told.messages, Contains(HasSubstr("this chip does not have dram__bytes.sum")));
}

TEST_F(DoubleCounters, ATimeNeverComesFromAProfiledRun) {
  const Results with = count(CounterLevel::roofline);
  EXPECT_NEAR(with.best()->seconds, 0.9 * 0.9 * 0.9 * 0.9 * 1e-3, 1e-9);
}

// What a kernel does under the profiler alone (HiPerCoRe/KTT#68): its configuration's failure, one
// record, and nobody else's.
TEST_F(DoubleCounters, AFaultWhileTheyAreReadIsOneConfigurationsFailure) {
  script("launch kernel=Li128E profiled=1 -> fault 700");
  const Results results = count(CounterLevel::roofline);
  ASSERT_EQ(results.records.size(), 5U);
  for (const Record& record : results.records) {
    const bool is_faulty = find_value(record.parameters, "BLOCK")->as_integer() == 128;
    EXPECT_EQ(record.outcome, is_faulty ? Outcome::crashed : Outcome::ok) << record.reason;
    if (is_faulty) {
      EXPECT_THAT(record.reason, HasSubstr("CUDA_ERROR_ILLEGAL_ADDRESS (700)"));
      EXPECT_THAT(record.reason, HasSubstr("running the kernel for its counters"));
    } else if (!counters_of(record).empty()) {
      EXPECT_EQ(counters_of(record).at("lts__t_bytes.sum"), 1000);
    }
  }
}

struct CounterFault {
  const char* name;
  const char* script;
  const char* says;
};

class CounterFaults : public OnTheDouble, public ::testing::WithParamInterface<CounterFault> {};

const CounterFault counter_faults[] = {
    {"Privileges", "profiler call=cuptiRangeProfilerEnable -> error 35",
     "this user may not read them (CUPTI_ERROR_INSUFFICIENT_PRIVILEGES): run as root, or set"},
    {"Virtualized", "profiler call=cuptiRangeProfilerEnable -> error 33",
     "the GPU is virtual, and its host does not pass counters on"},
    {"AnotherProfiler", "profiler call=cuptiProfilerInitialize -> error 39",
     "another profiler is at work (CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED): nsys, ncu"},
    {"VGpu", "profiler call=cuptiRangeProfilerSetConfig -> error 40",
     "the vGPU has profiling switched off"},
    {"Cmp", "profiler call=cuptiProfilerGetCounterAvailability -> error 42",
     "mining cards have none"},
    {"Mig", "profiler call=cuptiRangeProfilerStart -> error 43", "MIG is on, which forbids them"},
    {"ArchitectureFlag", "supported flag=architecture -> level 1",
     "the GPU is too old for the range profiler"},
    {"SliFlag", "supported flag=sli -> level 1", "SLI is on"},
    {"VGpuFlag", "supported flag=vGpu -> level 2", "the vGPU has profiling switched off"},
    {"VirtualFlag", "supported flag=vGpu -> level 1", "the GPU is virtual"},
    {"ConfidentialFlag", "supported flag=confidentialCompute -> level 1",
     "confidential computing is on"},
    {"CmpFlag", "supported flag=cmp -> level 1", "mining cards have none"},
    {"WslFlag", "supported flag=wsl -> level 1", "they are not passed on to WSL here"},
    {"DuringDecoding", "profiler call=cuptiRangeProfilerDecodeData -> error 9",
     "the GPU's counters do not answer"},
    {"UnknownCode", "profiler call=cuptiRangeProfilerStop -> error 777", "CUPTI error 777"},
};

TEST_P(CounterFaults, AreSaidOnceAndTheRunGoesOn) {
  script(GetParam().script);
  TuneOptions with = options();
  with.measure.counters = CounterLevel::roofline;
  const Results results = run(spec_text(), with);
  ASSERT_EQ(results.records.size(), 5U);
  for (const Record& record : results.records) {
    EXPECT_EQ(record.outcome, Outcome::ok) << record.reason;
    EXPECT_TRUE(record.problems.front().measurement->counters.empty());
  }
  std::vector<std::string> refusals;
  for (const std::string& message : told.messages) {
    if (message.find("no hardware counters: ") == 0) {
      refusals.push_back(message);
    }
  }
  EXPECT_THAT(refusals, ElementsAre(HasSubstr(GetParam().says)));
}

INSTANTIATE_TEST_SUITE_P(Device, CounterFaults, ::testing::ValuesIn(counter_faults),
                         [](const ::testing::TestParamInfo<CounterFault>& info) {
                           return std::string(info.param.name);
                         });

TEST_F(DoubleRun, ListsItsGpus) {
  script("device name=NVIDIA_A100-SXM4-40GB sms=108\nmig");
  const std::vector<DeviceListing> devices = list_devices();
  ASSERT_EQ(devices.size(), 2U);
  EXPECT_EQ(devices[0].id, "cuda:0");
  EXPECT_TRUE(devices[0].available);
  EXPECT_EQ(devices[0].profile.id, "a100-40");
  EXPECT_THAT(devices[0].remark, HasSubstr("sm_80 by NVRTC "));
  EXPECT_THAT(devices[0].driver, HasSubstr("999.1 (CUDA 13.0)"));
  EXPECT_THAT(devices[0].counters, HasSubstr("not read: MIG is on"));
}

#endif

}  // namespace
}  // namespace rooftune
