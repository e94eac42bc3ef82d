#include "tuner/cli/occupancy/numbers.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <ostream>

#include "tuner/cli/occupancy/json.hpp"
#include "tuner/core/error.hpp"
#include "tuner/core/units.hpp"
#include "tuner/occupancy/chart.hpp"
#include "tuner/roofline/profile.hpp"

namespace rooftune::cli {
namespace {

std::string count(std::int64_t value) {
  return format_count(static_cast<std::uint64_t>(value));
}

std::string blocks_text(int blocks) {
  return fmt::format("{} block{}", blocks, blocks == 1 ? "" : "s");
}

/// The rows that a table of resources has: what one block takes, and of what.
struct ResourceRow {
  Resource resource;
  std::string takes;
  std::string has;
  std::optional<int> blocks;
};

std::vector<ResourceRow> rows_of(const OccupancyRequest& request, const Occupancy& answer) {
  const MultiprocessorLimits& limits = limits_of(request.cc);
  const auto warps = static_cast<std::int64_t>((request.block.count() + warp_size - 1) / warp_size);
  const int allocated = allocated_registers(limits, std::min(request.registers, 1 << 20));
  const std::int64_t shared = value_on(request, Axis::shared);
  const std::int64_t reserved = limits.shared_reserved;
  return {{Resource::blocks, "1", count(limits.blocks), answer.by_blocks},
          {Resource::warps, count(warps), count(limits.warps), answer.by_warps},
          {Resource::registers,
           fmt::format("{} ({} a thread)", count(std::int64_t{allocated} * warp_size * warps),
                       allocated),
           count(limits.registers), answer.by_registers},
          {Resource::shared,
           fmt::format("{} B{}", count(shared + reserved),
                       reserved > 0 ? fmt::format(" ({} B reserved)", count(reserved)) : ""),
           count(carveout_in_force(request)) + " B", answer.by_shared}};
}

std::string change_text(const Change& change) {
  const std::int64_t less = change.from - change.to;
  switch (change.axis) {
    case Axis::registers:
      return fmt::format("{} registers a thread ({} fewer; what does not fit is spilled)",
                         change.to, less);
    case Axis::shared:
      return fmt::format("{} B of shared memory a block ({} B less)", count(change.to),
                         count(less));
    case Axis::block:
      break;
  }
  return fmt::format("{} threads a block, if all else stays", change.to);
}

void print_suggestions(const NumberQuestion& question, std::ostream& out) {
  const auto found = suggestions(question.request, question.shared);
  if (found.empty()) {
    return;
  }
  out << "\nto raise it:\n";
  for (const Suggestion& suggestion : found) {
    std::vector<std::string> changes;
    std::transform(suggestion.changes.begin(), suggestion.changes.end(),
                   std::back_inserter(changes), change_text);
    out << fmt::format("  {:>3.0f}%  {}: {}\n", suggestion.result.fraction * 100,
                       blocks_text(suggestion.result.active_blocks), fmt::join(changes, " and "));
  }
}

/// A device, and how the grid fills it.
struct DeviceWaves {
  std::string device;
  int multiprocessors = 0;
  Waves waves;
};

/// On the given multiprocessors, the given device, or every known one of that capability.
std::vector<DeviceWaves> waves_on(const NumberQuestion& question, const Occupancy& answer) {
  std::vector<DeviceWaves> found;
  const auto add = [&](const std::string& name, int multiprocessors) {
    if (const auto waves = waves_of(*question.grid, answer.active_blocks, multiprocessors)) {
      found.push_back({name, multiprocessors, *waves});
    }
  };
  if (!question.grid) {
    return found;
  }
  if (question.multiprocessors) {
    add(question.device, *question.multiprocessors);
    return found;
  }
  for (const std::string& id : device_ids()) {
    const DeviceProfile profile = load_device(id);
    if (profile.cc == question.request.cc) {
      add(id, profile.multiprocessors);
    }
  }
  return found;
}

void print_waves(const NumberQuestion& question, const Occupancy& answer, std::ostream& out) {
  if (!question.grid || !answer.launchable) {
    return;
  }
  out << fmt::format("\na grid of {} blocks:\n", count(static_cast<std::int64_t>(*question.grid)));
  const auto all = waves_on(question, answer);
  if (all.empty()) {
    out << "  no device of this compute capability is known: give --multiprocessors\n";
  }
  for (const DeviceWaves& device : all) {
    const Waves& waves = device.waves;
    out << fmt::format("  {}{} multiprocessors: {:.2f} waves", device.device,
                       device.device.empty() ? std::to_string(device.multiprocessors)
                                             : fmt::format(", {}", device.multiprocessors),
                       waves.waves);
    out << (waves.tail_blocks == 0
                ? "; no tail\n"
                : fmt::format("; the last one has {} blocks and fills {} of the device; {} of all "
                              "slots stay empty\n",
                              count(static_cast<std::int64_t>(waves.tail_blocks)),
                              format_percent(waves.tail_share), format_percent(waves.lost)));
  }
}

void print_shared(const NumberQuestion& question, const Occupancy& answer, std::ostream& out) {
  const OccupancyRequest& request = question.request;
  OccupancyRequest plain = request;
  plain.opt_in = false;
  const Occupancy without = occupancy(plain);
  if (without.active_blocks != answer.active_blocks) {
    out << fmt::format("without opting in to more than 48 KiB: {} ({})\n",
                       blocks_text(without.active_blocks), without.reason);
  }
  OccupancyRequest largest = request;
  largest.carveout.reset();
  const int most = occupancy(largest).active_blocks;
  if (most != answer.active_blocks) {
    out << fmt::format("with the largest carve-out, {} KB: {}\n",
                       limits_of(request.cc).shared / 1024, blocks_text(most));
  }
  const int blocks = std::max(1, answer.active_blocks);
  const auto available = available_dynamic_shared(request, blocks);
  const auto plain_available = available_dynamic_shared(plain, blocks);
  if (available) {
    out << fmt::format("dynamic shared memory for {}: up to {} B each", blocks_text(blocks),
                       count(*available));
    out << (plain_available && *plain_available != *available
                ? fmt::format(", {} B without opting in\n", count(*plain_available))
                : "\n");
  }
}

void print_best_block(const NumberQuestion& question, std::ostream& out) {
  if (const auto best = best_block(question.request, question.shared)) {
    out << fmt::format(
        "largest block at the highest occupancy: {} threads with {} B of shared memory ({}, "
        "{:.0f}%)\n",
        best->threads, count(best->shared_bytes), blocks_text(best->result.active_blocks),
        best->result.fraction * 100);
  }
}

void print_answer(const NumberQuestion& question, const Occupancy& answer, std::ostream& out) {
  const OccupancyRequest& request = question.request;
  out << describe(request) << '\n';
  if (answer.launchable) {
    out << fmt::format("{} active, {} of {} warps: {:.1f}% occupancy, limited by {}\n\n",
                       blocks_text(answer.active_blocks), answer.active_warps,
                       limits_of(request.cc).warps, answer.fraction * 100,
                       names_of(answer.limited_by));
  } else {
    out << fmt::format("cannot launch: {}\n\n", answer.reason);
  }
  out << fmt::format("  {:<10} {:>28} {:>12} {:>7}\n", "resource", "a block takes", "of", "blocks");
  for (const ResourceRow& row : rows_of(request, answer)) {
    const bool limits = std::find(answer.limited_by.begin(), answer.limited_by.end(),
                                  row.resource) != answer.limited_by.end();
    out << fmt::format("  {:<10} {:>28} {:>12} {:>7}{}\n", to_string(row.resource), row.takes,
                       row.has, row.blocks ? std::to_string(*row.blocks) : "-",
                       limits ? "  <- limits" : "");
  }
  out << '\n';
  print_shared(question, answer, out);
  print_best_block(question, out);
  print_suggestions(question, out);
  print_waves(question, answer, out);
}

Json waves_json(const std::vector<DeviceWaves>& all) {
  Json list = Json::array();
  for (const DeviceWaves& device : all) {
    list.push_back({{"device", device.device.empty() ? Json(nullptr) : Json(device.device)},
                    {"multiprocessors", device.multiprocessors},
                    {"waves", device.waves.waves},
                    {"full_waves", device.waves.full},
                    {"tail_blocks", device.waves.tail_blocks},
                    {"tail_share", device.waves.tail_share},
                    {"lost", device.waves.lost}});
  }
  return list;
}

void answer_point(const NumberQuestion& question, const OccupancyOutput& output, Io& io) {
  const Occupancy answer = occupancy(question.request);
  if (!output.json) {
    print_answer(question, answer, io.out);
    return;
  }
  Json json = occupancy_json(question.request, answer);
  json["suggestions"] = suggestions_json(suggestions(question.request, question.shared));
  if (const auto best = best_block(question.request, question.shared)) {
    json["best_block"] = best_block_json(*best);
  }
  if (question.grid) {
    json["grid"] = *question.grid;
    json["waves"] = waves_json(waves_on(question, answer));
  }
  io.out << json.dump(2) << '\n';
}

template <typename Chart>
void write_chart(const Chart& chart, const OccupancyOutput& output, Io& io, const Json& json,
                 std::string (*text)(const Chart&), std::string (*csv)(const Chart&),
                 std::string (*svg)(const Chart&)) {
  if (!output.svg.empty()) {
    write_text_file(output.svg, svg(chart));
    io.err << "wrote " << output.svg << '\n';
  }
  io.out << (output.json ? json.dump(2) + "\n" : output.csv ? csv(chart) : text(chart));
}

void answer_sweep(const NumberQuestion& question, const OccupancyOutput& output, Io& io) {
  const OccupancyRequest& base = question.request;
  const MultiprocessorLimits& limits = limits_of(base.cc);
  const Axis first = question.sweep.front();
  if (question.sweep.size() == 1) {
    const Sweep swept = sweep(base, first, steps_of(first, limits), question.is_point);
    write_chart(swept, output, io, sweep_json(swept), sweep_text, sweep_csv, sweep_svg);
    return;
  }
  const Axis second = question.sweep.back();
  const HeatMap map = heat_map(base, first, steps_of(first, limits), second,
                               steps_of(second, limits), question.is_point);
  write_chart(map, output, io, heat_map_json(map), heat_map_text, heat_map_csv, heat_map_svg);
}

/// A device's compute capability and multiprocessors, where one was named.
void take_device(NumberQuestion& question) {
  if (question.device.empty()) {
    return;
  }
  const DeviceProfile profile = load_device(question.device);
  if (profile.kind != DeviceKind::cuda) {
    throw InputError(fmt::format("{} is no GPU: it has no occupancy", profile.id));
  }
  question.device = profile.id;
  question.request.cc = profile.cc;
  if (!question.multiprocessors) {
    question.multiprocessors = profile.multiprocessors;
  }
}

}  // namespace

int answer_numbers(NumberQuestion question, const OccupancyOutput& output, Io& io) {
  take_device(question);
  if (question.shared) {
    question.request = moved(question.request, Axis::shared,
                             question.shared(value_on(question.request, Axis::block)));
  }
  if (question.sweep.empty()) {
    answer_point(question, output, io);
  } else {
    answer_sweep(question, output, io);
  }
  return 0;
}

void write_text_file(const std::string& file, const std::string& text) {
  std::ofstream out(file, std::ios::binary);
  out << text;
  out.close();
  if (!out) {
    throw InputError(fmt::format("cannot write {}", file), "check the folder and its rights");
  }
}

}  // namespace rooftune::cli
