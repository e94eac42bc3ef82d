#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>

#include "search/ranking.hpp"
#include "tuner/cli/commands.hpp"
#include "tuner/cli/roofline/device_option.hpp"
#include "tuner/cli/spec_argument.hpp"
#include "tuner/cli/table.hpp"
#include "tuner/cli/variants.hpp"
#include "tuner/core/error.hpp"
#include "tuner/session/model.hpp"

namespace rooftune::cli {
namespace {

using Json = nlohmann::ordered_json;

/// Larger spaces are ranked by a sample of that size.
constexpr std::uint64_t most_ranked = 100'000;

struct Rank {
  SpecArgument spec;
  std::string device;
  std::size_t count = 32;
  bool no_compile = false;
  bool json = false;
};

struct Row {
  Ranked ranked;
  NamedValues parameters;
  BoundTimes bounds;
  double lower_bound = 0;  ///< seconds; 0 where nothing is provable
  std::optional<Usage> compiled;
};

struct Shortlist {
  std::vector<Row> rows;
  std::uint64_t looked_at = 0;
  std::uint64_t size = 0;
  std::vector<std::string> failures;  ///< of compilations
};

using Compiled = std::map<Configuration, Usage>;

/// The model, sharpened by what was compiled.
class Predictor {
 public:
  Predictor(const Spec& spec, const Space& space, const DeviceProfile& device)
      : spec_(spec), space_(space), device_(device), model_(spec, space, device) {
    context_.space = &space;
    context_.device = &device;
    context_.bounds = [this](const Configuration& c) { return bounds(c); };
    context_.geometry = [this](const Configuration& c) { return geometry(c); };
  }
  Predictor(const Predictor&) = delete;
  Predictor& operator=(const Predictor&) = delete;

  std::vector<Ranked> rank(const std::vector<Configuration>& configurations) const {
    return rank_by_roofline(context_, configurations);
  }
  BoundTimes bounds(const Configuration& c) const {
    const auto found = compiled_.find(c);
    return found == compiled_.end()
               ? model_.bounds(c)
               : bound_times(model_input(model_.geometry(c), device_, found->second.resources),
                             device_);
  }

  /// Compiles what is shortlisted; what fails is taken out and told in `failures`.
  std::vector<Configuration> compile(const std::vector<Configuration>& shortlist,
                                     std::vector<std::string>& failures, Io& io) {
    std::vector<NamedValues> values;
    std::transform(shortlist.begin(), shortlist.end(), std::back_inserter(values),
                   [&](const Configuration& c) { return space_.values(c); });
    const std::string architecture = fmt::format("sm_{}{}", device_.cc.major, device_.cc.minor);
    const std::vector<Variant> variants =
        compile_variants(spec_, values, architecture, nullptr, io);
    std::vector<Configuration> left;
    for (std::size_t i = 0; i < variants.size(); ++i) {
      if (variants[i].usage && !variants[i].failure) {
        compiled_[shortlist[i]] = *variants[i].usage;
        left.push_back(shortlist[i]);
      } else {
        failures.push_back(fmt::format("{}: {}", to_string(values[i]),
                                       variants[i].failure ? variants[i].failure->reason : ""));
      }
    }
    return left;
  }

  Row row(const Ranked& ranked) const {
    Row row{ranked, space_.values(ranked.configuration), bounds(ranked.configuration), 0, {}};
    row.lower_bound = lower_bound_seconds(row.bounds);
    if (const auto found = compiled_.find(ranked.configuration); found != compiled_.end()) {
      row.compiled = found->second;
    }
    return row;
  }

 private:
  Geometry geometry(const Configuration& c) const {
    Geometry geometry = model_.geometry(c);
    if (const auto found = compiled_.find(c); found != compiled_.end()) {
      geometry.registers = found->second.resources.registers;
      geometry.shared_bytes = found->second.resources.static_shared;
    }
    return geometry;
  }

  const Spec& spec_;
  const Space& space_;
  const DeviceProfile& device_;
  Model model_;
  SearchContext context_;
  Compiled compiled_;
};

std::vector<Configuration> candidates(const Space& space) {
  std::vector<Configuration> all;
  if (space.size() > most_ranked) {
    std::mt19937_64 random(1);
    return space.sample(most_ranked, random);
  }
  for (std::uint64_t i = 0; i < space.size(); ++i) {
    all.push_back(space.at(i));
  }
  return all;
}

std::vector<Configuration> first_of(const std::vector<Ranked>& ranked, std::size_t count) {
  std::vector<Configuration> first;
  for (std::size_t i = 0; i < std::min(count, ranked.size()); ++i) {
    first.push_back(ranked[i].configuration);
  }
  return first;
}

Shortlist shortlist_of(const Rank& options, const Spec& spec, const DeviceProfile& device, Io& io) {
  const Space space(spec);
  Predictor predictor(spec, space, device);
  Shortlist shortlist;
  shortlist.size = space.size();
  const std::vector<Configuration> all = candidates(space);
  shortlist.looked_at = all.size();
  std::vector<Ranked> ranked = predictor.rank(all);
  if (ranked.empty()) {
    throw InputError(
        fmt::format("{}: no configuration can be ranked", spec.file.string()),
        "the ranking needs work in the spec: work.flops, work.bytes, work.traffic; and "
        "configurations that fit the device");
  }
  std::vector<Configuration> first = first_of(ranked, options.count);
  if (spec.kernel && device.kind == DeviceKind::cuda && !options.no_compile) {
    first = predictor.compile(first, shortlist.failures, io);
  }
  for (const Ranked& one : predictor.rank(first)) {
    shortlist.rows.push_back(predictor.row(one));
  }
  return shortlist;
}

Json row_json(const Row& row, std::size_t rank) {
  Json parameters = Json::object();
  for (const NamedValue& named : row.parameters) {
    const Value& value = named.value;
    parameters[named.name] = value.kind() == Value::Kind::text      ? Json(value.as_text())
                             : value.kind() == Value::Kind::boolean ? Json(value.truthy())
                             : value.kind() == Value::Kind::integer ? Json(value.as_integer())
                                                                    : Json(value.as_real());
  }
  Json bounds = Json::array();
  for (const BoundTime& time : row.bounds) {
    bounds.push_back({{"bound", to_string(time.bound)},
                      {"seconds", time.seconds},
                      {"provable", time.provable},
                      {"basis", time.basis}});
  }
  Json json = {
      {"rank", rank},
      {"parameters", parameters},
      {"predicted_seconds", row.ranked.seconds},
      {"lower_bound_seconds", row.lower_bound > 0 ? Json(row.lower_bound) : Json()},
      {"predicted_bound", row.bounds.empty() ? Json() : Json(to_string(row.bounds[0].bound))},
      {"bounds", bounds},
      {"compiled", nullptr}};
  if (row.compiled) {
    json["compiled"] = {
        {"registers", row.compiled->resources.registers},
        {"spill_bytes", row.compiled->resources.spill_stores + row.compiled->resources.spill_loads},
        {"static_shared_bytes", row.compiled->resources.static_shared},
        {"occupancy", row.compiled->occupancy.fraction}};
  }
  return json;
}

void print_json(const Shortlist& shortlist, const Spec& spec, const DeviceProfile& device, Io& io) {
  Json rows = Json::array();
  for (const Row& row : shortlist.rows) {
    rows.push_back(row_json(row, rows.size() + 1));
  }
  io.out << Json({{"predicted", true},
                  {"kernel", spec.name},
                  {"device", device.name},
                  {"configurations", shortlist.size},
                  {"ranked", shortlist.looked_at},
                  {"failures", shortlist.failures},
                  {"shortlist", rows}})
                .dump(2)
         << '\n';
}

void print_text(const Shortlist& shortlist, const Spec& spec, const DeviceProfile& device, Io& io) {
  io.out << fmt::format(
      "{} on {}: predicted from formulas, nothing was measured. First {} of {} configurations.\n\n",
      spec.name, device.name, shortlist.rows.size(), format_count(shortlist.looked_at));
  Table table({{"", Table::Align::right},
               {"predicted", Table::Align::right},
               {"at least", Table::Align::right},
               {"bound"},
               {"registers", Table::Align::right},
               {"occupancy", Table::Align::right},
               {"configuration"}});
  for (std::size_t i = 0; i < shortlist.rows.size(); ++i) {
    const Row& row = shortlist.rows[i];
    table.add({fmt::format("{}", i + 1), format_seconds(row.ranked.seconds),
               row.lower_bound > 0 ? format_seconds(row.lower_bound) : "",
               row.bounds.empty() ? "" : std::string(to_string(row.bounds[0].bound)),
               row.compiled ? fmt::format("{}", row.compiled->resources.registers) : "",
               row.compiled ? format_percent(row.compiled->occupancy.fraction) : "",
               to_string(row.parameters)});
  }
  table.print(io.out);
  for (const std::string& failure : shortlist.failures) {
    io.err << "left out: " << failure << '\n';
  }
}

int run_rank(const Rank& options, Io& io) {
  const Spec spec = options.spec.load();
  const DeviceProfile device = device_with_roofs(options.device, io);
  const Shortlist shortlist = shortlist_of(options, spec, device, io);
  (options.json ? print_json : print_text)(shortlist, spec, device, io);
  return shortlist.rows.empty() ? 1 : 0;
}

}  // namespace

void add_rank(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand(
      "rank", "a predicted shortlist for a device that need not be here; nothing is measured");
  const auto options = std::make_shared<Rank>();
  add_spec_argument(*command, options->spec);
  command->add_option("--device", options->device, "a known device, or a device file")
      ->required()
      ->type_name("ID|FILE");
  command->add_option("--count", options->count, "length of the shortlist")
      ->check(CLI::Range(std::size_t{1}, std::size_t{10000}))
      ->capture_default_str();
  command->add_flag("--no-compile", options->no_compile,
                    "by formulas alone, without registers and spills");
  command->add_flag("--json", options->json, "one JSON document");
  command->footer(
      "The shortlist is compiled for the device's architecture (NVRTC, no GPU is needed); what "
      "does\n"
      "not compile or launch is left out, and the rest is ranked again with its real registers "
      "and\n"
      "occupancy.\n\n"
      "Examples:\n"
      "  rooftune rank configs/kernels/sgemm.yaml --device a100-40 --set M=4096\n"
      "  rooftune rank sgemm.yaml --device my_gpu.yaml --count 16 --json");
  command->callback(
      [&action, options] { action = [options](Io& io) { return run_rank(*options, io); }; });
}

}  // namespace rooftune::cli
