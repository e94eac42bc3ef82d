#include "search/model_space.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "tuner/occupancy/occupancy.hpp"

namespace rooftune::search {
namespace {

constexpr std::uint64_t scale_sample = 1024;
constexpr std::size_t kept_at_most = 1 << 16;
constexpr double smallest_log_seconds = -60;
// Launches with more waves than this have no tail worth naming: blocks end at different times.
constexpr double long_run_of_waves = 20;
// Two features that correlate more than this say the same.
constexpr double same_feature = 0.9995;

constexpr std::array launch_features = {"threads", "lanes used", "block width", "blocks",
                                        "shared",  "occupancy",  "resident",    "waves",
                                        "tail",    "balance"};

/// How often two divides a value: what alignment, banks and remainders depend on.
double twos_in(double value) {
  double twos = 0;
  for (; value != 0 && std::fmod(value, 2) == 0 && twos < 16; value /= 2) ++twos;
  return twos;
}

bool numeric(const Parameter& parameter) {
  return std::all_of(parameter.values.begin(), parameter.values.end(),
                     [](const Value& value) { return value.is_number(); });
}

/// Factors of a few do not align anything.
bool aligns(const Parameter& parameter) {
  return std::any_of(parameter.values.begin(), parameter.values.end(),
                     [](const Value& value) { return value.as_real() >= warp_size; });
}

double log2_or_below(double value) {
  return value > 0 ? std::log2(value) : -1;
}

}  // namespace

ModelSpace::ModelSpace(const SearchContext& context, std::mt19937_64& random) : context_(context) {
  const std::vector<Configuration> sample = context_.space->sample(scale_sample, random);
  if (sample.empty()) return;
  if (context_.geometry) {
    const Geometry geometry = context_.geometry(sample.front());
    has_geometry_ = true;
    for (const NamedValue& derived : geometry.derived) {
      if (derived.value.is_number()) derived_names_.push_back(derived.name);
    }
  }
  if (context_.bounds) {
    for (const Configuration& configuration : sample) {
      for (const BoundTime& time : context_.bounds(configuration)) {
        if (time.seconds <= 0 || time.bound == Bound::tail || time.bound == Bound::launch) continue;
        if (std::find(bounds_.begin(), bounds_.end(), time.bound) == bounds_.end()) {
          bounds_.push_back(time.bound);
        }
      }
    }
    std::sort(bounds_.begin(), bounds_.end());
  }
  name_features();
  std::vector<Raw> raw;
  raw.reserve(sample.size());
  for (const Configuration& configuration : sample) raw.push_back(describe(configuration));
  learn_scales(raw);
}

void ModelSpace::name_features() {
  for (const Parameter& parameter : context_.space->parameters()) {
    if (numeric(parameter)) {
      names_.push_back(parameter.name);
      if (aligns(parameter)) names_.push_back("twos in " + parameter.name);
    } else {
      for (const Value& value : parameter.values) {
        names_.push_back(parameter.name + "=" + value.to_string());
      }
    }
  }
  raw_of_parameters_ = names_.size();
  if (!has_geometry_) return;
  names_.insert(names_.end(), derived_names_.begin(), derived_names_.end());
  names_.insert(names_.end(), launch_features.begin(), launch_features.end());
}

void ModelSpace::describe_parameters(const Configuration& configuration,
                                     std::vector<double>& features) const {
  const std::vector<Parameter>& parameters = context_.space->parameters();
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const std::vector<Value>& values = parameters[i].values;
    const Value& chosen = values[configuration.choice[i]];
    if (numeric(parameters[i])) {
      features.push_back(log2_or_below(chosen.as_real()));
      if (aligns(parameters[i])) features.push_back(twos_in(chosen.as_real()));
    } else {
      for (std::size_t k = 0; k < values.size(); ++k) {
        features.push_back(k == configuration.choice[i] ? 1 : 0);
      }
    }
  }
}

void ModelSpace::describe_launch(const Geometry& geometry, Raw& raw) const {
  const Launch launch = geometry.launch.value_or(Launch{});
  const auto threads = static_cast<double>(launch.block.count());
  const double warps = std::ceil(threads / warp_size);
  const auto blocks = static_cast<double>(launch.grid.count());
  const double shared = static_cast<double>(launch.shared_bytes) +
                        static_cast<double>(geometry.shared_bytes.value_or(0));
  double fraction = 0;
  double resident = 0;
  double waves = 0;
  double balance = 1;
  const std::optional<Occupancy> found =
      context_.device == nullptr ? std::nullopt : model_input(geometry, *context_.device).occupancy;
  if (found) {
    raw.launchable = found->launchable;
    fraction = found->fraction;
    resident = std::max(found->active_blocks, 1);
    waves = blocks / (resident * context_.device->multiprocessors);
    if (waves < long_run_of_waves) raw.amounts.log_tail = std::log(std::ceil(waves) / waves);
    // Warps go to four schedulers; one that holds more than its share finishes last.
    const double held = resident * warps;
    balance = held / (4 * std::ceil(held / 4));
  }
  for (const double feature :
       {std::log2(threads), threads / (warps * warp_size),
        std::log2(static_cast<double>(launch.block.x)), std::log2(blocks), std::log2(shared + 1024),
        fraction, log2_or_below(resident), log2_or_below(waves), raw.amounts.log_tail, balance}) {
    raw.features.push_back(feature);
  }
}

ModelSpace::Raw ModelSpace::describe(const Configuration& configuration) const {
  Raw raw;
  describe_parameters(configuration, raw.features);
  if (has_geometry_) {
    const Geometry geometry = context_.geometry(configuration);
    for (const NamedValue& derived : geometry.derived) {
      if (derived.value.is_number()) raw.features.push_back(log2_or_below(derived.value.as_real()));
    }
    describe_launch(geometry, raw);
  }
  raw.amounts.log_seconds =
      Eigen::VectorXd::Constant(static_cast<Eigen::Index>(bounds_.size()), smallest_log_seconds);
  if (!bounds_.empty()) {
    for (const BoundTime& time : context_.bounds(configuration)) {
      const auto found = std::find(bounds_.begin(), bounds_.end(), time.bound);
      if (found == bounds_.end() || time.seconds <= 0) continue;
      double& kept = raw.amounts.log_seconds[found - bounds_.begin()];
      kept = std::max(kept, std::log(time.seconds));  // a bound may come with a shorter proof
    }
  }
  return raw;
}

void ModelSpace::learn_scales(const std::vector<Raw>& sample) {
  const auto rows = static_cast<Eigen::Index>(names_.size());
  Eigen::ArrayXXd raw(rows, static_cast<Eigen::Index>(sample.size()));
  for (std::size_t i = 0; i < sample.size(); ++i) {
    raw.col(static_cast<Eigen::Index>(i)) =
        Eigen::Map<const Eigen::ArrayXd>(sample[i].features.data(), rows);
  }
  const Eigen::ArrayXd centre = raw.rowwise().mean();
  const Eigen::ArrayXXd centred = raw.colwise() - centre;
  const Eigen::ArrayXd spread = centred.square().rowwise().mean().sqrt();
  std::vector<double> centres, scales;
  for (Eigen::Index i = 0; i < rows; ++i) {
    if (spread[i] < 1e-9) continue;
    const bool repeated = std::any_of(kept_.begin(), kept_.end(), [&](std::size_t other) {
      const auto j = static_cast<Eigen::Index>(other);
      const double correlation = (centred.row(i) * centred.row(j)).mean() / (spread[i] * spread[j]);
      return std::abs(correlation) > same_feature;
    });
    if (repeated) continue;
    kept_.push_back(static_cast<std::size_t>(i));
    centres.push_back(centre[i]);
    scales.push_back(1 / spread[i]);
  }
  parameter_features_ =
      std::lower_bound(kept_.begin(), kept_.end(), raw_of_parameters_) - kept_.begin();
  const auto kept = static_cast<Eigen::Index>(kept_.size());
  centre_ = Eigen::Map<Eigen::ArrayXd>(centres.data(), kept);
  inverse_scale_ = Eigen::Map<Eigen::ArrayXd>(scales.data(), kept);
  features_.resize(kept, 0);
}

Eigen::Index ModelSpace::number(const Configuration& configuration) {
  const auto [place, added] = numbers_.try_emplace(configuration, used_);
  if (!added) return place->second;
  const Raw raw = describe(configuration);
  if (used_ == features_.cols()) {
    features_.conservativeResize(Eigen::NoChange, std::max<Eigen::Index>(2 * used_, 1024));
  }
  for (std::size_t i = 0; i < kept_.size(); ++i) {
    const auto k = static_cast<Eigen::Index>(i);
    features_(k, used_) =
        static_cast<float>((raw.features[kept_[i]] - centre_[k]) * inverse_scale_[k]);
  }
  configurations_.push_back(configuration);
  amounts_.push_back(raw.amounts);
  launchable_.push_back(raw.launchable ? 1 : 0);
  return used_++;
}

Eigen::MatrixXf ModelSpace::features(const std::vector<Eigen::Index>& numbers) const {
  Eigen::MatrixXf gathered(features_.rows(), static_cast<Eigen::Index>(numbers.size()));
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    gathered.col(static_cast<Eigen::Index>(i)) = features_.col(numbers[i]);
  }
  return gathered;
}

bool ModelSpace::full() const {
  return configurations_.size() > kept_at_most;
}

void ModelSpace::forget() {
  numbers_.clear();
  configurations_.clear();
  amounts_.clear();
  launchable_.clear();
  used_ = 0;
}

}  // namespace rooftune::search
