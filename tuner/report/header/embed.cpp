#include "tuner/report/header/embed.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "tuner/compile/compiler.hpp"
#include "tuner/compile/source.hpp"
#include "tuner/core/error.hpp"
#include "tuner/report/cpp_text.hpp"
#include "tuner/report/header/names.hpp"
#include "tuner/spec/instance.hpp"
#include "tuner/spec/kernel_signature.hpp"

namespace rooftune::header {
namespace {

/// How the kernel declares argument `i`; where its signature cannot be told, by the spec's access.
bool is_const(const std::optional<std::vector<std::string>>& signature, std::size_t i,
              const Argument& argument) {
  if (!signature || i >= signature->size()) {
    return argument.access == Access::in;
  }
  const TokenizedText declared = tokenize((*signature)[i], "");
  for (const Token& token : declared.tokens) {
    const std::string_view word = declared.view(token);
    if (word == "const" || word == "*") {
      return word == "const";
    }
  }
  return false;
}

std::vector<std::string> argument_types(const std::vector<Argument>& arguments,
                                        const std::optional<std::vector<std::string>>& signature) {
  std::vector<std::string> types;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Argument& argument = arguments[i];
    const bool constant = argument.is_buffer && is_const(signature, i, argument);
    types.push_back((constant ? "const " : "") + argument.type.name +
                    (argument.is_buffer ? "*" : ""));
  }
  return types;
}

/// The builds of the rows, each once, and which of them each row has.
struct Variants {
  std::vector<Build> builds;
  std::vector<std::size_t> of_row;
};

Variants variants_of(const Spec& spec, const Rows& rows) {
  Variants variants;
  for (const Entry& row : rows) {
    Build build = build_of(spec, row.measured.parameters(), row.measured.at->problem);
    const auto found = std::find(variants.builds.begin(), variants.builds.end(), build);
    variants.of_row.push_back(static_cast<std::size_t>(found - variants.builds.begin()));
    if (found == variants.builds.end()) {
      variants.builds.push_back(std::move(build));
    }
  }
  return variants;
}

std::string define_lines(const NamedValues& defines) {
  std::string text;
  for (const NamedValue& define : defines) {
    text += fmt::format("#define {} {}\n", define.name, define_body(define));
  }
  return text;
}

/// Macros that the source or a configuration sets: what they were before is restored.
std::string with_own_macros(const std::vector<std::string>& macros, const NamedValues& defines,
                            const std::string& body) {
  std::set<std::string> names(macros.begin(), macros.end());
  for (const NamedValue& define : defines) {
    names.insert(define.name);
  }
  std::string before;
  std::string after;
  for (const std::string& name : names) {
    before += fmt::format("#pragma push_macro(\"{0}\")\n#undef {0}\n", name);
    after += fmt::format("#undef {0}\n#pragma pop_macro(\"{0}\")\n", name);
  }
  return before + define_lines(defines) + body + after;
}

std::string source_space(const std::string& space) {
  return space + "_source";
}

/// A function for each build, which gives the kernel: its name is looked up where the source is.
std::string kernel_function(const Build& build, std::size_t number) {
  std::string name = build.name_expression;
  name.erase(0, name.find_first_not_of("& "));
  return fmt::format("inline auto rooftune_kernel_{}() {{\n  return &{};\n}}\n", number, name);
}

/// Builds that differ in their #define lines need a copy of the source each.
std::string source_copies(const EmbeddedKernel& embedded, const Variants& variants) {
  std::string text;
  std::vector<bool> done(variants.builds.size());
  for (std::size_t i = 0; i < variants.builds.size(); ++i) {
    if (done[i]) {
      continue;
    }
    std::string body = embedded.source.body;
    for (std::size_t k = i; k < variants.builds.size(); ++k) {
      if (variants.builds[k].defines == variants.builds[i].defines) {
        body += kernel_function(variants.builds[k], k);
        done[k] = true;
      }
    }
    const NamedValues& defines = variants.builds[i].defines;
    const std::string copy = with_own_macros(embedded.source.macros, defines, body);
    text += defines.empty() ? copy : fmt::format("inline namespace copy_{} {{\n{}}}\n", i, copy);
  }
  return text;
}

/// The kernel's arguments as C++ names, apart from what the launch functions use themselves.
std::vector<std::string> argument_names(const Spec& spec) {
  CppNames given({"stream", "problem", "chosen", "device", "error", "rows", "support", "launch",
                  "select_or_warn", "Device", "Problem", "Selection"});
  std::vector<std::string> names;
  std::transform(spec.arguments.begin(), spec.arguments.end(), std::back_inserter(names),
                 [&](const ArgumentSpec& argument) { return given.give(argument.name); });
  return names;
}

std::string parameter_list(const Build& build, const Spec& spec) {
  const std::vector<std::string> names = argument_names(spec);
  std::string text;
  for (std::size_t i = 0; i < build.argument_types.size(); ++i) {
    text += fmt::format(", {} {}", build.argument_types[i], names[i]);
  }
  return text;
}

std::string argument_list(const Spec& spec) {
  std::string text;
  for (const std::string& name : argument_names(spec)) {
    text += ", " + name;
  }
  return text;
}

std::string options_remark(const Variants& variants) {
  std::set<std::string> options;
  for (const Build& build : variants.builds) {
    options.insert(build.options.begin(), build.options.end());
  }
  return options.empty()
             ? ""
             : "/// Measured with " + cpp_comment(fmt::format("{}", fmt::join(options, " "))) +
                   ": nvcc needs these too.\n";
}

/// The launch functions for one set of argument types.
std::string launch_functions(const EmbeddedKernel& embedded, const Rows& rows,
                             const Variants& variants, int types, const std::string& space) {
  const std::string arguments = argument_list(*embedded.spec);
  std::string cases;
  std::size_t some = 0;
  for (std::size_t variant = 0; variant < variants.builds.size(); ++variant) {
    std::string labels;
    for (std::size_t row = 0; row < rows.size(); ++row) {
      if (variants.of_row[row] == variant && rows[row].types == types) {
        labels += fmt::format("    case {}:\n", row);
        some = variant;
      }
    }
    if (!labels.empty()) {
      cases += labels + fmt::format(
                            "      return support::start(::{}::rooftune_kernel_{}(), "
                            "chosen.geometry, stream{});\n",
                            source_space(space), variant, arguments);
    }
  }
  const std::string parameters = parameter_list(variants.builds[some], *embedded.spec);
  return fmt::format(
      "/// Launches a line of the table; what CUDA says comes back. cudaErrorInvalidValue: the "
      "line "
      "may\n/// not run at its size, or its kernel takes other argument types.\n"
      "static inline cudaError_t launch(cudaStream_t stream, const Selection& chosen{0}) {{\n"
      "  if (!chosen.valid) {{\n    return cudaErrorInvalidValue;\n  }}\n"
      "  switch (chosen.row - rows) {{\n{1}    default:\n      return cudaErrorInvalidValue;\n"
      "  }}\n}}\n"
      "/// Launches what select_or_warn() finds for the current device.\n"
      "static inline cudaError_t launch(cudaStream_t stream, const Problem& problem{0}) {{\n"
      "  Device device;\n  const cudaError_t error = support::current_device(device);\n"
      "  return error == cudaSuccess\n"
      "             ? launch(stream, select_or_warn(device, problem, {2}){3})\n"
      "             : error;\n}}\n\n",
      parameters, cases, types, arguments);
}

/// The text as adjacent literals, a line each.
std::string literal_lines(std::string_view text) {
  std::string literals;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    literals += "\n    " + cpp_string(text.substr(0, end));
    text.remove_prefix(end);
  }
  return literals.empty() ? " \"\"" : literals;
}

/// Where the #define lines go parts the source in two.
std::pair<std::string, std::string> parts(const EmbeddedKernel& embedded,
                                          const NamedValues& defines) {
  const std::string& text = embedded.source.text;
  const TokenizedText source = tokenize(text, kernel_of(*embedded.spec).source.string());
  const std::size_t place = defines.empty() ? 0 : place_of_defines(source, defines);
  const std::size_t end = place == 0 ? 0 : std::min(text.find('\n', place), text.size() - 1) + 1;
  return {text.substr(0, end), text.substr(end)};
}

std::string programs(const EmbeddedKernel& embedded, const Rows& rows) {
  const Variants variants = variants_of(*embedded.spec, rows);
  const auto [head, tail] = parts(embedded, variants.builds.front().defines);
  std::string text = fmt::format(
      "/// The kernel's source; the #define lines of a configuration go between its two parts.\n"
      "inline constexpr std::string_view source_head ={};\n"
      "inline constexpr std::string_view source_tail ={};\n\n",
      literal_lines(head), literal_lines(tail));
  text +=
      "/// What NVRTC needs for a line, besides the architecture and the folder of CUDA's "
      "headers.\n"
      "struct Program {\n  const char* name_expression;      ///< for nvrtcAddNameExpression\n"
      "  std::string_view defines;         ///< lines\n"
      "  const char* const* options;       ///< nullptr where there is none\n"
      "  int option_count;\n};\n";
  std::string table;
  for (std::size_t i = 0; i < variants.builds.size(); ++i) {
    const std::vector<std::string>& options = variants.builds[i].options;
    if (!options.empty()) {
      std::string list;
      for (const std::string& option : options) {
        list += (list.empty() ? "" : ", ") + cpp_string(option);
      }
      text += fmt::format("inline constexpr const char* options_{}[] = {{{}}};\n", i, list);
    }
  }
  for (const std::size_t variant : variants.of_row) {
    const Build& build = variants.builds[variant];
    table += fmt::format("    {{{}, {}, {}, {}}},\n", cpp_string(build.name_expression),
                         cpp_string(define_lines(build.defines)),
                         build.options.empty() ? "nullptr" : fmt::format("options_{}", variant),
                         build.options.size());
  }
  return text + fmt::format(
                    "inline constexpr Program programs[] = {{  // by line of the table\n{}}};\n\n"
                    "constexpr const Program& program(const Selection& chosen) {{\n"
                    "  return programs[chosen.row - rows];\n}}\n"
                    "inline std::string source_of(const Program& it) {{\n"
                    "  return std::string(source_head) + std::string(it.defines) + "
                    "std::string(source_tail);\n}}\n\n",
                    table);
}

}  // namespace

const KernelSpec& kernel_of(const Spec& spec) {
  if (!spec.kernel) {
    throw InputError(fmt::format("{}: there is no kernel to embed", spec.file.string()),
                     "use --embed none");
  }
  return *spec.kernel;
}

Build build_of(const Spec& spec, const NamedValues& parameters, const Problem& problem) {
  const KernelInstance instance = instantiate(spec, parameters, problem);
  Build build;
  build.name_expression = instance.name_expression;
  build.options = instance.options;
  build.defines = instance.defines;
  build.argument_types = argument_types(
      instance.arguments, kernel_signature(read_source(kernel_of(spec).source),
                                           plain_kernel_name(instance.name_expression)));
  return build;
}

std::string types_text(const Build& build) {
  std::string text;
  for (const std::string& type : build.argument_types) {
    text += (text.empty() ? "" : ", ") + type;
  }
  return text;
}

EmbeddedKernel embedded_kernel(const Spec& spec, const Results& results, HeaderEmbed how) {
  EmbeddedKernel embedded;
  embedded.how = how;
  embedded.spec = &spec;
  embedded.source = whole_source(spec);
  std::vector<std::string> names = kernel_of(spec).name.text.names();
  for (const SpecText& option : kernel_of(spec).options) {
    const std::vector<std::string> more = option.text.names();
    names.insert(names.end(), more.begin(), more.end());
  }
  names.insert(names.end(), kernel_of(spec).defines.begin(), kernel_of(spec).defines.end());
  for (const std::string& name : names) {
    Uses uses(results);
    uses.add_name(name);
    if (uses.problem()) {
      embedded.fixed.insert(name);
    }
  }
  return embedded;
}

std::string embedded_includes(const EmbeddedKernel& embedded) {
  if (embedded.how != HeaderEmbed::launcher) {
    return "";
  }
  std::string text = "#ifdef __CUDACC__\n#include <cuda_runtime.h>\n";
  for (const std::string& name : embedded.source.includes) {
    text += "#include " + name + "\n";
  }
  return text + "#endif\n\n";
}

std::string embedded_source(const EmbeddedKernel& embedded, const Rows& rows,
                            const std::string& space) {
  if (embedded.how != HeaderEmbed::launcher) {
    return "";
  }
  // Kernels that are no templates would clash where two files include the header; in an unnamed
  // namespace they do not, but those that are not launched draw warnings.
  return fmt::format(
      "#ifdef __CUDACC__\n// The kernel's source, as it was tuned.\n#ifdef __NVCC__\n"
      "#pragma nv_diagnostic push\n#pragma nv_diag_suppress 177  // not all of it is launched\n"
      "#endif\n#pragma GCC diagnostic push\n#pragma GCC diagnostic ignored "
      "\"-Wunused-function\"\nnamespace {0} {{\nnamespace {{\n\n{1}\n}}  // namespace\n}}  // "
      "namespace {0}\n#pragma GCC diagnostic pop\n#ifdef __NVCC__\n#pragma nv_diagnostic pop\n"
      "#endif\n#endif\n\n",
      source_space(space), source_copies(embedded, variants_of(*embedded.spec, rows)));
}

std::string embedded_members(const EmbeddedKernel& embedded, const Rows& rows, const Kernel& kernel,
                             const std::string& space) {
  if (embedded.how == HeaderEmbed::source) {
    return programs(embedded, rows);
  }
  const Variants variants = variants_of(*embedded.spec, rows);
  std::string text = "#ifdef __CUDACC__\n" + options_remark(variants);
  for (std::size_t types = 0; types < kernel.types.size(); ++types) {
    text += launch_functions(embedded, rows, variants, static_cast<int>(types), space);
  }
  return text + "#endif\n\n";
}

}  // namespace rooftune::header
