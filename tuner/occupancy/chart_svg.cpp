#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tuner/occupancy/chart.hpp"

namespace rooftune {
namespace {

constexpr double width = 760;
constexpr double height = 440;
constexpr double left = 70;
constexpr double right = 730;
constexpr double top = 60;
constexpr double bottom = 370;

std::string_view label(Axis axis) {
  switch (axis) {
    case Axis::block:
      return "threads a block";
    case Axis::registers:
      return "registers a thread";
    case Axis::shared:
      break;
  }
  return "shared memory a block, bytes";
}

std::string text(double x, double y, std::string_view words, std::string_view more = "") {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" {}>{}</text>\n", x, y, more, words);
}

std::string document(const std::string& title, const std::string& body) {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
      "height=\"{1}\" font-family=\"sans-serif\" font-size=\"12\" role=\"img\">\n"
      "<title>{2}</title>\n<rect width=\"{0}\" height=\"{1}\" fill=\"#ffffff\"/>\n{3}{4}</svg>\n",
      width, height, title,
      text(left, 26, "Occupancy", "font-size=\"16\" font-weight=\"bold\"") + text(left, 44, title),
      body);
}

/// Maps the values of an axis to a range of pixels. Each value is the end of a step, which reaches
/// back to the value before.
class Steps {
 public:
  Steps(const std::vector<std::int64_t>& values, double from, double to)
      : values_(values), from_(from), to_(to) {}

  double end(std::size_t index) const { return place(static_cast<double>(values_[index])); }
  double begin(std::size_t index) const { return index == 0 ? from_ : end(index - 1); }

  /// About eight round values with their places.
  std::vector<std::pair<std::int64_t, double>> ticks() const {
    const double span = static_cast<double>(values_.back());
    double step = std::pow(2, std::ceil(std::log2(std::max(1.0, span / 10))));
    std::vector<std::pair<std::int64_t, double>> found;
    for (double value = 0; value <= span; value += step) {
      found.emplace_back(static_cast<std::int64_t>(value), place(value));
    }
    return found;
  }

 private:
  double place(double value) const {
    const double span = static_cast<double>(values_.back());
    return from_ + (to_ - from_) * (span == 0 ? 0 : value / span);
  }

  const std::vector<std::int64_t>& values_;
  double from_;
  double to_;
};

std::string x_axis(const Steps& steps, Axis axis) {
  std::string body = fmt::format(
      "<line x1=\"{0}\" y1=\"{1}\" x2=\"{2}\" y2=\"{1}\" stroke=\"#333\"/>\n", left, bottom, right);
  for (const auto& [value, x] : steps.ticks()) {
    body +=
        fmt::format("<line x1=\"{0:.1f}\" y1=\"{1}\" x2=\"{0:.1f}\" y2=\"{2}\" stroke=\"#333\"/>\n",
                    x, bottom, bottom + 4) +
        text(x, bottom + 18, fmt::format("{}", value), "text-anchor=\"middle\"");
  }
  return body + text((left + right) / 2, bottom + 38, label(axis), "text-anchor=\"middle\"");
}

std::string y_title(std::string_view words) {
  return text(18, (top + bottom) / 2, words,
              fmt::format("text-anchor=\"middle\" transform=\"rotate(-90 18 {:.1f})\"",
                          (top + bottom) / 2));
}

/// From pale to dark blue; grey where nothing can launch. Readable without colours by its order.
std::string colour(const HeatMap::Cell& cell, int warps) {
  if (cell.active_blocks == 0) {
    return "#dddddd";
  }
  const double share = static_cast<double>(cell.active_warps) / warps;
  const auto mix = [&](int pale, int dark) {
    return static_cast<int>(std::lround(pale + (dark - pale) * share));
  };
  return fmt::format("#{:02x}{:02x}{:02x}", mix(240, 8), mix(246, 48), mix(255, 107));
}

std::string legend(int warps) {
  std::string body =
      fmt::format("<rect x=\"{:.1f}\" y=\"20\" width=\"70\" height=\"10\" fill=\"{}\"/>\n",
                  right - 380, colour(HeatMap::Cell{}, warps));
  body += text(right - 345, 44, "cannot launch", "text-anchor=\"middle\" font-size=\"10\"");
  for (int i = 0; i <= 4; ++i) {
    const double x = right - 300 + i * 60;
    const HeatMap::Cell cell{1, warps * i / 4};
    body += fmt::format("<rect x=\"{:.1f}\" y=\"20\" width=\"60\" height=\"10\" fill=\"{}\"/>\n", x,
                        colour(cell, warps)) +
            text(x + 30, 44, fmt::format("{}%", 25 * i), "text-anchor=\"middle\" font-size=\"10\"");
  }
  return body;
}

}  // namespace

std::string sweep_svg(const Sweep& sweep) {
  const Steps steps(sweep.values, left, right);
  const auto y = [](double fraction) { return bottom - (bottom - top) * fraction; };
  std::string path;
  for (std::size_t i = 0; i < sweep.values.size();) {
    std::size_t last = i;  // of the steps that are level with this one
    const double fraction = sweep.answers[i].fraction;
    while (last + 1 < sweep.values.size() && sweep.answers[last + 1].fraction == fraction) {
      ++last;
    }
    path += fmt::format("{}{:.1f},{:.1f} {:.1f},{:.1f}", i == 0 ? "" : " ", steps.begin(i),
                        y(fraction), steps.end(last), y(fraction));
    i = last + 1;
  }
  std::string body;
  for (int percent = 0; percent <= 100; percent += 25) {
    const double level = y(percent / 100.0);
    body += fmt::format("<line x1=\"{}\" y1=\"{:.1f}\" x2=\"{}\" y2=\"{:.1f}\" stroke=\"#ddd\"/>\n",
                        left, level, right, level) +
            text(left - 8, level + 4, fmt::format("{}%", percent), "text-anchor=\"end\"");
  }
  body += x_axis(steps, sweep.axis) + y_title("active warps of the multiprocessor's");
  body += fmt::format(
      "<polyline points=\"{}\" fill=\"none\" stroke=\"#08306b\" stroke-width=\"2\"/>\n", path);
  if (sweep.current) {
    const std::size_t at = *sweep.current;
    const Occupancy& answer = sweep.answers[at];
    const double x = (steps.begin(at) + steps.end(at)) / 2;
    const bool near_right = x > (left + right) / 2;
    body += fmt::format(
        "<circle class=\"current\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"6\" fill=\"#d95f02\"/>\n", x,
        y(answer.fraction));
    body += text(
        x + (near_right ? -10 : 10), y(answer.fraction) - 10,
        fmt::format("now {}: {} blocks, {:.0f}%, limited by {}", value_on(sweep.base, sweep.axis),
                    answer.active_blocks, answer.fraction * 100,
                    answer.limited_by.empty() ? "its shape" : names_of(answer.limited_by)),
        near_right ? "text-anchor=\"end\"" : "");
  }
  return document(describe(sweep.base, {sweep.axis}), body);
}

std::string heat_map_svg(const HeatMap& map) {
  const Steps columns(map.xs, left, right);
  const Steps rows(map.ys, bottom, top);
  const int warps = limits_of(map.base.cc).warps;
  const auto rect = [&](std::size_t ix, std::size_t iy, std::string_view style) {
    return fmt::format("<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" {}/>\n",
                       columns.begin(ix), rows.end(iy), columns.end(ix) - columns.begin(ix),
                       rows.begin(iy) - rows.end(iy), style);
  };
  std::string body = "<g shape-rendering=\"crispEdges\">\n";
  for (std::size_t iy = 0; iy < map.ys.size(); ++iy) {
    // Neighbours of one colour become one rectangle: maps of shared memory have thousands of cells.
    for (std::size_t ix = 0; ix < map.xs.size();) {
      std::size_t last = ix;
      const std::string fill = colour(map.at(ix, iy), warps);
      while (last + 1 < map.xs.size() && colour(map.at(last + 1, iy), warps) == fill) {
        ++last;
      }
      body += fmt::format(
          "<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" fill=\"{}\"/>\n",
          columns.begin(ix), rows.end(iy), columns.end(last) - columns.begin(ix),
          rows.begin(iy) - rows.end(iy), fill);
      ix = last + 1;
    }
  }
  body += "</g>\n";
  for (const auto& [value, y] : rows.ticks()) {
    body += text(left - 8, y + 4, fmt::format("{}", value), "text-anchor=\"end\"");
  }
  body += x_axis(columns, map.x) + y_title(label(map.y)) + legend(warps);
  if (map.current_x && map.current_y) {
    body += rect(*map.current_x, *map.current_y,
                 "class=\"current\" fill=\"none\" stroke=\"#d95f02\" stroke-width=\"3\"");
  }
  return document(describe(map.base, {map.x, map.y}), body);
}

}  // namespace rooftune
