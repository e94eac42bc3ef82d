#include "search/candidates.hpp"

#include <algorithm>
#include <cmath>

namespace rooftune::search {
namespace {

constexpr std::uint64_t sample_size = 2048;
constexpr std::size_t renewed_at_once = 50;
constexpr int downhill_steps = 10;
// Pairs of parameters with very many values are sampled.
constexpr std::size_t pairs_at_most = 2000;

}  // namespace

Candidates::Candidates(const Space& configurations, ModelSpace& space, const Unseen& unseen,
                       std::mt19937_64& random)
    : configurations_(configurations),
      space_(space),
      unseen_(unseen),
      random_(random),
      sample_(configurations.sample(sample_size, random)) {}

std::optional<Eigen::Index> Candidates::usable(const Configuration& configuration) {
  if (unseen_.seen(configuration)) {
    return std::nullopt;
  }
  const Eigen::Index number = space_.number(configuration);
  if (!space_.launchable(number)) {
    return std::nullopt;
  }
  return number;
}

/// Squared distance to the nearest of the points.
double Candidates::nearest(Eigen::Index number, const std::vector<Eigen::Index>& points) const {
  double least = INFINITY;
  for (const Eigen::Index other : points) {
    least =
        std::min<double>(least, (space_.features(number) - space_.features(other)).squaredNorm());
  }
  return least;
}

std::optional<Configuration> Candidates::lowest(const MeanFunction& mean,
                                                const MeanFunction::Parameters& parameters,
                                                const std::vector<Measured>& measured) {
  std::vector<Eigen::Index> failed;
  std::vector<Eigen::Index> succeeded;
  for (const Measured& point : measured) {
    (point.log_seconds ? succeeded : failed).push_back(space_.number(point.configuration));
  }
  std::optional<Configuration> found;
  double shortest = INFINITY;
  const auto consider = [&](const Configuration& configuration) {
    const auto number = usable(configuration);
    if (!number) {
      return;
    }
    const double seconds = mean.evaluate(space_.amounts(*number), parameters);
    if (seconds < shortest && nearest(*number, succeeded) <= nearest(*number, failed)) {
      shortest = seconds;
      found = configuration;
    }
  };
  for (const Configuration& configuration : sample_) {
    consider(configuration);
  }
  for (int step = 0; found && step < downhill_steps; ++step) {
    const Configuration from = *found;
    for (const Configuration& neighbour : configurations_.neighbours(from)) {
      consider(neighbour);
    }
    if (*found == from) {
      break;
    }
  }
  return found;
}

std::optional<Configuration> Candidates::farthest(const std::vector<Measured>& measured,
                                                  std::size_t among) {
  std::vector<Eigen::Index> points;
  for (const Measured& point : measured) {
    points.push_back(space_.number(point.configuration));
  }
  std::optional<Configuration> found;
  double most = -1;
  for (std::size_t i = 0; i < among; ++i) {
    const Configuration& configuration = sample_[random_() % sample_.size()];
    const auto number = usable(configuration);
    if (!number) {
      continue;
    }
    if (const double least = nearest(*number, points); least > most) {
      most = least;
      found = configuration;
    }
  }
  return found;
}

void Candidates::add(const Configuration& configuration, std::vector<Eigen::Index>& numbers) {
  const auto number = usable(configuration);
  if (!number) {
    return;
  }
  const auto place = static_cast<std::size_t>(*number);
  if (place >= taken_.size()) {
    taken_.resize(place + 1, 0);
  }
  if (taken_[place] == 0) {
    taken_[place] = 1;
    numbers.push_back(*number);
  }
}

void Candidates::add_pairs(const Configuration& centre, std::vector<Eigen::Index>& numbers) {
  const std::vector<Parameter>& parameters = configurations_.parameters();
  std::vector<Configuration> moved;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    for (std::size_t j = i + 1; j < parameters.size(); ++j) {
      Configuration pair = centre;
      for (std::size_t a = 0; a < parameters[i].values.size(); ++a) {
        pair.choice[i] = static_cast<std::uint16_t>(a);
        for (std::size_t b = 0; b < parameters[j].values.size(); ++b) {
          pair.choice[j] = static_cast<std::uint16_t>(b);
          if (pair.choice[i] != centre.choice[i] && pair.choice[j] != centre.choice[j]) {
            moved.push_back(pair);
          }
        }
      }
    }
  }
  if (moved.size() > pairs_at_most) {
    std::shuffle(moved.begin(), moved.end(), random_);
    moved.resize(pairs_at_most);
  }
  for (const Configuration& pair : moved) {
    if (configurations_.contains(pair)) {
      add(pair, numbers);
    }
  }
}

std::vector<Eigen::Index> Candidates::gather(const std::vector<const Measured*>& best,
                                             const RooflineOptions& options) {
  std::vector<Eigen::Index> numbers;
  taken_.assign(taken_.size(), 0);
  for (std::size_t i = 0; i < best.size(); ++i) {
    for (const Configuration& neighbour : configurations_.neighbours(best[i]->configuration)) {
      add(neighbour, numbers);
    }
    if (i < options.pairs_around) {
      add_pairs(best[i]->configuration, numbers);
    }
  }
  for (std::size_t i = 0; i < options.random_candidates; ++i) {
    add(sample_[random_() % sample_.size()], numbers);
  }
  renew_sample();
  return numbers;
}

void Candidates::renew_sample() {
  if (sample_.size() < sample_size) {
    return;  // it is the whole space
  }
  for (Configuration& fresh : configurations_.sample(renewed_at_once, random_)) {
    sample_[random_() % sample_.size()] = std::move(fresh);
  }
}

}  // namespace rooftune::search
