#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "tuner/core/units.hpp"
#include "tuner/occupancy/chart.hpp"

namespace rooftune {
namespace {

std::string count(std::int64_t value) {
  return format_count(static_cast<std::uint64_t>(value));
}

bool same_answer(const Occupancy& a, const Occupancy& b) {
  return a.active_blocks == b.active_blocks && a.active_warps == b.active_warps &&
         a.limited_by == b.limited_by;
}

/// Values that share an answer, as indices [first, last].
struct Run {
  std::size_t first = 0;
  std::size_t last = 0;
};

std::vector<Run> runs_of(const Sweep& sweep) {
  std::vector<Run> runs;
  for (std::size_t i = 0; i < sweep.values.size(); ++i) {
    if (!runs.empty() && same_answer(sweep.answers[runs.back().last], sweep.answers[i])) {
      runs.back().last = i;
    } else {
      runs.push_back({i, i});
    }
  }
  return runs;
}

/// "33..40": from the value after the step before the run's first, to its last.
std::string range_text(const Sweep& sweep, const Run& run) {
  const std::int64_t first =
      run.first == 0 ? (sweep.axis == Axis::shared ? 0 : 1) : sweep.values[run.first - 1] + 1;
  const std::int64_t last = sweep.values[run.last];
  return first == last ? count(last) : fmt::format("{}..{}", count(first), count(last));
}

std::string bar(double fraction) {
  constexpr int width = 20;
  const auto filled = static_cast<std::size_t>(std::lround(fraction * width));
  return std::string(filled, '#') + std::string(width - filled, '.');
}

std::string_view heading(Axis axis) {
  switch (axis) {
    case Axis::block:
      return "threads a block";
    case Axis::registers:
      return "registers a thread";
    case Axis::shared:
      break;
  }
  return "shared B a block";
}

char cell_character(const HeatMap::Cell& cell, int warps) {
  if (cell.active_blocks == 0) {
    return '.';
  }
  const int tenths = cell.active_warps * 10 / warps;
  return tenths >= 10 ? '#' : static_cast<char>('0' + tenths);
}

/// At most `most` indices, evenly spread, the last always among them.
std::vector<std::size_t> thinned(std::size_t size, std::size_t most) {
  const std::size_t step = (size + most - 1) / most;
  std::vector<std::size_t> kept;
  for (std::size_t i = (size - 1) % step; i < size; i += step) {
    kept.push_back(i);
  }
  return kept;
}

/// The position among `kept` that stands for index `at`.
std::optional<std::size_t> position_of(const std::vector<std::size_t>& kept,
                                       std::optional<std::size_t> at) {
  if (!at) {
    return std::nullopt;
  }
  return static_cast<std::size_t>(std::lower_bound(kept.begin(), kept.end(), *at) - kept.begin());
}

}  // namespace

std::string describe(const OccupancyRequest& request, const std::vector<Axis>& varied) {
  const auto fixed = [&](Axis axis) {
    return std::find(varied.begin(), varied.end(), axis) == varied.end();
  };
  std::string text = fmt::format("compute capability {}", to_string(request.cc));
  if (fixed(Axis::block)) {
    const Dim3& block = request.block;
    text += block.y == 1 && block.z == 1 ? fmt::format(", {} threads", block.x)
                                         : fmt::format(", {} threads", to_string(block));
  }
  if (fixed(Axis::registers)) {
    text += fmt::format(", {} registers", request.registers);
  }
  if (fixed(Axis::shared)) {
    text += fmt::format(", {} B shared memory", count(value_on(request, Axis::shared)));
  }
  if (request.carveout) {
    text += fmt::format(", carve-out {}", format_bytes(static_cast<double>(*request.carveout)));
  }
  return text;
}

std::string names_of(const std::vector<Resource>& resources) {
  std::vector<std::string_view> names;
  std::transform(resources.begin(), resources.end(), std::back_inserter(names),
                 [](Resource resource) { return to_string(resource); });
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string sweep_text(const Sweep& sweep) {
  std::string text = fmt::format("{}\n\n  {:>18}  blocks  warps  occupancy{:14}limited by\n",
                                 describe(sweep.base, {sweep.axis}), heading(sweep.axis), "");
  for (const Run& run : runs_of(sweep)) {
    const Occupancy& answer = sweep.answers[run.first];
    const bool here = sweep.current && *sweep.current >= run.first && *sweep.current <= run.last;
    text += fmt::format("{} {:>18}  {:>6}  {:>5}  {:>5.1f}% {}  {}\n", here ? '*' : ' ',
                        range_text(sweep, run), answer.active_blocks, answer.active_warps,
                        answer.fraction * 100, bar(answer.fraction),
                        answer.launchable ? names_of(answer.limited_by) : "cannot launch");
  }
  if (sweep.current) {
    text += fmt::format("* holds the current value, {}\n", count(value_on(sweep.base, sweep.axis)));
  }
  return text;
}

std::string heat_map_text(const HeatMap& map) {
  constexpr std::size_t most_columns = 64;
  constexpr std::size_t most_rows = 40;
  const int warps = limits_of(map.base.cc).warps;
  const auto columns = thinned(map.xs.size(), most_columns);
  const auto rows = thinned(map.ys.size(), most_rows);
  const auto current_column = position_of(columns, map.current_x);
  const auto current_row = position_of(rows, map.current_y);
  std::string text = fmt::format("{}\n\n  {} by {} ({} to {})\n",
                                 describe(map.base, {map.x, map.y}), heading(map.y), heading(map.x),
                                 count(map.xs[columns.front()]), count(map.xs.back()));
  for (std::size_t row = 0; row < rows.size(); ++row) {
    text += fmt::format("  {:>8} ", count(map.ys[rows[row]]));
    bool open = false;
    for (std::size_t column = 0; column < columns.size(); ++column) {
      const bool here = current_row == row && current_column == column;
      text += here ? '[' : open ? ']' : ' ';
      text += cell_character(map.at(columns[column], rows[row]), warps);
      open = here;
    }
    text += open ? "]\n" : "\n";
  }
  text += "  tenths of the warps: 5 is 50% to 59%, # is 100%, . cannot launch";
  return text + (current_row && current_column ? "; [ ] is the current point\n" : "\n");
}

std::string sweep_csv(const Sweep& sweep) {
  std::string text =
      fmt::format("{},active_blocks,active_warps,occupancy,launchable,limited_by,current\n",
                  to_string(sweep.axis));
  for (std::size_t i = 0; i < sweep.values.size(); ++i) {
    const Occupancy& answer = sweep.answers[i];
    std::vector<std::string_view> names;
    std::transform(answer.limited_by.begin(), answer.limited_by.end(), std::back_inserter(names),
                   [](Resource resource) { return to_string(resource); });
    text += fmt::format("{},{},{},{:.4f},{},{},{}\n", sweep.values[i], answer.active_blocks,
                        answer.active_warps, answer.fraction, answer.launchable ? 1 : 0,
                        fmt::join(names, "+"), sweep.current == i ? 1 : 0);
  }
  return text;
}

std::string heat_map_csv(const HeatMap& map) {
  std::string text = fmt::format("{},{},active_blocks,active_warps,occupancy,current\n",
                                 to_string(map.x), to_string(map.y));
  const int warps = limits_of(map.base.cc).warps;
  for (std::size_t iy = 0; iy < map.ys.size(); ++iy) {
    for (std::size_t ix = 0; ix < map.xs.size(); ++ix) {
      const HeatMap::Cell& cell = map.at(ix, iy);
      text += fmt::format("{},{},{},{},{:.4f},{}\n", map.xs[ix], map.ys[iy], cell.active_blocks,
                          cell.active_warps, static_cast<double>(cell.active_warps) / warps,
                          map.current_x == ix && map.current_y == iy ? 1 : 0);
    }
  }
  return text;
}

}  // namespace rooftune
