// The roofline as a figure: log-log, every roof with its value and source, points coloured by
// bound.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "tuner/report/plot_parts.hpp"

namespace rooftune {
namespace {

using svg::Box;
using svg::DrawnRoof;
using svg::plot_bottom;
using svg::plot_left;
using svg::plot_right;
using svg::plot_top;
using svg::Point;

/// Coordinates along and across lines of one slope.
struct Turned {
  double along_x, along_y;
  explicit Turned(double slope) : along_x(std::cos(slope)), along_y(std::sin(slope)) {}
  Point at(Point p) const { return {p.x * along_x - p.y * along_y, p.x * along_y + p.y * along_x}; }
};

class RooflinePlot {
 public:
  RooflinePlot(const DeviceProfile& device, ComputeUnit unit, const std::vector<PlotPoint>& points,
               const std::string& title)
      : points_(points),
        compute_(svg::drawn_roofs(device, RoofKind::compute, to_string(unit))),
        bandwidth_(svg::drawn_roofs(device, RoofKind::bandwidth, "dram")),
        canvas_(svg::plot_width, plot_bottom + 48 + svg::legend_height(points), title) {
    set_axes();
    slope_ = std::atan2(y_.pixels_per_decade(), x_.pixels_per_decade());
    canvas_.text({plot_left, 26}, title, {.size = 15, .bold = true});
  }

  std::string draw() {
    svg::draw_frame(canvas_, x_, y_, "arithmetic intensity (FLOP / byte of DRAM traffic)",
                    "performance (FLOP/s)");
    draw_compute_roofs();
    draw_bandwidth_roofs();
    svg::draw_points(canvas_, points_, x_, y_, format_flops);
    label_bandwidth_roofs();
    std::vector<DrawnRoof> all = compute_;
    all.insert(all.end(), bandwidth_.begin(), bandwidth_.end());
    svg::draw_legend(canvas_, points_, all, without_room_, format_flops);
    return canvas_.finish();
  }

 private:
  /// The unit's peak that a bandwidth roof of that source meets: of the same source where there is
  /// one. 0 where there is no compute roof at all.
  double peak_for(RoofSource source) const {
    double peak = 0;
    for (const DrawnRoof& roof : compute_) {
      if (roof.main && (peak == 0 || roof.source == source)) {
        peak = roof.value;
      }
    }
    return peak > 0 || compute_.empty() ? peak : compute_.front().value;
  }
  double ridge(const DrawnRoof& roof) const { return peak_for(roof.source) / roof.value; }

  void set_axes() {
    std::vector<double> xs;
    std::vector<double> ys;
    for (const DrawnRoof& roof : bandwidth_) {
      if (!compute_.empty()) {
        xs.push_back(ridge(roof));
      }
    }
    for (const DrawnRoof& roof : compute_) {
      ys.push_back(roof.value);
    }
    for (const PlotPoint& point : points_) {
      xs.push_back(point.intensity);
      ys.push_back(point.flops);
    }
    if (xs.empty() || ys.empty()) {  // nothing but bandwidth roofs: any window does
      xs = {1};
      ys = {bandwidth_.empty() ? 1 : bandwidth_.front().value};
    }
    const auto [x_low, x_high] = std::minmax_element(xs.begin(), xs.end());
    const auto [y_low, y_high] = std::minmax_element(ys.begin(), ys.end());
    // Room on both sides of ridges and points, at least three decades down from the top.
    x_ = {*x_low / 8, *x_high * 8, plot_left, plot_right};
    y_ = {std::min(*y_low / 2.5, *y_high / 1000), *y_high * 1.8, plot_bottom, plot_top};
  }

  Point pixel(double intensity, double flops) const { return {x_.at(intensity), y_.at(flops)}; }

  /// Horizontal, from where the fastest memory can feed them.
  void draw_compute_roofs() {
    std::vector<double> ys;
    for (const DrawnRoof& roof : compute_) {
      const double y = y_.at(roof.value);
      const double start = bandwidth_.empty()
                               ? plot_left
                               : std::max(plot_left, x_.at(roof.value / bandwidth_.front().value));
      const svg::RoofStyle style = svg::style_of(roof);
      if (start < plot_right) {
        canvas_.line({start, y}, {plot_right, y}, style.colour, style.width, style.dashes);
      }
      ys.push_back(y);
    }
    svg::label_in_margin(canvas_, compute_, ys);
  }

  /// Where a bandwidth roof enters the plot, and where it ends at a compute roof of that height.
  std::pair<Point, Point> span(const DrawnRoof& roof, double top) const {
    const double start = std::max(x_.low, y_.low / roof.value);
    const double end = std::min(x_.high, top / roof.value);
    return {pixel(start, start * roof.value), pixel(end, end * roof.value)};
  }
  double highest() const { return compute_.empty() ? y_.high : compute_.front().value; }

  void draw_bandwidth_roofs() {
    bool dropped = false;  // one line from the ridge down to the axis: of the best known DRAM roof
    for (const RoofSource source :
         {RoofSource::given, RoofSource::measured, RoofSource::data_sheet}) {
      for (const DrawnRoof& roof : bandwidth_) {
        if (roof.source != source) {
          continue;
        }
        const svg::RoofStyle style = svg::style_of(roof);
        const auto [from, to] = span(roof, highest());
        canvas_.line(from, to, style.colour, style.width, style.dashes);
        if (compute_.empty()) {
          continue;
        }
        const Point at = pixel(ridge(roof), peak_for(source));
        canvas_.circle(at, 3, style.colour, 1, fmt::format("ridge: {:.3g} FLOP/byte", ridge(roof)));
        if (roof.main && !dropped) {
          canvas_.line(at, {at.x, plot_bottom}, "#222", 0.8, "2 3");
          dropped = true;
        }
      }
    }
  }

  /// Along their lines. All lines are parallel, so boxes in coordinates along and across them tell
  /// whether labels meet each other, a line or a point.
  void label_bandwidth_roofs() {
    const Turned turned(slope_);
    std::vector<Box> taken;
    for (const PlotPoint& point : points_) {
      const Point at = turned.at(pixel(point.intensity, point.flops));
      const double reach = point.kind == PlotPoint::Kind::tried ? 3 : 9;
      taken.push_back({at.x - reach, at.y - reach, at.x + reach, at.y + reach});
    }
    for (const DrawnRoof& roof : bandwidth_) {
      const auto [from, to] = span(roof, highest());
      taken.push_back(
          {turned.at(from).x, turned.at(from).y - 1, turned.at(to).x, turned.at(to).y + 1});
    }
    for (const DrawnRoof& roof : bandwidth_) {
      const std::string text = compute_.empty()
                                   ? roof.text()
                                   : fmt::format("{}, ridge {:.3g}", roof.text(), ridge(roof));
      // Rather below the unit's roof than across it.
      if (!place_along(roof, text, peak_for(roof.source), taken) &&
          !place_along(roof, text, highest(), taken)) {
        without_room_.push_back(text);
      }
    }
  }

  bool place_along(const DrawnRoof& roof, const std::string& text, double top,
                   std::vector<Box>& taken) {
    const Turned turned(slope_);
    const auto [from, to] = span(roof, top > 0 ? top : y_.high);
    const double length = std::hypot(to.x - from.x, to.y - from.y) - 8;
    const double needed = svg::text_width(text, svg::label_size);
    constexpr double gap = 5;
    constexpr double step = 8;
    for (const bool above : {true, false}) {
      for (double along = 14; along + needed <= length; along += step) {
        const Point foot = {from.x + along * turned.along_x, from.y - along * turned.along_y};
        const Point at = turned.at(foot);
        const double base = above ? -gap : gap + svg::label_size - 3;
        const Box box = {at.x, at.y + base - svg::label_size, at.x + needed, at.y + base + 2};
        if (std::any_of(taken.begin(), taken.end(),
                        [&](const Box& other) { return box.overlaps(other); })) {
          continue;
        }
        taken.push_back(box);
        canvas_.text({foot.x + base * turned.along_y, foot.y + base * turned.along_x}, text,
                     {.size = svg::label_size,
                      .colour = roof.main ? "#222" : "#666",
                      .degrees = slope_ * 180 / std::numbers::pi,
                      .bold = roof.main,
                      .halo = true});
        return true;
      }
    }
    return false;
  }

  std::vector<PlotPoint> points_;
  std::vector<DrawnRoof> compute_;    ///< highest first
  std::vector<DrawnRoof> bandwidth_;  ///< highest first
  svg::Canvas canvas_;
  svg::Axis x_;
  svg::Axis y_;
  double slope_ = 0;  ///< of the bandwidth roofs on the page, radians
  std::vector<std::string> without_room_;
};

}  // namespace

std::string roofline_svg(const DeviceProfile& device, ComputeUnit unit,
                         const std::vector<PlotPoint>& points, const std::string& title) {
  return RooflinePlot(device, unit, points, title).draw();
}

}  // namespace rooftune
