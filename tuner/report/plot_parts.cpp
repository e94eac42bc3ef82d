#include "tuner/report/plot_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/algorithm/string/case_conv.hpp>
#include <cmath>
#include <map>

namespace rooftune::svg {
namespace {

constexpr double legend_row = 18;
constexpr std::size_t bounds_per_row = 6;

/// How people write the names of roofs.
std::string people_name(const Roof& roof, const DeviceProfile& device) {
  static const std::map<std::string_view, const char*> gpu = {
      {"dram", "DRAM"}, {"l2", "L2"}, {"l1", "L1"}, {"shared", "shared memory"}};
  static const std::map<std::string_view, const char*> host = {
      {"dram", "DRAM"}, {"l2", "last-level cache"}, {"core_l2", "L2"}, {"l1", "L1"}};
  const auto& names = device.kind == DeviceKind::host ? host : gpu;
  const auto found = names.find(roof.name);
  if (found != names.end()) {
    return found->second;
  }
  const std::string name = boost::to_upper_copy(roof.name);
  const std::size_t dot = name.find('.');
  return dot == std::string::npos ? name : name.substr(0, dot) + " tensor";
}

bool same_line(double a, double b) {
  constexpr double visible = 0.02;
  return std::abs(a - b) <= visible * std::max(a, b);
}

/// "dram.read" and its like are parts of the roof "dram"; the host's shared memory is its L1.
bool is_drawn(const Roof& roof, const DeviceProfile& device) {
  const bool detail = roof.kind == RoofKind::bandwidth && roof.name.find('.') != std::string::npos;
  const bool twice = device.kind == DeviceKind::host && roof.name == "shared";
  return !detail && !twice;
}

std::map<std::string, std::size_t> count_bounds(const std::vector<PlotPoint>& points) {
  std::map<std::string, std::size_t> counts;
  for (const PlotPoint& point : points) {
    ++counts[point.bound];
  }
  return counts;
}

bool is_marked(const PlotPoint& point) {
  return point.kind != PlotPoint::Kind::tried;
}

void draw_mark(Canvas& canvas, const PlotPoint& point, Point at, double scale,
               const std::string& tooltip) {
  if (point.kind == PlotPoint::Kind::best) {
    canvas.polygon(star(at, 10 * scale), colour_of(point.bound), tooltip);
  } else {
    canvas.polygon(diamond(at, 7 * scale), colour_of(point.bound), tooltip);
  }
}

void draw_line_styles(Canvas& canvas, double y, const std::vector<DrawnRoof>& roofs,
                      const std::vector<std::string>& remarks) {
  double x = plot_left;
  for (const RoofSource source :
       {RoofSource::measured, RoofSource::data_sheet, RoofSource::given}) {
    const auto used = std::find_if(roofs.begin(), roofs.end(),
                                   [&](const DrawnRoof& roof) { return roof.source == source; });
    if (used != roofs.end()) {
      canvas.line({x, y - 4}, {x + 28, y - 4}, "#222", 1.6, style_of(*used).dashes);
      canvas.text({x + 34, y}, fmt::format("{} roof", to_string(source)), {.size = label_size});
      x += 150;
    }
  }
  for (const std::string& remark : remarks) {
    canvas.text({x, y}, remark, {.size = label_size});
    x += text_width(remark, label_size) + 16;
  }
}

/// A power of ten as an axis shows it: "100 G".
std::string tick_text(double value) {
  const std::string text = format_flops(value);
  const std::size_t space = text.find(' ');
  const std::string prefix = text.substr(space + 1, text.find('F') - space - 1);
  return fmt::format("{:g}{}{}", std::round(std::stod(text)), prefix.empty() ? "" : " ", prefix);
}

}  // namespace

std::string colour_of(std::string_view bound) {
  static const std::map<std::string_view, const char*> colours = {
      {"dram", "#0072b2"},       {"l2", "#56b4e9"},       {"l1", "#009e73"},
      {"shared", "#00c090"},     {"access", "#004a73"},   {"bank_conflicts", "#7fd6b9"},
      {"fp", "#d55e00"},         {"tensor", "#b03a2e"},   {"tensor_unused", "#f0a36b"},
      {"special", "#d4a5a5"},    {"fetch", "#8fa3ad"},    {"issue", "#e69f00"},
      {"divergence", "#a67c00"}, {"spills", "#7b3f9e"},   {"occupancy", "#cc79a7"},
      {"latency", "#8c564b"},    {"barriers", "#9467bd"}, {"grid_size", "#c2b000"},
      {"tail", "#8a8d00"},       {"launch", "#555555"},   {"near_ceiling", "#1d8348"}};
  const auto found = colours.find(bound);
  return found == colours.end() ? "#999999" : found->second;
}

std::vector<DrawnRoof> drawn_roofs(const DeviceProfile& device, RoofKind kind,
                                   const std::string& main_name) {
  std::vector<DrawnRoof> drawn;
  for (const Roof& roof : device.roofs) {
    if (roof.kind != kind || !is_drawn(roof, device)) {
      continue;
    }
    const bool main = roof.name == main_name;
    const auto same = std::find_if(drawn.begin(), drawn.end(), [&](const DrawnRoof& other) {
      return other.source == roof.source && same_line(other.value, roof.value);
    });
    if (same != drawn.end()) {
      same->names += ", " + people_name(roof, device);
      same->main = same->main || main;
      continue;
    }
    const std::string figure =
        kind == RoofKind::compute ? format_flops(roof.value) : format_bandwidth(roof.value);
    drawn.push_back({roof.value, roof.source, people_name(roof, device),
                     fmt::format("{} ({})", figure, to_string(roof.source)), main});
  }
  std::sort(drawn.begin(), drawn.end(),
            [](const DrawnRoof& a, const DrawnRoof& b) { return a.value > b.value; });
  return drawn;
}

RoofStyle style_of(const DrawnRoof& roof) {
  return {roof.main ? "#222" : "#999", roof.main ? 2.0 : 1.0,
          roof.source == RoofSource::measured     ? ""
          : roof.source == RoofSource::data_sheet ? "7 4"
                                                  : "2 3"};
}

void label_in_margin(Canvas& canvas, const std::vector<DrawnRoof>& roofs,
                     const std::vector<double>& ys) {
  double next = plot_top;
  for (std::size_t i = 0; i < roofs.size(); ++i) {
    const DrawnRoof& roof = roofs[i];
    const double room = plot_width - plot_right - 18;
    // A long label takes two lines: names, then the figure.
    const bool fits = text_width(roof.text(), label_size) <= room;
    const std::vector<std::string> lines =
        fits ? std::vector{roof.text()} : std::vector{roof.names, roof.figure};
    double y = std::max(ys[i], next);
    canvas.line({plot_right, ys[i]}, {plot_right + 10, y}, style_of(roof).colour, 0.8);
    for (const std::string& line : lines) {
      canvas.text({plot_right + 13, y + 4}, line,
                  {.size = label_size, .colour = roof.main ? "#222" : "#666", .bold = roof.main});
      y += line_height;
    }
    next = y;
  }
}

void draw_frame(Canvas& canvas, const Axis& x, const Axis& y, const std::string& x_title,
                const std::string& y_title) {
  for (const double decade : x.decades()) {
    canvas.line({x.at(decade), plot_top}, {x.at(decade), plot_bottom}, "#e4e4e4", 1);
    canvas.text({x.at(decade), plot_bottom + 16}, fmt::format("{:g}", decade),
                {.anchor = "middle"});
  }
  for (const double decade : y.decades()) {
    canvas.line({plot_left, y.at(decade)}, {plot_right, y.at(decade)}, "#e4e4e4", 1);
    canvas.text({plot_left - 6, y.at(decade) + 4}, tick_text(decade), {.anchor = "end"});
  }
  for (const double value : x.between_decades()) {
    canvas.line({x.at(value), plot_bottom}, {x.at(value), plot_bottom - 4}, "#888", 0.7);
  }
  for (const double value : y.between_decades()) {
    canvas.line({plot_left, y.at(value)}, {plot_left + 4, y.at(value)}, "#888", 0.7);
  }
  canvas.rectangle({plot_left, plot_top, plot_right, plot_bottom}, "#222");
  canvas.text({(plot_left + plot_right) / 2, plot_bottom + 36}, x_title, {.anchor = "middle"});
  canvas.text({20, (plot_top + plot_bottom) / 2}, y_title, {.anchor = "middle", .degrees = 90});
}

double legend_height(const std::vector<PlotPoint>& points) {
  const auto marked = std::count_if(points.begin(), points.end(), is_marked);
  const std::size_t rows = (count_bounds(points).size() + bounds_per_row - 1) / bounds_per_row;
  return legend_row * (static_cast<double>(marked) + static_cast<double>(rows) + 1);
}

void draw_legend(Canvas& canvas, const std::vector<PlotPoint>& points,
                 const std::vector<DrawnRoof>& roofs, const std::vector<std::string>& remarks,
                 std::string (*figure_of)(double)) {
  double y = plot_bottom + 62;
  for (const PlotPoint& point : points) {
    if (!is_marked(point)) {
      continue;
    }
    draw_mark(canvas, point, {plot_left + 6, y - 4}, 0.8, "");
    constexpr std::size_t longest = 110;
    std::string text =
        fmt::format("{}: {} ({})", point.kind == PlotPoint::Kind::best ? "best" : "baseline",
                    point.label, figure_of(point.flops));
    if (text.size() > longest) {
      text = text.substr(0, longest - 3) + "...";
    }
    canvas.text({plot_left + 20, y}, text, {.size = label_size});
    y += legend_row;
  }
  double x = plot_left;
  std::size_t column = 0;
  for (const auto& [bound, count] : count_bounds(points)) {
    canvas.circle({x + 6, y - 4}, 4, colour_of(bound), 1);
    canvas.text({x + 16, y},
                fmt::format("{} ({})", bound.empty() ? "bound not known" : bound, count),
                {.size = label_size});
    column = (column + 1) % bounds_per_row;
    x = column == 0 ? plot_left : x + (plot_width - plot_left) / bounds_per_row;
    y += column == 0 ? legend_row : 0;
  }
  draw_line_styles(canvas, y + (column == 0 ? 0 : legend_row), roofs, remarks);
}

void draw_points(Canvas& canvas, const std::vector<PlotPoint>& points, const Axis& x, const Axis& y,
                 std::string (*figure_of)(double)) {
  constexpr std::size_t with_tooltips = 500;  // beyond, the file would be mostly tooltips
  for (const bool marked : {false, true}) {
    for (const PlotPoint& point : points) {
      if (is_marked(point) != marked) {
        continue;
      }
      const Point at = {x.at(point.intensity), y.at(point.flops)};
      const bool told = marked || points.size() <= with_tooltips;
      const std::string tooltip =
          told ? fmt::format("{}: {}, bound: {}", point.label, figure_of(point.flops),
                             point.bound.empty() ? "not known" : point.bound)
               : "";
      if (marked) {
        draw_mark(canvas, point, at, 1, tooltip);
      } else {
        canvas.circle(at, 3, colour_of(point.bound), 0.6, tooltip);
      }
    }
  }
}

}  // namespace rooftune::svg
