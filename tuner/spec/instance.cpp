#include "tuner/spec/instance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace rooftune {
namespace {

/// Of a thread, on every architecture since compute capability 3.5.
constexpr double most_registers = 255;

/// The names that an expression used, with their values: " (N = 0, BN = 64)".
std::string values_of(const Expression& expression, const Scope& scope) {
  std::string text;
  for (const std::string& name : expression.names()) {
    text +=
        fmt::format("{}{} = {}", text.empty() ? " (" : ", ", name, scope.find(name)->to_string());
  }
  return text.empty() ? text : text + ")";
}

Value evaluate(const SpecExpression& expression, const Scope& scope) {
  try {
    return expression.expression.evaluate(scope);
  } catch (const ValueError& error) {
    throw InputError(expression.spot, error.what());
  }
}

[[noreturn]] void refuse(const SpecExpression& expression, const Scope& scope,
                         const std::string& problem, const std::string& hint = "") {
  throw InputError(expression.spot, problem + values_of(expression.expression, scope), hint);
}

std::uint64_t whole(const SpecExpression& expression, const Scope& scope, const std::string& what,
                    std::int64_t least) {
  const Value value = evaluate(expression, scope);
  if (value.kind() != Value::Kind::integer) {
    refuse(expression, scope, fmt::format("{} is {}, not a whole number", what, value.to_string()),
           value.kind() == Value::Kind::real ? "`//` divides whole numbers, `/` gives a real" : "");
  }
  if (value.as_integer() < least) {
    refuse(expression, scope,
           fmt::format("{} is {}, and should be at least {}", what, value.as_integer(), least));
  }
  return static_cast<std::uint64_t>(value.as_integer());
}

Dim3 dim3(const std::vector<SpecExpression>& sizes, const Scope& scope, const std::string& what) {
  Dim3 result;
  const std::array<std::uint64_t*, 3> axes = {&result.x, &result.y, &result.z};
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    *axes.at(i) = whole(sizes[i], scope, fmt::format("{}.{}", what, "xyz"[i]), 1);
  }
  return result;
}

Launch launch_of(const std::vector<SpecExpression>& grid, const std::vector<SpecExpression>& block,
                 const SpecExpression& shared_bytes, const Scope& scope, const std::string& what) {
  Launch launch;
  launch.grid = dim3(grid, scope, what + ".grid");
  launch.block = dim3(block, scope, what + ".block");
  launch.shared_bytes = whole(shared_bytes, scope, what + ".shared_bytes", 0);
  return launch;
}

std::string render(const SpecText& text, const Scope& scope) {
  try {
    return text.text.render(scope);
  } catch (const ValueError& error) {
    throw InputError(text.spot, error.what());
  }
}

double amount(const SpecExpression& expression, const Scope& scope, const std::string& what) {
  const Value value = evaluate(expression, scope);
  if (!value.is_number() || value.as_real() < 0) {
    refuse(expression, scope, fmt::format("{} is {}, which is no amount", what, value.to_string()));
  }
  return value.as_real();
}

template <typename Word>
std::map<Word, double> amounts(const std::map<Word, SpecExpression>& expressions,
                               const Scope& scope, const std::string& what) {
  std::map<Word, double> result;
  for (const auto& [word, expression] : expressions) {
    result[word] = amount(expression, scope, fmt::format("{}.{}", what, to_string(word)));
  }
  return result;
}

/// Whether an integer fits the type; 64-bit types hold what the language holds.
bool fits(std::int64_t value, const ElementType& type) {
  const bool is_signed = type.kind == ElementType::Kind::signed_integer;
  if (type.size == 8) {
    return is_signed || value >= 0;
  }
  const std::int64_t span = std::int64_t{1} << (8 * type.size - (is_signed ? 1 : 0));
  return value < span && value >= (is_signed ? -span : 0);
}

Value scalar_value(const SpecExpression& expression, const ElementType& type, const Scope& scope,
                   const std::string& what) {
  const Value value = evaluate(expression, scope);
  if (!value.is_number()) {
    refuse(expression, scope, fmt::format("{} is the text \"{}\"", what, value.to_string()));
  }
  switch (type.kind) {
    case ElementType::Kind::boolean:
      return value.truthy();
    case ElementType::Kind::signed_integer:
    case ElementType::Kind::unsigned_integer:
      if (value.kind() == Value::Kind::real || !fits(value.as_integer(), type)) {
        refuse(expression, scope,
               fmt::format("{} is {}, which does not fit {}", what, value.to_string(), type.name));
      }
      return value.as_integer();
    default:
      return value.as_real();
  }
}

Argument argument_of(const ArgumentSpec& spec, const Scope& scope) {
  Argument argument;
  argument.name = spec.name;
  const std::string type = render(spec.type, scope);
  const ElementType* known = element_type(type);
  if (known == nullptr) {
    throw InputError(spec.type.spot, fmt::format("unknown element type \"{}\"", type),
                     suggest(type, element_type_names()));
  }
  argument.type = *known;
  argument.is_buffer = spec.count.has_value();
  if (spec.count) {
    argument.count = whole(*spec.count, scope, "the count of " + spec.name, 1);
    if (argument.count > std::numeric_limits<std::int64_t>::max() / known->size) {
      refuse(*spec.count, scope,
             fmt::format("{} would take more bytes than fit 64 bits", spec.name));
    }
  }
  if (spec.value) {
    argument.value = scalar_value(*spec.value, *known, scope, "argument " + spec.name);
  }
  argument.fill = spec.fill;
  argument.file = spec.file;
  argument.access = spec.access;
  return argument;
}

/// The scope of one configuration at one size; fills `derived`.
Scope scope_of(const Spec& spec, const NamedValues& parameters, const Problem& problem,
               NamedValues& derived) {
  Scope scope;
  scope.set(problem);
  scope.set(parameters);
  for (const Derived& quantity : spec.derived) {
    derived.push_back({quantity.name, evaluate(quantity.value, scope)});
    scope.set(quantity.name, derived.back().value);
  }
  return scope;
}

double count_of(const std::optional<SpecExpression>& expression, const Scope& scope,
                const std::string& what) {
  return expression ? amount(*expression, scope, "work.warp." + what) : 0;
}

Work work_of(const WorkSpec& spec, const Scope& scope) {
  return {
      amounts(spec.flops, scope, "work.flops"),
      amounts(spec.bytes, scope, "work.bytes"),
      amounts(spec.traffic, scope, "work.traffic"),
      {count_of(spec.warp.instructions, scope, "instructions"), count_of(spec.warp.fp, scope, "fp"),
       count_of(spec.warp.special, scope, "special"), count_of(spec.warp.chain, scope, "chain"),
       count_of(spec.warp.wait, scope, "wait"), count_of(spec.warp.code, scope, "code")}};
}

Launch launch_of(const LaunchSpec& spec, const Scope& scope) {
  return launch_of(spec.grid, spec.block, spec.shared_bytes, scope, "launch");
}

void add_kernel(KernelInstance& instance, const KernelSpec& kernel, const Scope& scope) {
  instance.source = kernel.source;
  instance.include = kernel.include;
  for (const SpecText& option : kernel.options) {
    instance.options.push_back(render(option, scope));
  }
  instance.name_expression = render(kernel.name, scope);
  for (const std::string& name : kernel.defines) {
    instance.defines.push_back({name, *scope.find(name)});
  }
}

void add_verification(KernelInstance& instance, const VerifySpec& verify, const Scope& scope) {
  instance.tolerance = verify.tolerance;
  instance.expected_files = verify.files;
  if (verify.files.empty()) {
    instance.reference =
        Reference{verify.source, render(verify.name, scope),
                  launch_of(verify.grid, verify.block, verify.shared_bytes, scope, "verify")};
  }
}

}  // namespace

KernelInstance instantiate(const Spec& spec, const NamedValues& parameters,
                           const Problem& problem) {
  KernelInstance instance;
  instance.parameters = parameters;
  instance.problem = problem;
  const Scope scope = scope_of(spec, parameters, problem, instance.derived);
  if (spec.kernel) {
    add_kernel(instance, *spec.kernel, scope);
  }
  instance.launch = launch_of(spec.launch, scope);
  for (const ArgumentSpec& argument : spec.arguments) {
    instance.arguments.push_back(argument_of(argument, scope));
  }
  instance.work = work_of(spec.work, scope);
  if (spec.verify) {
    add_verification(instance, *spec.verify, scope);
  }
  return instance;
}

Geometry evaluate_geometry(const Spec& spec, const NamedValues& parameters,
                           const Problem& problem) {
  Geometry geometry;
  const Scope scope = scope_of(spec, parameters, problem, geometry.derived);
  if (!spec.launch.block.empty()) {
    geometry.launch = launch_of(spec.launch, scope);
  }
  geometry.work = work_of(spec.work, scope);
  // Registers come from estimates, so they may be no whole number.
  if (spec.resources.registers) {
    const double registers = amount(*spec.resources.registers, scope, "resources.registers");
    geometry.registers = static_cast<int>(std::lround(std::min(registers, most_registers)));
  }
  if (spec.resources.shared_bytes) {
    geometry.shared_bytes = static_cast<std::int64_t>(
        whole(*spec.resources.shared_bytes, scope, "resources.shared_bytes", 0));
  }
  return geometry;
}

}  // namespace rooftune
