#include "tuner/cli/occupancy/spec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ostream>
#include <random>

#include "tuner/cli/occupancy/json.hpp"
#include "tuner/compile/launch_bounds.hpp"
#include "tuner/core/error.hpp"
#include "tuner/core/units.hpp"
#include "tuner/occupancy/chart.hpp"
#include "tuner/roofline/profile.hpp"
#include "tuner/session/fields.hpp"
#include "tuner/space/space.hpp"

namespace rooftune::cli {
namespace {

/// The expression of --where as a rule of the spec, so that the space counts and samples what it
/// leaves.
void add_where(Spec& spec, const std::string& text) {
  if (text.empty()) {
    return;
  }
  const SourceSpot spot{"--where", 1, 1, static_cast<int>(text.size()), text};
  const Expression expression = Expression::parse(text);
  std::vector<std::string> known;
  const auto add = [&known](const auto& all) {
    std::transform(all.begin(), all.end(), std::back_inserter(known),
                   [](const auto& named) { return named.name; });
  };
  add(spec.parameters);
  add(spec.constants);
  add(spec.derived);
  for (const std::string& name : expression.names()) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      throw InputError(spot, fmt::format("\"{}\" is no parameter, constant or derived value", name),
                       suggest(name, known));
    }
  }
  spec.rules.push_back({{expression, spot}, "--where " + text});
}

std::vector<NamedValues> sampled(const Space& space, std::uint64_t count) {
  std::mt19937_64 random(1);  // the same sample in every run
  std::vector<NamedValues> configurations;
  for (const Configuration& configuration : space.sample(count, random)) {
    configurations.push_back(space.values(configuration));
  }
  return configurations;
}

/// The baseline where the space has it, else its first configuration.
NamedValues one_of_space(const Spec& spec, const Space& space) {
  if (const auto baseline = space.find(spec.baseline)) {
    if (!spec.baseline.empty() && space.contains(*baseline)) {
      return spec.baseline;
    }
  }
  return space.values(space.at(0));
}

std::string seconds_since(std::chrono::steady_clock::time_point start) {
  return format_seconds(
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
}

Json failure_json(const Failure& failure) {
  return {{"outcome", to_string(failure.outcome)}, {"reason", failure.reason}};
}

void add_resources(Json& json, const Resources& resources) {
  json["registers"] = resources.registers;
  json["spill_stores"] = resources.spill_stores;
  json["spill_loads"] = resources.spill_loads;
  json["stack_frame"] = resources.stack_frame;
  json["static_shared"] = resources.static_shared;
}

Json variant_json(const Variant& variant) {
  Json json;
  json["parameters"] = codec::encode_values(variant.parameters);
  json["threads"] = variant.launch.block.count();
  json["dynamic_shared"] = variant.launch.shared_bytes;
  if (variant.usage) {
    add_resources(json, variant.usage->resources);
    add_answer(json, variant.usage->occupancy);
  }
  json["notes"] = variant.notes;
  json["failure"] = variant.failure ? failure_json(*variant.failure) : Json(nullptr);
  return json;
}

Json cache_json(const BinaryCache* cache) {
  if (cache == nullptr) {
    return nullptr;
  }
  const BinaryCache::Statistics counts = cache->statistics();
  return {{"hits", counts.hits}, {"misses", counts.misses}};
}

std::string cache_text(const BinaryCache* cache) {
  return cache == nullptr ? "" : "; cache: " + cache->summary();
}

/// Everything that both answers need.
struct Ready {
  Spec spec;
  std::string architecture;
  std::unique_ptr<BinaryCache> cache;
};

Ready prepare(const SpecQuestion& question, Io& io) {
  Ready ready{question.spec.load(), architecture_named(question.architecture), nullptr};
  if (!question.device.empty()) {
    const DeviceProfile profile = load_device(question.device);
    if (profile.kind != DeviceKind::cuda) {
      throw InputError(fmt::format("{} is no GPU: it has no occupancy", profile.id));
    }
    ready.architecture = architecture(profile.cc);
  }
  require_nvrtc_architecture(ready.architecture);
  add_where(ready.spec, question.where);
  if (question.use_cache) {
    ready.cache = std::make_unique<BinaryCache>();
    if (!ready.cache->problem().empty()) {
      io.err << "rooftune: " << ready.cache->problem() << '\n';
    }
  }
  return ready;
}

Space space_of(const Spec& spec) {
  Space space(spec);
  if (space.size() == 0) {
    throw InputError(fmt::format("no configuration of {} is left", spec.file.string()),
                     "its rules, --set and --where exclude each other");
  }
  return space;
}

void print_table(const Ready& ready, const Space& space, const std::vector<Variant>& variants,
                 std::ostream& out) {
  out << fmt::format("{} for {}: {} of {} configurations", ready.spec.name, ready.architecture,
                     format_count(variants.size()), format_count(space.size()));
  if (variants.size() < space.size()) {
    out << " (a sample; --sample N for more)";
  }
  const std::string fixed = to_string(ready.spec.problems.front());
  out << (fixed.empty() ? "\n\n" : fmt::format(", {}\n\n", fixed));
  print_variants(variants, out);
}

int answer_table(const Ready& ready, const SpecQuestion& question, const OccupancyOutput& output,
                 Io& io) {
  const auto start = std::chrono::steady_clock::now();
  const Space space = space_of(ready.spec);
  const auto configurations = sampled(space, question.sample);
  std::vector<Variant> variants =
      compile_variants(ready.spec, configurations, ready.architecture, ready.cache.get(), io);
  sort_variants(variants, question.sort);
  io.err << fmt::format("compiled {} in {}{}\n", format_count(variants.size()),
                        seconds_since(start), cache_text(ready.cache.get()));
  if (output.csv) {
    io.out << variants_csv(variants);
  } else if (output.json) {
    Json list = Json::array();
    std::transform(variants.begin(), variants.end(), std::back_inserter(list), variant_json);
    io.out << Json{{"spec", ready.spec.name},
                   {"architecture", ready.architecture},
                   {"problem", codec::encode_values(ready.spec.problems.front())},
                   {"configurations", space.size()},
                   {"variants", std::move(list)},
                   {"cache", cache_json(ready.cache.get())}}
                  .dump(2)
           << '\n';
  } else {
    print_table(ready, space, variants, io.out);
  }
  return 0;
}

std::string conclusion(const LaunchBoundsStudy& study) {
  if (!study.spills_from) {
    return "no number of blocks makes it spill more than it does unbounded\n";
  }
  std::string text = fmt::format("it spills from {} block{} a multiprocessor on\n",
                                 *study.spills_from, *study.spills_from == 1 ? "" : "s");
  if (study.only_spills_from) {
    text += fmt::format("from {} on it only spills: no more blocks fit\n", *study.only_spills_from);
  }
  return text;
}

void print_study(const LaunchBoundsStudy& study, std::ostream& out) {
  out << fmt::format("  {:<14} {:>5} {:>8} {:>7} {:>6} {:>10}  {}\n", "launch bounds", "regs",
                     "spill B", "blocks", "warps", "occupancy", "limited by");
  for (const BoundedVariant& variant : study.variants) {
    if (!variant.occupancy) {
      const auto* failure = std::get_if<Failure>(&variant.result);
      out << fmt::format("  {:<14} {}\n", variant.label,
                         failure != nullptr ? failure->reason : "resources unknown");
      continue;
    }
    const Resources resources =
        std::get<KernelBinary>(variant.result).resources.value_or(Resources{});
    const Occupancy& answer = *variant.occupancy;
    out << fmt::format("  {:<14} {:>5} {:>8} {:>7} {:>6} {:>9.1f}%  {}\n", variant.label,
                       resources.registers, spilled(variant), answer.active_blocks,
                       answer.active_warps, answer.fraction * 100,
                       answer.launchable ? names_of(answer.limited_by) : answer.reason);
  }
  out << '\n' << conclusion(study);
}

Json study_json(const LaunchBoundsStudy& study) {
  Json list = Json::array();
  for (const BoundedVariant& variant : study.variants) {
    Json json = {{"bounds", variant.label},
                 {"min_blocks", variant.min_blocks > 0 ? Json(variant.min_blocks) : Json(nullptr)},
                 {"register_cap", variant.cap > 0 ? Json(variant.cap) : Json(nullptr)}};
    if (variant.occupancy) {
      add_resources(json, std::get<KernelBinary>(variant.result).resources.value_or(Resources{}));
      add_answer(json, *variant.occupancy);
    }
    const auto* failure = std::get_if<Failure>(&variant.result);
    json["failure"] = failure != nullptr ? failure_json(*failure) : Json(nullptr);
    list.push_back(std::move(json));
  }
  const auto or_null = [](const std::optional<int>& value) {
    return value ? Json(*value) : Json(nullptr);
  };
  return {{"variants", std::move(list)},
          {"spills_from", or_null(study.spills_from)},
          {"only_spills_from", or_null(study.only_spills_from)}};
}

int answer_launch_bounds(const Ready& ready, const OccupancyOutput& output, Io& io) {
  const auto start = std::chrono::steady_clock::now();
  const Space space = space_of(ready.spec);
  const NamedValues parameters = one_of_space(ready.spec, space);
  const KernelInstance instance = instantiate(ready.spec, parameters, ready.spec.problems.front());
  const LaunchBoundsStudy study =
      study_launch_bounds(instance, ready.architecture, ready.cache.get());
  io.err << fmt::format("compiled {} in {}{}\n", study.variants.size(), seconds_since(start),
                        cache_text(ready.cache.get()));
  if (output.json) {
    Json json = {{"spec", ready.spec.name},
                 {"architecture", ready.architecture},
                 {"parameters", codec::encode_values(parameters)},
                 {"threads", instance.launch.block.count()}};
    json.update(study_json(study));
    io.out << json.dump(2) << '\n';
    return 0;
  }
  io.out << fmt::format("{} for {}, {} threads a block: {}\n\n", ready.spec.name,
                        ready.architecture, instance.launch.block.count(), to_string(parameters));
  print_study(study, io.out);
  return 0;
}

}  // namespace

int answer_spec(const SpecQuestion& question, const OccupancyOutput& output, Io& io) {
  const Ready ready = prepare(question, io);
  return question.launch_bounds ? answer_launch_bounds(ready, output, io)
                                : answer_table(ready, question, output, io);
}

}  // namespace rooftune::cli
