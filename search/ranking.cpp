#include "search/ranking.hpp"

#include <algorithm>
#include <cmath>

#include "search/mean_function.hpp"
#include "search/model_space.hpp"

namespace rooftune {

std::vector<Ranked> rank_by_roofline(const SearchContext& context,
                                     const std::vector<Configuration>& configurations) {
  std::mt19937_64 random(context.seed);
  search::ModelSpace model(context, random);
  if (model.bounds().empty()) {
    return {};
  }
  const search::MeanFunction mean(model.bounds());
  std::vector<Ranked> ranked;
  for (const Configuration& configuration : configurations) {
    if (model.full()) {
      model.forget();
    }
    const auto number = model.number(configuration);
    if (model.launchable(number)) {
      ranked.push_back(
          {configuration, std::exp(mean.evaluate(model.amounts(number), mean.prior()))});
    }
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const Ranked& a, const Ranked& b) { return a.seconds < b.seconds; });
  return ranked;
}

}  // namespace rooftune
