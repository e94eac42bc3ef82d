// The sections about the kernel: kernel, launch, arguments, verify.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <limits>

#include "tuner/spec/instance.hpp"
#include "tuner/spec/kernel_signature.hpp"
#include "tuner/spec/reader.hpp"

namespace rooftune::reader {
namespace {

using yaml::Map;
using yaml::Node;

struct FillKind {
  std::string_view name;
  Fill::Kind kind;
  std::size_t numbers;
};
constexpr std::array<FillKind, 5> fill_kinds = {
    {{"zero", Fill::Kind::zero, 0},
     {"iota", Fill::Kind::iota, 0},
     {"constant", Fill::Kind::constant, 1},
     {"uniform", Fill::Kind::uniform, 2},
     {"uniform_integer", Fill::Kind::uniform_integer, 2}}};
constexpr const char* fill_forms =
    "zero, iota, constant(C), uniform(LOW, HIGH) or uniform_integer(LOW, HIGH)";

/// The numbers in "(a, b)".
std::vector<double> numbers_in(std::string_view text) {
  std::vector<double> numbers;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    numbers.push_back(Expression::parse(text.substr(0, comma)).evaluate(Scope()).as_real());
    text.remove_prefix(std::min(text.size(), comma + 1));
  }
  return numbers;
}

Fill fill(const Context& context, const Node& node) {
  const std::string& text = yaml::text(context.document, node, "fill");
  const std::size_t open = std::min(text.find('('), text.size());
  const std::string name = text.substr(0, open);
  const auto* kind = std::find_if(fill_kinds.begin(), fill_kinds.end(),
                                  [&](const FillKind& k) { return k.name == name; });
  if (kind == fill_kinds.end()) {
    std::vector<std::string> known;
    for (const FillKind& k : fill_kinds) {
      known.emplace_back(k.name);
    }
    const auto nearest = nearest_word(name, known);
    context.document.fail(node, fmt::format("unknown fill \"{}\"", text),
                          nearest ? suggest(name, known) : fmt::format("write {}", fill_forms));
  }
  std::vector<double> numbers;
  const bool closed = open == text.size() || text.back() == ')';
  try {
    if (open != text.size() && closed) {
      numbers = numbers_in(std::string_view(text).substr(open + 1, text.size() - open - 2));
    }
  } catch (const std::runtime_error&) {  // ExpressionError or ValueError
    numbers.clear();
  }
  if (!closed || numbers.size() != kind->numbers ||
      (kind->numbers == 2 && numbers[0] > numbers[1])) {
    context.document.fail(node, fmt::format("cannot read the fill \"{}\"", text),
                          fmt::format("write {}", fill_forms));
  }
  Fill result;
  result.kind = kind->kind;
  result.low = numbers.empty() ? 0 : numbers.front();
  result.high = numbers.empty() ? 0 : numbers.back();
  return result;
}

Access access(const Context& context, const Node& node) {
  const std::string& text = yaml::text(context.document, node, "access");
  if (const auto known = access_from(text)) {
    return *known;
  }
  context.document.fail(node, fmt::format("unknown access \"{}\"", text),
                        suggest(text, {"in", "out", "inout"}));
}

SpecText argument_type(const Context& context, const Node& node, const std::string& what) {
  SpecText type = text_template(context, node, "the type of " + what);
  if (!type.text.has_holes() && element_type(type.text.text()) == nullptr) {
    context.document.fail(node, fmt::format("unknown element type \"{}\"", type.text.text()),
                          suggest(type.text.text(), element_type_names()));
  }
  return type;
}

void buffer_argument(const Context& context, const Map& map, const std::string& what,
                     ArgumentSpec& argument) {
  const Node* file = map.find("file");
  const Node* given = map.find("fill");
  if (file != nullptr && given != nullptr) {
    context.document.fail(*file, fmt::format("{} has both a fill and a file", what),
                          "keep one of them");
  }
  argument.count = expression(context, *map.find("count"), "the count of " + what);
  if (given != nullptr) {
    argument.fill = fill(context, *given);
  }
  if (file != nullptr) {
    argument.file = existing_file(context, *file, what);
  }
  if (const Node* node = map.find("access")) {
    argument.access = access(context, *node);
  }
}

void scalar_argument(const Context& context, const Map& map, const std::string& what,
                     ArgumentSpec& argument) {
  argument.value = expression(context, *map.find("value"), "the value of " + what);
  for (const char* key : {"fill", "file", "access"}) {
    if (const Node* node = map.find(key)) {
      context.document.fail(*node, fmt::format("{} is a single value: it has no \"{}\"", what, key),
                            "a buffer has a count instead of a value");
    }
  }
}

ArgumentSpec argument(const Context& context, const Node& node, std::size_t number) {
  const Map map(context.document, node, fmt::format("argument {}", number),
                {"name", "type", "count", "value", "fill", "file", "access"});
  ArgumentSpec result;
  result.spot = context.document.spot(node);
  result.name = yaml::text(context.document, map.require("name"), "the name of an argument");
  const std::string what = fmt::format("argument {}", result.name);
  result.type = argument_type(context, map.require("type"), what);
  const bool is_buffer = map.find("count") != nullptr;
  const bool is_scalar = map.find("value") != nullptr;
  if (is_buffer == is_scalar) {
    context.document.fail(
        node,
        fmt::format("{} has {} count {} value", what, is_buffer ? "both a" : "neither a",
                    is_buffer ? "and a" : "nor a"),
        "a buffer has a count of elements, a scalar a value");
  }
  if (is_buffer) {
    buffer_argument(context, map, what, result);
  } else {
    scalar_argument(context, map, what, result);
  }
  return result;
}

/// Zero where the spec says nothing.
SpecExpression shared_bytes(const Context& context, const Map& map, const std::string& what) {
  const Node* node = map.find("shared_bytes");
  return node == nullptr
             ? SpecExpression{Expression::constant(0), context.document.spot(map.node())}
             : expression(context, *node, what + ".shared_bytes");
}

Tolerance tolerance(const Context& context, const Node& node) {
  const Map map(context.document, node, "tolerance", {"relative", "absolute"});
  constexpr double most = std::numeric_limits<double>::max();
  Tolerance result;
  if (const Node* relative = map.find("relative")) {
    result.relative = number(context, *relative, "tolerance.relative", 0, most);
  }
  if (const Node* absolute = map.find("absolute")) {
    result.absolute = number(context, *absolute, "tolerance.absolute", 0, most);
  }
  return result;
}

std::vector<std::string> outputs(const Spec& spec) {
  std::vector<std::string> names;
  for (const ArgumentSpec& argument : spec.arguments) {
    if (argument.access != Access::in) {
      names.push_back(argument.name);
    }
  }
  return names;
}

std::map<std::string, std::filesystem::path> expected_files(const Context& context, const Map& map,
                                                            const Spec& spec) {
  std::map<std::string, std::filesystem::path> files;
  const std::vector<std::string> known = outputs(spec);
  if (const Node* file = map.find("file")) {
    if (known.size() != 1) {
      context.document.fail(
          *file, fmt::format("one expected file, but {} arguments are written", known.size()),
          "write files: {ARGUMENT: FILE}, and access: out on what is written");
    }
    files[known.front()] = existing_file(context, *file, "verify.file");
  }
  if (const Node* list = map.find("files")) {
    for (const auto& [key, value] : yaml::entries(context.document, *list, "verify.files")) {
      if (std::find(known.begin(), known.end(), key.text) == known.end()) {
        context.document.fail(key,
                              fmt::format("\"{}\" is no argument that the kernel writes", key.text),
                              suggest(key.text, known));
      }
      files[key.text] = existing_file(context, value, "verify.files");
    }
  }
  return files;
}

/// Names in `wanted` that are not in `used`.
std::vector<std::string> default_defines(const std::vector<Parameter>& parameters,
                                         const std::vector<std::string>& used) {
  std::vector<std::string> defines;
  for (const Parameter& parameter : parameters) {
    if (std::find(used.begin(), used.end(), parameter.name) == used.end()) {
      defines.push_back(parameter.name);
    }
  }
  return defines;
}

std::vector<std::string> defines(const Context& context, const Node& node) {
  std::vector<std::string> names;
  for (const Node& item : yaml::items(context.document, node, "kernel.defines")) {
    const std::string& name = yaml::text(context.document, item, "kernel.defines");
    if (std::find(context.names.begin(), context.names.end(), name) == context.names.end()) {
      context.document.fail(
          item,
          fmt::format("kernel.defines names `{}`, which is neither a parameter nor "
                      "a constant",
                      name),
          suggest(name, context.names));
    }
    names.push_back(name);
  }
  return names;
}

}  // namespace

KernelSpec kernel(const Context& context, const Node& node,
                  const std::vector<Parameter>& parameters) {
  const Map map(context.document, node, "kernel",
                {"source", "name", "options", "include", "defines"});
  KernelSpec result;
  result.spot = context.document.spot(node);
  result.source = existing_file(context, map.require("source"), "kernel.source");
  result.name = text_template(context, map.require("name"), "kernel.name");
  if (const Node* options = map.find("options")) {
    for (const Node& option : yaml::items(context.document, *options, "kernel.options")) {
      result.options.push_back(text_template(context, option, "kernel.options"));
    }
  }
  if (const Node* include = map.find("include")) {
    for (const Node& folder : yaml::items(context.document, *include, "kernel.include")) {
      result.include.push_back(existing_folder(context, folder, "kernel.include"));
    }
  }
  const Node* given = map.find("defines");
  result.defines = given != nullptr ? defines(context, *given)
                                    : default_defines(parameters, result.name.text.names());
  return result;
}

LaunchSpec launch(const Context& context, const Node* node) {
  LaunchSpec result;
  if (node != nullptr) {
    const Map map(context.document, *node, "launch", {"block", "grid", "shared_bytes"});
    result.block = dimensions(context, map.require("block"), "launch.block");
    result.grid = dimensions(context, map.require("grid"), "launch.grid");
    result.shared_bytes = shared_bytes(context, map, "launch");
  }
  return result;
}

std::vector<ArgumentSpec> arguments(const Context& context, const Node* node) {
  std::vector<ArgumentSpec> result;
  if (node == nullptr) {
    return result;
  }
  for (const Node& item : yaml::items(context.document, *node, "arguments")) {
    ArgumentSpec next = argument(context, item, result.size() + 1);
    for (const ArgumentSpec& earlier : result) {
      if (earlier.name == next.name) {
        context.document.fail(item, fmt::format("two arguments are named \"{}\"", next.name));
      }
    }
    result.push_back(std::move(next));
  }
  return result;
}

VerifySpec verify(const Context& context, const Node& node, const Spec& spec) {
  const Map map(
      context.document, node, "verify",
      {"kernel", "source", "block", "grid", "shared_bytes", "file", "files", "tolerance"});
  VerifySpec result;
  result.spot = context.document.spot(node);
  result.files = expected_files(context, map, spec);
  if (const Node* given = map.find("tolerance")) {
    result.tolerance = tolerance(context, *given);
  }
  const Node* name = map.find("kernel");
  if ((name != nullptr) != result.files.empty()) {
    context.document.fail(node,
                          name != nullptr
                              ? "verify has both a reference kernel and expected files"
                              : "verify has neither a reference kernel nor expected files",
                          "give either kernel, block and grid, or file");
  }
  if (name == nullptr) {
    for (const char* key : {"source", "block", "grid", "shared_bytes"}) {
      if (const Node* useless = map.find(key)) {
        context.document.fail(*useless, fmt::format("expected files need no \"{}\"", key),
                              "it belongs to a reference kernel");
      }
    }
    return result;
  }
  result.name = text_template(context, *name, "verify.kernel");
  const Node* source = map.find("source");
  result.source = source != nullptr ? existing_file(context, *source, "verify.source")
                  : spec.kernel     ? spec.kernel->source
                                    : std::filesystem::path();
  result.block = dimensions(context, map.require("block"), "verify.block");
  result.grid = dimensions(context, map.require("grid"), "verify.grid");
  result.shared_bytes = shared_bytes(context, map, "verify");
  return result;
}

void check_signature(const Context& context, const Node& kernel, const Node* arguments,
                     const Spec& spec) {
  const std::string source = read_file(spec.kernel->source);
  const std::string name = plain_kernel_name(spec.kernel->name.text.text());
  // What an include or a macro brings in cannot be told here: the compiler will.
  const bool all_is_here = source.find("#include \"") == std::string::npos;
  if (all_is_here && !name.empty() && !mentions_identifier(source, name)) {
    std::vector<std::string> known;
    for (const KernelSignature& signature : kernel_signatures(source)) {
      known.push_back(signature.name);
    }
    const Map map(context.document, kernel, "kernel",
                  {"source", "name", "options", "include", "defines"});
    context.document.fail(
        map.require("name"),
        fmt::format("there is no kernel `{}` in {}", name, spec.kernel->source.filename().string()),
        suggest(name, known));
  }
  const auto parameters = kernel_signature(source, name);
  if (parameters && parameters->size() != spec.arguments.size()) {
    context.document.fail(arguments == nullptr ? kernel : *arguments,
                          fmt::format("the kernel `{}` takes {} arguments, and the spec gives {}",
                                      name, parameters->size(), spec.arguments.size()),
                          fmt::format("it takes ({})", fmt::join(*parameters, ", ")));
  }
}

}  // namespace rooftune::reader
