#include "search/unseen.hpp"

namespace rooftune::search {

std::optional<Configuration> Unseen::draw(std::mt19937_64& random) {
  const auto entry = [&](std::uint64_t position) {
    const auto found = moved_.find(position);
    return found == moved_.end() ? position : found->second;
  };
  while (left_ > 0) {
    --left_;
    const std::uint64_t position = std::uniform_int_distribution<std::uint64_t>(0, left_)(random);
    const std::uint64_t index = entry(position);
    moved_[position] = entry(left_);
    moved_.erase(left_);
    Configuration configuration = space_.at(index);
    if (mark(configuration)) return configuration;
  }
  return std::nullopt;
}

}  // namespace rooftune::search
