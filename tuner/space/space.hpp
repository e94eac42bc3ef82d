// The space: every configuration that the rules allow. Pure: no device, no clock.
// In: parameters, rules, fixed values. Out: random access, neighbours, samples, and which rule
// removed how much.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "tuner/core/value.hpp"
#include "tuner/spec/spec.hpp"

namespace rooftune {

/// One choice per parameter: indices into Parameter::values, in the order of the parameters.
struct Configuration {
  std::vector<std::uint16_t> choice;
  friend auto operator<=>(const Configuration&, const Configuration&) = default;
};

struct ConfigurationHash {
  std::size_t operator()(const Configuration& configuration) const;
};

/// What a rule removed, in the order in which the rules apply.
struct RuleCount {
  std::string rule;
  std::uint64_t removed = 0;  ///< raw configurations that this rule was the first to remove
};

class Space {
 public:
  /// A configuration stays when all rules hold for all problems. Throws InputError where a rule
  /// cannot be evaluated for a configuration that the others allow (at the rule, naming the
  /// values), and where the space is so large, and its rules so entangled, that its size cannot be
  /// counted in seconds: most spaces of any size can.
  explicit Space(const Spec& spec);

  const std::vector<Parameter>& parameters() const { return parameters_; }
  /// Product of the value counts; saturates at 2^64 - 1.
  std::uint64_t raw_size() const;
  /// Configurations that the rules allow.
  std::uint64_t size() const;
  /// index < size(). The order is fixed for a spec, and follows the rules rather than the
  /// declaration of the parameters.
  Configuration at(std::uint64_t index) const;
  /// nullopt where the rules forbid it.
  std::optional<std::uint64_t> index_of(const Configuration& configuration) const;
  bool contains(const Configuration& configuration) const {
    return index_of(configuration).has_value();
  }

  /// Valid configurations that differ in exactly one parameter.
  std::vector<Configuration> neighbours(const Configuration& configuration) const;
  /// `count` distinct valid configurations (all of them where there are fewer), uniformly.
  std::vector<Configuration> sample(std::uint64_t count, std::mt19937_64& random) const;

  NamedValues values(const Configuration& configuration) const;
  /// nullopt where a name or a value is not in the space (rules are not asked).
  std::optional<Configuration> find(const NamedValues& values) const;

  const std::vector<RuleCount>& removed() const { return removed_; }

 private:
  std::vector<Parameter> parameters_;
  std::vector<RuleCount> removed_;
  struct Engine;
  std::shared_ptr<const Engine> engine_;
};

}  // namespace rooftune
