#include "tuner/cli/variants.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <ostream>

#include "tuner/cli/table.hpp"
#include "tuner/core/error.hpp"
#include "tuner/occupancy/chart.hpp"

namespace rooftune::cli {
namespace {

constexpr std::array<std::pair<SortKey, std::string_view>, 5> sort_keys = {
    {{SortKey::occupancy, "occupancy"},
     {SortKey::registers, "registers"},
     {SortKey::spills, "spills"},
     {SortKey::shared, "shared"},
     {SortKey::threads, "threads"}}};

std::int64_t spill_bytes(const Usage& usage) {
  return usage.resources.spill_stores + usage.resources.spill_loads;
}

/// What the key orders by, the smaller the better.
double rank_of(const Usage& usage, const Launch& launch, SortKey key) {
  const Resources& resources = usage.resources;
  switch (key) {
    case SortKey::occupancy:
      return -usage.occupancy.fraction;
    case SortKey::registers:
      return resources.registers;
    case SortKey::spills:
      return static_cast<double>(spill_bytes(usage));
    case SortKey::shared:
      return static_cast<double>(resources.static_shared) +
             static_cast<double>(launch.shared_bytes);
    case SortKey::threads:
      break;
  }
  return static_cast<double>(launch.block.count());
}

/// Names whose values differ between variants.
std::vector<std::string> varied(const std::vector<Variant>& variants) {
  std::vector<std::string> names;
  for (const NamedValue& named : variants.front().parameters) {
    const bool same = std::all_of(variants.begin(), variants.end(), [&](const Variant& variant) {
      const Value* value = find_value(variant.parameters, named.name);
      return value != nullptr && *value == named.value;
    });
    if (!same) {
      names.push_back(named.name);
    }
  }
  return names;
}

std::vector<std::string> row_of(const Variant& variant,
                                const std::vector<std::string>& parameters) {
  std::vector<std::string> row(9, "-");
  if (const auto& usage = variant.usage) {
    row = {fmt::format("{}", usage->resources.registers),
           fmt::format("{}", spill_bytes(*usage)),
           fmt::format("{}", usage->resources.static_shared),
           fmt::format("{}", variant.launch.shared_bytes),
           fmt::format("{}", variant.launch.block.count()),
           fmt::format("{}", usage->occupancy.active_blocks),
           fmt::format("{}", usage->occupancy.active_warps),
           fmt::format("{:.1f}%", usage->occupancy.fraction * 100),
           names_of(usage->occupancy.limited_by)};
  }
  for (const std::string& name : parameters) {
    row.push_back(find_value(variant.parameters, name)->to_string());
  }
  std::vector<std::string> remarks = variant.notes;
  if (variant.failure) {
    remarks.push_back(
        fmt::format("{}: {}", to_string(variant.failure->outcome), variant.failure->reason));
  }
  row.push_back(fmt::format("{}", fmt::join(remarks, "; ")));
  return row;
}

std::string quoted_for_csv(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) {
    return text;
  }
  std::string quoted = "\"";
  for (const char c : text) {
    quoted += c == '"' ? "\"\"" : std::string(1, c);
  }
  return quoted + '"';
}

}  // namespace

std::vector<Variant> compile_variants(const Spec& spec,
                                      const std::vector<NamedValues>& configurations,
                                      const std::string& architecture, BinaryCache* cache, Io& io) {
  if (!spec.kernel || spec.kernel->source.empty()) {
    throw InputError(fmt::format("{}: no kernel to compile", spec.file.string()),
                     "add `kernel: {source: FILE.cu, name: NAME}`");
  }
  require_nvrtc_architecture(architecture);
  std::vector<Variant> variants;
  std::vector<KernelInstance> instances;
  std::vector<std::size_t> compiled;  // the variant of each instance
  for (const NamedValues& parameters : configurations) {
    KernelInstance instance = instantiate(spec, parameters, spec.problems.front());
    variants.push_back(
        {parameters, instance.launch, {}, launch_failure(instance, architecture), {}});
    if (!variants.back().failure) {
      compiled.push_back(variants.size() - 1);
      instances.push_back(std::move(instance));
    }
  }
  const auto progress = [&](std::size_t done) {
    if (io.err_is_terminal) {
      io.err << fmt::format("\rcompiled {} of {}{}", done, instances.size(),
                            done == instances.size() ? "\n" : "")
             << std::flush;
    }
  };
  const auto results = compile_all(instances, architecture, 0, cache, progress);
  for (std::size_t i = 0; i < results.size(); ++i) {
    Variant& variant = variants[compiled[i]];
    if (const auto* failure = std::get_if<Failure>(&results[i])) {
      variant.failure = *failure;
      continue;
    }
    const auto& binary = std::get<KernelBinary>(results[i]);
    variant.notes = binary.notes;
    const Resources resources = binary.resources.value_or(Resources{});
    variant.usage = Usage{resources, occupancy_of(instances[i], resources, architecture)};
    variant.failure = launch_failure(instances[i], resources, architecture);
  }
  return variants;
}

std::string architecture_named(const std::string& text) {
  const auto cc = compute_capability_from(text);
  // A variant such as sm_90a keeps its letter.
  return cc && text.compare(0, 3, "sm_") != 0 ? architecture(*cc) : text;
}

std::optional<SortKey> sort_key_from(std::string_view name) {
  const auto found = std::find_if(sort_keys.begin(), sort_keys.end(),
                                  [&](const auto& entry) { return entry.second == name; });
  return found == sort_keys.end() ? std::nullopt : std::optional(found->first);
}

std::vector<std::string> sort_key_names() {
  std::vector<std::string> names;
  std::transform(sort_keys.begin(), sort_keys.end(), std::back_inserter(names),
                 [](const auto& entry) { return std::string(entry.second); });
  return names;
}

void sort_variants(std::vector<Variant>& variants, SortKey key) {
  std::stable_sort(variants.begin(), variants.end(), [key](const Variant& a, const Variant& b) {
    if (!a.usage || a.failure) {
      return false;
    }
    if (!b.usage || b.failure) {
      return true;
    }
    const double a_rank = rank_of(*a.usage, a.launch, key);
    const double b_rank = rank_of(*b.usage, b.launch, key);
    return a_rank != b_rank ? a_rank < b_rank : spill_bytes(*a.usage) < spill_bytes(*b.usage);
  });
}

void print_variants(const std::vector<Variant>& variants, std::ostream& out) {
  if (variants.empty()) {
    return;
  }
  constexpr auto right = Table::Align::right;
  std::vector<Table::Column> columns = {
      {"regs", right},      {"spill B", right},   {"static B", right},
      {"dynamic B", right}, {"threads", right},   {"blocks", right},
      {"warps", right},     {"occupancy", right}, {"limited by"}};
  const std::vector<std::string> parameters = varied(variants);
  for (const std::string& name : parameters) {
    columns.push_back({name, right});
  }
  columns.push_back({""});
  Table table(std::move(columns));
  for (const Variant& variant : variants) {
    table.add(row_of(variant, parameters));
  }
  table.print(out);
}

std::string variants_csv(const std::vector<Variant>& variants) {
  std::string text;
  if (variants.empty()) {
    return text;
  }
  for (const NamedValue& named : variants.front().parameters) {
    text += quoted_for_csv(named.name) + ",";
  }
  text +=
      "outcome,reason,registers,spill_stores,spill_loads,static_shared,dynamic_shared,threads,"
      "active_blocks,active_warps,occupancy,limited_by\n";
  for (const Variant& variant : variants) {
    for (const NamedValue& named : variant.parameters) {
      text += quoted_for_csv(named.value.to_string()) + ",";
    }
    const Outcome outcome = variant.failure ? variant.failure->outcome : Outcome::ok;
    text += fmt::format("{},{},", to_string(outcome),
                        variant.failure ? quoted_for_csv(variant.failure->reason) : "");
    if (!variant.usage) {
      text +=
          fmt::format(",,,,{},{},,,,\n", variant.launch.shared_bytes, variant.launch.block.count());
      continue;
    }
    const Resources& r = variant.usage->resources;
    const Occupancy& o = variant.usage->occupancy;
    text += fmt::format("{},{},{},{},{},{},{},{},{:.4f},{}\n", r.registers, r.spill_stores,
                        r.spill_loads, r.static_shared, variant.launch.shared_bytes,
                        variant.launch.block.count(), o.active_blocks, o.active_warps, o.fraction,
                        quoted_for_csv(names_of(o.limited_by)));
  }
  return text;
}

}  // namespace rooftune::cli
