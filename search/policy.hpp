// The policies, on one interface: ask which configuration is next, and why; tell what came of it.
// Pure but for the seeded random engine: the same seed and the same answers give the same run.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tuner/core/outcome.hpp"
#include "tuner/roofline/roofline.hpp"
#include "tuner/space/space.hpp"

namespace rooftune {

/// Why a configuration is proposed, in figures and in words.
struct Reason {
  std::optional<Bound> bound;  ///< of the point that it starts from
  std::string evidence;        ///< the bound's figure
  std::string remedy;          ///< what is tried against it
  std::string changes;         ///< "BM 64 -> 128"
  std::optional<double> expected_seconds;
  std::string summary;  ///< the whole in one line; never empty
};

struct Proposal {
  Configuration configuration;
  Reason reason;
};

/// What came of a configuration.
struct Observation {
  Configuration configuration;
  Outcome outcome = Outcome::ok;
  double seconds = 0;  ///< the objective; meaningful where outcome is ok
  std::optional<Diagnosis> diagnosis;
  std::optional<Resources> resources;
  std::optional<Occupancy> occupancy;
};

/// A configuration of the space as it was measured elsewhere.
struct PriorPoint {
  Configuration configuration;
  std::optional<double> seconds;  ///< empty where it failed
};
/// The space on another device, or at another size. It may mislead.
struct Prior {
  std::string name;  ///< of the device, for reasons
  std::vector<PriorPoint> points;
};

/// What a policy may know. The model functions are pure and may be called for any configuration of
/// the space, any number of times.
struct SearchContext {
  const Space* space = nullptr;
  std::uint64_t seed = 0;
  /// The value of `evaluations`, where there is a budget.
  std::optional<std::uint64_t> budget;
  /// Seconds per bound from the spec's formulas; empty where there are none.
  std::function<BoundTimes(const Configuration&)> bounds;
  /// Geometry for features: launch, derived values, work.
  std::function<Geometry(const Configuration&)> geometry;
  const DeviceProfile* device = nullptr;  ///< may be null in a replay
  std::shared_ptr<const Prior> prior;     ///< may be null; the policy `roofline` uses it
};

/// `ask` may be called again before what it gave is told: devices in parallel, compiling ahead.
/// `tell` takes configurations too that were not asked for: the baseline, those of a resumed run.
class Policy {
 public:
  virtual ~Policy() = default;
  /// A configuration that was not proposed before; nullopt when there is none left.
  virtual std::optional<Proposal> ask() = 0;
  virtual void tell(const Observation& observation) = 0;
};

/// Names for --policy, the default first.
std::vector<std::string> policy_names();
/// Throws InputError where none of the policies has a use for SearchContext::prior.
void require_prior_user(const std::vector<std::string>& policies);
/// Throws InputError with a suggestion for an unknown name.
std::unique_ptr<Policy> make_policy(const std::string& name, const SearchContext& context);

}  // namespace rooftune
