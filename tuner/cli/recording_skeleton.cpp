#include "tuner/cli/recording_skeleton.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "tuner/cli/spec_skeleton.hpp"
#include "tuner/core/error.hpp"
#include "tuner/device/replay/inferred_launch.hpp"
#include "tuner/device/replay/inferred_rules.hpp"

namespace rooftune::cli {
namespace {

/// In double quotes, so that YAML takes it as text whatever it holds.
std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20 || byte == 0x7f) {
      out += fmt::format("\\x{:02x}", byte);
    } else {
      out += c;
    }
  }
  return out + '"';
}

/// In a comment: one line, whatever a file's strings hold.
std::string one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(),
      [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, ' ');
  return text;
}

std::string yaml_value(const Value& value) {
  return value.kind() == Value::Kind::text ? quoted(value.as_text()) : value.to_string();
}

class SkeletonWriter {
 public:
  explicit SkeletonWriter(const SkeletonSource& source)
      : source_(source),
        parameters_(source.recording != nullptr ? source.recording->parameters
                                                : source.input->parameters),
        problem_size_(source.recording != nullptr && !source.recording->problem_size.empty()
                          ? source.recording->problem_size
                      : source.input != nullptr ? source.input->problem_size
                                                : std::vector<std::int64_t>{}) {}

  RecordingSkeleton make() {
    const std::string rules = rules_text();
    return {head_text() + constants_text() + parameters_text() + rules + launch_text() +
                work_text() + kernel_text(),
            warning_};
  }

 private:
  std::string kernel_name() const {
    const bool recorded = source_.recording != nullptr && !source_.recording->kernel_name.empty();
    const std::string name = recorded                   ? source_.recording->kernel_name
                             : source_.input != nullptr ? source_.input->kernel_name
                                                        : "";
    return name.empty() ? "KERNEL" : one_line(name);
  }

  std::string head_text() const {
    const bool recorded = source_.recording != nullptr;
    std::string text = fmt::format(
        "# Spec of the recorded kernel `{}`, begun by `rooftune import`.\n", kernel_name());
    if (recorded) {
      const auto& points = source_.recording->points;
      const auto failed = std::count_if(points.begin(), points.end(), [](const auto& point) {
        return point.outcome != Outcome::ok;
      });
      text += fmt::format("# Recorded on {}: {} configurations, {} of them failed.\n#   {}\n",
                          one_line(source_.recording->device_name), points.size(), failed,
                          "rooftune replay THIS_FILE " + one_line(source_.recording_file));
    }
    return text +
           "# What the recording does not say stands as TODO: the diagnosis, and the search model, "
           "live on it.\n\n";
  }

  bool is_parameter(const std::string& name) const {
    return std::any_of(parameters_.begin(), parameters_.end(),
                       [&](const Parameter& it) { return it.name == name; });
  }

  std::string constants_text() const {
    constexpr const char* axes = "xyz";
    std::vector<std::string> constants;
    for (std::size_t i = 0; i < std::min<std::size_t>(problem_size_.size(), 3); ++i) {
      const std::string name = fmt::format("problem_size_{}", axes[i]);
      if (!is_parameter(name)) {
        constants.push_back(fmt::format("{}: {}", name, problem_size_[i]));
      }
    }
    return constants.empty() ? "# TODO: the problem's size\n# constants: {M: 4096, N: 4096}\n\n"
                             : fmt::format("constants: {{{}}}\n\n", fmt::join(constants, ", "));
  }

  std::string parameters_text() const {
    std::string text =
        "# Roles are guesses by name. TODO: look at them; a wrong one misleads.\nparameters:\n";
    for (const Parameter& parameter : parameters_) {
      std::vector<std::string> values;
      std::transform(parameter.values.begin(), parameter.values.end(), std::back_inserter(values),
                     yaml_value);
      const Role role = role_by_name(parameter.name);
      text += fmt::format("  {}: {{values: [{}]{}}}\n", parameter.name, fmt::join(values, ", "),
                          role == Role::other ? "" : fmt::format(", role: {}", to_string(role)));
    }
    return text + "\n";
  }

  std::string rules_text() {
    const std::vector<std::string> given =
        source_.input != nullptr ? source_.input->conditions : std::vector<std::string>{};
    std::string text = given.empty() ? "" : "  # Of the T1 input.\n";
    for (const std::string& condition : given) {
      text += fmt::format("  - {}\n", quoted(condition));
    }
    std::string remark;
    if (source_.recording != nullptr) {
      const InferredRules inferred = infer_rules(*source_.recording, given);
      text += inferred_text(inferred.rules);
      if (!inferred.exact) {
        remark =
            "# TODO: constraints that leave exactly what was recorded, which is too irregular "
            "to be inferred.\n";
        warning_ =
            "what was recorded is too irregular for rules to be inferred: the spec needs "
            "constraints before it replays";
      }
    }
    return remark + (text.empty() ? "" : "constraints:\n" + text + "\n");
  }

  static std::string inferred_text(const std::vector<std::string>& rules) {
    if (rules.empty()) {
      return "";
    }
    std::string text =
        "  # Inferred: exactly the recorded configurations remain. The kernel's own rules may "
        "read\n"
        "  # otherwise. TODO: put them in their place where you know them.\n";
    for (const std::string& rule : rules) {
      text += fmt::format("  - {}\n", quoted(rule));
    }
    return text;
  }

  std::string launch_text() const {
    std::optional<InferredLaunch> launch;
    std::string origin = "As recorded.";
    if (source_.recording != nullptr) {
      launch = infer_launch(*source_.recording);
    }
    if (!launch && source_.input != nullptr) {
      launch = launch_of_input();
      origin = "Of the T1 input.";
    }
    if (!launch) {
      return "# TODO: threads of a block, blocks (shared_bytes: dynamic shared memory)\n"
             "# launch:\n#   block: [...]\n#   grid: [\"ceil_div(N, TILE)\"]\n\n";
    }
    const auto list = [](const std::vector<std::string>& texts) {
      std::vector<std::string> out;
      std::transform(texts.begin(), texts.end(), std::back_inserter(out), quoted);
      return fmt::format("[{}]", fmt::join(out, ", "));
    };
    return fmt::format("# {}\nlaunch:\n  block: {}\n  grid: {}\n\n", origin, list(launch->block),
                       list(launch->grid));
  }

  std::optional<InferredLaunch> launch_of_input() const {
    const T1Input& input = *source_.input;
    if (input.block.empty() || input.grid_divisors.empty() ||
        input.problem_size.size() < input.grid_divisors.size()) {
      return std::nullopt;
    }
    InferredLaunch launch;
    launch.block = input.block;
    for (std::size_t i = 0; i < input.grid_divisors.size(); ++i) {
      const std::string divisor =
          input.grid_divisors[i].empty()
              ? "1"
              : fmt::format("({})", fmt::join(input.grid_divisors[i], ") * ("));
      launch.grid.push_back(fmt::format("ceil_div({}, {})", input.problem_size[i], divisor));
    }
    return launch;
  }

  static std::string work_text() {
    return "# TODO: the work of one launch; without it there is no roofline, only times. Bytes: "
           "each "
           "one once.\n# work:\n#   flops: {fp32: 2 * M * N}\n#   bytes: {dram: 4 * (M + N)}\n\n";
  }

  std::string kernel_text() const {
    return fmt::format(
        "# TODO: the kernel, for tuning it again; not needed for a replay\n"
        "# kernel: {{source: kernel.cu, name: {}}}\n",
        kernel_name());
  }

  const SkeletonSource& source_;
  const std::vector<Parameter>& parameters_;
  std::vector<std::int64_t> problem_size_;
  std::string warning_;
};

/// Expressions must be able to name every parameter.
void refuse_unusable_names(const std::vector<Parameter>& parameters) {
  for (const Parameter& parameter : parameters) {
    const std::string& name = parameter.name;
    const bool is_name = !name.empty() && std::isdigit(static_cast<unsigned char>(name[0])) == 0 &&
                         std::all_of(name.begin(), name.end(), [](char c) {
                           return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
                         });
    if (!is_name || is_reserved_name(name)) {
      throw InputError(
          fmt::format("the parameter \"{}\" cannot be named in a spec", one_line(name)),
          "rename it in the recording: letters, digits and underscores, and no word of "
          "the expression language");
    }
  }
}

/// A recording and its description must speak of the same parameters, and what was recorded must be
/// allowed by the conditions.
void refuse_differences(const Recording& recording, const T1Input& input) {
  std::vector<std::string> described;
  for (const Parameter& parameter : input.parameters) {
    described.push_back(parameter.name);
  }
  for (const Parameter& parameter : recording.parameters) {
    if (std::find(described.begin(), described.end(), parameter.name) == described.end()) {
      throw InputError(fmt::format("{}: its parameter \"{}\" is not in the T1 input",
                                   recording.file.string(), parameter.name),
                       suggest(parameter.name, described));
    }
  }
  for (const std::string& condition : input.conditions) {
    const Expression rule = Expression::parse(condition);
    for (const RecordedPoint& point : recording.points) {
      Scope scope;
      scope.set(point.parameters);
      bool allowed = false;
      try {
        allowed = rule.evaluate(scope).truthy();
      } catch (const ValueError& error) {
        throw InputError(
            fmt::format("condition \"{}\" of the T1 input: {}", condition, error.what()));
      }
      if (!allowed) {
        throw InputError(
            fmt::format("{}: \"{}\" was recorded, which the T1 input's condition \"{}\" excludes",
                        recording.file.string(), to_string(point.parameters), condition),
            "they are of different spaces; import without --t1");
      }
    }
  }
}

}  // namespace

RecordingSkeleton recording_skeleton(const SkeletonSource& source) {
  refuse_unusable_names(source.recording != nullptr ? source.recording->parameters
                                                    : source.input->parameters);
  if (source.recording != nullptr && source.input != nullptr) {
    refuse_differences(*source.recording, *source.input);
  }
  return SkeletonWriter(source).make();
}

}  // namespace rooftune::cli
