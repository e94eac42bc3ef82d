#include "tuner/session/finals.hpp"

#include <algorithm>

namespace rooftune {
namespace {

constexpr double close_enough = 1.05;
constexpr std::size_t most_finalists = 4;
constexpr int rounds = 3;

const Record* find_record(const Results& results, std::uint64_t number) {
  const auto found = std::find_if(results.records.begin(), results.records.end(),
                                  [&](const Record& record) { return record.number == number; });
  return found == results.records.end() ? nullptr : &*found;
}

std::vector<const Record*> fastest_records(const Results& results) {
  std::vector<const Record*> records;
  for (const Record& record : results.records) {
    if (record.outcome == Outcome::ok && record.in_space) {
      records.push_back(&record);
    }
  }
  std::stable_sort(records.begin(), records.end(),
                   [](const Record* a, const Record* b) { return a->seconds < b->seconds; });
  while (!records.empty() && (records.size() > most_finalists ||
                              records.back()->seconds > close_enough * records.front()->seconds)) {
    records.pop_back();
  }
  return records;
}

}  // namespace

std::vector<std::uint64_t> choose_finalists(const Results& results) {
  std::vector<std::uint64_t> numbers;
  for (const Record* record : fastest_records(results)) {
    numbers.push_back(record->number);
  }
  const Record* baseline = results.baseline_record();
  if (!numbers.empty() && baseline != nullptr && baseline->outcome == Outcome::ok &&
      std::find(numbers.begin(), numbers.end(), baseline->number) == numbers.end()) {
    numbers.push_back(baseline->number);
  }
  return numbers.size() > 1 ? numbers : std::vector<std::uint64_t>{};
}

std::vector<Finals> hold_finals(const Results& results, const std::vector<std::uint64_t>& numbers,
                                Evaluator& evaluator) {
  std::vector<Finals> finals;
  std::vector<std::variant<Prepared, Failure>> prepared;
  for (const std::uint64_t number : numbers) {
    finals.push_back({number, {}});
    prepared.push_back(evaluator.prepare(find_record(results, number)->parameters));
  }
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < finals.size(); ++i) {
      const bool out = finals[i].seconds.size() < static_cast<std::size_t>(round);
      const auto* ready = std::get_if<Prepared>(&prepared[i]);
      if (ready == nullptr || out) {
        continue;
      }
      const std::variant<double, Failure> timed = evaluator.time(*ready);
      if (const auto* seconds = std::get_if<double>(&timed)) {
        finals[i].seconds.push_back(*seconds);
      } else {
        finals[i].seconds.clear();
      }
    }
  }
  return finals;
}

void apply_finals(const std::vector<Finals>& finals, Results& results) {
  for (const Finals& one : finals) {
    for (Record& record : results.records) {
      if (record.number == one.number) {
        record.finals = one.seconds;
      }
    }
  }
}

}  // namespace rooftune
