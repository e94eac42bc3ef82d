#include "tuner/cli/spec_skeleton.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "tuner/core/error.hpp"
#include "tuner/spec/instance.hpp"
#include "tuner/spec/kernel_signature.hpp"
#include "tuner/spec/spec.hpp"

namespace rooftune::cli {

Role role_by_name(const std::string& name) {
  std::string lower = name;
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  struct Hint {
    std::string_view part;
    Role role;
  };
  constexpr std::array hints = {
      Hint{"min_blocks", Role::launch_bounds},
      Hint{"maxreg", Role::launch_bounds},
      Hint{"unroll", Role::unroll},
      Hint{"vec", Role::vector},
      Hint{"stage", Role::stages},
      Hint{"stride", Role::layout},
      Hint{"shmem", Role::cache},
      Hint{"read_only", Role::cache},
      Hint{"pad", Role::padding},
      Hint{"split", Role::split},
      Hint{"tile", Role::tile},
      Hint{"block", Role::block},
      Hint{"work_group", Role::block},
      Hint{"thread", Role::block},
      Hint{"bm", Role::tile},
      Hint{"bn", Role::tile},
      Hint{"bk", Role::tile},
      Hint{"tm", Role::tile},
      Hint{"tn", Role::tile},
  };
  const auto* found = std::find_if(hints.begin(), hints.end(), [&](const Hint& hint) {
    return hint.part.size() == 2 ? lower == hint.part : lower.find(hint.part) != std::string::npos;
  });
  return found == hints.end() ? Role::other : found->role;
}

namespace {

/// "const float* __restrict__ A" in its parts.
struct Declaration {
  std::string type;  ///< without const and pointer
  std::string name;
  bool is_pointer = false;
  bool is_const = false;
};

Declaration parse_declaration(const std::string& text) {
  Declaration it;
  const std::string declared = text.substr(0, text.find('='));
  std::string word;
  std::vector<std::string> words;
  for (const char c : declared + " ") {
    const bool in_word = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == ':';
    if (in_word) {
      word += c;
    } else if (!word.empty()) {
      words.push_back(std::exchange(word, ""));
    }
    it.is_pointer = it.is_pointer || c == '*';
  }
  for (const std::string& one : words) {
    const bool is_qualifier = one == "const" || one == "volatile" || one == "__restrict__" ||
                              one == "__restrict" || one == "restrict";
    it.is_const = it.is_const || one == "const";
    if (is_qualifier) {
      continue;
    }
    if (!it.name.empty()) {
      it.type += (it.type.empty() ? "" : " ") + it.name;
    }
    it.name = one;
  }
  return it;
}

/// What a template parameter's name and type say about its role.
Role role_of(const std::string& name, const std::string& type) {
  return type == "typename" || type == "class" ? Role::precision : role_by_name(name);
}

std::string values_of(Role role, const std::string& type) {
  if (type == "typename" || type == "class") {
    return "[float]";
  }
  if (type == "bool") {
    return "[false, true]";
  }
  switch (role) {
    case Role::tile:
      return "[16, 32, 64]";
    case Role::block:
      return "[64, 128, 256, 512]";
    case Role::padding:
      return "[0, 1]";
    case Role::stages:
    case Role::launch_bounds:
      return "[1, 2]";
    default:
      return "[1, 2, 4]";
  }
}

class Skeleton {
 public:
  Skeleton(const std::string& source, std::string file, const KernelSignature& kernel)
      : source_(source), file_(std::move(file)), kernel_(kernel) {
    for (const std::string& text : kernel.template_parameters) {
      template_parameters_.push_back(parse_declaration(text));
    }
    for (const std::string& text : kernel.parameters) {
      arguments_.push_back(parse_declaration(text));
    }
    macros_ = tunable_macros(source);
  }

  std::string text() const {
    return fmt::format(
        "# Spec of the kernel `{}`, begun by `rooftune init`. Look at every TODO, then try\n"
        "#   rooftune space THIS_FILE    (size, rules)\n"
        "#   rooftune verify THIS_FILE   (every configuration right, on the host)\n"
        "#   rooftune tune THIS_FILE\n"
        "{}{}{}{}{}{}{}{}{}",
        kernel_.name, kernel_text(), constants_text(), parameters_text(), rules_text(),
        launch_text(), arguments_text(), work_text(), verify_text(), stop_text());
  }

 private:
  bool is_integer(const Declaration& argument) const {
    const ElementType* type = element_type(argument.type);
    return !argument.is_pointer && type != nullptr &&
           (type->kind == ElementType::Kind::signed_integer ||
            type->kind == ElementType::Kind::unsigned_integer);
  }
  std::vector<std::string> sizes() const {
    std::vector<std::string> names;
    for (const Declaration& argument : arguments_) {
      if (is_integer(argument)) {
        names.push_back(argument.name);
      }
    }
    return names.empty() ? std::vector<std::string>{"N"} : names;
  }
  /// A guess of what a buffer holds: the product of (at most two) sizes.
  std::string count() const {
    const std::vector<std::string> names = sizes();
    return names.size() == 1 ? names[0] : names[0] + " * " + names[1];
  }
  std::string block() const {
    for (const Declaration& parameter : template_parameters_) {
      if (role_of(parameter.name, parameter.type) == Role::block) {
        return parameter.name;
      }
    }
    for (const TunableMacro& macro : macros_) {
      if (role_of(macro.name, "") == Role::block) {
        return macro.name;
      }
    }
    return "256";
  }
  bool is_type_parameter(const std::string& type) const {
    return std::any_of(template_parameters_.begin(), template_parameters_.end(),
                       [&](const Declaration& it) { return it.name == type; });
  }
  std::string type_text(const Declaration& argument) const {
    return is_type_parameter(argument.type) ? "\"{" + argument.type + "}\"" : argument.type;
  }

  std::string kernel_text() const {
    std::string holes;
    for (const Declaration& parameter : template_parameters_) {
      const bool is_enum = element_type(parameter.type) == nullptr &&
                           parameter.type != "typename" && parameter.type != "class";
      holes += fmt::format(
          "{}{}", holes.empty() ? "" : ", ",
          is_enum ? fmt::format("static_cast<{}>({{{}}})", parameter.type, parameter.name)
                  : "{" + parameter.name + "}");
    }
    std::string text = fmt::format("kernel:\n  source: \"{}\"\n  name: \"{}{}\"\n", file_,
                                   kernel_.name, holes.empty() ? "" : "<" + holes + ">");
    return text +
           "  # options: [\"--use_fast_math\"]     # of the compiler\n"
           "  # include: [folder]\n\n";
  }

  std::string constants_text() const {
    const std::vector<std::string> names = sizes();
    std::string list;
    for (const std::string& name : names) {
      list += fmt::format("{}{}: {}", list.empty() ? "" : ", ", name,
                          names.size() == 1 ? 1048576 : 512);
    }
    return fmt::format(
        "# TODO: the problem's size; --set NAME=VALUE changes it\n"
        "constants: {{{}}}\n"
        "# problems: [{{...}}, {{...}}]               # several sizes in one run\n\n",
        list);
  }

  std::string parameters_text() const {
    std::string text =
        "# TODO: the values to try. Roles: tile block unroll vector stages launch_bounds "
        "precision\n"
        "# padding layout cache fusion split algorithm other\nparameters:\n";
    for (const Declaration& parameter : template_parameters_) {
      const Role role = role_of(parameter.name, parameter.type);
      text += fmt::format("  {}: {{values: {}, role: {}}}\n", parameter.name,
                          values_of(role, parameter.type), to_string(role));
    }
    for (const TunableMacro& macro : macros_) {
      text += fmt::format("  {}: {{values: [{}], role: {}}}   # a macro of the source\n",
                          macro.name, macro.value, to_string(role_of(macro.name, "")));
    }
    if (template_parameters_.empty() && macros_.empty()) {
      text +=
          "  # Nothing in the source can be set: make a value a template parameter, or a macro\n"
          "  # with #ifndef NAME / #define NAME VALUE / #endif around it.\n"
          "  THREADS: {values: [64, 128, 256, 512], role: block}\n";
    }
    return text + "\n";
  }

  static std::string rules_text() {
    return "# TODO: what must hold, Python-like\n# constraints:\n#   - TILE % 4 == 0\n"
           "# derived: {threads: TILE * TILE}\n\n";
  }

  std::string launch_text() const {
    const std::string threads =
        template_parameters_.empty() && macros_.empty() ? "THREADS" : block();
    return fmt::format(
        "# TODO: as your program launches it; threads of a block, blocks\nlaunch:\n"
        "  block: [\"{}\"]\n  grid: [\"ceil_div({}, {})\"]\n"
        "  # shared_bytes: 0                       # dynamic shared memory\n\n",
        threads, count(), threads);
  }

  std::string arguments_text() const {
    std::string text =
        "# TODO: in the kernel's order; access: in (default), out, inout\narguments:\n";
    for (const Declaration& argument : arguments_) {
      if (argument.is_pointer) {
        text += fmt::format("  - {{name: {}, type: {}, count: {}{}}}\n", argument.name,
                            type_text(argument), count(),
                            argument.is_const ? ", fill: \"uniform(-1, 1)\"" : ", access: out");
      } else {
        text += fmt::format("  - {{name: {}, type: {}, value: {}}}\n", argument.name,
                            type_text(argument), is_integer(argument) ? argument.name : "1.0");
      }
    }
    return text + "\n";
  }

  std::string work_text() const {
    std::string bytes;
    for (const Declaration& argument : arguments_) {
      if (argument.is_pointer) {
        const ElementType* type = element_type(argument.type);
        bytes += fmt::format("{}{} * {}", bytes.empty() ? "" : " + ",
                             type == nullptr ? 4 : type->size, count());
      }
    }
    return fmt::format(
        "# TODO: the work of one launch: it decides what the roofline says. Bytes: each one once.\n"
        "work:\n  flops: {{fp32: \"{}\"}}\n  bytes: {{dram: \"{}\"}}\n\n",
        count(), bytes.empty() ? "0" : bytes);
  }

  std::string verify_text() const {
    for (const KernelSignature& other : kernel_signatures(source_)) {
      const bool says_so = other.name.find("reference") != std::string::npos ||
                           other.name.find("naive") != std::string::npos;
      if (says_so && other.name != kernel_.name && other.template_parameters.empty() &&
          other.parameters.size() == kernel_.parameters.size()) {
        return fmt::format(
            "# TODO: how the reference is launched\nverify:\n  kernel: {}\n"
            "  block: [\"256\"]\n  grid: [\"ceil_div({}, 256)\"]\n"
            "  tolerance: {{relative: 1e-4}}\n\n",
            other.name, count());
      }
    }
    return "# TODO: a simple kernel with the same arguments that proves results (or file: "
           "expected.bin)."
           "\n# Without it wrong configurations go unnoticed, and no header is written.\n"
           "# verify: {kernel: NAME, block: [\"256\"], grid: [\"...\"], tolerance: {relative: "
           "1e-4}}\n\n";
  }

  static std::string stop_text() {
    return "# baseline: {...}                         # what is in use today; speed-ups are "
           "against it\n"
           "stop: {ceiling: 0.9, evaluations: 100, seconds: 600}\n";
  }

  const std::string& source_;
  std::string file_;
  const KernelSignature& kernel_;
  std::vector<Declaration> template_parameters_;
  std::vector<Declaration> arguments_;
  std::vector<TunableMacro> macros_;
};

const KernelSignature& choose(const std::vector<KernelSignature>& kernels, const std::string& file,
                              const std::string& name) {
  if (kernels.empty()) {
    throw InputError(fmt::format("{}: no kernel whose parameters can be told", file),
                     "a kernel is `__global__ void NAME(TYPE NAME, ...)`");
  }
  const auto found = std::find_if(kernels.begin(), kernels.end(), [&](const auto& kernel) {
    return name.empty() ? kernel.name.find("reference") == std::string::npos : kernel.name == name;
  });
  if (found == kernels.end() && !name.empty()) {
    std::vector<std::string> known;
    std::transform(kernels.begin(), kernels.end(), std::back_inserter(known),
                   [](const KernelSignature& kernel) { return kernel.name; });
    throw InputError(fmt::format("{}: no kernel \"{}\"", file, name), suggest(name, known));
  }
  return found == kernels.end() ? kernels.front() : *found;
}

}  // namespace

std::string spec_skeleton(const std::string& source, const std::string& file,
                          const std::string& kernel) {
  const std::vector<KernelSignature> kernels = kernel_signatures(source);
  return Skeleton(source, file, choose(kernels, file, kernel)).text();
}

}  // namespace rooftune::cli
