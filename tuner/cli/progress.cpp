#include "tuner/cli/progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <ostream>

#include "tuner/core/units.hpp"

namespace rooftune::cli {
namespace {

constexpr std::string_view clear_line = "\r\x1b[K";

std::string fraction_text(const Record& record, std::string_view before, std::string_view after) {
  const auto fraction = record.roof_fraction();
  return fraction ? fmt::format("{}{} of its roof{}", before, format_percent(*fraction), after)
                  : "";
}

std::string bound_text(const Record& record, std::string_view before) {
  const std::string bound = bound_in_words(record);
  return bound.empty() ? "" : fmt::format("{}{}", before, bound);
}

}  // namespace

std::optional<double> seconds_left(const Results& so_far, const ProgressOptions& options) {
  std::optional<double> left;
  const auto done = static_cast<double>(so_far.records.size());
  if (options.evaluations && done > 0) {
    const auto wanted = static_cast<double>(std::min(*options.evaluations, so_far.space_size));
    left = so_far.elapsed_seconds / done * std::max(0.0, wanted - done);
  }
  if (options.seconds) {
    const double of_budget = std::max(0.0, *options.seconds - so_far.elapsed_seconds);
    left = left ? std::min(*left, of_budget) : of_budget;
  }
  return left;
}

std::string progress_line(const Results& so_far, const ProgressOptions& options) {
  const auto is_failed = [](const Record& record) { return record.outcome != Outcome::ok; };
  const auto failed = std::count_if(so_far.records.begin(), so_far.records.end(), is_failed);
  const std::uint64_t wanted =
      std::min(options.evaluations.value_or(so_far.space_size), so_far.space_size);
  std::string text =
      fmt::format("{}/{}", format_count(so_far.records.size()), format_count(wanted));
  if (const Record* best = so_far.best()) {
    const bool is_time = so_far.objective == Objective::time;
    text += fmt::format(
        "  best {}{}{}",
        is_time ? format_seconds(best->ranked_seconds()) : format_joules(best->joules()),
        fraction_text(*best, " (", ")"), bound_text(*best, "  "));
  }
  if (failed > 0) {
    text += fmt::format("  {} failed", failed);
  }
  if (const auto left = seconds_left(so_far, options)) {
    text += fmt::format("  {} left", format_seconds(*left));
  }
  return text;
}

std::string outcome_text(const Record& record) {
  if (record.outcome != Outcome::ok) {
    return fmt::format("{}: {}", to_string(record.outcome), record.reason);
  }
  return fmt::format("{}{}{}", format_seconds(record.seconds), fraction_text(record, ", ", ""),
                     bound_text(record, ", "));
}

std::string failures_text(const Results& results) {
  std::map<Outcome, std::vector<const Record*>> failed;
  for (const Record& record : results.records) {
    if (record.outcome != Outcome::ok) {
      failed[record.outcome].push_back(&record);
    }
  }
  std::string text;
  for (const auto& [outcome, records] : failed) {
    text +=
        fmt::format("{} {}, the first {}: {}\n", format_count(records.size()), to_string(outcome),
                    to_string(records.front()->parameters), records.front()->reason);
  }
  for (const Dropped& dropped : results.dropped) {
    text += fmt::format("{} {} without a trial, the first: {}\n", format_count(dropped.count),
                        to_string(dropped.outcome), dropped.reason);
  }
  return text;
}

void Progress::on_start(const Results& so_far) {
  line(fmt::format("{} on {}: {} configurations of {}, policy {}, seed {}", so_far.spec_name,
                   so_far.device.name, format_count(so_far.space_size),
                   format_count(so_far.raw_size), so_far.policy, so_far.seed));
}

void Progress::on_proposal(std::uint64_t number, const NamedValues& parameters,
                           const Reason& reason) {
  if (options_.explain) {
    line(fmt::format("#{} {}", number, to_string(parameters)));
    line(fmt::format("    because {}", reason.summary));
  }
}

void Progress::on_record(const Record& record, const Results& so_far) {
  const bool is_best = so_far.best() == &record;
  if (options_.explain) {
    line(fmt::format("    {}{}", outcome_text(record), is_best ? " (the best so far)" : ""));
  } else if (is_best && !options_.terminal) {
    line(fmt::format("#{} {}: {}", record.number, to_string(record.parameters),
                     outcome_text(record)));
  }
  if (options_.terminal) {
    out_ << clear_line << progress_line(so_far, options_) << std::flush;
    live_line_ = true;
  }
}

void Progress::on_message(const std::string& text) {
  line("note: " + text);
}

void Progress::on_stop(const Results& results) {
  clear_live_line();
  out_ << failures_text(results) << std::flush;
}

void Progress::line(const std::string& text) {
  clear_live_line();
  out_ << text << '\n' << std::flush;
}

void Progress::clear_live_line() {
  if (live_line_) {
    out_ << clear_line << std::flush;
    live_line_ = false;
  }
}

}  // namespace rooftune::cli
