// Internal to the stage: what the figures share: roofs as lines with labels, and the legend.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/report/report.hpp"
#include "tuner/report/svg_canvas.hpp"

namespace rooftune::svg {

inline constexpr double plot_width = 960;
inline constexpr double plot_left = 84;
inline constexpr double plot_right = 730;
inline constexpr double plot_top = 46;
inline constexpr double plot_bottom = 506;
inline constexpr double label_size = 11;
inline constexpr double line_height = 14;

/// Colours that stay apart for colour-blind readers, by bound; grey for an unknown name.
std::string colour_of(std::string_view bound);

/// A roof as drawn: several of one kind, value and source share a line.
struct DrawnRoof {
  double value = 0;
  RoofSource source = RoofSource::data_sheet;
  std::string names;   ///< "FP32, FP64 tensor"
  std::string figure;  ///< "19.5 TFLOP/s (data sheet)"
  bool main = false;   ///< what the points are about
  std::string text() const { return names + " " + figure; }
};
/// Highest first. `main_name` is the roof's name in the profile.
std::vector<DrawnRoof> drawn_roofs(const DeviceProfile& device, RoofKind kind,
                                   const std::string& main_name);

struct RoofStyle {
  const char* colour;
  double width;
  const char* dashes;  ///< measured roofs are solid, data sheets dashed, given ones dotted
};
RoofStyle style_of(const DrawnRoof& roof);

/// Labels for horizontal roofs in the margin right of the plot, moved apart where they would
/// overlap. `ys` are the roofs' heights, from the top down.
void label_in_margin(Canvas& canvas, const std::vector<DrawnRoof>& roofs,
                     const std::vector<double>& ys);

/// The plot's border, grid, ticks and titles of the axes.
void draw_frame(Canvas& canvas, const Axis& x, const Axis& y, const std::string& x_title,
                const std::string& y_title);

/// Height that the legend takes.
double legend_height(const std::vector<PlotPoint>& points);
/// Best and baseline with their names, the bounds with their counts, the line styles in use, and
/// remarks. `figure_of` writes a point's figure.
void draw_legend(Canvas& canvas, const std::vector<PlotPoint>& points,
                 const std::vector<DrawnRoof>& roofs, const std::vector<std::string>& remarks,
                 std::string (*figure_of)(double));
/// A dot, a star for the best, a diamond for the baseline; best and baseline on top.
void draw_points(Canvas& canvas, const std::vector<PlotPoint>& points, const Axis& x, const Axis& y,
                 std::string (*figure_of)(double));

}  // namespace rooftune::svg
