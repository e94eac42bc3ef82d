// rooftune space: how large a spec's space is, which rule removes how much, and what its
// configurations take when compiled.
#include "tuner/space/space.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <memory>
#include <ostream>
#include <random>

#include "tuner/cli/commands.hpp"
#include "tuner/cli/spec_argument.hpp"
#include "tuner/cli/table.hpp"
#include "tuner/cli/variants.hpp"
#include "tuner/core/units.hpp"
#include "tuner/occupancy/chart.hpp"
#include "tuner/session/fields.hpp"

namespace rooftune::cli {
namespace {

using codec::Json;

struct Options {
  SpecArgument spec;
  std::uint64_t samples = 0;
  std::uint64_t seed = 1;
  std::string architecture;
  std::uint64_t compile = 0;
  bool json = false;
};

/// Evaluates every formula of the spec once for each configuration and problem, so that what fails
/// is told before anything is compiled.
void check_formulas(const Spec& spec, const Space& space,
                    const std::vector<Configuration>& configurations) {
  for (const Configuration& configuration : configurations) {
    for (const Problem& problem : spec.problems) {
      if (spec.kernel) {
        instantiate(spec, space.values(configuration), problem);
      } else {
        evaluate_geometry(spec, space.values(configuration), problem);
      }
    }
  }
}

std::string values_text(const Parameter& parameter) {
  std::vector<std::string> texts;
  for (const Value& value : parameter.values) {
    texts.push_back(value.to_string());
  }
  return fmt::format("{}", fmt::join(texts, " "));
}

void print_space(const Spec& spec, const Space& space, std::ostream& out) {
  out << fmt::format("{}: {} of {} configurations are valid\n\n", spec.name,
                     format_count(space.size()), format_count(space.raw_size()));
  Table parameters({{"parameter"}, {"role"}, {"values"}});
  for (const Parameter& parameter : space.parameters()) {
    parameters.add(
        {parameter.name, std::string(to_string(parameter.role)), values_text(parameter)});
  }
  parameters.print(out);
  if (!space.removed().empty()) {
    out << "\nEach rule with what it removes first, in the order in which they apply:\n";
    Table rules({{"removed", Table::Align::right}, {"rule"}});
    for (const RuleCount& rule : space.removed()) {
      rules.add({format_count(rule.removed), rule.rule});
    }
    rules.print(out);
  }
}

void print_samples(const Space& space, const std::vector<Configuration>& samples,
                   std::ostream& out) {
  out << fmt::format("\n{} drawn at random:\n", samples.size());
  for (const Configuration& sample : samples) {
    out << "  " << to_string(space.values(sample)) << '\n';
  }
}

std::vector<std::string> row_of(const Variant& compiled) {
  const std::string dash = "-";
  std::vector<std::string> row(7, dash);
  row[4] = format_bytes(static_cast<double>(compiled.launch.shared_bytes));
  if (const auto& usage = compiled.usage) {
    const Resources& resources = usage->resources;
    row[0] = std::to_string(resources.registers);
    row[1] = format_bytes(static_cast<double>(resources.spill_stores));
    row[2] = format_bytes(static_cast<double>(resources.spill_loads));
    row[3] = format_bytes(static_cast<double>(resources.static_shared));
  }
  if (compiled.usage && !compiled.failure) {
    row[5] = format_percent(compiled.usage->occupancy.fraction);
    row[6] = names_of(compiled.usage->occupancy.limited_by);
  }
  row.push_back(to_string(compiled.parameters));
  return row;
}

void print_compiled(const std::vector<Variant>& compiled, const std::string& architecture,
                    std::ostream& out) {
  out << fmt::format("\n{} drawn at random, for {} with NVRTC {}:\n", compiled.size(), architecture,
                     nvrtc_version());
  constexpr auto right = Table::Align::right;
  Table table({{"registers", right},
               {"spill stores", right},
               {"spill loads", right},
               {"static shared", right},
               {"dynamic shared", right},
               {"occupancy", right},
               {"limited by"},
               {"configuration"}});
  std::map<std::string, std::uint64_t> failures;
  for (const Variant& one : compiled) {
    table.add(row_of(one));
    if (one.failure) {
      ++failures[fmt::format("{}: {}", to_string(one.failure->outcome), one.failure->reason)];
    }
  }
  table.print(out);
  if (failures.empty()) {
    return;
  }
  out << "\nNot usable:\n";
  Table reasons({{"count", right}, {"reason"}});
  for (const auto& [reason, count] : failures) {
    reasons.add({format_count(count), reason});
  }
  reasons.print(out);
}

Json json_of(const Variant& compiled) {
  Json json = {{"parameters", codec::encode_values(compiled.parameters)},
               {"outcome", to_string(compiled.failure ? compiled.failure->outcome : Outcome::ok)}};
  if (compiled.failure) {
    json["reason"] = compiled.failure->reason;
  }
  json["dynamic_shared"] = compiled.launch.shared_bytes;
  if (compiled.usage) {
    json["resources"] = codec::encode(compiled.usage->resources);
    json["occupancy"] = codec::encode(compiled.usage->occupancy);
  }
  return json;
}

/// Parameters, rules and configurations look as they do in results.json.
Json json_of(const Spec& spec, const Space& space, const std::vector<Configuration>& samples) {
  Json json = {{"spec_name", spec.name},
               {"raw_size", space.raw_size()},
               {"space_size", space.size()},
               {"parameters", codec::encode(space.parameters())},
               {"removed", codec::encode(space.removed())},
               {"samples", Json::array()}};
  for (const Configuration& sample : samples) {
    json["samples"].push_back(codec::encode_values(space.values(sample)));
  }
  return json;
}

int run_space(const Options& options, Io& io) {
  const Spec spec = options.spec.load();
  const Space space(spec);
  std::mt19937_64 random(options.seed);
  const std::vector<Configuration> samples = space.sample(options.samples, random);
  const std::vector<Configuration> to_compile = space.sample(options.compile, random);
  if (space.size() > 0) {
    check_formulas(spec, space, {space.at(0)});
    check_formulas(spec, space, samples);
  }
  std::vector<Variant> compiled;
  if (!to_compile.empty()) {
    std::vector<NamedValues> configurations;
    for (const Configuration& configuration : to_compile) {
      configurations.push_back(space.values(configuration));
    }
    BinaryCache cache;
    compiled = compile_variants(spec, configurations, architecture_named(options.architecture),
                                &cache, io);
  }
  if (options.json) {
    Json json = json_of(spec, space, samples);
    if (!compiled.empty()) {
      json["architecture"] = architecture_named(options.architecture);
      json["compiled"] = Json::array();
      for (const Variant& one : compiled) {
        json["compiled"].push_back(json_of(one));
      }
    }
    io.out << json.dump(2) << '\n';
  } else {
    print_space(spec, space, io.out);
    if (!samples.empty()) {
      print_samples(space, samples, io.out);
    }
    if (!compiled.empty()) {
      print_compiled(compiled, architecture_named(options.architecture), io.out);
    }
  }
  if (space.size() == 0) {
    throw InputError(fmt::format("{}: the space is empty: the rules remove all {} configurations",
                                 options.spec.file, format_count(space.raw_size())),
                     "relax a rule, or add values that it allows");
  }
  return 0;
}

}  // namespace

void add_space(CLI::App& app, Action& action) {
  CLI::App* command =
      app.add_subcommand("space", "the size of a space, what each rule removes, and samples");
  const auto options = std::make_shared<Options>();
  add_spec_argument(*command, options->spec);
  command->add_option("--sample", options->samples, "show that many valid configurations");
  command->add_option("--seed", options->seed, "of the drawing")->capture_default_str();
  CLI::Option* architecture = command->add_option("--arch", options->architecture,
                                                  "architecture to compile for: sm_90, ...");
  CLI::Option* compile =
      command->add_option("--compile", options->compile,
                          "compile that many and show registers, spills, shared memory, occupancy");
  architecture->needs(compile);
  compile->needs(architecture);
  command->add_flag("--json", options->json, "one JSON document on stdout");
  command->footer(
      "No GPU is needed. The exit status is 1 where no configuration is valid.\n\n"
      "Examples:\n"
      "  rooftune space configs/kernels/sgemm.yaml\n"
      "  rooftune space sgemm.yaml --set T=float --sample 5\n"
      "  rooftune space sgemm.yaml --arch sm_90 --compile 20");
  command->callback(
      [&action, options] { action = [options](Io& io) { return run_space(*options, io); }; });
}

}  // namespace rooftune::cli
