#include "search/history.hpp"

#include <algorithm>

namespace rooftune::search {

std::size_t distance(const Configuration& a, const Configuration& b) {
  std::size_t differing = 0;
  for (std::size_t i = 0; i < a.choice.size(); ++i) {
    differing += a.choice[i] != b.choice[i] ? 1 : 0;
  }
  return differing;
}

std::vector<const Measured*> fastest(const std::vector<Measured>& measured, std::size_t count) {
  std::vector<const Measured*> order;
  for (const Measured& point : measured) {
    if (point.log_seconds) {
      order.push_back(&point);
    }
  }
  const auto middle = order.begin() + static_cast<std::ptrdiff_t>(std::min(count, order.size()));
  std::partial_sort(order.begin(), middle, order.end(), [](const Measured* a, const Measured* b) {
    return *a->log_seconds < *b->log_seconds;
  });
  order.erase(middle, order.end());
  return order;
}

}  // namespace rooftune::search
