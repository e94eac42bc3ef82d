#include "tuner/device/replay/inferred_rules.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "tuner/core/error.hpp"
#include "tuner/space/space.hpp"

namespace rooftune {
namespace {

using Choice = std::vector<std::uint16_t>;  // one value of each parameter of a subset
using Subset = std::vector<std::size_t>;    // ascending

constexpr std::size_t most_parameters_of_a_rule = 5;
/// Combinations of a subset's values that are looked at; larger subsets are passed over.
constexpr std::uint64_t largest_product = 1 << 18;
/// Look-ups until the search for rules of one size is given up.
constexpr std::uint64_t most_work = 200'000'000;
constexpr std::size_t longest_rule = 1000;  // characters, where it can be split
constexpr std::size_t longest_text = 256 * 1024;

struct Found {
  Subset parameters;
  std::set<Choice> allowed;
  std::vector<std::string> texts;  ///< all of them must hold

  std::size_t length() const {
    std::size_t sum = 0;
    for (const std::string& text : texts) {
      sum += text.size();
    }
    return sum;
  }
};

std::string literal(const Value& value) {
  if (value.kind() != Value::Kind::text) {
    return value.to_string();
  }
  // An expression's text has no escapes: whichever quote it does not hold.
  const char quote = value.as_text().find('\'') == std::string::npos ? '\'' : '"';
  return quote + value.as_text() + quote;
}

class Finder {
 public:
  Finder(const Recording& recording, const std::vector<std::string>& given)
      : parameters_(recording.parameters), given_(given) {
    for (const RecordedPoint& point : recording.points) {
      Choice choice;
      for (const Parameter& parameter : parameters_) {
        const Value& value = *find_value(point.parameters, parameter.name);
        const auto at = std::find(parameter.values.begin(), parameter.values.end(), value);
        choice.push_back(static_cast<std::uint16_t>(at - parameter.values.begin()));
      }
      points_.push_back(std::move(choice));
    }
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      if (parameters_[i].values.size() > 1) {
        varying_.push_back(i);
      }
    }
  }

  InferredRules run() {
    for (std::size_t size = 2; !is_exact() && size <= most_parameters_of_a_rule; ++size) {
      add_rules_of(size);
    }
    if (!is_exact()) {
      // A sample, perhaps: what was found of its parts says nothing.
      found_.clear();
      std::set<Choice> all = combinations(varying_);
      std::vector<std::string> texts = enumerated(varying_, all);
      found_.push_back({varying_, std::move(all), std::move(texts)});
    }
    if (!is_exact()) {
      return {};
    }
    drop_needless();
    InferredRules result;
    result.exact = true;
    for (const Found& found : found_) {
      result.rules.insert(result.rules.end(), found.texts.begin(), found.texts.end());
    }
    return result;
  }

 private:
  std::set<Choice> combinations(const Subset& subset) const {
    std::set<Choice> seen;
    for (const Choice& point : points_) {
      Choice part;
      for (const std::size_t i : subset) {
        part.push_back(point[i]);
      }
      seen.insert(std::move(part));
    }
    return seen;
  }

  std::uint64_t product(const Subset& subset) const {
    std::uint64_t product = 1;
    for (const std::size_t i : subset) {
      product = std::min(product * parameters_[i].values.size(), largest_product + 1);
    }
    return product;
  }

  void add_rules_of(std::size_t size) {
    std::uint64_t work = 0;
    std::vector<Found> of_this_size;
    for_each_subset(size, [&](const Subset& subset) {
      const std::uint64_t combined = product(subset);
      work += points_.size() + combined;
      if (combined > largest_product || work > most_work) {
        return;
      }
      std::set<Choice> seen = combinations(subset);
      if (seen.size() < count_left(subset)) {
        std::vector<std::string> texts = describe(subset, seen);
        of_this_size.push_back({subset, std::move(seen), std::move(texts)});
      }
    });
    std::move(of_this_size.begin(), of_this_size.end(), std::back_inserter(found_));
  }

  void for_each_subset(std::size_t size, const std::function<void(const Subset&)>& visit) const {
    if (size > varying_.size()) {
      return;
    }
    std::vector<bool> taken(varying_.size(), false);
    std::fill_n(taken.begin(), size, true);
    do {
      Subset subset;
      for (std::size_t i = 0; i < taken.size(); ++i) {
        if (taken[i]) {
          subset.push_back(varying_[i]);
        }
      }
      visit(subset);
    } while (std::prev_permutation(taken.begin(), taken.end()));
  }

  /// The combinations that the rules found before leave, of those rules that see only this subset,
  /// until `visit` returns false.
  void for_each_left(const Subset& subset, const std::function<bool(const Choice&)>& visit) const {
    std::vector<std::pair<const Found*, std::vector<std::size_t>>> inside;
    for (const Found& found : found_) {
      std::vector<std::size_t> places;
      for (const std::size_t i : found.parameters) {
        const auto at = std::find(subset.begin(), subset.end(), i);
        if (at != subset.end()) {
          places.push_back(static_cast<std::size_t>(at - subset.begin()));
        }
      }
      if (places.size() == found.parameters.size()) {
        inside.emplace_back(&found, std::move(places));
      }
    }
    Choice choice(subset.size(), 0);
    bool go_on = true;
    do {
      const bool left = std::all_of(inside.begin(), inside.end(), [&](const auto& rule) {
        Choice part;
        for (const std::size_t place : rule.second) {
          part.push_back(choice[place]);
        }
        return rule.first->allowed.count(part) != 0;
      });
      go_on = !left || visit(choice);
    } while (go_on && next(subset, choice));
  }

  std::uint64_t count_left(const Subset& subset) const {
    std::uint64_t count = 0;
    for_each_left(subset, [&](const Choice&) {
      ++count;
      return true;
    });
    return count;
  }

  bool next(const Subset& subset, Choice& choice) const {
    for (std::size_t i = 0; i < subset.size(); ++i) {
      if (++choice[i] < parameters_[subset[i]].values.size()) {
        return true;
      }
      choice[i] = 0;
    }
    return false;
  }

  std::vector<std::string> describe(const Subset& subset, const std::set<Choice>& allowed) const {
    for (const std::string& text : readable_forms(subset, allowed)) {
      if (says_exactly(text, subset, allowed)) {
        return {text};
      }
    }
    return enumerated(subset, allowed);
  }

  std::vector<std::string> enumerated(const Subset& subset, const std::set<Choice>& allowed) const {
    std::vector<const Choice*> rows;
    for (const Choice& choice : allowed) {
      rows.push_back(&choice);
    }
    std::vector<std::string> texts;
    add_enumeration(subset, rows, 0, "", texts);
    return texts;
  }

  std::vector<std::string> readable_forms(const Subset& subset,
                                          const std::set<Choice>& allowed) const {
    const bool integers = std::all_of(subset.begin(), subset.end(), [&](std::size_t i) {
      const auto& values = parameters_[i].values;
      return std::all_of(values.begin(), values.end(), [](const Value& value) {
        return value.kind() == Value::Kind::integer && std::abs(value.as_real()) < 1e6;
      });
    });
    if (!integers || subset.size() > 3) {
      return {};
    }
    std::vector<std::string> names;
    for (const std::size_t i : subset) {
      names.push_back(parameters_[i].name);
    }
    std::vector<std::string> forms = product_limits(subset, names, allowed);
    const std::string &a = names[0], &b = names[1];
    if (names.size() == 2) {
      for (const char* form : {"{} % {} == 0", "{} <= {}", "{} < {}", "{} != {}", "{} == {}"}) {
        forms.push_back(fmt::format(fmt::runtime(form), a, b));
        forms.push_back(fmt::format(fmt::runtime(form), b, a));
      }
    } else {
      for (std::size_t whole = 0; whole < 3; ++whole) {
        forms.push_back(fmt::format("{} % ({} * {}) == 0", names[whole], names[(whole + 1) % 3],
                                    names[(whole + 2) % 3]));
      }
    }
    return forms;
  }

  std::vector<std::string> product_limits(const Subset& subset,
                                          const std::vector<std::string>& names,
                                          const std::set<Choice>& allowed) const {
    std::set<std::int64_t> products;
    for (const Choice& choice : allowed) {
      std::int64_t product = 1;
      for (std::size_t i = 0; i < subset.size(); ++i) {
        product *= parameters_[subset[i]].values[choice[i]].as_integer();
      }
      products.insert(product);
    }
    const std::string text = fmt::format("{}", fmt::join(names, " * "));
    return {fmt::format("{} <= {}", text, *products.rbegin()),
            fmt::format("{} <= {}", *products.begin(), text),
            fmt::format("{} <= {} <= {}", *products.begin(), text, *products.rbegin())};
  }

  /// Whether the text, with the rules found before, leaves the allowed combinations and no other.
  bool says_exactly(const std::string& text, const Subset& subset,
                    const std::set<Choice>& allowed) const {
    const Expression rule = Expression::parse(text);
    bool same = true;
    try {
      for_each_left(subset, [&](const Choice& choice) {
        Scope scope;
        for (std::size_t i = 0; i < subset.size(); ++i) {
          scope.set(parameters_[subset[i]].name, parameters_[subset[i]].values[choice[i]]);
        }
        same = rule.evaluate(scope).truthy() == (allowed.count(choice) != 0);
        return same;
      });
    } catch (const ValueError&) {
      return false;  // % 0
    }
    return same;
  }

  using Rows = std::vector<const Choice*>;
  using Groups = std::map<std::string, std::vector<std::uint16_t>>;

  std::map<std::uint16_t, Rows> by_value(const Rows& rows, std::size_t depth) const {
    std::map<std::uint16_t, Rows> groups;
    for (const Choice* row : rows) {
      groups[(*row)[depth]].push_back(row);
    }
    return groups;
  }

  /// The combinations from the `depth`-th parameter on; values with the same continuations share
  /// them. Empty where all are allowed.
  std::string enumeration(const Subset& subset, const Rows& rows, std::size_t depth) const {
    const Subset rest(subset.begin() + static_cast<std::ptrdiff_t>(depth), subset.end());
    if (rest.empty() || rows.size() == product(rest)) {
      return "";
    }
    Groups by_rest;
    for (const auto& [value, group] : by_value(rows, depth)) {
      by_rest[enumeration(subset, group, depth + 1)].push_back(value);
    }
    std::vector<std::string> terms;
    for (const auto& [text, values] : by_rest) {
      const std::string condition = one_of(parameters_[subset[depth]], values);
      terms.push_back(condition + (condition.empty() || text.empty() ? "" : " and ") + text);
    }
    const std::string text = fmt::format("{}", fmt::join(terms, " or "));
    return depth > 0 && terms.size() > 1 ? "(" + text + ")" : text;
  }

  /// The same as rules of bearable length: one for each value of the first parameters, which
  /// `unless` holds ("A != 1 or ").
  void add_enumeration(const Subset& subset, const Rows& rows, std::size_t depth,
                       const std::string& unless, std::vector<std::string>& texts) const {
    const std::string text = enumeration(subset, rows, depth);
    if (text.empty()) {
      return;
    }
    if (text.size() <= longest_rule || depth + 1 == subset.size()) {
      texts.push_back(unless + text);
      return;
    }
    const Parameter& parameter = parameters_[subset[depth]];
    std::vector<std::uint16_t> values;
    for (const auto& [value, group] : by_value(rows, depth)) {
      values.push_back(value);
      add_enumeration(
          subset, group, depth + 1,
          fmt::format("{}{} != {} or ", unless, parameter.name, literal(parameter.values[value])),
          texts);
    }
    if (values.size() < parameter.values.size()) {
      texts.push_back(unless + one_of(parameter, values));
    }
  }

  static std::string one_of(const Parameter& parameter, const std::vector<std::uint16_t>& values) {
    if (values.size() == parameter.values.size()) {
      return "";
    }
    if (values.size() == 1) {
      return fmt::format("{} == {}", parameter.name, literal(parameter.values[values[0]]));
    }
    std::vector<std::string> texts;
    for (const std::uint16_t value : values) {
      texts.push_back(literal(parameter.values[value]));
    }
    return fmt::format("{} in [{}]", parameter.name, fmt::join(texts, ", "));
  }

  bool is_exact(const Found* without = nullptr) const {
    Spec spec;
    spec.problems.emplace_back();
    spec.parameters = parameters_;
    const auto add_rule = [&](const std::string& text) {
      spec.rules.push_back({{Expression::parse(text), {}}, text});
    };
    std::size_t length = 0;
    try {
      std::for_each(given_.begin(), given_.end(), add_rule);
      for (const Found& found : found_) {
        length += found.length();
        if (&found != without) {
          std::for_each(found.texts.begin(), found.texts.end(), add_rule);
        }
      }
      return length <= longest_text && Space(spec).size() == points_.size();
    } catch (const ExpressionError&) {
      return false;  // a list of values that is too long for a rule
    } catch (const InputError&) {
      return false;  // too entangled to be counted
    }
  }

  void drop_needless() {
    std::stable_sort(found_.begin(), found_.end(),
                     [](const Found& a, const Found& b) { return a.length() > b.length(); });
    for (std::size_t i = 0; i < found_.size();) {
      if (is_exact(&found_[i])) {
        found_.erase(found_.begin() + static_cast<std::ptrdiff_t>(i));
      } else {
        ++i;
      }
    }
    std::reverse(found_.begin(), found_.end());
  }

  const std::vector<Parameter>& parameters_;
  const std::vector<std::string>& given_;
  std::vector<Choice> points_;
  Subset varying_;
  std::vector<Found> found_;
};

}  // namespace

InferredRules infer_rules(const Recording& recording, const std::vector<std::string>& given) {
  return Finder(recording, given).run();
}

}  // namespace rooftune
