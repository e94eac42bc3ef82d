#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "tuner/roofline/roofline.hpp"
#include "tuner/roofline/test_support.hpp"

namespace rooftune {
namespace {

using test::launch;
using test::resident;
using test::small_host;
using test::two_roofs;
using test::work;
using testing::HasSubstr;
using testing::Not;
using Verdict = Diagnosis::Verdict;

Diagnosis diagnose_model(const ModelInput& model, double seconds, const DeviceProfile& device,
                         const Counters& counters = {}) {
  return diagnose({model, seconds, counters, 0.9}, device);
}

const Finding* find(const Diagnosis& diagnosis, Bound bound) {
  const auto found = std::find_if(diagnosis.findings.begin(), diagnosis.findings.end(),
                                  [&](const Finding& f) { return f.bound == bound; });
  return found == diagnosis.findings.end() ? nullptr : &*found;
}

/// A kernel on an A100 that none of its roofs explains: 30% of DRAM, 10% of shared memory.
ModelInput idle_kernel() {
  ModelInput model = work(0.02 * 19.5e12, 0.3 * 1555e9);
  model.work.traffic[Level::shared] = 0.1 * 128 * 108 * 1.41e9;
  return model;
}

TEST(Diagnosis, DramBoundLatticeBoltzmann) {
  const double cells = 8526e6;
  const Diagnosis d = diagnose_model(work(363 * cells, 153 * cells), 1, load_device("a100-40"));
  EXPECT_EQ(d.verdict, Verdict::bound);
  ASSERT_FALSE(d.findings.empty());
  EXPECT_EQ(d.findings[0].bound, Bound::dram);
  EXPECT_NEAR(d.findings[0].utilisation, 0.84, 0.005);
  // Without DRAM the arithmetic at 15.9% of its peak is next.
  EXPECT_NEAR(d.findings[0].speedup_at_most, 1 / 0.159, 0.05);
  EXPECT_THAT(d.findings[0].evidence, HasSubstr("dram at 84% of its roof (model: 1.30 TB at 1.5"));
  EXPECT_THAT(d.summary, HasSubstr("bound by dram"));
  EXPECT_THAT(d.summary, HasSubstr("84% of its ceiling (dram)"));
}

// The kernel whose text says "always limited by bandwidth" is on the compute side of an A100.
TEST(Diagnosis, ClassifiesPerDevice) {
  const double cells = 11251e6;
  const Diagnosis d = diagnose_model(work(1275 * cells, 77 * cells), 1, load_device("a100-40"));
  EXPECT_EQ(d.findings.at(0).bound, Bound::fp);
  EXPECT_NEAR(d.findings[0].utilisation, 0.736, 0.001);
  const Diagnosis h100 = diagnose_model(work(1275 * 30e9, 77 * 30e9), 1, load_device("h100-sxm"));
  EXPECT_EQ(h100.findings.at(0).bound, Bound::dram);
}

/// A 16 x 16 shared-memory SGEMM of 2048 on an RTX 5090: 2.46 ms.
ModelInput naive_shared_sgemm() {
  const double n = 2048;
  ModelInput model = work(2 * n * n * n, 3 * 4 * n * n);
  model.launch = Launch{{128, 128, 1}, {16, 16, 1}, 0};
  return model;
}

// At 6.7% of the FP32 peak and right of the ridge it is not bound by arithmetic, and with DRAM
// and FLOP alone nobody can say by what.
TEST(Diagnosis, TheDramRooflineAloneDoesNotSettleIt) {
  const DeviceProfile device = load_device("rtx-5090");
  const Diagnosis d = diagnose_model(naive_shared_sgemm(), 2.46e-3, device);
  EXPECT_EQ(d.verdict, Verdict::not_enough_evidence);
  EXPECT_EQ(find(d, Bound::fp), nullptr);
  EXPECT_EQ(find(d, Bound::dram), nullptr);
  EXPECT_THAT(d.missing, HasSubstr("work.traffic of l2, l1 or shared"));
  EXPECT_NEAR(place(naive_shared_sgemm(), 2.46e-3, device).fraction, 0.067, 0.001);
}

// Two words through shared memory for each of the n^3 inner steps: eight times as busy as the
// arithmetic. The profiler's 97% also counts what no formula of words does.
TEST(Diagnosis, TheHierarchyShowsTheBusiestLevel) {
  ModelInput model = naive_shared_sgemm();
  model.work.traffic[Level::shared] = 8 * 2048.0 * 2048 * 2048;
  const Diagnosis d = diagnose_model(model, 2.46e-3, load_device("rtx-5090"));
  EXPECT_EQ(d.verdict, Verdict::bound);
  EXPECT_THAT(d.findings.at(0).evidence, HasSubstr("the busiest is shared with 53%"));
  EXPECT_EQ(find(d, Bound::fp), nullptr);
  // A little faster, and the roof itself is named.
  EXPECT_EQ(diagnose_model(model, 2e-3, load_device("rtx-5090")).findings.at(0).bound,
            Bound::shared);
}

TEST(Diagnosis, CountersSettleItWithoutReadingSmThroughputAsFp32) {
  const Counters counters = {{"l1tex__throughput.avg.pct_of_peak_sustained_elapsed", 96.65},
                             {"sm__throughput.avg.pct_of_peak_sustained_elapsed", 96.04},
                             {"gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed", 0.77}};
  const Diagnosis d =
      diagnose_model(naive_shared_sgemm(), 2.46e-3, load_device("rtx-5090"), counters);
  EXPECT_EQ(d.verdict, Verdict::bound);
  EXPECT_EQ(d.findings.at(0).bound, Bound::l1);
  EXPECT_NEAR(d.findings[0].utilisation, 0.9665, 1e-9);
  EXPECT_THAT(d.findings[0].evidence, HasSubstr("counters"));
  EXPECT_EQ(find(d, Bound::fp), nullptr);
}

TEST(Diagnosis, NearTheCeilingIsAVerdict) {
  const DeviceProfile device = two_roofs(1e12, 100e9);
  const Diagnosis d = diagnose_model(work(1e9, 93e9), 1, device);
  EXPECT_EQ(d.verdict, Verdict::near_ceiling);
  EXPECT_EQ(d.summary, "near its ceiling: 93% of dram");
  EXPECT_EQ(d.findings.at(0).bound, Bound::dram);
  EXPECT_EQ(diagnose({work(1e9, 93e9), 1, {}, 0.95}, device).verdict, Verdict::bound);
}

TEST(Diagnosis, SaysWhatItWouldNeed) {
  const DeviceProfile device = load_device("a100-40");
  EXPECT_THAT(diagnose_model({}, 1, device).missing, HasSubstr("work.flops or work.bytes"));
  EXPECT_EQ(diagnose_model({}, 1, device).verdict, Verdict::not_enough_evidence);
  EXPECT_EQ(diagnose_model(work(1, 1), 0, device).missing, "a measured time");
  const Diagnosis fp8 = diagnose_model(work(1e12, 0, {Precision::fp8, true}), 1, device);
  EXPECT_THAT(fp8.missing, HasSubstr("fp8.tensor: NVIDIA A100 40 GB has no such roof"));
}

TEST(Diagnosis, AContradictionIsNoEvidence) {
  const Diagnosis d = diagnose_model(work(1e9, 500e9), 1, two_roofs(1e12, 100e9));
  EXPECT_EQ(d.verdict, Verdict::not_enough_evidence);
  EXPECT_THAT(d.summary, HasSubstr("a model that the time does not contradict"));
}

// Traffic that could not have moved in the measured time names no bound.
TEST(Diagnosis, ATrafficFormulaThatTheTimeRefutesIsLeftOut) {
  ModelInput model = work(1e9, 50e9);
  model.work.traffic[Level::shared] = 1e15;
  const Diagnosis d = diagnose_model(model, 1, load_device("a100-40"));
  EXPECT_EQ(find(d, Bound::shared), nullptr);
  EXPECT_THAT(d.missing, HasSubstr("shared: 1000 TB"));
}

TEST(Diagnosis, NoRoofUsedIsLatency) {
  const Diagnosis d = diagnose_model(idle_kernel(), 1, load_device("a100-40"));
  EXPECT_EQ(d.verdict, Verdict::bound);
  EXPECT_EQ(d.findings.at(0).bound, Bound::latency);
  EXPECT_NEAR(d.findings[0].speedup_at_most, 1 / 0.3, 0.01);
  EXPECT_THAT(d.findings[0].evidence, HasSubstr("the busiest is dram with 30%"));
  // Left of the ridge and below: accesses may be at fault too.
  EXPECT_NE(find(d, Bound::access), nullptr);
}

TEST(Diagnosis, LowOccupancyNamesItsLimitingResource) {
  ModelInput model = idle_kernel();
  Occupancy occupancy = resident(1, 8, 0.125);
  occupancy.limited_by = {Resource::registers, Resource::shared};
  model.occupancy = occupancy;
  const Diagnosis d = diagnose_model(model, 1, load_device("a100-40"));
  EXPECT_EQ(d.findings.at(0).bound, Bound::occupancy);
  EXPECT_THAT(d.findings[0].evidence, HasSubstr("limited by registers and shared"));
  EXPECT_NEAR(d.findings[0].speedup_at_most, 1 / 0.3, 0.01);
  model.occupancy->fraction = 0.8;
  EXPECT_EQ(find(diagnose_model(model, 1, load_device("a100-40")), Bound::occupancy), nullptr);
}

TEST(Diagnosis, LowOccupancyIsNoFaultUnderABusyRoof) {
  ModelInput model = work(1e9, 0.88 * 1555e9);
  model.occupancy = resident(1, 8, 0.125);
  const Diagnosis d = diagnose_model(model, 1, load_device("a100-40"));
  EXPECT_EQ(d.findings.at(0).bound, Bound::dram);
}

TEST(Diagnosis, TooFewBlocks) {
  ModelInput model = idle_kernel();
  model.launch = launch(27, 256);
  const Diagnosis d = diagnose_model(model, 1, load_device("a100-40"));
  EXPECT_EQ(d.findings.at(0).bound, Bound::grid_size);
  EXPECT_THAT(d.findings[0].evidence, HasSubstr("27 blocks for 108 multiprocessors"));
  EXPECT_NEAR(d.findings[0].speedup_at_most, 1 / 0.3, 0.01);
  // One block a multiprocessor is a persistent kernel: nothing is wasted.
  model.launch = launch(108, 256);
  EXPECT_EQ(find(diagnose_model(model, 1, load_device("a100-40")), Bound::grid_size), nullptr);
}

TEST(Diagnosis, TheTail) {
  ModelInput model = idle_kernel();
  model.launch = launch(108 * 2 + 1, 1024);
  model.occupancy = resident(2, 64, 1);
  const Diagnosis d = diagnose_model(model, 1, load_device("a100-40"));
  const Finding* tail = find(d, Bound::tail);
  ASSERT_NE(tail, nullptr);
  EXPECT_NEAR(tail->speedup_at_most, 2.0 * 216 / 217, 0.01);
  model.launch = launch(108 * 2 * 2 - 10, 1024);  // the last wave is nearly full
  EXPECT_EQ(find(diagnose_model(model, 1, load_device("a100-40")), Bound::tail), nullptr);
}

TEST(Diagnosis, LaunchOverhead) {
  const Diagnosis d = diagnose_model(work(1e3, 1e4), 4e-6, load_device("a100-40"));
  EXPECT_EQ(d.findings.at(0).bound, Bound::launch);
  EXPECT_NEAR(d.findings[0].speedup_at_most, 2, 1e-9);
  EXPECT_EQ(find(diagnose_model(work(1e3, 1e4), 1e-3, load_device("a100-40")), Bound::launch),
            nullptr);
}

TEST(Diagnosis, Spills) {
  ModelInput model = idle_kernel();
  model.resources = Resources{};
  EXPECT_EQ(find(diagnose_model(model, 1, load_device("a100-40")), Bound::spills), nullptr);
  model.resources->registers = 64;
  model.resources->spill_loads = 48;
  const Diagnosis d = diagnose_model(model, 1, load_device("a100-40"));
  ASSERT_NE(find(d, Bound::spills), nullptr);
  EXPECT_THAT(find(d, Bound::spills)->evidence,
              HasSubstr("48 B of loads a thread at 64 registers"));
}

TEST(Diagnosis, TensorCoresUnused) {
  const DeviceProfile a100 = load_device("a100-40");
  const double n = 4096;
  const Diagnosis d =
      diagnose_model(work(2 * n * n * n, 3 * 2 * n * n, {Precision::fp16, false}), 3e-3, a100);
  const Finding* unused = find(d, Bound::tensor_unused);
  ASSERT_NE(unused, nullptr);
  EXPECT_THAT(unused->evidence, HasSubstr("fp16.tensor is 4.0 times as fast"));
  EXPECT_THAT(unused->evidence, Not(HasSubstr("precision")));
  const Diagnosis fp32 = diagnose_model(work(2 * n * n * n, 3 * 4 * n * n), 10e-3, a100);
  ASSERT_NE(find(fp32, Bound::tensor_unused), nullptr);
  EXPECT_THAT(find(fp32, Bound::tensor_unused)->evidence, HasSubstr("at the price of precision"));
  // Nothing to gain left of the ridge, and none on a device without such units.
  EXPECT_EQ(find(diagnose_model(work(1e9, 1e12), 1, a100), Bound::tensor_unused), nullptr);
  EXPECT_EQ(find(diagnose_model(work(100e9, 0), 1, small_host()), Bound::tensor_unused), nullptr);
}

TEST(Diagnosis, ExcessTraffic) {
  ModelInput model = work(1e9, 0.3 * 1555e9);
  model.work.traffic[Level::dram] = 0.8 * 1555e9;
  const Diagnosis d = diagnose_model(model, 1, load_device("a100-40"));
  EXPECT_EQ(d.findings.at(0).bound, Bound::dram);
  ASSERT_NE(find(d, Bound::access), nullptr);
  EXPECT_THAT(find(d, Bound::access)->evidence, HasSubstr("2.7 times"));
  EXPECT_NEAR(find(d, Bound::access)->speedup_at_most, 2.667, 0.01);
}

struct CounterCase {
  const char* name;
  Counters counters;
  Bound bound;
  const char* evidence;
};

Counters stalls(const std::string& reason) {
  Counters counters;
  for (const char* each : {"long_scoreboard", "short_scoreboard", "barrier", "math_pipe_throttle",
                           "wait", "not_selected"}) {
    counters["smsp__average_warps_issue_stalled_" + std::string(each) + "_per_issue_active.ratio"] =
        each == reason ? 6 : 0.5;
  }
  return counters;
}

TEST(Diagnosis, CountersNameWhatTheModelCannotSee) {
  Counters uncoalesced;
  for (const char* op : {"ld", "st"}) {
    uncoalesced["l1tex__t_sectors_pipe_lsu_mem_global_op_" + std::string(op) + ".sum"] = 3200;
    uncoalesced["l1tex__t_requests_pipe_lsu_mem_global_op_" + std::string(op) + ".sum"] = 100;
  }
  const std::vector<CounterCase> cases = {
      {"stride", uncoalesced, Bound::access, "32.0 sectors a request"},
      {"divergence",
       {{"smsp__average_thread_inst_executed_per_inst_executed.ratio", 8}},
       Bound::divergence,
       "8.0 of 32 threads"},
      {"conflicts",
       {{"l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", 700},
        {"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", 1000}},
       Bound::bank_conflicts,
       "70% of the shared-memory wavefronts"},
      {"local",
       {{"smsp__inst_executed_op_local_ld.sum", 10}, {"smsp__inst_executed_op_local_st.sum", 10}},
       Bound::spills,
       "warp instructions on local memory"},
      {"barrier", stalls("barrier"), Bound::barriers, "waits at barriers"},
      {"memory", stalls("long_scoreboard"), Bound::latency, "waits for L2 or DRAM"},
      {"issue",
       {{"smsp__issue_active.avg.pct_of_peak_sustained_active", 85}},
       Bound::issue,
       "issue at 85%"},
  };
  const DeviceProfile device = load_device("a100-40");
  for (const CounterCase& c : cases) {
    const Diagnosis d = diagnose_model(idle_kernel(), 1, device, c.counters);
    const Finding* found = find(d, c.bound);
    ASSERT_NE(found, nullptr) << c.name;
    EXPECT_THAT(found->evidence, HasSubstr(c.evidence)) << c.name;
    EXPECT_GE(found->speedup_at_most, 1) << c.name;
  }
}

TEST(Diagnosis, CountersBelowTheirThresholdsSayNothing) {
  Counters good;
  for (const char* op : {"ld", "st"}) {  // 16-byte words, coalesced
    good["l1tex__t_sectors_pipe_lsu_mem_global_op_" + std::string(op) + ".sum"] = 1600;
    good["l1tex__t_requests_pipe_lsu_mem_global_op_" + std::string(op) + ".sum"] = 100;
  }
  good["smsp__average_thread_inst_executed_per_inst_executed.ratio"] = 31;
  good["l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"] = 1;
  good["l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"] = 1000;
  good["smsp__inst_executed_op_local_ld.sum"] = 0;
  good["smsp__inst_executed_op_local_st.sum"] = 0;
  const Diagnosis d = diagnose_model(idle_kernel(), 1, load_device("a100-40"), good);
  for (const Bound bound :
       {Bound::access, Bound::divergence, Bound::bank_conflicts, Bound::spills, Bound::barriers}) {
    EXPECT_EQ(find(d, bound), nullptr) << to_string(bound);
  }
}

TEST(Diagnosis, AFewStallReasonsAloneGiveNoShares) {
  const Counters one = {{"smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio", 6.0}};
  EXPECT_EQ(find(diagnose_model(idle_kernel(), 1, load_device("a100-40"), one), Bound::barriers),
            nullptr);
}

TEST(Diagnosis, AchievedOccupancyBelowTheTheoretical) {
  ModelInput model = idle_kernel();
  model.occupancy = resident(2, 64, 1);
  const Counters counters = {{"sm__warps_active.avg.pct_of_peak_sustained_active", 40}};
  const Diagnosis d = diagnose_model(model, 1, load_device("a100-40"), counters);
  ASSERT_NE(find(d, Bound::occupancy), nullptr);
  EXPECT_THAT(find(d, Bound::occupancy)->evidence, HasSubstr("40% of the warps that fit"));
}

TEST(Diagnosis, OnTheHostWorkersAndMeasuredRoofs) {
  ModelInput model = work(20e9, 2e9);
  model.launch = launch(1, 256);
  const Diagnosis d = diagnose_model(model, 1, small_host());
  EXPECT_EQ(d.findings.at(0).bound, Bound::grid_size);
  EXPECT_THAT(d.findings[0].evidence, HasSubstr("1 blocks for 4 workers"));
}

TEST(Diagnosis, RanksByShareOfTheTime) {
  ModelInput model = idle_kernel();
  model.launch = launch(27, 64);
  model.occupancy = resident(1, 2, 2.0 / 64);
  const Diagnosis d = diagnose_model(model, 1, load_device("a100-40"));
  ASSERT_GE(d.findings.size(), 3U);
  for (std::size_t i = 1; i < d.findings.size(); ++i) {
    EXPECT_GE(d.findings[i - 1].weight, d.findings[i].weight);
  }
}

TEST(Bounds, HaveNamesAndRemedies) {
  for (int i = 0; i <= static_cast<int>(Bound::launch); ++i) {
    const auto bound = static_cast<Bound>(i);
    EXPECT_EQ(bound_from(to_string(bound)), bound);
    ASSERT_FALSE(remedies_of(bound).empty()) << to_string(bound);
    for (const Remedy& remedy : remedies_of(bound)) {
      EXPECT_FALSE(remedy.roles.empty()) << remedy.action;
    }
  }
  EXPECT_EQ(bound_from("dam"), std::nullopt);
}

TEST(Rules, CoverEveryBound) {
  const std::vector<RuleInfo> rules = diagnosis_rules();
  for (int i = 0; i <= static_cast<int>(Bound::launch); ++i) {
    EXPECT_TRUE(std::any_of(rules.begin(), rules.end(), [&](const RuleInfo& rule) {
      return rule.bound == static_cast<Bound>(i);
    })) << to_string(static_cast<Bound>(i));
  }
}

std::string documented_rules() {
  std::ifstream in(ROOFTUNE_SOURCE_DIR "/docs/roofline.md");
  std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  const std::string begin = "<!-- rules -->\n";
  const std::size_t from = text.find(begin) + begin.size();
  return text.substr(from, text.find("<!-- /rules -->") - from);
}

TEST(Rules, AreDocumentedAsTheyAre) {
  std::string table = "| bound | when | from | source of the threshold |\n|---|---|---|---|\n";
  for (const RuleInfo& rule : diagnosis_rules()) {
    table += "| `" + std::string(to_string(rule.bound)) + "` | " + rule.condition + " | " +
             rule.needs + " | " + rule.source + " |\n";
  }
  EXPECT_EQ(documented_rules(), table) << "copy the table into docs/roofline.md";
}

/// Every eighth word of a sector of eight: an eighth of the bandwidth moves the ridge, and what was
/// bound by arithmetic is bound by memory again.
TEST(Diagnosis, StridedAccessMovesTheRidge) {
  const ModelInput hundred_operations = work(12.5 * 1e9, 1e9);
  EXPECT_EQ(place(hundred_operations, 0, two_roofs(10e12, 900e9)).roof, "fp32");
  const Placement strided = place(hundred_operations, 0, two_roofs(10e12, 900e9 / 8));
  EXPECT_EQ(strided.roof, "dram");
  EXPECT_NEAR(strided.levels.at(0).ridge, 88.9, 0.1);
}

/// What KTT collects: sectors and wavefronts for bytes, shares of pipes.
TEST(Diagnosis, UnitsAndPipesAreCountersToo) {
  const DeviceProfile device = load_device("rtx-2080-ti");
  const Counters memory = {{"dram__sectors_read.sum", 10e6}, {"dram__sectors_write.sum", 5e6}};
  const double seconds = 15e6 * 32 / (0.8 * 616e9);
  const Diagnosis by_sectors = diagnose_model({}, seconds, device, memory);
  EXPECT_EQ(by_sectors.findings.at(0).bound, Bound::dram);
  EXPECT_NEAR(by_sectors.findings[0].utilisation, 0.8, 1e-6);

  const Counters pipes = {{"smsp__inst_executed_pipe_xu.avg.pct_of_peak_sustained_active", 98},
                          {"smsp__pipe_fma_cycles_active.avg.pct_of_peak_sustained_active", 80},
                          {"dram__throughput.avg.pct_of_peak_sustained_elapsed", 26}};
  const Diagnosis by_pipes = diagnose_model({}, 1e-3, device, pipes);
  EXPECT_EQ(by_pipes.findings.at(0).bound, Bound::special);
  EXPECT_EQ(by_pipes.findings.at(1).bound, Bound::fp);
}

TEST(Diagnosis, TheNearerOfTwoCountedRoofsBinds) {
  // 64 bytes a clock is all that Turing's shared memory moves: half of its wavefronts' peak.
  const DeviceProfile device = load_device("rtx-2080-ti");
  const Roof* shared = device.roof(RoofKind::bandwidth, "shared");
  ASSERT_NE(shared, nullptr);
  const double wavefronts = 1e8;
  const double seconds = wavefronts * 128 / (0.9 * shared->value);
  const Counters counters = {
      {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", wavefronts},
      {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum", 0},
      {"l1tex__data_pipe_lsu_wavefronts_mem_shared.avg.pct_of_peak_sustained_elapsed", 45}};
  const Diagnosis d = diagnose_model({}, seconds, device, counters);
  EXPECT_EQ(d.findings.at(0).bound, Bound::shared);
  EXPECT_NEAR(d.findings[0].utilisation, 0.9, 1e-6);
}

BoundTimes times_of(double l2, double fp) {
  return {{Bound::l2, l2, false, ""}, {Bound::fp, fp, false, ""}};
}

Diagnosis bound_by(Bound bound, double utilisation) {
  Diagnosis d;
  d.verdict = Diagnosis::Verdict::bound;
  d.findings.emplace_back();
  d.findings[0].bound = bound;
  d.findings[0].utilisation = utilisation;
  return d;
}

TEST(Advice, IsToTakeTimeOffTheBoundAndPutItOnNoOther) {
  const Diagnosis l2 = bound_by(Bound::l2, 0.8);
  const double seconds = 1;
  EXPECT_TRUE(recommends(l2, seconds, times_of(0.8, 0.2), times_of(0.4, 0.2), Role::other));
  EXPECT_FALSE(recommends(l2, seconds, times_of(0.8, 0.2), times_of(0.8, 0.1), Role::tile));
  EXPECT_FALSE(recommends(l2, seconds, times_of(0.8, 0.2), times_of(0.4, 0.9), Role::tile));
  EXPECT_FALSE(recommends(l2, seconds, times_of(0.8, 0.2), times_of(0.75, 0.2), Role::tile));
  Diagnosis near = l2;
  near.verdict = Diagnosis::Verdict::near_ceiling;
  EXPECT_FALSE(recommends(near, seconds, times_of(0.8, 0.2), times_of(0.4, 0.2), Role::tile));
}

TEST(Advice, GoesByRolesWhereTheModelDoesNotKnowTheBound) {
  // Counted: 0.9 of the roof. The model sees 0.1.
  const Diagnosis l2 = bound_by(Bound::l2, 0.9);
  EXPECT_TRUE(recommends(l2, 1, times_of(0.1, 0.5), times_of(0.1, 0.2), Role::tile));
  EXPECT_FALSE(recommends(l2, 1, times_of(0.1, 0.5), times_of(0.1, 0.2), Role::launch_bounds));
  EXPECT_TRUE(recommends(bound_by(Bound::occupancy, 0), 1, {}, {}, Role::launch_bounds));
  EXPECT_FALSE(recommends(bound_by(Bound::occupancy, 0), 1, {}, {}, Role::layout));
}

}  // namespace
}  // namespace rooftune
