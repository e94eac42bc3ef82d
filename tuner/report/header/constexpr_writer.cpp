#include <fmt/format.h>

#include <algorithm>

#include "tuner/core/error.hpp"
#include "tuner/core/hash.hpp"
#include "tuner/core/units.hpp"
#include "tuner/report/cpp_text.hpp"
#include "tuner/report/header/support_text.hpp"
#include "tuner/report/header/writer.hpp"
#include "tuner/spec/expression.hpp"

namespace rooftune::header {
namespace {

/// Names of a kernel's namespace that no line of the table may take.
const std::set<std::string> section_names = {
    "Device",    "Geometry",       "Match",        "Origin",   "Parameters",   "Problem",
    "Row",       "Selection",      "Tuned",        "rows",     "support",      "select",
    "valid",     "usable",         "geometry",     "distance", "launch",       "same_size",
    "to_string", "Program",        "program",      "programs", "default_rows", "same_kernel",
    "row_of",    "select_or_warn", "measured_rows"};

class Section {
 public:
  Section(const Kernel& kernel, const std::string& space, const EmbeddedKernel* embedded)
      : kernel_(kernel),
        results_(*kernel.results),
        space_(space),
        embedded_(embedded),
        names_(names_of(results_)) {
    collect_rows();
  }

  std::string text() const {
    std::string text = embedded_ == nullptr ? "" : embedded_source(*embedded_, rows_, space_);
    text += fmt::format("namespace {} {{\n\n", space_) + usings() + problem_struct() +
            parameters_struct() + geometry_function() + valid_function() + size_functions();
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      text += row_struct(i);
    }
    text += table() + selection();
    text += embedded_ == nullptr ? "" : embedded_members(*embedded_, rows_, kernel_, space_);
    return text + fmt::format("}}  // namespace {}\n\n", space_);
  }

 private:
  /// The table's lines, then the defaults that are none of them.
  void collect_rows() {
    std::set<std::string> taken = section_names;
    for (const auto& name : names_) {
      taken.insert(name.second);  // a member may not have its struct's name
    }
    CppNames given(std::move(taken));
    const auto add = [&](const Entry& entry, const std::string& title) {
      rows_.push_back(entry);
      row_names_.push_back(given.give(title));
    };
    for (const Entry& entry : kernel_.entries) {
      add(entry, title_of(entry));
    }
    for (const Default& it : kernel_.defaults) {
      default_rows_.push_back(it.same_as.value_or(rows_.size()));
      if (!it.same_as) {
        add(it.entry, "Default" + types_suffix(it.entry));
      }
    }
  }

  /// "_half" where lines differ by their argument types: those that differ, each once.
  std::string types_suffix(const Entry& entry) const {
    const std::vector<std::string> own =
        split_types(kernel_.types[static_cast<std::size_t>(entry.types)]);
    std::vector<std::string> telling;
    for (std::size_t i = 0; i < own.size(); ++i) {
      const bool differs =
          std::any_of(kernel_.types.begin(), kernel_.types.end(),
                      [&](const std::string& types) { return split_types(types).at(i) != own[i]; });
      if (differs && std::find(telling.begin(), telling.end(), own[i]) == telling.end()) {
        telling.push_back(own[i]);
      }
    }
    std::string text;
    for (const std::string& type : telling) {
      const std::size_t begin = type.rfind("const ", 0) == 0 ? 6 : 0;
      text += "_" + type.substr(begin, type.find('*') - begin);
    }
    return text;
  }

  static std::vector<std::string> split_types(const std::string& text) {
    std::vector<std::string> parts;
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find(", ", begin), text.size());
      parts.push_back(text.substr(begin, end - begin));
      begin = end + 2;
    }
    return parts;
  }

  std::string title_of(const Entry& entry) const {
    std::string title = entry.measured.results->device.name;
    for (const NamedValue& constant : entry.measured.at->problem) {
      title += "_" + constant.name + constant.value.to_string();
    }
    return title + types_suffix(entry);
  }

  std::string usings() const {
    return "namespace support = " + support_namespace() +
           ";\nusing support::Device;\nusing support::Dim3;\nusing support::Geometry;\n"
           "using support::Match;\nusing support::Origin;\n\n";
  }

  std::string problem_struct() const {
    std::string text = "/// The problem's size: the spec's constants.\nstruct Problem {\n";
    for (const NamedValue& constant : results_.problems.front()) {
      text += fmt::format("  {} {} = {};\n", cpp_type(constant.value), names_.at(constant.name),
                          cpp_literal(constant.value));
    }
    return text + "};\n\n";
  }

  std::string parameters_struct() const {
    std::string text = "/// A configuration.\nstruct Parameters {\n";
    for (const NamedValue& parameter : rows_.front().measured.parameters()) {
      text += fmt::format("  {} {};\n", cpp_type(parameter.value), name_of(parameter));
    }
    return text + "};\n\n";
  }

  const std::string& name_of(const NamedValue& named) const {
    const auto found = names_.find(named.name);
    if (found == names_.end()) {
      throw InputError(fmt::format("{}: a configuration has the unknown parameter \"{}\"",
                                   kernel_.name, named.name),
                       "the results file was changed by hand");
    }
    return found->second;
  }

  /// Those of the spec's functions that the code calls.
  static std::string helpers(const std::string& code) {
    std::string text;
    for (const std::string_view helper : header_helper_names) {
      if (code.find(std::string(helper) + "(") != std::string::npos) {
        text += fmt::format("  using support::{};\n", helper);
      }
    }
    return text;
  }

  /// A function of a configuration and a problem; `uses` are the names in its body.
  std::string function(const std::string& declaration, const Uses& uses,
                       const std::string& body) const {
    const std::string code = locals(results_, names_, uses, "  ") + body;
    return fmt::format("{}(const Parameters&{}, const Problem&{}) {{\n{}{}}}\n\n", declaration,
                       uses.parameters() ? " parameters" : "", uses.problem() ? " problem" : "",
                       helpers(code), code);
  }

  std::string dim3_text(const std::vector<std::string>& expressions) const {
    std::string text;
    for (const std::string& expression : expressions) {
      text += fmt::format("{}static_cast<std::int64_t>({})", text.empty() ? "" : ", ",
                          cpp_expression(expression, names_));
    }
    return "Dim3{" + text + "}";
  }

  std::string geometry_function() const {
    const LaunchText& launch = results_.launch;
    const std::string shared = launch.shared_bytes.empty() ? "0" : launch.shared_bytes;
    Uses uses(results_);
    for (const auto* expressions : {&launch.grid, &launch.block}) {
      for (const std::string& expression : *expressions) {
        uses.add(expression);
      }
    }
    uses.add(shared);
    return "/// What a launch takes: the spec's expressions.\n" +
           function("constexpr Geometry geometry", uses,
                    fmt::format("  return Geometry{{{},\n                  {},\n                  "
                                "static_cast<std::int64_t>({})}};\n",
                                dim3_text(launch.grid), dim3_text(launch.block),
                                cpp_expression(shared, names_)));
  }

  /// Rules on parameters alone hold for every line.
  std::string valid_function() const {
    Uses all(results_);
    std::string checks;
    for (const RuleCount& rule : results_.removed) {
      Uses uses(results_);
      uses.add(rule.rule);
      if (uses.problem()) {
        all.add(rule.rule);
        checks += fmt::format("  if (!({})) {{\n    return false;\n  }}\n",
                              cpp_expression(rule.rule, names_));
      }
    }
    return "/// Whether the spec's rules hold at this size; those on parameters alone always "
           "do.\n" +
           function("constexpr bool valid", all, checks + "  return true;\n");
  }

  std::string size_functions() const {
    std::string equal;
    std::string sum;
    for (const NamedValue& constant : results_.problems.front()) {
      const std::string& name = names_.at(constant.name);
      equal += fmt::format("{}a.{} == b.{}", equal.empty() ? "" : " && ", name, name);
      sum += fmt::format("{}support::apart(a.{}, b.{})", sum.empty() ? "" : " + ", name, name);
    }
    const char* arguments =
        equal.empty() ? "(const Problem&, const Problem&)" : "(const Problem& a, const Problem& b)";
    return fmt::format(
        "constexpr bool same_size{0} {{\n  return {1};\n}}\n"
        "/// Over all sizes: squares of log2 of their ratios, in units of 2^-32.\n"
        "constexpr std::int64_t distance{0} {{\n  return {2};\n}}\n\n",
        arguments, equal.empty() ? "true" : equal, sum.empty() ? "0" : sum);
  }

  std::string comment_of(std::size_t i) const {
    std::string text;
    const auto add = [&](const std::string& line) { text += "/// " + cpp_comment(line) + "\n"; };
    const Candidate& measured = rows_[i].measured;
    for (std::size_t d = 0; d < default_rows_.size(); ++d) {
      if (default_rows_[d] == i) {
        add("The default: of the configurations measured on most devices and sizes, the one that "
            "loses least at worst.");
        for (const Loss& loss : kernel_.defaults[d].losses) {
          add(fmt::format("  on {} at {}: {}", loss.best.results->device.name,
                          to_string(loss.best.at->problem),
                          loss.factor == 0 ? "not measured"
                                           : fmt::format("{:.2f}x the best time", loss.factor)));
        }
      }
    }
    add(fmt::format("{} at {}", measured.results->device.name, to_string(measured.at->problem)));
    for (const std::string& line : remarks(measured)) {
      add(line);
    }
    return text;
  }

  std::string row_struct(std::size_t i) const {
    const Candidate& measured = rows_[i].measured;
    const DeviceProfile& device = measured.results->device;
    std::string text = comment_of(i) + fmt::format("struct {} {{\n", row_names_[i]);
    std::string members;
    for (const NamedValue& parameter : measured.parameters()) {
      text += fmt::format("  static constexpr {} {} = {};\n", cpp_type(parameter.value),
                          name_of(parameter), cpp_literal(parameter.value));
      members += (members.empty() ? "" : ", ") + name_of(parameter);
    }
    std::string sizes;
    for (const NamedValue& constant : measured.at->problem) {
      sizes += (sizes.empty() ? "" : ", ") + cpp_literal(constant.value);
    }
    text += fmt::format("  static constexpr Parameters parameters{{{}}};\n", members);
    text += fmt::format("  static constexpr Device device{{{}, {}, {}}};\n",
                        cpp_string(device.name), device.cc.major, device.cc.minor);
    text += fmt::format("  static constexpr Problem problem{{{}}};\n", sizes);
    return text + origin_member(measured) +
           fmt::format(
               "  static constexpr Geometry geometry(const Problem& at) {{\n"
               "    return ::{}::geometry(parameters, at);\n  }}\n}};\n\n",
               space_);
  }

  static std::string origin_member(const Candidate& measured) {
    const auto& placement = measured.at->placement;
    return fmt::format(
        "  static constexpr Origin origin{{\n      {},\n      {}, {}, {}, {}, {},\n      {},\n     "
        " "
        "{}, {}}};\n",
        cpp_string(kernel_name(measured)), cpp_literal(measured.seconds),
        cpp_literal(placement ? placement->fraction : 0),
        cpp_string(bound_in_words(*measured.record)), cpp_literal(largest_error(*measured.record)),
        measured.results->device.kind == DeviceKind::host,
        cpp_string(measured.results->environment), cpp_string(measured.results->spec_hash),
        cpp_string(measured.record->timestamp));
  }

  std::string table() const {
    std::string text =
        "/// A line of the table.\nstruct Row {\n  Device device;\n  Problem problem;\n"
        "  Parameters parameters;\n  Origin origin;\n"
        "  int types;  ///< lines whose kernels take other argument types have another number\n};\n"
        "template <class Line>\nconstexpr Row row_of(int types) {\n"
        "  return {Line::device, Line::problem, Line::parameters, Line::origin, types};\n}\n"
        "inline constexpr Row rows[] = {\n";
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      text += fmt::format("    row_of<{}>({}),\n", row_names_[i], rows_[i].types);
    }
    std::string defaults;
    for (const std::size_t row : default_rows_) {
      defaults += fmt::format("{}{}", defaults.empty() ? "" : ", ", row);
    }
    return text +
           fmt::format(
               "}};\ninline constexpr std::size_t measured_rows = {};  ///< the rest are defaults\n"
               "inline constexpr std::size_t default_rows[] = {{{}}};  ///< by types\n\n"
               "/// What runs where nothing was measured.\nusing Tuned = {};\n\n",
               kernel_.entries.size(), defaults, row_names_[default_rows_.front()]);
  }

  std::string selection() const {
    const bool checks_kernel = embedded_ != nullptr && !embedded_->fixed.empty();
    return "using Selection = support::Selection<Row>;\n\n" +
           (checks_kernel ? same_kernel_function() : "") +
           fmt::format(
               "/// Whether a line may run at this size{}.\n"
               "constexpr bool usable(const Row& row, const Problem& problem) {{\n"
               "  return valid(row.parameters, problem){};\n}}\n\n",
               checks_kernel ? ": by the rules, and with the kernel that was measured" : "",
               checks_kernel ? " &&\n         same_kernel(row.parameters, row.problem, problem)"
                             : "") +
           fmt::format(
               "/// The line for a device and a size, at run time and in constant expressions. By\n"
               "/// device: its name, its compute capability, its architecture, the default. Among "
               "sizes:\n/// equal, then nearest by distance(). `types`: only lines of these "
               "argument types.\n"
               "constexpr Selection select(const Device& device, const Problem& problem, int types "
               "= -1) {{\n"
               "  return support::select(rows, measured_rows,\n"
               "                         rows + default_rows[types < 0 ? 0 : types], device, "
               "problem,\n                         types);\n}}\n\n"
               "/// The same, and tells support::warning_hook() the first time that the device is "
               "not in the\n/// table.\n"
               "inline Selection select_or_warn(const Device& device, const Problem& problem,\n"
               "                                int types = -1) {{\n"
               "  static std::atomic_flag warned = ATOMIC_FLAG_INIT;\n"
               "  const Selection chosen = select(device, problem, types);\n"
               "  support::warn_once(warned, {}, device, chosen);\n  return chosen;\n}}\n\n",
               cpp_string(kernel_.name));
  }

  /// Compares what the kernel's name, options and #define lines take from the problem.
  std::string same_kernel_function() const {
    Uses uses(results_);
    std::string values;
    for (const std::string& name : embedded_->fixed) {
      uses.add_name(name);
      values += (values.empty() ? "" : ", ") + names_.at(name);
    }
    const std::string code = locals(results_, names_, uses, "    ");
    return fmt::format(
        "/// Whether two sizes take the same kernel: its name, options and #define lines depend on "
        "them.\nconstexpr bool same_kernel(const Parameters&{}, const Problem& a, const Problem& "
        "b) {{\n{}  const auto fixed = [&](const Problem& problem) {{\n{}    return "
        "std::make_tuple({});\n  }};\n  return fixed(a) == fixed(b);\n}}\n\n",
        uses.parameters() ? " parameters" : "", helpers(code), code, values);
  }

  const Kernel& kernel_;
  const Results& results_;
  const std::string& space_;
  const EmbeddedKernel* embedded_;
  Names names_;
  Rows rows_;
  std::vector<std::string> row_names_;
  std::vector<std::size_t> default_rows_;  ///< by types
};

}  // namespace

std::string kernel_section(const Kernel& kernel, const std::string& space,
                           const EmbeddedKernel* embedded) {
  return Section(kernel, space, embedded).text();
}

}  // namespace rooftune::header
