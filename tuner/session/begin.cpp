#include "tuner/session/begin.hpp"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <array>
#include <ctime>
#include <set>

#include "tuner/core/error.hpp"
#include "tuner/core/units.hpp"

namespace rooftune {
namespace {

std::string operating_system() {
  utsname names{};
  return ::uname(&names) == 0 ? fmt::format("{} {} {}", names.sysname, names.release, names.machine)
                              : "";
}

std::string environment_of(const Device& device) {
  const std::string own = device.environment();
  return own.empty() ? operating_system() : own + "; " + operating_system();
}

/// The derived values that a program needs to launch the kernel, and to tell whether it may: those
/// of the launch, the kernel and the rules, by themselves or for one another. Others are the
/// model's alone.
std::set<std::string> needed_by_programs(const Spec& spec) {
  std::set<std::string> needed(spec.kernel->defines.begin(), spec.kernel->defines.end());
  const auto add = [&](const std::vector<std::string>& names) {
    needed.insert(names.begin(), names.end());
  };
  for (const auto* dimensions : {&spec.launch.block, &spec.launch.grid}) {
    for (const SpecExpression& dimension : *dimensions) {
      add(dimension.expression.names());
    }
  }
  add(spec.launch.shared_bytes.expression.names());
  add(spec.kernel->name.text.names());
  for (const SpecText& option : spec.kernel->options) {
    add(option.text.names());
  }
  for (const Rule& rule : spec.rules) {
    add(rule.condition.expression.names());
  }
  for (auto it = spec.derived.rbegin(); it != spec.derived.rend();
       ++it) {  // each uses earlier ones
    if (needed.count(it->name) != 0) {
      add(it->value.expression.names());
    }
  }
  return needed;
}

LaunchText launch_text(const Spec& spec) {
  LaunchText text;
  for (const SpecExpression& dimension : spec.launch.block) {
    text.block.push_back(dimension.expression.to_string());
  }
  for (const SpecExpression& dimension : spec.launch.grid) {
    text.grid.push_back(dimension.expression.to_string());
  }
  text.shared_bytes = spec.launch.shared_bytes.expression.to_string();
  const std::set<std::string> needed = needed_by_programs(spec);
  for (const Derived& derived : spec.derived) {
    if (needed.count(derived.name) == 0) {
      continue;
    }
    text.derived.emplace_back(derived.name, derived.value.expression.to_string());
  }
  text.kernel = spec.kernel->name.text.text();
  return text;
}

}  // namespace

void refuse_what_cannot_be_tuned(const Spec& spec, const Space& space, const Device& device) {
  if (!spec.kernel) {
    throw InputError(fmt::format("{}: no kernel to tune", spec.file.string()),
                     "add `kernel: {source: FILE.cu, name: NAME}`; a spec without one can only be "
                     "replayed or ranked");
  }
  const std::string no_energy = device.energy_refusal();
  if (spec.objective == Objective::energy && !no_energy.empty()) {
    throw InputError(
        fmt::format("{}: `objective: energy`, but the energy of kernels on {} cannot be "
                    "read: {}",
                    spec.file.string(), device.profile().name, no_energy),
        "leave `objective` out to tune for time, or tune on another device");
  }
  if (space.size() > 0) {
    return;
  }
  std::string table;
  for (const RuleCount& rule : space.removed()) {
    table += fmt::format("\n   {:>14}  {}", format_count(rule.removed), rule.rule);
  }
  throw InputError(fmt::format("{}: the space is empty: the rules remove all {} configurations",
                               spec.file.string(), format_count(space.raw_size())),
                   "relax a rule or add values; configurations that each rule removes:" + table);
}

Results begin_results(const Spec& spec, const Space& space, const Device& device,
                      const TuneOptions& options) {
  Results results;
  results.tool_version = tool_version();
  results.spec_name = spec.name;
  results.spec_file = spec.file;
  results.spec_text = spec.text;
  results.spec_hash = spec.hash;
  results.overrides = options.overrides;
  results.command = options.command;
  results.policy = options.policy.empty() ? policy_names().front() : options.policy;
  results.seed = options.seed;
  results.objective = spec.objective;
  results.device = device.profile();
  results.environment = environment_of(device);
  results.parameters = spec.parameters;
  results.problems = spec.problems;
  results.launch = launch_text(spec);
  results.raw_size = space.raw_size();
  results.space_size = space.size();
  results.removed = space.removed();
  results.baseline = spec.baseline;
  return results;
}

Journal open_journal(const Results& results, const TuneOptions& options) {
  if (options.out.empty()) {
    return {};
  }
  JournalHeader header;
  header.spec_hash = results.spec_hash;
  header.spec_name = results.spec_name;
  for (const Problem& problem : results.problems) {
    header.problems += (header.problems.empty() ? "" : "; ") + to_string(problem);
  }
  header.policy = results.policy;
  header.seed = results.seed;
  header.device = fmt::format("{} ({})", results.device.id, results.device.name);
  header.tool_version = results.tool_version;
  header.timestamp = utc_now();
  return {options.out, std::move(header), options.resume};
}

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  std::array<char, 32> text{};
  return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &utc)};
}

}  // namespace rooftune
