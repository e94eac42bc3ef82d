// Place: a kernel's work, traffic and time against a device's roofs. Diagnose: which bound binds,
// by what evidence, and what to try. Pure functions of values.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/compile/compiler.hpp"
#include "tuner/occupancy/occupancy.hpp"
#include "tuner/roofline/profile.hpp"
#include "tuner/spec/instance.hpp"

namespace rooftune {

enum class Bound {
  dram,
  l2,
  l1,
  shared,  // bandwidth of a level
  access,  // uncoalesced, strided, excess traffic
  bank_conflicts,
  fp,
  tensor,  // compute pipes
  tensor_unused,
  special,  // special-function pipe: rsqrt, exp, conversions
  issue,
  fetch,  // code larger than the instruction cache
  divergence,
  spills,
  occupancy,
  latency,
  barriers,
  grid_size,
  tail,
  launch,
};
std::string_view to_string(Bound bound);
std::optional<Bound> bound_from(std::string_view name);

/// The time that a configuration's work would take at 100% of one roof (the best known one:
/// measured where there is one).
struct BoundTime {
  Bound bound = Bound::dram;
  double seconds = 0;
  /// Whether no implementation of this configuration can be faster (theoretical peak, compulsory
  /// bytes, work that it provably does).
  bool provable = false;
  std::string basis;  ///< "2.15 GB at 1.56 TB/s (data sheet)"
};
using BoundTimes = std::vector<BoundTime>;

/// What the model sees of a configuration. Resources and occupancy sharpen it where they are known.
struct ModelInput {
  Work work;
  std::optional<Launch> launch;
  std::optional<Resources> resources;
  std::optional<Occupancy> occupancy;
  /// Resources and occupancy are what the spec expects, and prove nothing.
  bool is_expected = false;
};
/// From the spec, and the compiled kernel's resources where there are any, else those that the spec
/// expects; with the occupancy that follows, where the device's limits are known.
ModelInput model_input(const Geometry& geometry, const DeviceProfile& device,
                       const std::optional<Resources>& compiled = std::nullopt);
/// Seconds per bound, longest first. Bounds without a figure are left out. A bound may come twice:
/// what its roof gives, and a shorter time that is provable. Formulas: docs/roofline.md.
BoundTimes bound_times(const ModelInput& input, const DeviceProfile& device);
/// The longest time of that bound; 0 where it has none.
double seconds_of(const BoundTimes& times, Bound bound);
/// The largest provable one: a true lower bound of the time; 0 where nothing is provable.
double lower_bound_seconds(const BoundTimes& times);

/// By full metric name ("dram__bytes.sum"); missing means no data.
using Counters = std::map<std::string, double>;

enum class AmountSource { model, counters };
std::string_view to_string(AmountSource source);

/// A kernel against one bandwidth roof and one compute roof. At DRAM the model's bytes are the
/// compulsory ones (algorithmic intensity) where the spec gives them; at the levels above it, what
/// this configuration moves.
struct LevelPlacement {
  Level level = Level::dram;
  ComputeUnit unit;
  double intensity = 0;   ///< FLOP/byte at this level
  double ridge = 0;       ///< FLOP/byte where the roofs meet
  double attainable = 0;  ///< FLOP/s
  double fraction = 0;    ///< achieved over attainable; 0 without a time; may exceed 1
  AmountSource source = AmountSource::model;
};

struct Placement {
  double achieved_flops = 0;  ///< FLOP/s, all units together
  double achieved_dram = 0;   ///< byte/s of compulsory or counted traffic
  std::vector<LevelPlacement> levels;
  /// The roof above the point: of those that hold for every configuration (compulsory bytes, FLOP,
  /// the launch), the one whose time is longest. `stop.ceiling` is held against its fraction;
  /// traffic that only this configuration causes is the diagnosis' matter.
  std::string roof;               ///< "dram", "fp32", "fp32 + fp64", "launch"; empty: none is known
  double attainable_seconds = 0;  ///< time at that roof
  double fraction = 0;            ///< attainable_seconds over the measured time; may exceed 1
  std::optional<std::string> contradiction;  ///< above a roof: what that may mean
  std::vector<std::string> unplaced;         ///< work for which the device has no roof, in words
};

/// `seconds` 0: no time, only what is attainable. Counters, where there are any, add levels of
/// their own beside the model's.
Placement place(const ModelInput& input, double seconds, const DeviceProfile& device,
                const Counters& counters = {});

struct Remedy {
  std::string action;       ///< "move fewer bytes: larger tiles, fusion"
  std::vector<Role> roles;  ///< parameters that may do it
};

struct Finding {
  Bound bound = Bound::dram;
  double utilisation = 0;      ///< t_b over the measured time, where the bound has a roof
  double weight = 0;           ///< share of the time that it explains, 0 to 1: the ranking
  std::string evidence;        ///< figure, threshold
  std::string source;          ///< of the threshold
  double speedup_at_most = 1;  ///< by removing this bound alone
  std::vector<Remedy> remedies;
};

struct Diagnosis {
  enum class Verdict { bound, near_ceiling, not_enough_evidence };
  Verdict verdict = Verdict::not_enough_evidence;
  /// Ranked. With the verdict `bound` the first one binds; with `not_enough_evidence` they are
  /// candidates.
  std::vector<Finding> findings;
  std::string missing;  ///< what would be needed, for not_enough_evidence
  std::string summary;  ///< one line for a person
};
std::string_view to_string(Diagnosis::Verdict verdict);

struct DiagnosisInput {
  ModelInput model;
  double seconds = 0;
  Counters counters;
  double near_ceiling = 0.9;  ///< StopSpec::ceiling
};
Diagnosis diagnose(const DiagnosisInput& input, const DeviceProfile& device);

/// The families of remedies of a bound, and through them the roles.
const std::vector<Remedy>& remedies_of(Bound bound);

/// Whether a step of one parameter follows from the diagnosis of the point that it starts from,
/// which took `seconds`: by the model it takes time off the bound that binds, and pushes no other
/// bound in its way. Where the model does not know that bound (it has no formula for it, or sees
/// less than half of what was counted), the role of the changed parameter has to be a remedy's.
/// `from` and `to` are the model's times of both ends.
bool recommends(const Diagnosis& diagnosis, double seconds, const BoundTimes& from,
                const BoundTimes& to, Role changed);

/// A rule of the diagnosis as people read it. docs/roofline.md holds this table.
struct RuleInfo {
  Bound bound = Bound::dram;
  std::string condition;  ///< "utilisation of its roof >= 60%"
  std::string needs;      ///< "model or counters", "launch", "counters", ...
  std::string source;     ///< of the threshold
};
std::vector<RuleInfo> diagnosis_rules();

}  // namespace rooftune
