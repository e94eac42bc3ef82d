// The metric sets against CUPTI's own host API, which knows its chips without having them.
#include "tuner/device/cuda/cupti.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iostream>
#include <set>

#include "tuner/device/cuda/counters.hpp"

namespace rooftune::cuda {
namespace {

/// Of compute capability 7.5 and later: what NVRTC can still compile for.
bool is_recent(const std::string& chip) {
  return chip.rfind("TU", 0) == 0 || chip.rfind("GA", 0) == 0 || chip.rfind("AD", 0) == 0 ||
         chip.rfind("GH", 0) == 0 || chip.rfind("GB", 0) == 0;
}

/// Orin, Thor, Spark: the memory is the CPU's, and the GPU has no counters of it.
bool is_integrated(const std::string& chip) {
  return chip.size() > 2 && chip.compare(chip.size() - 2, 2, "0B") == 0;
}

class Cupti : public ::testing::TestWithParam<CounterLevel> {};

TEST_P(Cupti, KnowsTheMetricsOnEveryRecentChip) {
  std::string why;
  const auto api = load_cupti(why);
  if (!api) {
    GTEST_SKIP() << why;
  }
  std::size_t chips = 0;
  for (const std::string& chip : known_chips(*api)) {
    if (!is_recent(chip)) {
      continue;
    }
    ++chips;
    const MetricPlan plan(api, chip, {}, metric_set(GetParam()));
    for (const std::string& metric : plan.unknown()) {
      EXPECT_TRUE(is_integrated(chip)) << chip << " lacks " << metric;
      EXPECT_THAT(metric, ::testing::HasSubstr("dram"));
    }
    EXPECT_GT(plan.passes(), 0U) << chip;
    std::cout << to_string(GetParam()) << ' ' << chip << ": " << plan.metrics().size()
              << " metrics, " << plan.passes() << " passes\n";
  }
  EXPECT_GT(chips, 0U);
}

TEST(CuptiRefusal, OfOneMetricLeavesTheOthers) {
  std::string why;
  const auto api = load_cupti(why);
  if (!api) {
    GTEST_SKIP() << why;
  }
  const MetricPlan plan(api, "GA100", {}, {"dram__bytes.sum", "no__such_metric.sum"});
  EXPECT_THAT(plan.metrics(), ::testing::ElementsAre("dram__bytes.sum"));
  EXPECT_THAT(plan.unknown(), ::testing::ElementsAre("no__such_metric.sum"));
  EXPECT_THROW(MetricPlan(api, "XX999", {}, {"dram__bytes.sum"}), CuptiError);
}

INSTANTIATE_TEST_SUITE_P(Metrics, Cupti,
                         ::testing::Values(CounterLevel::roofline, CounterLevel::full),
                         [](const auto& info) { return std::string(to_string(info.param)); });

}  // namespace
}  // namespace rooftune::cuda
