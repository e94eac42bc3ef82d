#include "tuner/cli/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tuner/core/units.hpp"

namespace rooftune::cli {
namespace {

constexpr const char* nothing = "-";

std::string time_of(const Record* best) {
  return best == nullptr ? nothing : format_seconds(best->ranked_seconds());
}

std::string roof_of(const Record* best) {
  const auto fraction = best == nullptr ? std::nullopt : best->roof_fraction();
  return fraction ? format_percent(*fraction) : nothing;
}

std::string bound_of(const Record* best) {
  const bool known = best != nullptr && best->diagnosis && !best->diagnosis->findings.empty();
  return known ? std::string(to_string(best->diagnosis->findings.front().bound)) : nothing;
}

std::string value_of(const Record* best, const std::string& name) {
  const Value* value = best == nullptr ? nullptr : find_value(best->parameters, name);
  return value == nullptr ? nothing : value->to_string();
}

/// Of both together: the relative standard deviations of the samples, or the spread of the finals.
double noise_of(const Record& record) {
  double noise = 0;
  for (const ProblemResult& result : record.problems) {
    noise = std::max(noise, result.measurement ? result.measurement->relative_noise : 0);
  }
  if (!record.finals.empty()) {
    const auto [least, most] = std::minmax_element(record.finals.begin(), record.finals.end());
    noise = std::max(noise, (*most - *least) / 2 / record.ranked_seconds());
  }
  return noise;
}

void add_parameters(const Results& a, const Results& b, std::vector<ComparisonRow>& rows) {
  const auto add = [&](const std::vector<Parameter>& parameters) {
    for (const Parameter& parameter : parameters) {
      const bool is_there = std::any_of(rows.begin(), rows.end(), [&](const ComparisonRow& row) {
        return row.what == parameter.name;
      });
      if (!is_there) {
        rows.push_back({parameter.name, value_of(a.best(), parameter.name),
                        value_of(b.best(), parameter.name)});
      }
    }
  };
  add(a.parameters);
  add(b.parameters);
}

std::vector<std::string> caveats_of(const Results& a, const Results& b) {
  std::vector<std::string> caveats;
  if (a.device.name != b.device.name) {
    caveats.push_back("the devices differ");
  }
  if (a.spec_hash != b.spec_hash) {
    caveats.push_back(a.spec_name == b.spec_name
                          ? "the specs differ (or their overrides, or the kernel's source)"
                          : "the kernels differ");
  }
  const auto sizes = [](const Results& results) {
    std::string text;
    for (const Problem& problem : results.problems) {
      text += (text.empty() ? "" : "; ") + to_string(problem);
    }
    return text;
  };
  if (sizes(a) != sizes(b)) {
    caveats.push_back(fmt::format("the problems differ ({} and {})", sizes(a), sizes(b)));
  }
  return caveats;
}

std::string verdict_of(const Comparison& comparison) {
  if (!comparison.speedup) {
    return "nothing to compare: a run without a configuration that succeeded";
  }
  const double ratio = *comparison.speedup;
  if (std::abs(ratio - 1) <= comparison.noise) {
    return fmt::format("no difference beyond the noise ({})", format_percent(comparison.noise));
  }
  return ratio > 1 ? fmt::format("B is {:.2f}x as fast as A", ratio)
                   : fmt::format("A is {:.2f}x as fast as B", 1 / ratio);
}

}  // namespace

Comparison compare(const Results& a, const Results& b) {
  const Record* best_a = a.best();
  const Record* best_b = b.best();
  Comparison it;
  it.rows = {
      {"kernel", a.spec_name, b.spec_name},
      {"device", a.device.name, b.device.name},
      {"policy", a.policy, b.policy},
      {"evaluations", format_count(a.records.size()), format_count(b.records.size())},
      {"time", time_of(best_a), time_of(best_b)},
      {"of its ceiling", roof_of(best_a), roof_of(best_b)},
      {"bound by", bound_of(best_a), bound_of(best_b)},
  };
  add_parameters(a, b, it.rows);
  if (best_a != nullptr && best_b != nullptr) {
    it.speedup = best_a->ranked_seconds() / best_b->ranked_seconds();
    it.noise = std::hypot(noise_of(*best_a), noise_of(*best_b));
  }
  it.caveats = caveats_of(a, b);
  it.verdict = verdict_of(it);
  return it;
}

std::string to_text(const Comparison& comparison) {
  std::size_t first = 0;
  std::size_t second = 1;
  for (const ComparisonRow& row : comparison.rows) {
    first = std::max(first, row.what.size());
    second = std::max(second, row.a.size());
  }
  std::string text = fmt::format("{:<{}}   {:<{}}   B\n", "", first, "A", second);
  for (const ComparisonRow& row : comparison.rows) {
    text += fmt::format("{:<{}} {} {:<{}}   {}\n", row.what, first, row.a == row.b ? ' ' : '*',
                        row.a, second, row.b);
  }
  text += "\n" + comparison.verdict + "\n";
  for (const std::string& caveat : comparison.caveats) {
    text += "mind: " + caveat + "\n";
  }
  return text;
}

}  // namespace rooftune::cli
