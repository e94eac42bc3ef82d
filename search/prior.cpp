#include "search/prior.hpp"

#include <algorithm>
#include <cmath>

namespace rooftune::search {
namespace {

constexpr std::size_t training = 300;
constexpr std::size_t of_the_fastest = 180;
constexpr Eigen::Index hyper_points = 100;
constexpr int hyper_steps = 20;
// As RooflineOptions compresses what is measured here.
constexpr double compress_after = 0.7;
constexpr double compress_slope = 0.3;
constexpr double focus = 0.7;
constexpr double least_importance = 0.05;
constexpr std::size_t predictions_kept = 1 << 16;

}  // namespace

PriorModel::PriorModel(const Prior& prior, ModelSpace& space, const MeanFunction& mean,
                       std::mt19937_64& random)
    : space_(space), mean_(mean) {
  for (const PriorPoint& point : prior.points) {
    if (point.seconds) {
      fastest_.push_back({&point.configuration, *point.seconds, 0});
    }
  }
  std::sort(fastest_.begin(), fastest_.end(),
            [](const Ranked& a, const Ranked& b) { return a.seconds < b.seconds; });
  for (std::size_t rank = 0; rank < fastest_.size(); ++rank) {
    fastest_[rank].rank = rank;
  }
  best_ = std::log(fastest_.front().seconds);
  fit(random);
}

double PriorModel::compress(double excess) const {
  const double beyond = std::max(0.0, excess - compress_after);
  return excess - (1 - compress_slope) * beyond;
}

void PriorModel::fit(std::mt19937_64& random) {
  std::vector<Ranked> chosen = fastest_;
  if (chosen.size() > training) {
    std::shuffle(chosen.begin() + of_the_fastest, chosen.end(), random);
    chosen.resize(training);
  }
  std::shuffle(chosen.begin(), chosen.end(), random);
  std::vector<Eigen::Index> numbers;
  std::vector<Amounts> amounts;
  Eigen::VectorXd times(static_cast<Eigen::Index>(chosen.size()));
  for (const Ranked& point : chosen) {
    times[static_cast<Eigen::Index>(numbers.size())] = std::log(point.seconds);
    numbers.push_back(space_.number(*point.configuration));
    amounts.push_back(space_.amounts(numbers.back()));
  }
  if (!mean_.bounds().empty()) {
    const Eigen::ArrayXd importance =
        least_importance + (1 - least_importance) * (-(times.array() - best_) / focus).exp();
    roofline_ = mean_.fit(amounts, times, importance, mean_.prior()).mode;
  }
  Eigen::VectorXd residuals(times.size());
  for (Eigen::Index i = 0; i < times.size(); ++i) {
    const auto k = static_cast<std::size_t>(i);
    residuals[i] = compress(times[i] - best_);
    if (roofline_.size() > 0) {
      residuals[i] -= compress(mean_.evaluate(amounts[k], roofline_) - best_);
    }
  }
  centre_ = residuals.mean();
  residuals.array() -= centre_;
  scale_ = std::max(std::sqrt(residuals.squaredNorm() / static_cast<double>(times.size())), 1e-3);
  residuals /= scale_;
  const Eigen::MatrixXd points = space_.features(numbers).cast<double>();
  Hyperparameters hyper = Hyperparameters::prior(space_.features());
  const Eigen::Index count = std::min(hyper_points, times.size());
  fit_hyperparameters(points.leftCols(count), residuals.head(count), hyper_steps, hyper);
  process_.emplace(points, residuals, hyper, 1);
  for (const Ranked& point : fastest_) {
    measured_[*point.configuration] = compress(std::log(point.seconds) - best_);
  }
}

double PriorModel::log_excess(Eigen::Index number) {
  const Configuration& configuration = space_.configuration(number);
  const auto measured = measured_.find(configuration);
  if (measured != measured_.end()) {
    return measured->second;
  }
  if (predicted_.size() > predictions_kept) {
    predicted_.clear();
  }
  const auto [place, added] = predicted_.try_emplace(configuration, 0);
  if (added) {
    const Eigen::MatrixXf query = space_.features(number);
    place->second = centre_ + scale_ * process_->predict(query).mean[0];
    if (roofline_.size() > 0) {
      place->second += compress(mean_.evaluate(space_.amounts(number), roofline_) - best_);
    }
  }
  return place->second;
}

double PriorModel::agreement(const std::vector<Measured>& measured) {
  std::vector<std::pair<double, double>> points;
  for (const Measured& point : measured) {
    if (point.log_seconds) {
      points.emplace_back(log_excess(space_.number(point.configuration)), *point.log_seconds);
    }
  }
  std::size_t right = 0;
  std::size_t pairs = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j, ++pairs) {
      right += (points[i].first < points[j].first) == (points[i].second < points[j].second) ? 1 : 0;
    }
  }
  return pairs == 0 ? 0 : static_cast<double>(right) / static_cast<double>(pairs);
}

std::optional<PriorModel::Ranked> PriorModel::next(const Unseen& unseen) {
  for (const Ranked& point : fastest_) {
    if (!unseen.seen(*point.configuration) &&
        space_.launchable(space_.number(*point.configuration))) {
      return point;
    }
  }
  return std::nullopt;
}

}  // namespace rooftune::search
