#include "tuner/session/foreknowledge.hpp"

#include <fmt/format.h>

#include "tuner/core/units.hpp"

namespace rooftune {
namespace {

/// Configurations that the proof looks at between two evaluations, so that it costs little.
constexpr std::uint64_t proof_steps = 4096;

}  // namespace

std::optional<Failure> Foreknowledge::cannot_beat(const Record* best,
                                                  const Configuration& configuration) const {
  if (best == nullptr || !holds_) {
    return std::nullopt;
  }
  const double least = model_.lower_bound_seconds(configuration);
  if (least <= best->seconds) {
    return std::nullopt;
  }
  return Failure{Outcome::skipped,
                 fmt::format("takes at least {} by the device's theoretical peaks, the best {}",
                             format_seconds(least), format_seconds(best->seconds)),
                 ""};
}

std::optional<std::string> Foreknowledge::learn(const Record& record,
                                                const Configuration& configuration) {
  if (record.outcome != Outcome::ok || !holds_) {
    return std::nullopt;
  }
  const double least = model_.lower_bound_seconds(configuration);
  if (record.seconds >= least) {
    return std::nullopt;
  }
  holds_ = false;
  return fmt::format(
      "{} took {}, less than the {} that the spec's `work` and the device's theoretical peaks "
      "allow: the kernel skips work, the clock is wrong, or `work` counts too much. No "
      "configuration is skipped by that model any more",
      to_string(record.parameters), format_seconds(record.seconds), format_seconds(least));
}

std::optional<Proof> Foreknowledge::prove(const Record* best, double improvement, const Seen& seen,
                                          std::uint64_t seen_count) {
  if (best == nullptr || !holds_) {
    return std::nullopt;
  }
  is_proven_ = is_proven_ || proof_.advance(best->seconds, improvement, seen, proof_steps);
  if (!is_proven_) {
    return std::nullopt;
  }
  return Proof{proof_.least_seconds(), space_.size() - seen_count};
}

}  // namespace rooftune
