// The sections that give names and values: constants, problems, parameters, derived, baseline.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "tuner/spec/reader.hpp"

namespace rooftune::reader {
namespace {

using yaml::Node;

bool is_identifier(std::string_view text) {
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  return !text.empty() && letter(text.front()) &&
         std::all_of(text.begin(), text.end(),
                     [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

/// A name that expressions can use.
void check_name(const Context& context, const Node& key, std::string_view what) {
  if (!is_identifier(key.text)) {
    context.document.fail(key, fmt::format("{} cannot be named \"{}\"", what, key.text),
                          "names are letters, digits and _, and begin with no digit");
  }
  if (is_reserved_name(key.text)) {
    context.document.fail(key, fmt::format("{} cannot be named \"{}\"", what, key.text),
                          "the expression language uses this word");
  }
}

std::vector<std::string> names_of(const NamedValues& values) {
  std::vector<std::string> names;
  for (const NamedValue& value : values) {
    names.push_back(value.name);
  }
  return names;
}

std::vector<Value> parameter_values(const Context& context, const Node& node,
                                    const std::string& what) {
  std::vector<Value> values;
  for (const Node& item : yaml::items(context.document, node, "the values of " + what)) {
    Value value = yaml::value(context.document, item, "a value of " + what);
    const auto written = [](const Value& v) { return v.is_number() ? "a number" : "a text"; };
    if (!values.empty() && values.front().is_number() != value.is_number()) {
      context.document.fail(item,
                            fmt::format("{} mixes numbers and texts: {} is {} and {} is {}", what,
                                        values.front().to_string(), written(values.front()),
                                        value.to_string(), written(value)),
                            "put numbers that are meant as texts in quotes");
    }
    if (std::find(values.begin(), values.end(), value) != values.end()) {
      context.document.fail(item,
                            fmt::format("{} has the value {} twice", what, value.to_string()));
    }
    values.push_back(std::move(value));
  }
  if (values.empty()) {
    context.document.fail(node, fmt::format("{} has no values", what), "give at least one");
  }
  constexpr std::size_t most_values = 65535;
  if (values.size() > most_values) {
    context.document.fail(node, fmt::format("{} has more than {} values", what, most_values));
  }
  return values;
}

Role role(const Context& context, const Node& node) {
  const std::string& text = yaml::text(context.document, node, "role");
  if (const auto known = role_from(text)) {
    return *known;
  }
  std::vector<std::string> known;
  for (int i = 0; i <= static_cast<int>(Role::other); ++i) {
    known.emplace_back(to_string(static_cast<Role>(i)));
  }
  context.document.fail(node, fmt::format("unknown role \"{}\"", text), suggest(text, known));
}

/// The value that an override gives; throws InputError.
Value override_value(const Override& override, const char* option = "--set") {
  try {
    return yaml::value_of_plain(override.value);
  } catch (const ValueError& error) {
    throw InputError(
        fmt::format("{} {}={}: {}", option, override.name, override.value, error.what()));
  }
}

void check_override_kind(const Override& override, const Value& before, const Value& after,
                         const char* option = "--set") {
  if (before.is_number() != after.is_number()) {
    throw InputError(fmt::format("{} {}={}: {} is {} in the spec", option, override.name,
                                 override.value, override.name,
                                 before.is_number() ? "a number" : "a text"));
  }
}

bool is_overridden(const Context& context, const std::string& name) {
  return std::any_of(context.overrides.begin(), context.overrides.end(),
                     [&](const Override& override) { return override.name == name; });
}

/// Depth-first over what a derived quantity needs.
class DerivedOrder {
 public:
  explicit DerivedOrder(std::vector<Derived>& unordered)
      : unordered_(unordered), state_(unordered.size(), State::untouched) {}

  std::vector<Derived> sorted() {
    for (std::size_t i = 0; i < unordered_.size(); ++i) {
      visit(i);
    }
    std::vector<Derived> result;
    for (const std::size_t i : order_) {
      result.push_back(std::move(unordered_[i]));
    }
    return result;
  }

 private:
  enum class State { untouched, open, done };

  void visit(std::size_t index) {
    path_.push_back(unordered_[index].name);
    if (state_[index] == State::open) {
      const auto begin = std::find(path_.begin(), path_.end(), path_.back());
      throw InputError(unordered_[index].value.spot,
                       fmt::format("derived quantities that need each other: {}",
                                   fmt::join(begin, path_.end(), " -> ")));
    }
    if (state_[index] == State::untouched) {
      state_[index] = State::open;
      for (const std::string& name : unordered_[index].value.expression.names()) {
        const auto used = std::find_if(unordered_.begin(), unordered_.end(),
                                       [&](const Derived& d) { return d.name == name; });
        if (used != unordered_.end()) {
          visit(static_cast<std::size_t>(used - unordered_.begin()));
        }
      }
      state_[index] = State::done;
      order_.push_back(index);
    }
    path_.pop_back();
  }

  std::vector<Derived>& unordered_;
  std::vector<State> state_;
  std::vector<std::size_t> order_;
  std::vector<std::string> path_;
};

}  // namespace

NamedValues constants(const Context& context, const Node* node) {
  NamedValues result;
  if (node == nullptr) {
    return result;
  }
  for (const auto& [key, value] : yaml::entries(context.document, *node, "constants")) {
    check_name(context, key, "a constant");
    result.push_back({key.text, yaml::value(context.document, value, "constant " + key.text)});
  }
  return result;
}

std::vector<Parameter> parameters(const Context& context, const Node& node,
                                  const NamedValues& constants) {
  std::vector<Parameter> result;
  for (const auto& [key, value] : yaml::entries(context.document, node, "parameters")) {
    check_name(context, key, "a parameter");
    if (find_value(constants, key.text) != nullptr) {
      context.document.fail(key, fmt::format("\"{}\" is a constant already", key.text),
                            "a name is either a constant or a parameter");
    }
    const std::string what = "parameter " + key.text;
    if (value.kind == Node::Kind::sequence) {
      context.document.fail(value, fmt::format("{} should be a mapping, not a list", what),
                            "write {values: [...], role: ...}");
    }
    const yaml::Map map(context.document, value, what, {"values", "role"});
    Parameter parameter;
    parameter.name = key.text;
    parameter.spot = context.document.spot(key);
    parameter.values = parameter_values(context, map.require("values"), what);
    if (const Node* given = map.find("role")) {
      parameter.role = role(context, *given);
    }
    result.push_back(std::move(parameter));
  }
  if (result.empty()) {
    context.document.fail(node, "there are no parameters, so there is nothing to tune");
  }
  return result;
}

void apply_overrides(const std::vector<Override>& overrides, NamedValues& constants,
                     std::vector<Parameter>& parameters) {
  for (const Override& override : overrides) {
    const Value value = override_value(override);
    const Value* constant = find_value(constants, override.name);
    const auto parameter =
        std::find_if(parameters.begin(), parameters.end(),
                     [&](const Parameter& p) { return p.name == override.name; });
    if (constant != nullptr) {
      check_override_kind(override, *constant, value);
      set_value(constants, override.name, value);
    } else if (parameter != parameters.end()) {
      check_override_kind(override, parameter->values.front(), value);
      parameter->values = {value};
    } else {
      std::vector<std::string> known = names_of(constants);
      for (const Parameter& p : parameters) {
        known.push_back(p.name);
      }
      throw InputError(fmt::format("--set {}={}: the spec has no constant or parameter `{}`",
                                   override.name, override.value, override.name),
                       suggest(override.name, known));
    }
  }
}

std::vector<Problem> problems(const Context& context, const Node* node,
                              const NamedValues& constants) {
  if (node == nullptr) {
    return {constants};
  }
  std::vector<Problem> result;
  for (const Node& item : yaml::items(context.document, *node, "problems")) {
    Problem problem = constants;
    for (const auto& [key, value] : yaml::entries(context.document, item, "a problem")) {
      if (find_value(constants, key.text) == nullptr) {
        context.document.fail(key,
                              fmt::format("a problem sets \"{}\", which is no constant", key.text),
                              suggest(key.text, names_of(constants)));
      }
      Value read = yaml::value(context.document, value, "constant " + key.text);
      if (!is_overridden(context, key.text)) {
        set_value(problem, key.text, std::move(read));
      }
    }
    // An override can make two problems the same.
    if (std::find(result.begin(), result.end(), problem) == result.end()) {
      result.push_back(std::move(problem));
    }
  }
  if (result.empty()) {
    context.document.fail(*node, "the list of problems is empty", "leave it out, or give sizes");
  }
  return result;
}

std::vector<Derived> derived(Context& context, const Node* node) {
  if (node == nullptr) {
    return {};
  }
  const auto& entries = yaml::entries(context.document, *node, "derived");
  for (const auto& [key, value] : entries) {
    check_name(context, key, "a derived quantity");
    if (std::find(context.names.begin(), context.names.end(), key.text) != context.names.end()) {
      context.document.fail(key,
                            fmt::format("\"{}\" is a parameter or a constant already", key.text),
                            "give the derived quantity another name");
    }
  }
  for (const auto& [key, value] : entries) {
    context.names.push_back(key.text);
  }
  std::vector<Derived> result;
  for (const auto& [key, value] : entries) {
    result.push_back({key.text, expression(context, value, "derived " + key.text)});
  }
  return DerivedOrder(result).sorted();
}

NamedValues baseline(const Context& context, const Node* node,
                     const std::vector<Parameter>& parameters) {
  NamedValues result;
  if (node == nullptr) {
    return result;
  }
  NamedValues given;
  std::vector<std::string> known;
  for (const Parameter& parameter : parameters) {
    known.push_back(parameter.name);
  }
  for (const auto& [key, value] : yaml::entries(context.document, *node, "baseline")) {
    const auto parameter = std::find_if(parameters.begin(), parameters.end(),
                                        [&](const Parameter& p) { return p.name == key.text; });
    if (parameter == parameters.end()) {
      context.document.fail(key,
                            fmt::format("baseline sets \"{}\", which is no parameter", key.text),
                            suggest(key.text, known));
    }
    const Value read = yaml::value(context.document, value, "baseline " + key.text);
    const auto& values = parameter->values;
    // A parameter that the command line fixes is fixed for the baseline too.
    const bool fixed = is_overridden(context, key.text);
    if (!fixed && std::find(values.begin(), values.end(), read) == values.end()) {
      std::vector<std::string> texts;
      for (const Value& v : values) {
        texts.push_back(v.to_string());
      }
      context.document.fail(
          value, fmt::format("{} is not one of the values of {}", read.to_string(), key.text),
          fmt::format("its values: {}", fmt::join(texts, ", ")));
    }
    given.push_back({key.text, fixed ? values.front() : read});
  }
  for (const Parameter& parameter : parameters) {
    const Value* value = find_value(given, parameter.name);
    if (value == nullptr) {
      context.document.fail(*node, fmt::format("baseline has no value for {}", parameter.name),
                            "give one for each parameter");
    }
    result.push_back({parameter.name, *value});
  }
  return result;
}

}  // namespace rooftune::reader

namespace rooftune {

void add_problems(Spec& spec, const std::vector<std::vector<Override>>& sizes) {
  const bool lists_none = spec.problems.size() == 1 && spec.problems.front() == spec.constants;
  if (lists_none && !sizes.empty()) {
    spec.problems.clear();
  }
  for (const std::vector<Override>& size : sizes) {
    Problem problem = spec.constants;
    for (const Override& constant : size) {
      const Value* before = find_value(spec.constants, constant.name);
      if (before == nullptr) {
        throw InputError(fmt::format("--problem {}={}: the spec has no constant `{}`",
                                     constant.name, constant.value, constant.name),
                         suggest(constant.name, reader::names_of(spec.constants)));
      }
      const Value value = reader::override_value(constant, "--problem");
      reader::check_override_kind(constant, *before, value, "--problem");
      set_value(problem, constant.name, value);
    }
    if (std::find(spec.problems.begin(), spec.problems.end(), problem) == spec.problems.end()) {
      spec.problems.push_back(std::move(problem));
    }
  }
}

}  // namespace rooftune
