#include "tuner/spec/spec.hpp"

#include <fmt/format.h>

#include <limits>

#include "tuner/core/hash.hpp"
#include "tuner/spec/kernel_signature.hpp"
#include "tuner/spec/reader.hpp"

namespace rooftune {
namespace reader {
namespace {

/// Expressions by a word of a closed vocabulary: {fp32: ..., fp16.tensor: ...}.
template <typename Word, typename Read>
std::map<Word, SpecExpression> by_word(const Context& context, const yaml::Node* node,
                                       const std::string& what, std::string_view kind, Read read,
                                       const std::vector<std::string>& known) {
  std::map<Word, SpecExpression> result;
  if (node == nullptr) {
    return result;
  }
  for (const auto& [key, value] : yaml::entries(context.document, *node, what)) {
    const auto word = read(key.text);
    if (!word) {
      context.document.fail(key, fmt::format("unknown {} \"{}\"", kind, key.text),
                            suggest(key.text, known));
    }
    result.emplace(*word, expression(context, value, fmt::format("{}.{}", what, key.text)));
  }
  return result;
}

std::vector<std::string> level_names() {
  std::vector<std::string> names;
  for (const Level level : {Level::dram, Level::l2, Level::l1, Level::shared}) {
    names.emplace_back(to_string(level));
  }
  return names;
}

std::vector<std::string> unit_names() {
  std::vector<std::string> names;
  for (const bool tensor : {false, true}) {
    for (int i = 0; i <= static_cast<int>(Precision::int8); ++i) {
      names.push_back(to_string(ComputeUnit{static_cast<Precision>(i), tensor}));
    }
  }
  return names;
}

std::optional<SpecExpression> optional_expression(const Context& context, const yaml::Map& map,
                                                  const std::string& what, const std::string& key) {
  const yaml::Node* node = map.find(key);
  if (node == nullptr) {
    return std::nullopt;
  }
  return expression(context, *node, fmt::format("{}.{}", what, key));
}

WarpSpec warp(const Context& context, const yaml::Node& node) {
  const yaml::Map map(context.document, node, "work.warp",
                      {"instructions", "fp", "special", "chain", "wait", "code"});
  const auto find = [&](const std::string& key) {
    return optional_expression(context, map, "work.warp", key);
  };
  return {find("instructions"), find("fp"),   find("special"),
          find("chain"),        find("wait"), find("code")};
}

}  // namespace

std::vector<Rule> rules(const Context& context, const yaml::Node* node) {
  std::vector<Rule> result;
  if (node == nullptr) {
    return result;
  }
  for (const yaml::Node& item : yaml::items(context.document, *node, "constraints")) {
    const std::string what = fmt::format("rule {}", result.size() + 1);
    SpecExpression condition = expression(context, item, what);
    result.push_back({std::move(condition), item.text});
  }
  return result;
}

WorkSpec work(const Context& context, const yaml::Node* node) {
  WorkSpec result;
  if (node != nullptr) {
    const yaml::Map map(context.document, *node, "work", {"flops", "bytes", "traffic", "warp"});
    result.flops = by_word<ComputeUnit>(context, map.find("flops"), "work.flops", "precision",
                                        compute_unit_from, unit_names());
    result.bytes = by_word<Level>(context, map.find("bytes"), "work.bytes", "level", level_from,
                                  level_names());
    result.traffic = by_word<Level>(context, map.find("traffic"), "work.traffic", "level",
                                    level_from, level_names());
    if (const yaml::Node* warp_node = map.find("warp")) {
      result.warp = warp(context, *warp_node);
    }
  }
  return result;
}

ResourceSpec resources(const Context& context, const yaml::Node* node) {
  ResourceSpec result;
  if (node != nullptr) {
    const yaml::Map map(context.document, *node, "resources", {"registers", "shared_bytes"});
    result.registers = optional_expression(context, map, "resources", "registers");
    result.shared_bytes = optional_expression(context, map, "resources", "shared_bytes");
  }
  return result;
}

Objective objective(const Context& context, const yaml::Node* node) {
  if (node == nullptr || node->text == to_string(Objective::time)) {
    return Objective::time;
  }
  if (node->text != to_string(Objective::energy)) {
    context.document.fail(*node, fmt::format("unknown objective \"{}\"", node->text),
                          suggest(node->text, {"time", "energy"}));
  }
  return Objective::energy;
}

StopSpec stop(const Context& context, const yaml::Node* node) {
  StopSpec result;
  if (node == nullptr) {
    return result;
  }
  const yaml::Map map(context.document, *node, "stop",
                      {"ceiling", "evaluations", "seconds", "improvement"});
  constexpr double many = 1e9;
  if (const yaml::Node* ceiling = map.find("ceiling")) {
    result.ceiling = number(context, *ceiling, "stop.ceiling", 0, 1);
  }
  if (const yaml::Node* evaluations = map.find("evaluations")) {
    const double count = number(context, *evaluations, "stop.evaluations", 1, many);
    if (count != static_cast<double>(static_cast<std::uint64_t>(count))) {
      context.document.fail(*evaluations, "stop.evaluations should be a whole number");
    }
    result.evaluations = static_cast<std::uint64_t>(count);
  }
  if (const yaml::Node* seconds = map.find("seconds")) {
    result.seconds = number(context, *seconds, "stop.seconds", 0, many);
  }
  if (const yaml::Node* improvement = map.find("improvement")) {
    result.improvement = number(context, *improvement, "stop.improvement", 0, 1);
  }
  return result;
}

}  // namespace reader

namespace {

std::string hash_of(const Spec& spec, const std::vector<Override>& overrides) {
  // Lengths keep the parts apart.
  std::string all;
  const auto add = [&](const std::string& part) {
    all += fmt::format("{}:{}\n", part.size(), part);
  };
  add(spec.text);
  for (const Override& override : overrides) {
    add(override.name);
    add(override.value);
  }
  if (spec.kernel) {
    add(reader::read_file(spec.kernel->source));
  }
  return hash_text(all);
}

void read_names(reader::Context& context, const yaml::Map& map, Spec& spec) {
  spec.constants = reader::constants(context, map.find("constants"));
  spec.parameters = reader::parameters(
      context, map.require("parameters", "there is nothing to tune without"), spec.constants);
  reader::apply_overrides(context.overrides, spec.constants, spec.parameters);
  spec.problems = reader::problems(context, map.find("problems"), spec.constants);
  for (const Parameter& parameter : spec.parameters) {
    context.names.push_back(parameter.name);
  }
  for (const NamedValue& constant : spec.constants) {
    context.names.push_back(constant.name);
  }
  spec.derived = reader::derived(context, map.find("derived"));
  spec.rules = reader::rules(context, map.find("constraints"));
  spec.baseline = reader::baseline(context, map.find("baseline"), spec.parameters);
}

void read_kernel(const reader::Context& context, const yaml::Map& map, Spec& spec) {
  const yaml::Node* kernel = map.find("kernel");
  if (kernel != nullptr) {
    spec.kernel = reader::kernel(context, *kernel, spec.parameters);
    spec.name = plain_kernel_name(spec.kernel->name.text.text());
    map.require("launch", "a kernel needs launch: {block: [...], grid: [...]}");
  }
  if (spec.name.empty()) {
    spec.name = spec.file.stem().string();
  }
  spec.launch = reader::launch(context, map.find("launch"));
  spec.arguments = reader::arguments(context, map.find("arguments"));
  if (kernel != nullptr) {
    reader::check_signature(context, *kernel, map.find("arguments"), spec);
  }
  if (const yaml::Node* verify = map.find("verify")) {
    spec.verify = reader::verify(context, *verify, spec);
  }
}

}  // namespace

Spec load_spec(const std::filesystem::path& file, const std::vector<Override>& overrides) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(file, ignored)) {
    throw InputError(fmt::format("{}: no such file", file.string()));
  }
  return parse_spec(reader::read_file(file), file, overrides);
}

Spec parse_spec(std::string text, const std::filesystem::path& file,
                const std::vector<Override>& overrides) {
  const yaml::Document document(text, file);
  if (document.root().kind == yaml::Node::Kind::null) {
    throw InputError(fmt::format("{}: the spec is empty", file.string()),
                     "at the least it needs parameters: {NAME: {values: [...]}}");
  }
  const yaml::Map map(
      document, document.root(), "the spec",
      {"kernel", "constants", "problems", "parameters", "constraints", "derived", "launch",
       "arguments", "work", "resources", "verify", "baseline", "stop", "objective"});
  Spec spec;
  spec.file = std::filesystem::absolute(file).lexically_normal();
  spec.text = std::move(text);
  reader::Context context{document, spec.file.parent_path(), {}, overrides};
  read_names(context, map, spec);
  read_kernel(context, map, spec);
  spec.work = reader::work(context, map.find("work"));
  spec.resources = reader::resources(context, map.find("resources"));
  spec.stop = reader::stop(context, map.find("stop"));
  spec.objective = reader::objective(context, map.find("objective"));
  spec.hash = hash_of(spec, overrides);
  return spec;
}

}  // namespace rooftune
