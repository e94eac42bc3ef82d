#include "tuner/report/header/model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "tuner/core/error.hpp"
#include "tuner/spec/expression.hpp"

namespace rooftune::header {
namespace {

/// A device and a size, with the configurations measured there, best first.
struct Key {
  const DeviceProfile* device;
  const Problem* problem;
  std::vector<Candidate> candidates;
};

bool is_less(const Value& a, const Value& b) {
  if (a.is_number() && b.is_number()) {
    return a.as_real() < b.as_real();
  }
  return a.is_number() != b.is_number() ? a.is_number() : a.to_string() < b.to_string();
}

bool is_less(const Problem& a, const Problem& b) {
  return std::lexicographical_compare(
      a.begin(), a.end(), b.begin(), b.end(),
      [](const NamedValue& x, const NamedValue& y) { return is_less(x.value, y.value); });
}

bool comes_before(const Key& a, const Key& b) {
  return a.device->name != b.device->name ? a.device->name < b.device->name
                                          : is_less(*a.problem, *b.problem);
}

bool same_key(const Key& a, const Key& b) {
  return a.device->name == b.device->name && *a.problem == *b.problem;
}

/// The file's configurations at one of its sizes, best first. Where finalists were measured in turn
/// their order counts, and the others come after them.
std::vector<Candidate> ranked(const Results& results, const Problem& problem) {
  const bool one_size = results.problems.size() == 1;
  std::vector<Candidate> candidates;
  for (const Record& record : results.records) {
    for (const ProblemResult& at : record.problems) {
      if (record.outcome == Outcome::ok && record.in_space && at.problem == problem &&
          at.measurement && at.measurement->verified) {
        candidates.push_back(
            {&results, &record, &at, one_size ? record.ranked_seconds() : at.measurement->seconds});
      }
    }
  }
  const auto is_finalist = [&](const Candidate& it) {
    return one_size && !it.record->finals.empty();
  };
  std::stable_sort(
      candidates.begin(), candidates.end(), [&](const Candidate& a, const Candidate& b) {
        return is_finalist(a) != is_finalist(b) ? is_finalist(a) : a.seconds < b.seconds;
      });
  return candidates;
}

bool is_faster(const Candidate& a, const Candidate& b) {
  if (a.seconds != b.seconds) {
    return a.seconds < b.seconds;
  }
  return to_string(a.parameters()) < to_string(b.parameters());
}

/// Two files' lists as one; each keeps its own order, which need not be that of the times.
std::vector<Candidate> merged(const std::vector<Candidate>& a, const std::vector<Candidate>& b) {
  std::vector<Candidate> all;
  auto next_a = a.begin();
  auto next_b = b.begin();
  while (next_a != a.end() || next_b != b.end()) {
    const bool takes_a = next_b == b.end() || (next_a != a.end() && !is_faster(*next_b, *next_a));
    all.push_back(takes_a ? *next_a++ : *next_b++);
  }
  return all;
}

std::vector<Key> keys_of(const std::vector<const Results*>& all) {
  std::vector<Key> keys;
  for (const Results* results : all) {
    for (const Problem& problem : results->problems) {
      Key key{&results->device, &problem, ranked(*results, problem)};
      const auto place = std::lower_bound(keys.begin(), keys.end(), key, comes_before);
      if (place != keys.end() && same_key(*place, key)) {
        place->candidates = merged(place->candidates, key.candidates);
      } else if (!key.candidates.empty()) {
        keys.insert(place, std::move(key));
      }
    }
  }
  return keys;
}

/// Why none of the results may enter; empty where some may.
std::string objection(const Results& results, const HeaderOptions& options) {
  if (results.best() == nullptr) {
    return "no configuration succeeded";
  }
  if (results.device.kind == DeviceKind::host && !options.include_host) {
    return "it was measured on the host, which says nothing about a GPU (--include-host lets it "
           "enter, labelled)";
  }
  const bool proven =
      std::any_of(results.problems.begin(), results.problems.end(),
                  [&](const Problem& problem) { return !ranked(results, problem).empty(); });
  return proven ? "" : "its best configuration was never proven right: the spec has no `verify`";
}

std::string where(const Candidate& it) {
  return fmt::format("{} at {}", it.results->device.name, to_string(it.at->problem));
}

/// Builds the table and the defaults of one kernel from its results.
class Builder {
 public:
  Builder(std::vector<const Results*> results, const HeaderOptions& options,
          const TypesOf& types_of)
      : results_(std::move(results)),
        options_(options),
        types_of_(types_of),
        keys_(keys_of(results_)) {}

  Kernel build() {
    kernel_.name = results_.front()->spec_name;
    kernel_.results = results_.front();
    for (const Key& key : keys_) {
      for (const Candidate& candidate : key.candidates) {
        kernel_.types.push_back(types_text(candidate));
      }
    }
    std::sort(kernel_.types.begin(), kernel_.types.end());
    kernel_.types.erase(std::unique(kernel_.types.begin(), kernel_.types.end()),
                        kernel_.types.end());
    for (const Key& key : keys_) {
      add_winners(key);
    }
    drop_unused_types();
    for (std::size_t i = 0; i < kernel_.types.size(); ++i) {
      kernel_.defaults.push_back(default_of(static_cast<int>(i)));
    }
    return std::move(kernel_);
  }

 private:
  std::string types_text(const Candidate& candidate) const {
    return types_of_ ? types_of_(candidate) : "";
  }

  /// -1 where none of that types has a line.
  int types(const Candidate& candidate) const {
    const auto place = std::find(kernel_.types.begin(), kernel_.types.end(), types_text(candidate));
    return place == kernel_.types.end() ? -1 : static_cast<int>(place - kernel_.types.begin());
  }

  /// What any of the results knows to be wrong, at whatever size, is wrong.
  bool known_wrong(const NamedValues& parameters) const {
    return any_record(parameters,
                      [](const Record& record) { return record.outcome == Outcome::wrong_result; });
  }

  bool may_enter(const Candidate& candidate) const {
    std::string reason;
    if (known_wrong(candidate.parameters())) {
      reason = "its result is wrong in another of the runs";
    } else if (options_.objection) {
      reason = options_.objection(*candidate.results, *candidate.record);
    }
    if (!reason.empty()) {
      options_.warn(fmt::format("{}: left out: {} on {}: {}", kernel_.name,
                                to_string(candidate.parameters()), where(candidate), reason));
    }
    return reason.empty();
  }

  /// The best of each types at a key.
  void add_winners(const Key& key) {
    std::vector<Entry> winners;
    for (const Candidate& candidate : key.candidates) {
      const int own = types(candidate);
      const bool taken = std::any_of(winners.begin(), winners.end(),
                                     [&](const Entry& entry) { return entry.types == own; });
      if (!taken && may_enter(candidate)) {
        winners.push_back({candidate, own});
      }
    }
    if (winners.empty()) {
      options_.warn(
          fmt::format("{}: nothing is left for {}", kernel_.name, where(key.candidates.front())));
    }
    kernel_.entries.insert(kernel_.entries.end(), winners.begin(), winners.end());
  }

  /// Types whose configurations all failed a check have no line.
  void drop_unused_types() {
    std::vector<std::string> used;
    std::vector<int> renumbered(kernel_.types.size(), -1);
    for (std::size_t i = 0; i < kernel_.types.size(); ++i) {
      const bool has_entry =
          std::any_of(kernel_.entries.begin(), kernel_.entries.end(),
                      [&](const Entry& entry) { return entry.types == static_cast<int>(i); });
      if (has_entry) {
        renumbered[i] = static_cast<int>(used.size());
        used.push_back(kernel_.types[i]);
      }
    }
    for (Entry& entry : kernel_.entries) {
      entry.types = renumbered[static_cast<std::size_t>(entry.types)];
    }
    kernel_.types = std::move(used);
    if (kernel_.entries.empty()) {
      throw InputError(fmt::format("{}: no configuration is left to write", kernel_.name),
                       "the warnings say why each was left out");
    }
  }

  const Key& key_of(const Entry& entry) const {
    return *std::find_if(keys_.begin(), keys_.end(), [&](const Key& key) {
      return key.device->name == entry.measured.results->device.name &&
             *key.problem == entry.measured.at->problem;
    });
  }

  /// A configuration as a default: where it was measured, and how it does there.
  struct Choice {
    std::size_t measured_at = 0;  ///< keys
    bool lawful = false;          ///< the rules hold at every size
    double worst = 0;
    double product = 1;
    Default result;
  };

  Choice choice_of(const NamedValues& parameters, const std::vector<const Entry*>& table) const {
    Choice choice;
    choice.lawful = std::all_of(keys_.begin(), keys_.end(), [&](const Key& key) {
      return rules_hold(*kernel_.results, parameters, *key.problem);
    });
    for (const Entry* entry : table) {
      const std::vector<Candidate>& all = key_of(*entry).candidates;
      const auto own = std::find_if(all.begin(), all.end(), [&](const Candidate& candidate) {
        return candidate.parameters() == parameters;
      });
      Loss loss{entry->measured, 0};
      if (own != all.end()) {
        loss.factor = own->seconds / entry->measured.seconds;
        ++choice.measured_at;
        choice.product *= loss.factor;
      }
      if (loss.factor > choice.worst) {
        choice.worst = loss.factor;
        choice.result.entry = {*own, entry->types};
      }
      choice.result.losses.push_back(loss);
      if (!choice.result.same_as && entry->measured.parameters() == parameters) {
        choice.result.same_as = static_cast<std::size_t>(entry - kernel_.entries.data());
      }
    }
    return choice;
  }

  static bool is_better(const Choice& a, const Choice& b) {
    if (a.measured_at != b.measured_at) {
      return a.measured_at > b.measured_at;
    }
    if (a.lawful != b.lawful) {
      return a.lawful;
    }
    if (a.worst != b.worst) {
      return a.worst < b.worst;
    }
    return a.product != b.product ? a.product < b.product
                                  : to_string(a.result.entry.measured.parameters()) <
                                        to_string(b.result.entry.measured.parameters());
  }

  template <class Condition>
  bool any_record(const NamedValues& parameters, Condition condition) const {
    return std::any_of(results_.begin(), results_.end(), [&](const Results* results) {
      return std::any_of(results->records.begin(), results->records.end(),
                         [&](const Record& record) {
                           return record.parameters == parameters && condition(record);
                         });
    });
  }

  bool failed_somewhere(const NamedValues& parameters) const {
    return any_record(parameters, [](const Record& record) {
      return record.outcome != Outcome::ok && record.outcome != Outcome::skipped;
    });
  }

  std::vector<Choice> choices_of(int types_index, const std::vector<const Entry*>& table) const {
    std::vector<Choice> choices;
    std::map<std::string, bool> seen;
    for (const Entry* entry : table) {
      for (const Candidate& candidate : key_of(*entry).candidates) {
        if (types(candidate) == types_index &&
            seen.try_emplace(to_string(candidate.parameters())).second &&
            !failed_somewhere(candidate.parameters())) {
          choices.push_back(choice_of(candidate.parameters(), table));
        }
      }
    }
    std::sort(choices.begin(), choices.end(), is_better);
    return choices;
  }

  /// Of what was measured at the most keys and failed nowhere, what loses least at worst.
  Default default_of(int types_index) const {
    std::vector<const Entry*> table;
    for (const Entry& entry : kernel_.entries) {
      if (entry.types == types_index) {
        table.push_back(&entry);
      }
    }
    for (Choice& choice : choices_of(types_index, table)) {
      if (may_enter(choice.result.entry.measured)) {
        warn_of_gaps(choice, table);
        return std::move(choice.result);
      }
    }
    throw InputError(
        fmt::format("{}: no configuration can be the default: each one failed on some device",
                    kernel_.name),
        "leave a device's results out, or tune again with more evaluations");
  }

  void warn_of_gaps(const Choice& choice, const std::vector<const Entry*>& table) const {
    if (choice.measured_at == table.size()) {
      return;
    }
    std::string gaps;
    for (const Loss& loss : choice.result.losses) {
      if (loss.factor == 0) {
        gaps += (gaps.empty() ? "" : "; ") + where(loss.best);
      }
    }
    options_.warn(fmt::format(
        "{}: no configuration was measured on every device and size; a device that is not in the "
        "header gets {}, which was measured at {} of {}, not on {}",
        kernel_.name, to_string(choice.result.entry.measured.parameters()), choice.measured_at,
        table.size(), gaps));
  }

  std::vector<const Results*> results_;
  const HeaderOptions& options_;
  const TypesOf& types_of_;
  std::vector<Key> keys_;
  Kernel kernel_;
};

void refuse_mixtures(const std::vector<Results>& all) {
  std::map<std::string, const Results*> first;
  for (const Results& results : all) {
    const Results& other = *first.try_emplace(results.spec_name, &results).first->second;
    if (results.spec_hash != other.spec_hash) {
      throw InputError(
          fmt::format("results of different specs do not go into one header: {} on {} has the "
                      "spec hash {}, {} on {} has {}",
                      other.spec_name, other.device.name, other.spec_hash, results.spec_name,
                      results.device.name, results.spec_hash),
          "tune again with the spec as it is now, or write one header for each; for several sizes, "
          "--problem keeps the hash and --set does not");
    }
  }
}

}  // namespace

Scope scope_of(const Results& results, const NamedValues& parameters, const Problem& problem) {
  Scope scope;
  scope.set(problem);
  scope.set(parameters);
  try {
    for (const auto& [name, expression] : results.launch.derived) {
      scope.set(name, Expression::parse(expression).evaluate(scope));
    }
  } catch (const std::runtime_error& error) {
    throw InputError(fmt::format("{}: a derived quantity cannot be computed at {} {}: {}",
                                 results.spec_name, to_string(parameters), to_string(problem),
                                 error.what()));
  }
  return scope;
}

bool rules_hold(const Results& results, const NamedValues& parameters, const Problem& problem) {
  try {
    const Scope scope = scope_of(results, parameters, problem);
    return std::all_of(results.removed.begin(), results.removed.end(), [&](const RuleCount& rule) {
      return Expression::parse(rule.rule).evaluate(scope).truthy();
    });
  } catch (const std::runtime_error&) {
    return false;  // such as a division by zero at a size of another run
  }
}

std::vector<Kernel> kernels_of(const std::vector<Results>& results, const HeaderOptions& options,
                               const TypesOf& types_of) {
  refuse_mixtures(results);
  std::map<std::string, std::vector<const Results*>> by_name;
  std::string objections;
  for (const Results& it : results) {
    const std::string reason = objection(it, options);
    if (reason.empty()) {
      by_name[it.spec_name].push_back(&it);
    } else {
      objections += fmt::format("\n   {} on {}: {}", it.spec_name, it.device.name, reason);
    }
  }
  if (by_name.empty()) {
    throw InputError("no results may enter the header:" + objections,
                     "give results of `rooftune tune` with a spec that verifies");
  }
  if (!objections.empty()) {
    options.warn("left out:" + objections);
  }
  std::vector<Kernel> kernels;
  for (const auto& named : by_name) {
    kernels.push_back(Builder(named.second, options, types_of).build());
  }
  return kernels;
}

}  // namespace rooftune::header
