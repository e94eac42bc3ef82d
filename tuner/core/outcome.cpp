#include "tuner/core/outcome.hpp"

#include <algorithm>
#include <array>

namespace rooftune {
namespace {

struct Row {
  Outcome outcome;
  std::string_view name;
  std::string_view t4;
};

constexpr std::array rows = {
    Row{Outcome::ok, "ok", "correct"},
    Row{Outcome::compile_failed, "compile_failed", "compile"},
    Row{Outcome::cannot_launch, "cannot_launch", "runtime"},
    Row{Outcome::wrong_result, "wrong_result", "correctness"},
    Row{Outcome::crashed, "crashed", "runtime"},
    Row{Outcome::timed_out, "timed_out", "timeout"},
    Row{Outcome::out_of_memory, "out_of_memory", "runtime"},
    Row{Outcome::skipped, "skipped", "constraints"},
};

const Row& row_of(Outcome outcome) {
  return *std::find_if(rows.begin(), rows.end(),
                       [&](const Row& row) { return row.outcome == outcome; });
}

}  // namespace

std::string_view to_string(Outcome outcome) {
  return row_of(outcome).name;
}

std::string_view t4_invalidity(Outcome outcome) {
  return row_of(outcome).t4;
}

std::optional<Outcome> outcome_from(std::string_view name) {
  const auto* found =
      std::find_if(rows.begin(), rows.end(), [&](const Row& row) { return row.name == name; });
  return found == rows.end() ? std::nullopt : std::optional(found->outcome);
}

}  // namespace rooftune
