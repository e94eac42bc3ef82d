// What the CUDA device decides, without any driver.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cmath>

#include "tuner/core/error.hpp"
#include "tuner/device/cuda/channel.hpp"
#include "tuner/device/cuda/counters.hpp"
#include "tuner/device/cuda/errors.hpp"
#include "tuner/device/cuda/gpu_facts.hpp"
#include "tuner/device/cuda/job.hpp"
#include "tuner/device/cuda/target.hpp"
#include "tuner/device/cuda/worker/launch_plan.hpp"

namespace rooftune::cuda {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

const std::vector<std::string> known = {"sm_75", "sm_80", "sm_90"};

TEST(Target, IsTheDevicesOwnArchitecture) {
  const Target target = choose_target({8, 0}, known, "13.0");
  EXPECT_EQ(target.architecture, "sm_80");
  EXPECT_EQ(target.warning, "");
}

TEST(Target, IsPtxOfTheHighestForWhatIsNewer) {
  const Target target = choose_target({12, 0}, known, "12.2");
  EXPECT_EQ(target.architecture, "compute_90");
  EXPECT_THAT(target.warning, HasSubstr("this GPU (sm_120) is newer than NVRTC 12.2"));
  EXPECT_EQ(choose_target({8, 6}, known, "12.2").architecture, "compute_80");
}

TEST(Target, RefusesWhatIsOlderWithTheList) {
  try {
    choose_target({7, 0}, known, "13.0");
    ADD_FAILURE();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "NVRTC 13.0 does not compile for sm_70, the architecture of this GPU\n"
                 "  it knows sm_75, sm_80, sm_90; use an older CUDA toolkit");
  }
}

TEST(Errors, TellStickyFromRecoverable) {
  EXPECT_TRUE(meaning_of(700).sticky);
  EXPECT_FALSE(meaning_of(701).sticky);
  EXPECT_FALSE(meaning_of(2).sticky);
  EXPECT_TRUE(meaning_of(4242).sticky);
  EXPECT_TRUE(meaning_of(100).device_lost);
  EXPECT_FALSE(meaning_of(719).device_lost);
  EXPECT_EQ(error_text(4242), "CUDA error (4242)");
}

TEST(LaunchPlan, OptsInBeyond48KiBAndSetsTheCarveOut) {
  const Launch small{{1, 1, 1}, {128, 1, 1}, 49152};
  EXPECT_FALSE(plan_launch(small, {32, 0, 1024}, {8, 9}, 101376).opt_in);
  // One static byte more, and the same dynamic amount has to be opted in to.
  const LaunchPlan plan = plan_launch(small, {32, 16, 1024}, {8, 9}, 101376);
  EXPECT_EQ(plan.opt_in, 49152);
  EXPECT_FALSE(plan.failure);
  EXPECT_EQ(plan.carveout, 99);  // two blocks of 49,168 bytes and a KiB each, of 100 KiB
  EXPECT_FALSE(plan_launch({{1, 1, 1}, {128, 1, 1}, 0}, {32, 0, 1024}, {9, 0}, 1).opt_in);
}

TEST(LaunchPlan, RefusesWithResourceNeedAndLimit) {
  const LaunchPlan registers =
      plan_launch({{1, 1, 1}, {512, 1, 1}, 0}, {162, 0, 1024}, {8, 9}, 101376);
  ASSERT_TRUE(registers.failure);
  EXPECT_EQ(registers.failure->outcome, Outcome::cannot_launch);
  EXPECT_THAT(registers.failure->reason, HasSubstr("registers"));
  // An architecture without known limits: what the driver says has to do.
  EXPECT_FALSE(plan_launch({{1, 1, 1}, {512, 1, 1}, 0}, {162, 0, 1024}, {99, 0}, 0).failure);
  EXPECT_TRUE(plan_launch({{1, 1, 1}, {512, 1, 1}, 0}, {162, 0, 256}, {99, 0}, 0).failure);
}

Job some_job() {
  Job job;
  job.kernel = {"a.bin", "_Z1kPf", {{7, 8, 9}, {32, 2, 1}, 1024}};
  job.reference = Program{"b.bin", "r", {}};
  Argument buffer;
  buffer.name = "out";
  buffer.type = *element_type("float");
  buffer.is_buffer = true;
  buffer.count = 5000000000;
  buffer.access = Access::inout;
  buffer.fill = {Fill::Kind::uniform_integer, -3, 4};
  Argument scalar;
  scalar.name = "x";
  scalar.type = *element_type("double");
  scalar.value = 1.0;
  job.arguments = {buffer, scalar};
  job.argument_keys = {"first", "second"};
  job.limits = {{1e-5, 1e-6}, {}};
  job.expected_key = "key";
  job.options.counters = CounterLevel::full;
  job.options.best_seconds = 0.25;
  job.options.energy = true;
  job.options.rank_by_energy = true;
  return job;
}

TEST(Job, SurvivesItsJson) {
  const std::string text = to_text(some_job());
  EXPECT_EQ(to_text(job_from(text)), text);
  const Job back = job_from(text);
  EXPECT_EQ(back.arguments[0].type.name, "float");
  EXPECT_EQ(back.arguments[0].fill.kind, Fill::Kind::uniform_integer);
  EXPECT_EQ(back.arguments[1].value.kind(), Value::Kind::real);
  EXPECT_EQ(back.reference->entry, "r");
  EXPECT_EQ(back.options.counters, CounterLevel::full);
  EXPECT_TRUE(back.options.energy && back.options.rank_by_energy);
  EXPECT_THROW(job_from("{}"), std::exception);
}

TEST(Messages, SurviveTheirJson) {
  Measurement measurement;
  measurement.seconds = 0.5;
  measurement.samples = {0.5, 0.25};
  measurement.counters = {{"a", 2.5}};
  measurement.joules = 0.125;
  for (const Message& message : std::vector<Message>{
           Ready{}, Step{"a launch", 2.5, true, false}, Answer{measurement, false, false, "r", "n"},
           Answer{Failure{Outcome::crashed, "why", "log"}, true, true, "", ""},
           Answer{SpecFault{"problem", "hint"}, false, false, "", ""}}) {
    const std::string text = to_text(message);
    EXPECT_EQ(to_text(message_from(text)), text);
    EXPECT_EQ(message_from(text).index(), message.index());
  }
  EXPECT_THROW(message_from(R"({"what": 1})"), std::exception);
}

TEST(Messages, NotANumberIsNoData) {
  Measurement measurement;
  measurement.counters = {{"a", std::nan("")}, {"b", 1}};
  const Message back = message_from(to_text(Message(Answer{measurement, false, false, "", ""})));
  const auto& counters = std::get<Measurement>(std::get<Answer>(back).result).counters;
  EXPECT_EQ(counters, (Counters{{"b", 1}}));
}

class Pipe : public ::testing::Test {
 protected:
  Pipe() { EXPECT_EQ(pipe(ends.data()), 0); }
  ~Pipe() override {
    close_end(0);
    close_end(1);
  }
  void close_end(std::size_t end) {
    if (ends[end] >= 0) {
      close(ends[end]);
      ends[end] = -1;
    }
  }
  std::array<int, 2> ends{-1, -1};
};

TEST_F(Pipe, CarriesMessagesWhole) {
  Channel channel(ends[0], ends[1]);
  EXPECT_TRUE(channel.write("one"));
  EXPECT_TRUE(channel.write(""));
  EXPECT_EQ(std::get<std::string>(channel.read(1.0)), "one");
  EXPECT_EQ(std::get<std::string>(channel.read(1.0)), "");
  EXPECT_EQ(std::get<ReadEnd>(channel.read(0.001)), ReadEnd::timed_out);
}

TEST_F(Pipe, AMessageThatEndsInTheMiddleIsTheEnd) {
  EXPECT_EQ(write(ends[1], "\x64\0\0\0{\"", 6), 6);
  close_end(1);
  EXPECT_EQ(std::get<ReadEnd>(Channel(ends[0], -1).read(1.0)), ReadEnd::closed);
}

TEST_F(Pipe, ALengthThatNoMessageHasIsGarbage) {
  EXPECT_EQ(write(ends[1], "\xff\xff\xff\xff", 4), 4);
  EXPECT_EQ(std::get<ReadEnd>(Channel(ends[0], -1).read(1.0)), ReadEnd::garbled);
}

TEST_F(Pipe, WritingToNobodyRaisesNoSignal) {
  close_end(0);
  EXPECT_FALSE(Channel(-1, ends[1]).write("anyone?"));
}

GpuFacts unknown_gpu() {
  GpuFacts facts;
  facts.index = 2;
  facts.name = "NVIDIA Unheard-of 9000";
  facts.cc = {8, 9};
  facts.multiprocessors = 10;
  facts.clock_hz = 2e9;
  facts.memory_clock_hz = 10e9;
  facts.memory_bus_bits = 256;
  facts.memory_bytes = std::uint64_t{8} << 30;
  return facts;
}

TEST(Profile, OfAKnownModelHasItsRoofsAndThisOnesFigures) {
  GpuFacts facts = unknown_gpu();
  facts.name = "NVIDIA A100-SXM4-40GB";
  const DeviceProfile profile = profile_of(facts);
  EXPECT_EQ(profile.id, "a100-40");
  EXPECT_EQ(profile.multiprocessors, 10);
  EXPECT_EQ(profile.roof(RoofKind::bandwidth, "dram")->value, 1555e9);
}

TEST(Profile, OfAnUnknownModelComesFromRatesAndTheMemorysClock) {
  const DeviceProfile profile = profile_of(unknown_gpu());
  EXPECT_EQ(profile.id, "cuda:2");
  EXPECT_EQ(profile.roof(RoofKind::compute, "fp32")->value, 256 * 10 * 2e9);
  EXPECT_EQ(profile.roof(RoofKind::bandwidth, "dram")->value, 2 * 10e9 * 256 / 8);
}

TEST(Metrics, ComeInSteps) {
  EXPECT_TRUE(metric_set(CounterLevel::off).empty());
  const auto full = metric_set(CounterLevel::full);
  for (const std::string& metric : metric_set(CounterLevel::roofline)) {
    EXPECT_THAT(full, Contains(metric));
  }
  EXPECT_GT(full.size(), metric_set(CounterLevel::roofline).size());
}

TEST(Refusals, SayWhatToDo) {
  EXPECT_THAT(refusal_text(35), HasSubstr("NVreg_RestrictProfilingToAdminUsers=0"));
  EXPECT_EQ(refusal_text(4242), "CUPTI error 4242");
}

}  // namespace
}  // namespace rooftune::cuda
