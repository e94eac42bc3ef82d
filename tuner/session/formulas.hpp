// Are the spec's formulas right? Each amount by formula over the same amount counted, over many
// configurations: a wrong formula is seen before anything is built on it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/device/replay/recording.hpp"
#include "tuner/roofline/amounts.hpp"
#include "tuner/space/space.hpp"

namespace rooftune {

enum class FormulaVerdict {
  agrees,     ///< within 10%: the median of the relative errors
  scaled,     ///< within 10% once it is divided by the median ratio
  follows,    ///< rank correlation of 0.9 or more: the order is right, the figures are not
  unrelated,  ///< neither
};
std::string_view to_string(FormulaVerdict verdict);

/// One formula over all configurations where both sides are known.
struct FormulaCheck {
  std::string amount;   ///< as Amount::name
  std::string formula;  ///< "work.traffic.dram"
  std::string counter;  ///< in words
  std::uint64_t configurations = 0;
  /// Of those, where the formula gives something and nothing was counted, or the reverse. They have
  /// no ratio; more than a tenth of them make the formula unrelated.
  std::uint64_t one_sided = 0;
  std::uint64_t spilled = 0;  ///< left out besides, as Amount::spilled says
  /// Formula over counted: median and percentiles; 1 where both are zero everywhere.
  double median = 1, p10 = 1, p90 = 1;
  double error = 0;  ///< median of |ratio - 1|
  /// Of ranks (Spearman); absent where one side does not vary.
  std::optional<double> correlation;
  NamedValues worst;  ///< the configuration that is farthest off; empty where none has a ratio
  double worst_ratio = 1;
  FormulaVerdict verdict = FormulaVerdict::agrees;
};

/// Gathers amounts, configuration by configuration.
class FormulaTally {
 public:
  void add(const NamedValues& parameters, const std::vector<Amount>& amounts);
  /// In the order in which the amounts first came.
  std::vector<FormulaCheck> checks() const;

 private:
  struct Pair {
    NamedValues parameters;
    double expected = 0;
    double counted = 0;
  };
  struct Series {
    Amount first;
    std::vector<Pair> pairs;
    std::uint64_t spilled = 0;
  };
  static FormulaCheck check(const Series& series);

  std::vector<Series> series_;
};

/// All successful configurations of the recording. Throws InputError where spec and recording do
/// not match, and where there is nothing to hold formulas against: the spec has none, or the
/// recording no counters, resources or launches.
std::vector<FormulaCheck> check_formulas(const Spec& spec, const Space& space,
                                         const Recording& recording);

/// The amounts that the spec has formulas for and no check is about: "work.warp.chain".
std::vector<std::string> unchecked_formulas(const Spec& spec,
                                            const std::vector<FormulaCheck>& checks);

}  // namespace rooftune
