#include "tuner/space/space.hpp"

#include <algorithm>
#include <limits>
#include <unordered_set>

#include "tuner/core/hash.hpp"
#include "tuner/space/diagram.hpp"

namespace rooftune {
namespace {

/// Some seconds of counting.
constexpr std::uint64_t most_visits = 20'000'000;

/// Uniform in [0, bound), the same on every machine: std's distributions are not.
std::uint64_t below(std::uint64_t bound, std::mt19937_64& random) {
  const std::uint64_t rest = std::numeric_limits<std::uint64_t>::max() % bound + 1;
  const std::uint64_t last = rest == bound ? std::numeric_limits<std::uint64_t>::max()
                                           : std::numeric_limits<std::uint64_t>::max() - rest;
  std::uint64_t number = random();
  while (number > last) {
    number = random();
  }
  return number % bound;
}

}  // namespace

std::size_t ConfigurationHash::operator()(const Configuration& configuration) const {
  const auto* bytes = reinterpret_cast<const char*>(configuration.choice.data());
  return stable_hash({bytes, configuration.choice.size() * sizeof(std::uint16_t)});
}

struct Space::Engine {
  Diagram diagram;
};

Space::Space(const Spec& spec)
    : parameters_(spec.parameters),
      engine_(std::make_shared<const Engine>(Engine{Diagram(spec, most_visits)})) {
  for (const std::size_t rule : engine_->diagram.rule_order()) {
    removed_.push_back({spec.rules[rule].text, engine_->diagram.removed()[rule]});
  }
}

std::uint64_t Space::raw_size() const {
  std::uint64_t size = 1;
  for (const Parameter& parameter : parameters_) {
    if (__builtin_mul_overflow(size, parameter.values.size(), &size)) {
      return std::numeric_limits<std::uint64_t>::max();
    }
  }
  return size;
}

std::uint64_t Space::size() const {
  return engine_->diagram.size();
}

Configuration Space::at(std::uint64_t index) const {
  return engine_->diagram.at(index);
}

std::optional<std::uint64_t> Space::index_of(const Configuration& configuration) const {
  return engine_->diagram.index_of(configuration);
}

std::vector<Configuration> Space::neighbours(const Configuration& configuration) const {
  std::vector<Configuration> result;
  Configuration candidate = configuration;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    for (std::size_t choice = 0; choice < parameters_[i].values.size(); ++choice) {
      candidate.choice[i] = static_cast<std::uint16_t>(choice);
      if (choice != configuration.choice[i] && contains(candidate)) {
        result.push_back(candidate);
      }
    }
    candidate.choice[i] = configuration.choice[i];
  }
  return result;
}

std::vector<Configuration> Space::sample(std::uint64_t count, std::mt19937_64& random) const {
  count = std::min(count, size());
  // Floyd: each set of `count` indices is equally likely, and none is drawn twice.
  std::unordered_set<std::uint64_t> seen;
  std::vector<Configuration> result;
  for (std::uint64_t last = size() - count; last < size(); ++last) {
    const std::uint64_t drawn = below(last + 1, random);
    const std::uint64_t index = seen.insert(drawn).second ? drawn : last;
    seen.insert(index);
    result.push_back(at(index));
  }
  for (std::size_t i = result.size(); i > 1; --i) {
    std::swap(result[i - 1], result[below(i, random)]);
  }
  return result;
}

NamedValues Space::values(const Configuration& configuration) const {
  NamedValues result;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    result.push_back({parameters_[i].name, parameters_[i].values[configuration.choice[i]]});
  }
  return result;
}

std::optional<Configuration> Space::find(const NamedValues& values) const {
  Configuration configuration;
  for (const Parameter& parameter : parameters_) {
    const Value* value = find_value(values, parameter.name);
    const auto choice = value == nullptr
                            ? parameter.values.end()
                            : std::find(parameter.values.begin(), parameter.values.end(), *value);
    if (choice == parameter.values.end()) {
      return std::nullopt;
    }
    configuration.choice.push_back(static_cast<std::uint16_t>(choice - parameter.values.begin()));
  }
  return configuration;
}

}  // namespace rooftune
