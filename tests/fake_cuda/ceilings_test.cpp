// A GPU's ceilings: the kernels do what their figures claim, and `rooftune ceilings` on the double
// of the driver, whose times are made up.
#include "tuner/device/cuda/ceilings.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

#include "tests/fake_cuda/double_fixture.hpp"
#include "tuner/cli/test_command.hpp"
#include "tuner/device/cuda/cuda_device.hpp"

namespace rooftune::cuda {
namespace {

using cli::CommandResult;
using cli::run_command;
using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::json;

DeviceProfile gpu(ComputeCapability cc) {
  DeviceProfile profile;
  profile.name = "A GPU";
  profile.cc = cc;
  profile.multiprocessors = 10;
  profile.clock_hz = 1e9;
  profile.memory_bytes = std::uint64_t{16} << 30;
  profile.l2_bytes = std::uint64_t{40} << 20;
  return profile;
}

const Probe* find(const std::vector<Probe>& probes, const std::string& name) {
  const auto found = std::find_if(probes.begin(), probes.end(),
                                  [&](const Probe& probe) { return probe.name == name; });
  return found != probes.end() ? &*found : nullptr;
}

class CeilingKernels : public ::testing::TestWithParam<const char*> {};

TEST_P(CeilingKernels, CompileForTheArchitecturesThatHaveThem) {
  const std::string architecture = GetParam();
  const int number = std::stoi(architecture.substr(3));
  for (const Probe& probe : ceiling_probes(gpu({number / 10, number % 10}))) {
    const CompileResult result = compile_nvrtc(probe.instance, architecture);
    const auto* failure = std::get_if<Failure>(&result);
    ASSERT_EQ(failure, nullptr) << probe.name << ": " << failure->reason << failure->log;
    const auto& resources = std::get<KernelBinary>(result).resources;
    EXPECT_TRUE(resources && resources->spill_stores == 0) << probe.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Architectures, CeilingKernels,
                         ::testing::Values("sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100",
                                           "sm_120"),
                         [](const auto& info) { return std::string(info.param); });

int count(const std::string& text, const std::string& what) {
  int found = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) {
    ++found;
  }
  return found;
}

/// What the loop of a kernel holds, and what each is worth: FLOP or bytes of a thread, of a warp
/// for mma.sync.
struct Inner {
  const char* roof;
  const char* instruction;
  double worth;
  bool of_a_warp = false;
};

// The amounts are figures of their own: here they are held against the instructions in the PTX.
TEST(CeilingAmounts, AreWhatTheCompiledLoopsDo) {
  const std::vector<Probe> probes = ceiling_probes(gpu({8, 9}));
  for (const Inner& inner :
       {Inner{"fp32", "fma.rn.f32", 2}, Inner{"fp64", "fma.rn.f64", 2},
        Inner{"fp16", "fma.rn.f16x2", 4}, Inner{"bf16", "fma.rn.bf16x2", 4},
        Inner{"shared", "ld.volatile.shared.v4.u32", 16},
        Inner{"fp16.tensor", "m16n8k16.row.col.f32.f16", 2 * 16 * 8 * 16, true},
        Inner{"bf16.tensor", "m16n8k16.row.col.f32.bf16", 2 * 16 * 8 * 16, true},
        Inner{"tf32.tensor", "m16n8k8.row.col.f32.tf32", 2 * 16 * 8 * 8, true},
        Inner{"int8.tensor", "m16n8k32.row.col.s32.s8", 2 * 16 * 8 * 32, true},
        Inner{"fp8.tensor", "m16n8k32.row.col.f32.e4m3", 2 * 16 * 8 * 32, true}}) {
    const Probe* probe = find(probes, inner.roof);
    ASSERT_NE(probe, nullptr) << inner.roof;
    const CompileResult result = compile_nvrtc(probe->instance, "compute_89");
    ASSERT_TRUE(std::holds_alternative<KernelBinary>(result)) << inner.roof;
    const auto& image = std::get<KernelBinary>(result).image;
    const Launch& launch = probe->instance.launch;
    const double threads = static_cast<double>(launch.block.count() * launch.grid.count());
    const double rounds = static_cast<double>(probe->instance.arguments.back().value.as_integer());
    const int instructions = count(std::string(image.begin(), image.end()), inner.instruction);
    EXPECT_GT(instructions, 0) << inner.roof;
    EXPECT_DOUBLE_EQ(probe->amount,
                     instructions * inner.worth * rounds * threads / (inner.of_a_warp ? 32 : 1))
        << inner.roof;
  }
}

TEST(CeilingAmounts, OfMemoryAreItsBuffers) {
  const std::vector<Probe> probes = ceiling_probes(gpu({8, 0}));
  const Probe& read = *find(probes, "dram.read");
  const Probe& copy = *find(probes, "dram.copy");
  const double bytes = static_cast<double>(read.instance.arguments[0].bytes());
  EXPECT_EQ(read.amount, bytes);
  EXPECT_EQ(copy.amount, 2 * bytes);
  EXPECT_GE(bytes, 12 * 40.0 * (1 << 20));  // far beyond the L2
  for (const Probe* probe : {&read, &copy}) {
    // Four packs of 16 bytes a thread: nothing is left over, nothing is done twice.
    EXPECT_EQ(static_cast<double>(probe->instance.launch.grid.count() *
                                  probe->instance.launch.block.count() * 64),
              bytes);
  }
  const Probe& l2 = *find(probes, "l2");
  EXPECT_LE(l2.instance.arguments[0].bytes(), std::uint64_t{40} << 18);
  EXPECT_EQ(l2.amount, static_cast<double>(l2.instance.arguments[0].bytes() *
                                           l2.instance.launch.grid.count()));
  EXPECT_EQ(l2.instance.arguments[0].bytes() % (l2.instance.launch.block.count() * 64), 0U);
}

TEST(CeilingProbes, AreThoseOfTheArchitecture) {
  EXPECT_EQ(find(ceiling_probes(gpu({7, 5})), "bf16"), nullptr);
  EXPECT_EQ(find(ceiling_probes(gpu({7, 5})), "fp8.tensor"), nullptr);
  EXPECT_NE(find(ceiling_probes(gpu({7, 5})), "int8.tensor"), nullptr);
  EXPECT_EQ(find(ceiling_probes(gpu({8, 6})), "fp8.tensor"), nullptr);
  EXPECT_NE(find(ceiling_probes(gpu({8, 9})), "fp8.tensor"), nullptr);
  // wgmma is faster than mma.sync: its figure is no roof for kernels that use it.
  EXPECT_EQ(find(ceiling_probes(gpu({9, 0})), "fp16.tensor"), nullptr);
  EXPECT_NE(find(ceiling_probes(gpu({9, 0})), "fp16.tensor.mma_sync"), nullptr);
  EXPECT_NE(find(ceiling_probes(gpu({12, 0})), "fp16.tensor"), nullptr);
}

TEST(CeilingRates, ComeFromTheQuickestSampleWithSpreadAndClock) {
  Probe probe;
  probe.name = "fp32";
  probe.amount = 6e12;
  probe.how = "chains";
  Measurement measurement;
  measurement.samples = {2, 3, 4};
  measurement.slowest_clock = 1.2e9;
  measurement.fastest_clock = 1.4e9;
  const Roof roof = roof_from(probe, measurement);
  EXPECT_EQ(roof.value, 3e12);
  EXPECT_EQ(roof.spread, 0.25);  // half of 3 to 1.5, over 3
  EXPECT_EQ(roof.source, RoofSource::measured);
  EXPECT_EQ(roof.origin, "chains, best of 3, at 1200 to 1400 MHz");
  probe.kind = RoofKind::latency;
  measurement.note = "throttled";
  measurement.slowest_clock = measurement.fastest_clock = 0;
  EXPECT_EQ(roof_from(probe, measurement).value, 2);
  EXPECT_EQ(roof_from(probe, measurement).spread, 0.5);
  EXPECT_EQ(roof_from(probe, measurement).origin, "chains, best of 3, clock unknown; throttled");
}

/// `rooftune ceilings` on a GPU that no other test has, whose ceilings are not stored yet.
class GpuCeilings : public testing::OnTheDouble {
 protected:
  GpuCeilings() {
    with("");
    forget();
  }
  ~GpuCeilings() override { forget(); }

  void with(const std::string& faults) {
    script("device name=" + name_ + " memory_mb=256\n" + faults);
  }
  static std::filesystem::path kept_in() {
    return gpu_ceilings_file(0).value_or(std::filesystem::path());
  }
  static void forget() {
    std::error_code ignored;
    std::filesystem::remove(kept_in(), ignored);
  }
  static CommandResult ceilings(std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"ceilings", "--device", "cuda:0"});
    return run_command(std::move(more));
  }
  static Json roofs(std::vector<std::string> more = {}) {
    more.emplace_back("--json");
    return Json::parse(ceilings(std::move(more)).out).at("roofs");
  }
  /// Null where there is none.
  static Json measured(const Json& roofs, const std::string& name) {
    for (const Json& roof : roofs) {
      if (roof.at("name") == name && roof.at("source") == "measured") {
        return roof;
      }
    }
    return nullptr;
  }

  std::string name_ = ::testing::UnitTest::GetInstance()->current_test_info()->name();
};

TEST_F(GpuCeilings, AreMeasuredOnceAndShownBesideTheDataSheets) {
  with("time kernel=ceiling_launch us=3\ntime kernel=ceiling_fmaIf us=1000");
  const CommandResult first = ceilings();
  ASSERT_EQ(first.status, 0) << first.err;
  EXPECT_EQ(first.err, "measuring the ceilings of " + name_ + ": up to a minute\n");
  EXPECT_THAT(first.out, HasSubstr("measured by rooftune "));
  EXPECT_THAT(first.out, HasSubstr("driver 999.1 (CUDA 13.0)"));
  EXPECT_THAT(first.out, HasSubstr("kept in " + kept_in().string()));
  const CommandResult second = ceilings();
  EXPECT_EQ(second.err, "");  // nothing is measured
  EXPECT_EQ(second.out, first.out);

  const Json found = roofs();
  for (const char* name :
       {"dram", "dram.read", "dram.copy", "l2", "shared", "fp64", "fp32", "fp16", "bf16",
        "fp16.tensor", "bf16.tensor", "tf32.tensor", "fp64.tensor", "int8.tensor", "launch"}) {
    EXPECT_FALSE(measured(found, name).is_null()) << name;
  }
  EXPECT_NEAR(measured(found, "launch").at("value"), 3e-6, 1e-9);
  EXPECT_THAT(measured(found, "fp32").at("origin"), HasSubstr("at 1400 MHz"));
  DeviceProfile fake = gpu({8, 0});
  fake.multiprocessors = 8;
  fake.roofs = {{RoofKind::compute, "fp32", 1, RoofSource::data_sheet, "", 0, 128}};
  const double flops = find(ceiling_probes(fake), "fp32")->amount;
  EXPECT_NEAR(measured(found, "fp32").at("value").get<double>() / (flops / 1e-3), 1, 1e-4);
  const double read = measured(found, "dram.read").at("value");
  const double copy = measured(found, "dram.copy").at("value");
  EXPECT_EQ(measured(found, "dram").at("value"), std::max(read, copy));
}

TEST_F(GpuCeilings, AreMeasuredAnewOnDemandAndAboveTheDataSheetSaySo) {
  with("time kernel=ceiling_fmaIf us=1000");
  const double slow = measured(roofs(), "fp32").at("value");
  with("time kernel=ceiling_fmaIf us=1");
  EXPECT_EQ(measured(roofs(), "fp32").at("value"), slow);
  EXPECT_GT(measured(roofs({"--refresh"}), "fp32").at("value"), 900 * slow);
  EXPECT_THAT(ceilings().out, HasSubstr("above the data sheet: boost beyond its clock"));
}

TEST_F(GpuCeilings, AreTheRoofsOfWhatIsTunedAfterwards) {
  const std::string before = run(spec_text(), options()).device.source;
  EXPECT_THAT(before, Not(HasSubstr("measured by")));
  const auto remark = HasSubstr("`rooftune ceilings --device cuda:0` measures this GPU's");
  EXPECT_THAT(told.messages, ::testing::Contains(remark));
  told.messages.clear();
  const Json found = roofs();
  TuneOptions with = options();
  with.out = folder / "after";
  const Results results = run(spec_text(), with);
  EXPECT_THAT(told.messages, Not(::testing::Contains(remark)));
  const Roof* dram = results.device.roof(RoofKind::bandwidth, "dram");
  ASSERT_NE(dram, nullptr);
  EXPECT_EQ(dram->source, RoofSource::measured);
  EXPECT_EQ(dram->value, measured(found, "dram").at("value"));
  // The data sheet's stays beside it.
  EXPECT_NE(results.device.roof(RoofKind::bandwidth, "dram", RoofSource::data_sheet), nullptr);
}

struct CeilingFault {
  const char* name;
  const char* script;
  const char* roof;
  const char* says;
};
void PrintTo(const CeilingFault& fault, std::ostream* out) {
  *out << fault.name;
}
const CeilingFault ceiling_faults[] = {
    {"Refused", "call kernel=ceiling_fmaId -> error 701", "fp64",
     "left out: fp64: CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES (701)"},
    {"Crashed", "launch kernel=ceiling_l2 -> fault 700", "l2",
     "left out: l2: CUDA_ERROR_ILLEGAL_ADDRESS (700)"},
    {"WorkerDied", "launch kernel=ceiling_shared -> kill", "shared",
     "left out: shared: the worker process ended by signal 9"},
    {"NoMemory", "alloc n=1 -> error 2", "fp64", "left out: fp64: the buffers need "},
};

class GpuCeilingFaults : public GpuCeilings, public ::testing::WithParamInterface<CeilingFault> {
 protected:
  GpuCeilingFaults() {
    name_ = GetParam().name;
    with(GetParam().script);
    forget();
  }
};

TEST_P(GpuCeilingFaults, LeaveOneOutAndSayWhy) {
  const CommandResult result = ceilings();
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr(GetParam().says));
  EXPECT_EQ(ceilings().out, result.out);  // it is kept that it is missing
  const Json found = roofs();
  EXPECT_TRUE(measured(found, GetParam().roof).is_null());
  EXPECT_FALSE(measured(found, "fp32").is_null());
  EXPECT_FALSE(measured(found, "launch").is_null());
}

INSTANTIATE_TEST_SUITE_P(Device, GpuCeilingFaults, ::testing::ValuesIn(ceiling_faults),
                         [](const auto& info) { return std::string(info.param.name); });

TEST_F(GpuCeilings, OfAThrottledGpuSaySo) {
  with("clock mhz=700");
  EXPECT_THAT(measured(roofs(), "fp32").at("origin"),
              ::testing::AllOf(HasSubstr("at 700 MHz; "), HasSubstr("throttled and staying so")));
}

TEST_F(GpuCeilings, OfALostGpuAreNotStored) {
  with("launch kernel=ceiling_fmaIf -> lost");
  const std::filesystem::path file = kept_in();
  const CommandResult result = ceilings();
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.err, HasSubstr("rooftune: cuda:0 cannot be used"));
  EXPECT_FALSE(std::filesystem::exists(file));
  std::filesystem::remove(folder / "script.lost");
}

TEST_F(GpuCeilings, OfWhichNoneWorksAreAnError) {
  with("load -> error 209");
  const CommandResult result = ceilings();
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.err, HasSubstr("no ceiling of " + name_ + " could be measured"));
  EXPECT_THAT(result.err, HasSubstr("CUDA_ERROR_NO_BINARY_FOR_GPU (209)"));
  EXPECT_FALSE(std::filesystem::exists(kept_in()));
}

TEST_F(GpuCeilings, OfNoGpuAreRefused) {
  const CommandResult result = run_command({"ceilings", "--device", "cuda:3"});
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.err, HasSubstr("device cuda:3 is not available: there are 1 GPUs here"));
  EXPECT_EQ(run_command({"ceilings", "--device", "h100-sxm", "--refresh"}).status, 2);
}

}  // namespace
}  // namespace rooftune::cuda
