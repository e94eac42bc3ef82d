#include "tuner/session/results.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace rooftune {
namespace {

struct StopRow {
  StopReason reason;
  std::string_view name;
};

constexpr std::array stop_rows = {
    StopRow{StopReason::ceiling, "ceiling"},
    StopRow{StopReason::proof, "proof"},
    StopRow{StopReason::evaluations, "evaluations"},
    StopRow{StopReason::seconds, "seconds"},
    StopRow{StopReason::space_used_up, "space_used_up"},
    StopRow{StopReason::interrupted, "interrupted"},
    StopRow{StopReason::device_lost, "device_lost"},
};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

bool may_be_best(const Record& record) {
  return record.outcome == Outcome::ok && record.in_space;
}

}  // namespace

std::string_view to_string(StopReason reason) {
  return std::find_if(stop_rows.begin(), stop_rows.end(),
                      [&](const StopRow& row) { return row.reason == reason; })
      ->name;
}

std::optional<StopReason> stop_reason_from(std::string_view name) {
  const auto* found = std::find_if(stop_rows.begin(), stop_rows.end(),
                                   [&](const StopRow& row) { return row.name == name; });
  return found == stop_rows.end() ? std::nullopt : std::optional(found->reason);
}

double Record::ranked_seconds() const {
  return finals.empty() ? seconds : median(finals);
}

double Record::joules() const {
  double logarithms = 0;
  for (const ProblemResult& result : problems) {
    if (!result.measurement || result.measurement->joules <= 0) {
      return 0;
    }
    logarithms += std::log(result.measurement->joules);
  }
  return problems.empty() ? 0 : std::exp(logarithms / static_cast<double>(problems.size()));
}

std::optional<double> Record::roof_fraction() const {
  double logarithms = 0;
  for (const ProblemResult& result : problems) {
    if (!result.placement || result.placement->fraction <= 0) {
      return std::nullopt;
    }
    logarithms += std::log(result.placement->fraction);
  }
  if (problems.empty() || outcome != Outcome::ok) {
    return std::nullopt;
  }
  return std::exp(logarithms / static_cast<double>(problems.size())) * seconds / ranked_seconds();
}

void count_dropped(const Failure& failure, std::vector<Dropped>& dropped) {
  const auto without_figures = [](std::string text) {
    text.erase(
        std::remove_if(text.begin(), text.end(),
                       [](char c) { return (c >= '0' && c <= '9') || c == '.' || c == ','; }),
        text.end());
    return text;
  };
  const auto same = [&](const Dropped& one) {
    return one.outcome == failure.outcome &&
           (failure.outcome == Outcome::skipped ||
            without_figures(one.reason) == without_figures(failure.reason));
  };
  auto found = std::find_if(dropped.begin(), dropped.end(), same);
  if (found == dropped.end()) {
    found = dropped.insert(found, {failure.outcome, failure.reason, 0});
  }
  ++found->count;
}

const Record* Results::best() const {
  // Times of the finals, measured in turn, compare with each other and not with earlier ones.
  const bool finals_held = std::any_of(records.begin(), records.end(), [](const Record& record) {
    return may_be_best(record) && !record.finals.empty();
  });
  const auto cost = [this](const Record& record) {
    if (objective == Objective::time) {
      return record.ranked_seconds();
    }
    const double joules = record.joules();
    return joules > 0 ? joules : std::numeric_limits<double>::infinity();
  };
  const Record* best = nullptr;
  for (const Record& record : records) {
    if (may_be_best(record) && record.finals.empty() != finals_held &&
        (best == nullptr || cost(record) < cost(*best))) {
      best = &record;
    }
  }
  return best;
}

const Record* Results::baseline_record() const {
  if (baseline.empty()) {
    return nullptr;
  }
  const auto found = std::find_if(records.begin(), records.end(), [&](const Record& record) {
    return record.parameters == baseline;
  });
  return found == records.end() ? nullptr : &*found;
}

std::optional<double> Results::speedup() const {
  const Record* reference = baseline_record();
  const Record* fastest = best();
  if (reference == nullptr || fastest == nullptr || reference->outcome != Outcome::ok) {
    return std::nullopt;
  }
  return reference->ranked_seconds() / fastest->ranked_seconds();
}

std::vector<std::uint64_t> Results::ties() const {
  std::vector<std::uint64_t> numbers;
  const Record* fastest = best();
  if (fastest == nullptr || fastest->finals.empty()) {
    return numbers;
  }
  const double slowest = *std::max_element(fastest->finals.begin(), fastest->finals.end());
  for (const Record& record : records) {
    if (&record != fastest && may_be_best(record) && !record.finals.empty() &&
        *std::min_element(record.finals.begin(), record.finals.end()) <= slowest) {
      numbers.push_back(record.number);
    }
  }
  return numbers;
}

std::string tool_version() {
  return ROOFTUNE_VERSION;
}

}  // namespace rooftune
