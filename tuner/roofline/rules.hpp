// Internal to the stage: the rules of the diagnosis, one table, and the facts that they judge.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tuner/roofline/model.hpp"

namespace rooftune {

/// How much of a roof is used.
struct Use {
  double share = 0;
  std::string text;  ///< "2.15 GB at 1.56 TB/s (data sheet)"
  AmountSource source = AmountSource::model;
};

/// All that the rules look at, computed once.
struct Facts {
  Facts(const DiagnosisInput& diagnosis_input, const DeviceProfile& profile);

  const DiagnosisInput& input;
  const DeviceProfile& device;
  Placement placement;
  BoundTimes times;
  std::optional<model::GridShape> grid;
  Work counted;
  std::map<Bound, Use> uses;         ///< of roofs; counters outweigh the model
  std::vector<std::string> refuted;  ///< model amounts that the measured time shows to be too large

  double use(Bound bound) const;
  /// The largest share of any roof; 0 where none is known.
  double busiest() const;
  /// Speed-up when every roof but one (or none) stays: what removing a bound brings at most.
  double room_above(std::optional<Bound> without = std::nullopt) const;
  /// Whether the levels between DRAM and the arithmetic are known, so that "no roof binds" means
  /// something.
  bool inner_levels_known() const;

 private:
  void add_model_uses();
  void add_counted_uses();
};

struct Judgement {
  double weight = 0;  ///< share of the time explained
  std::string evidence;
  double speedup_at_most = 1;
};

struct DiagnosisRule {
  Bound bound;
  double threshold;
  const char* condition;  ///< for people; {} stands for the threshold
  const char* needs;
  const char* source;
  std::optional<Judgement> (*judge)(const Facts& facts, const DiagnosisRule& rule);
  bool percent = true;   ///< how the threshold is written
  bool generic = false;  ///< says only that nothing else explains the time
};
const std::vector<DiagnosisRule>& rules();
/// "60%" or "24".
std::string threshold_text(const DiagnosisRule& rule);

}  // namespace rooftune
