#include "search/surrogate.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace rooftune::search {
namespace {

constexpr double works_log_noise = -2;
constexpr double least_chance = 0.01;
// Points that weigh in full before likelihoods are taken at their word.
constexpr double trusted_points = 10;
// One surprise does not discredit a member.
constexpr double least_log_density = -6;
// The say that slow points keep.
constexpr double least_importance = 0.05;
constexpr std::size_t exact_at_most = 256;
constexpr Eigen::Index hyper_points = 100;

double normal_density(double z) {
  return std::exp(-z * z / 2) / std::sqrt(2 * M_PI);
}
double normal_distribution(double z) {
  return std::erfc(-z / std::sqrt(2.0)) / 2;
}

/// Of falling below `threshold`.
double improvement(double threshold, double mean, double sd) {
  const double z = (threshold - mean) / sd;
  return sd * (z * normal_distribution(z) + normal_density(z));
}

}  // namespace

Surrogate::Surrogate(ModelSpace& space, const RooflineOptions& options)
    : space_(space),
      options_(options),
      mean_(space.bounds()),
      residual_hyper_(Hyperparameters::prior(space.features())),
      guard_hyper_(Hyperparameters::prior(space.parameter_features())),
      prior_hyper_(residual_hyper_) {
  posterior_.mode = mean_.prior();
}

double Surrogate::compress(double log_seconds) const {
  const double excess = log_seconds - best_ - options_.compress_after;
  return excess > 0 ? log_seconds - (1 - options_.compress_slope) * excess : log_seconds;
}

double Surrogate::member_mean(const Member& member, Eigen::Index number) const {
  if (member.prior_slope) {
    return *member.prior_slope * prior_->log_excess(number) + member.centre;
  }
  if (!member.roofline) return member.centre;
  return compress(mean_.evaluate(space_.amounts(number), *member.roofline)) + member.centre;
}

std::vector<std::size_t> Surrogate::choose(const std::vector<Measured>& measured,
                                           std::mt19937_64& random) {
  std::vector<std::size_t> chosen(measured.size());
  std::iota(chosen.begin(), chosen.end(), std::size_t{0});
  if (chosen.size() <= options_.training) return chosen;
  const auto slower = [&](std::size_t a, std::size_t b) {
    return measured[a].log_seconds.value_or(INFINITY) < measured[b].log_seconds.value_or(INFINITY);
  };
  std::sort(chosen.begin(), chosen.end(), slower);
  const auto best = chosen.begin() + static_cast<std::ptrdiff_t>(options_.training * 3 / 5);
  std::shuffle(best, chosen.end(), random);
  chosen.resize(options_.training);
  std::shuffle(chosen.begin(), chosen.end(), random);
  return chosen;
}

void Surrogate::fit_member(Member& member, double stretch, const Eigen::MatrixXd& points,
                           const std::vector<Eigen::Index>& numbers, const Eigen::VectorXd& targets,
                           Hyperparameters& hyper, bool refit) {
  Eigen::VectorXd residuals(targets.size());
  member.centre = 0;
  for (Eigen::Index i = 0; i < targets.size(); ++i) {
    residuals[i] = targets[i] - member_mean(member, numbers[static_cast<std::size_t>(i)]);
  }
  member.centre = residuals.mean();
  residuals.array() -= member.centre;
  member.scale =
      std::max(std::sqrt(residuals.squaredNorm() / static_cast<double>(residuals.size())), 1e-3);
  residuals /= member.scale;
  if (refit) {
    const int steps = targets.size() < 40 ? 20 : (updates_ % 4 == 0 ? 6 : 0);
    if (steps > 0) {
      // Any hundred tell the lengths.
      const Eigen::Index count = std::min(hyper_points, residuals.size());
      fit_hyperparameters(points.leftCols(count), residuals.head(count), steps, hyper);
    }
  }
  member.process.emplace(points, residuals, hyper, stretch);
}

/// Least squares, drawn towards 1 as by one point that says so; a prior that is right in reverse is
/// right by chance.
double Surrogate::prior_slope(const std::vector<Eigen::Index>& numbers,
                              const Eigen::VectorXd& targets,
                              const Eigen::ArrayXd& importance) const {
  constexpr double towards_one = 0.5;
  Eigen::ArrayXd prior(targets.size());
  for (Eigen::Index i = 0; i < targets.size(); ++i) {
    prior[i] = prior_->log_excess(numbers[static_cast<std::size_t>(i)]);
  }
  const double sum = importance.sum();
  prior -= (importance * prior).sum() / sum;
  const Eigen::ArrayXd here = targets.array() - (importance * targets.array()).sum() / sum;
  const double slope = ((importance * prior * here).sum() + towards_one) /
                       ((importance * prior.square()).sum() + towards_one);
  return std::clamp(slope, 0.0, 1.5);
}

/// By how well each member predicts the points that it is not told of, above all the fast ones.
void Surrogate::weigh_members(const Eigen::ArrayXd& importance) {
  Eigen::ArrayXd evidence(static_cast<Eigen::Index>(members_.size()));
  for (std::size_t i = 0; i < members_.size(); ++i) {
    const Eigen::ArrayXd density =
        members_[i].process->left_out().array() - std::log(members_[i].scale);
    evidence[static_cast<Eigen::Index>(i)] =
        (density.max(least_log_density) * importance).sum() / importance.sum();
  }
  const double trust = options_.trust * std::min(1.0, importance.sum() / trusted_points);
  const Eigen::ArrayXd likelihood = (trust * (evidence - evidence.maxCoeff())).exp();
  const double shared = 1 - options_.least_weight * static_cast<double>(members_.size());
  for (std::size_t i = 0; i < members_.size(); ++i) {
    members_[i].weight = options_.least_weight +
                         shared * likelihood[static_cast<Eigen::Index>(i)] / likelihood.sum();
  }
}

void Surrogate::learn_failures(const std::vector<Measured>& measured,
                               const std::vector<std::size_t>& chosen) {
  works_.reset();
  std::vector<Eigen::Index> numbers;
  Eigen::VectorXd labels(static_cast<Eigen::Index>(chosen.size()));
  for (const std::size_t i : chosen) {
    labels[static_cast<Eigen::Index>(numbers.size())] = measured[i].log_seconds ? 0 : -1;
    numbers.push_back(space_.number(measured[i].configuration));
  }
  if (labels.minCoeff() == 0) {
    return;
  }
  Hyperparameters hyper = Hyperparameters::prior(space_.features());
  hyper.log_noise = works_log_noise;
  works_.emplace(space_.features(numbers).cast<double>(), labels, hyper, options_.works_stretch);
}

Surrogate::Timed Surrogate::timed(const std::vector<Measured>& measured,
                                  const std::vector<std::size_t>& chosen) {
  Timed points;
  std::vector<double> log_seconds;
  for (const std::size_t i : chosen) {
    if (measured[i].log_seconds) {
      points.numbers.push_back(space_.number(measured[i].configuration));
      points.amounts.push_back(space_.amounts(points.numbers.back()));
      log_seconds.push_back(*measured[i].log_seconds);
    }
  }
  points.log_seconds = Eigen::Map<const Eigen::VectorXd>(
      log_seconds.data(), static_cast<Eigen::Index>(log_seconds.size()));
  const Eigen::ArrayXd excess = points.log_seconds.array() - points.log_seconds.minCoeff();
  points.importance = least_importance + (1 - least_importance) * (-excess / options_.focus).exp();
  return points;
}

const MeanFunction::Posterior& Surrogate::fit_roofline(const std::vector<Measured>& measured) {
  std::vector<std::size_t> all(measured.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  const Timed points = timed(measured, all);
  posterior_ = mean_.fit(points.amounts, points.log_seconds, points.importance, mean_.prior());
  return posterior_;
}

void Surrogate::update(const std::vector<Measured>& measured, std::size_t idle,
                       std::mt19937_64& random) {
  const std::vector<std::size_t> chosen = choose(measured, random);
  const Timed known = timed(measured, chosen);
  best_ = known.log_seconds.minCoeff();
  const Eigen::VectorXd targets =
      known.log_seconds.unaryExpr([this](double t) { return compress(t); });
  const Eigen::MatrixXd points = space_.features(known.numbers).cast<double>();
  members_.clear();
  members_.resize(3);
  if (options_.roofline_mean && !space_.bounds().empty()) {
    posterior_ = mean_.fit(known.amounts, known.log_seconds, known.importance, posterior_.mode);
    members_[0].roofline = posterior_.mode;
    members_[1].roofline = posterior_.draw(random);
  }
  ++updates_;
  const double beyond = std::max(0.0, static_cast<double>(idle) - options_.patience);
  const double shrink = std::max(options_.shrink, 1 / (1 + beyond / options_.haste));
  fit_member(members_[0], options_.stretch_first * shrink, points, known.numbers, targets,
             residual_hyper_, true);
  fit_member(members_[1], options_.stretch_drawn * shrink, points, known.numbers, targets,
             residual_hyper_, false);
  fit_member(members_[2], options_.stretch_guard * shrink,
             points.topRows(space_.parameter_features()), known.numbers, targets, guard_hyper_,
             true);
  if (prior_ != nullptr) {
    Member& carried = members_.emplace_back();
    carried.prior_slope = prior_slope(known.numbers, targets, known.importance);
    fit_member(carried, options_.stretch_first * shrink, points, known.numbers, targets,
               prior_hyper_, true);
  }
  weigh_members(known.importance);
  learn_failures(measured, chosen);
}

Eigen::VectorXd Surrogate::member_improvement(const Member& member,
                                              const GaussianProcess::Prediction& prediction,
                                              const Eigen::VectorXd& centres,
                                              const Eigen::VectorXf& variances,
                                              const std::vector<Eigen::Index>& queries) const {
  Eigen::VectorXd result(static_cast<Eigen::Index>(queries.size()));
  const double threshold = best_ - options_.margin * member.scale;
  for (Eigen::Index i = 0; i < result.size(); ++i) {
    const Eigen::Index query = queries[static_cast<std::size_t>(i)];
    result[i] = member.weight * improvement(threshold,
                                            centres[query] + member.scale * prediction.mean[query],
                                            member.scale * std::sqrt(variances[i]));
  }
  return result;
}

Eigen::VectorXd Surrogate::expected_improvement(const std::vector<Eigen::Index>& numbers) const {
  const Eigen::MatrixXf queries = space_.features(numbers);
  const auto count = static_cast<Eigen::Index>(numbers.size());
  std::vector<Eigen::Index> all(numbers.size());
  std::iota(all.begin(), all.end(), Eigen::Index{0});
  std::vector<GaussianProcess::Prediction> predictions;
  std::vector<Eigen::VectorXd> centres;
  Eigen::VectorXd bound = Eigen::VectorXd::Zero(count);
  for (const Member& member : members_) {
    predictions.push_back(member.process->predict(queries.topRows(member.process->features())));
    Eigen::VectorXd centre(count);
    for (Eigen::Index i = 0; i < count; ++i) {
      centre[i] = member_mean(member, numbers[static_cast<std::size_t>(i)]);
    }
    centres.push_back(std::move(centre));
    bound += member_improvement(member, predictions.back(), centres.back(),
                                predictions.back().variance_bound, all);
  }
  // Exact variances cost most, so only those candidates get them whose bound is high.
  std::vector<Eigen::Index> chosen = all;
  if (chosen.size() > exact_at_most) {
    const auto last = chosen.begin() + static_cast<std::ptrdiff_t>(exact_at_most);
    std::nth_element(chosen.begin(), last, chosen.end(),
                     [&](Eigen::Index a, Eigen::Index b) { return bound[a] > bound[b]; });
    chosen.erase(last, chosen.end());
  }
  Eigen::VectorXd total = Eigen::VectorXd::Zero(count);
  for (std::size_t m = 0; m < members_.size(); ++m) {
    const Eigen::VectorXf variances = members_[m].process->variance(predictions[m], chosen);
    const Eigen::VectorXd gain =
        member_improvement(members_[m], predictions[m], centres[m], variances, chosen);
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      total[chosen[i]] += gain[static_cast<Eigen::Index>(i)];
    }
  }
  if (works_) {
    const Eigen::VectorXf label = works_->predict(queries).mean;
    total.array() *= (1 + label.cast<double>().array()).max(least_chance).min(1.0);
  }
  return total;
}

double Surrogate::predict(Eigen::Index number) const {
  const Eigen::MatrixXf query = space_.features(number);
  double total = 0;
  for (const Member& member : members_) {
    const GaussianProcess& process = *member.process;
    const float residual = process.predict(query.topRows(process.features())).mean[0];
    total += member.weight * (member_mean(member, number) + member.scale * residual);
  }
  return total;
}

}  // namespace rooftune::search
