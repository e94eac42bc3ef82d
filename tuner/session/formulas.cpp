#include "tuner/session/formulas.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "tuner/core/error.hpp"
#include "tuner/device/replay/replay_device.hpp"

namespace rooftune {
namespace {

constexpr double agreement = 0.1;
constexpr double same_order = 0.9;
constexpr double one_sided_share = 0.1;
/// Where a side varies by less, ranks say nothing.
constexpr double least_variation = 0.02;

/// The value below which a share of them lies.
double percentile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(
      std::lround(share * static_cast<double>(values.size() - 1)))];
}

double median_error(const std::vector<double>& ratios, double unit) {
  std::vector<double> errors;
  for (const double ratio : ratios) {
    errors.push_back(std::abs(ratio / unit - 1));
  }
  return percentile(std::move(errors), 0.5);
}

/// From 0; equal values share the mean of their ranks.
std::vector<double> ranks(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<double> ranks(values.size());
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin;
    while (end < order.size() && values[order[end]] == values[order[begin]]) {
      ++end;
    }
    for (std::size_t i = begin; i < end; ++i) {
      ranks[order[i]] = static_cast<double>(begin + end - 1) / 2;
    }
    begin = end;
  }
  return ranks;
}

bool varies(const std::vector<double>& values) {
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  return *most > *least * (1 + least_variation);
}

std::optional<double> rank_correlation(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() < 3 || !varies(a) || !varies(b)) {
    return std::nullopt;
  }
  const std::vector<double> x = ranks(a);
  const std::vector<double> y = ranks(b);
  const double mean = static_cast<double>(a.size() - 1) / 2;
  double xy = 0, xx = 0, yy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xy += (x[i] - mean) * (y[i] - mean);
    xx += (x[i] - mean) * (x[i] - mean);
    yy += (y[i] - mean) * (y[i] - mean);
  }
  return xy / std::sqrt(xx * yy);
}

FormulaVerdict verdict_of(const FormulaCheck& check, const std::vector<double>& ratios) {
  const auto all = static_cast<double>(check.configurations);
  if (static_cast<double>(check.one_sided) > one_sided_share * all) {
    return FormulaVerdict::unrelated;
  }
  if (ratios.empty() || check.error <= agreement) {
    return FormulaVerdict::agrees;
  }
  if (median_error(ratios, check.median) <= agreement) {
    return FormulaVerdict::scaled;
  }
  const bool ordered = check.correlation && *check.correlation >= same_order;
  return ordered ? FormulaVerdict::follows : FormulaVerdict::unrelated;
}

}  // namespace

std::string_view to_string(FormulaVerdict verdict) {
  constexpr std::array<std::string_view, 4> names = {"agrees", "scaled", "follows", "unrelated"};
  return names[static_cast<std::size_t>(verdict)];
}

void FormulaTally::add(const NamedValues& parameters, const std::vector<Amount>& amounts) {
  for (const Amount& amount : amounts) {
    auto found = std::find_if(series_.begin(), series_.end(), [&](const Series& series) {
      return series.first.name == amount.name && series.first.counter == amount.counter;
    });
    if (found == series_.end()) {
      found = series_.insert(series_.end(), {amount, {}, 0});
    }
    if (amount.spilled) {
      ++found->spilled;
      continue;
    }
    found->pairs.push_back({parameters, amount.expected, amount.counted});
  }
}

FormulaCheck FormulaTally::check(const Series& series) {
  FormulaCheck check;
  check.amount = series.first.name;
  check.formula = series.first.formula;
  check.counter = series.first.counter;
  check.configurations = series.pairs.size();
  check.spilled = series.spilled;
  std::vector<double> expected, counted, ratios;
  for (const Pair& pair : series.pairs) {
    expected.push_back(pair.expected);
    counted.push_back(pair.counted);
    if (pair.expected <= 0 || pair.counted <= 0) {
      check.one_sided += pair.expected > 0 || pair.counted > 0 ? 1 : 0;
      continue;
    }
    ratios.push_back(pair.expected / pair.counted);
    const double off = std::abs(std::log(ratios.back()));
    if (check.worst.empty() || off > std::abs(std::log(check.worst_ratio))) {
      check.worst = pair.parameters;
      check.worst_ratio = ratios.back();
    }
  }
  if (!ratios.empty()) {
    check.median = percentile(ratios, 0.5);
    check.p10 = percentile(ratios, 0.1);
    check.p90 = percentile(ratios, 0.9);
    check.error = median_error(ratios, 1);
  }
  check.correlation = rank_correlation(expected, counted);
  check.verdict = verdict_of(check, ratios);
  return check;
}

std::vector<FormulaCheck> FormulaTally::checks() const {
  std::vector<FormulaCheck> checks;
  for (const Series& series : series_) {
    checks.push_back(check(series));
  }
  return checks;
}

std::vector<FormulaCheck> check_formulas(const Spec& spec, const Space& space,
                                         const Recording& recording) {
  const RecordedSpace matched = match_recording(spec, space, recording);
  FormulaTally tally;
  for (std::uint64_t i = 0; i < space.size(); ++i) {
    const RecordedPoint& point = *matched.points[i];
    if (point.outcome == Outcome::ok) {
      const NamedValues values = space.values(space.at(i));
      tally.add(values, compare_amounts(evaluate_geometry(spec, values, spec.problems.front()),
                                        {point.counters, point.resources, point.launch}));
    }
  }
  std::vector<FormulaCheck> checks = tally.checks();
  if (checks.empty()) {
    throw InputError(
        recording.file.string() + ": holds nothing that the formulas of " + spec.file.string() +
            " could be held against",
        "that takes counters, registers or launches in the recording (KTT's have them, and runs of "
        "rooftune on a GPU), and formulas under work, resources and launch in the spec");
  }
  return checks;
}

std::vector<std::string> unchecked_formulas(const Spec& spec,
                                            const std::vector<FormulaCheck>& checks) {
  std::vector<std::string> names;
  for (const auto& [unit, formula] : spec.work.flops) {
    names.push_back("work.flops." + to_string(unit));
  }
  for (const auto& [level, formula] : spec.work.traffic) {
    names.push_back("work.traffic." + std::string(to_string(level)));
  }
  for (const auto& [level, formula] : spec.work.bytes) {
    if (spec.work.traffic.count(level) == 0) {
      names.push_back("work.bytes." + std::string(to_string(level)));
    }
  }
  const WarpSpec& warp = spec.work.warp;
  const std::pair<const char*, const std::optional<SpecExpression>&> warps[] = {
      {"instructions", warp.instructions},
      {"fp", warp.fp},
      {"special", warp.special},
      {"chain", warp.chain},
      {"wait", warp.wait},
      {"code", warp.code}};
  for (const auto& [name, formula] : warps) {
    if (formula) {
      names.push_back(std::string("work.warp.") + name);
    }
  }
  if (spec.resources.registers) {
    names.emplace_back("resources.registers");
  }
  if (spec.resources.shared_bytes) {
    names.emplace_back("resources.shared_bytes");
  }
  names.erase(std::remove_if(names.begin(), names.end(),
                             [&](const std::string& name) {
                               return std::any_of(checks.begin(), checks.end(),
                                                  [&](const FormulaCheck& check) {
                                                    return check.formula == name;
                                                  });
                             }),
              names.end());
  return names;
}

}  // namespace rooftune
