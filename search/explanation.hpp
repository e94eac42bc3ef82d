// Proposals in words: the bound with its figure, the remedy, the parameters changed, the expected
// gain; and where the measured times and not the diagnosis chose a point, that.
#pragma once

#include "search/history.hpp"
#include "search/policy.hpp"

namespace rooftune::search {

/// The bound that binds a measured point, with its figure.
struct BindingBound {
  Bound bound = Bound::dram;
  std::string evidence;  ///< "shared at 75% of its roof"
};
/// The session's diagnosis where it names a bound, else the longest time per bound over the
/// measured one; nullopt where the spec has no formulas either.
std::optional<BindingBound> binding_bound(const SearchContext& context, const Measured& point);

/// A step from a measured point.
struct Step {
  Configuration to;
  const Measured* from = nullptr;
  double expected_seconds = 0;
  double best_seconds = 0;
  std::size_t rank = 0;  ///< of `from` among the fastest, 0 for the best
};
Reason explain_step(const SearchContext& context, const Step& step);

/// Where the efficiencies of the roofs come from.
enum class Efficiencies { expected, drawn, measured };
/// A start where the roofline alone is lowest.
Reason explain_model_start(const SearchContext& context, const Configuration& to,
                           Efficiencies efficiencies);
/// A start where the prior was fast; `rank` is 0 for its fastest of `count`.
Reason explain_prior_start(const Prior& prior, double seconds, std::size_t rank, std::size_t count);
/// A point that is far from everything measured.
Reason explain_spread(bool has_model);
/// A random point, once nothing is left to reason about.
Reason explain_rest();

}  // namespace rooftune::search
