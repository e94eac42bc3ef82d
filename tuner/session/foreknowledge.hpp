// What is known of configurations that need not be run: the model's bounds and what they prove, for
// as long as no measurement contradicts the model.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "tuner/session/model.hpp"

namespace rooftune {

/// Keeps references to the arguments of its constructor.
class Foreknowledge {
 public:
  using Seen = std::function<bool(const Configuration&)>;

  /// `is_ranked_by_time`: what bounds a time proves nothing of any other objective.
  Foreknowledge(const Spec& spec, const Space& space, const DeviceProfile& device,
                bool is_ranked_by_time)
      : space_(space),
        model_(spec, space, device),
        proof_(space, [this](const Configuration& c) { return model_.lower_bound_seconds(c); }),
        holds_(is_ranked_by_time) {}
  Foreknowledge(const Foreknowledge&) = delete;
  Foreknowledge& operator=(const Foreknowledge&) = delete;

  const Model& model() const { return model_; }
  /// Why the configuration provably cannot beat the best (nullptr: there is none yet); nullopt
  /// where that is not proven.
  std::optional<Failure> cannot_beat(const Record* best, const Configuration& configuration) const;
  /// A time below the lower bound refutes the model: nothing may be concluded from it any more.
  /// What to tell of it, once.
  std::optional<std::string> learn(const Record& record, const Configuration& configuration);
  /// That nothing left beats the best by more than `improvement`, where a look at some more
  /// configurations shows it. `seen_count` of the space were evaluated or dropped.
  std::optional<Proof> prove(const Record* best, double improvement, const Seen& seen,
                             std::uint64_t seen_count);

 private:
  const Space& space_;
  Model model_;
  ProofSearch proof_;
  bool holds_;
  bool is_proven_ = false;
};

}  // namespace rooftune
