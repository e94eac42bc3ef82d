// Verdicts on formulas, over recordings whose counters are made so that the verdict is known.
#include "tuner/session/formulas.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>

#include "tuner/core/error.hpp"
#include "tuner/session/recorded.hpp"

namespace rooftune {
namespace {

Spec spec_with(const std::string& l2) {
  return parse_spec(
      "parameters:\n"
      "  tile: {values: [1, 2, 4, 8]}\n"
      "  order: {values: [0, 1, 2]}\n"
      "launch: {block: [256], grid: [1000]}\n"
      "work: {bytes: {dram: 1000}, traffic: {l2: " +
          l2 + "}}\n",
      "made.yaml");
}

Recording recorded(const std::function<double(double tile, double order)>& l2_bytes) {
  Recording recording;
  recording.file = "made.json";
  for (const int tile : {1, 2, 4, 8}) {
    for (const int order : {0, 1, 2}) {
      RecordedPoint point;
      point.parameters = {{"tile", tile}, {"order", order}};
      point.seconds = 1;
      point.counters["lts__t_bytes.sum"] = l2_bytes(tile, order);
      recording.points.push_back(point);
    }
  }
  finish_recording(recording);
  return recording;
}

FormulaCheck l2_check(const std::string& formula,
                      const std::function<double(double tile, double order)>& l2_bytes) {
  const Spec spec = spec_with(formula);
  const std::vector<FormulaCheck> checks = check_formulas(spec, Space(spec), recorded(l2_bytes));
  EXPECT_EQ(checks.size(), 1U);
  EXPECT_EQ(checks.at(0).formula, "work.traffic.l2");
  EXPECT_EQ(unchecked_formulas(spec, checks), std::vector<std::string>{"work.bytes.dram"});
  return checks.at(0);
}

TEST(Formulas, ARightFormulaAgrees) {
  const FormulaCheck check = l2_check(
      "6000 / tile", [](double tile, double order) { return 6000 / tile * (1 + 0.02 * order); });
  EXPECT_EQ(check.verdict, FormulaVerdict::agrees);
  EXPECT_EQ(check.configurations, 12U);
  EXPECT_NEAR(check.median, 1 / 1.02, 1e-9);
  EXPECT_NEAR(check.p10, 1 / 1.04, 1e-9);
  EXPECT_NEAR(check.p90, 1, 1e-9);
  EXPECT_NEAR(*check.correlation, 1, 0.05);
  EXPECT_NEAR(check.worst_ratio, 1 / 1.04, 1e-9);
  EXPECT_EQ(find_value(check.worst, "order")->as_real(), 2);
}

TEST(Formulas, AFactorIsNamed) {
  const FormulaCheck check =
      l2_check("12000 / tile", [](double tile, double) { return 6000 / tile; });
  EXPECT_EQ(check.verdict, FormulaVerdict::scaled);
  EXPECT_NEAR(check.median, 2, 1e-9);
}

TEST(Formulas, AWrongPowerFollowsInOrderOnly) {
  const FormulaCheck check =
      l2_check("6000 / tile ** 2", [](double tile, double) { return 6000 / tile; });
  EXPECT_EQ(check.verdict, FormulaVerdict::follows);
  EXPECT_NEAR(*check.correlation, 1, 1e-9);
}

TEST(Formulas, AReversedFormulaIsUnrelated) {
  const FormulaCheck check =
      l2_check("750 * tile", [](double tile, double) { return 6000 / tile; });
  EXPECT_EQ(check.verdict, FormulaVerdict::unrelated);
  EXPECT_NEAR(*check.correlation, -1, 1e-9);
}

TEST(Formulas, AFormulaOfAConstantHasNoRanks) {
  const FormulaCheck check = l2_check("6000", [](double, double order) { return 6000 + order; });
  EXPECT_EQ(check.verdict, FormulaVerdict::agrees);
  EXPECT_FALSE(check.correlation);
}

TEST(Formulas, TrafficWhereNothingWasCountedIsWrong) {
  FormulaTally tally;
  for (const int tile : {1, 2, 4, 8}) {
    const double counted = tile == 1 ? 0 : 100;
    tally.add({{"tile", tile}}, {{"shared", "work.traffic.shared", "bytes", 100, counted}});
  }
  const FormulaCheck check = tally.checks().at(0);
  EXPECT_EQ(check.one_sided, 1U);
  EXPECT_EQ(check.verdict, FormulaVerdict::unrelated);
}

TEST(Formulas, ConfigurationsWithLocalMemoryAreLeftOut) {
  FormulaTally tally;
  for (const int tile : {1, 2, 4}) {
    tally.add({{"tile", tile}},
              {{"l2", "work.traffic.l2", "bytes", 100, tile == 4 ? 5000. : 100., tile == 4}});
  }
  const FormulaCheck check = tally.checks().at(0);
  EXPECT_EQ(check.spilled, 1U);
  EXPECT_EQ(check.configurations, 2U);
  EXPECT_EQ(check.worst_ratio, 1);
}

TEST(Formulas, NothingToCompareIsSaid) {
  const Spec spec = spec_with("6000 / tile");
  Recording recording = recorded([](double, double) { return 1; });
  for (RecordedPoint& point : recording.points) {
    point.counters.clear();
  }
  try {
    check_formulas(spec, Space(spec), recording);
    FAIL() << "nothing was compared, and nobody was told";
  } catch (const InputError& error) {
    EXPECT_NE(error.problem().find("made.json"), std::string::npos) << error.problem();
  }
}

TEST(Formulas, ThoseOfTheRecordedConvolutionReproduceItsCounters) {
  const char* folder = std::getenv("ROOFTUNE_RECORDINGS");
  if (folder == nullptr) {
    GTEST_SKIP() << "ROOFTUNE_RECORDINGS is unset: no recordings of real GPUs here";
  }
  const Spec spec = load_spec(config_folder() / "recorded/ktt/convolution.yaml");
  const Recording recording =
      open_recording(std::filesystem::path(folder) / "ktt/convolution-RTX_2080_Ti.json.gz");
  for (const FormulaCheck& check : check_formulas(spec, Space(spec), recording)) {
    EXPECT_EQ(check.verdict, FormulaVerdict::agrees) << check.formula;
    EXPECT_NEAR(check.median, 1, 0.07) << check.formula;
  }
}

}  // namespace
}  // namespace rooftune
