#include "tuner/report/convergence_svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "tuner/report/markup.hpp"

namespace rooftune {
namespace {

constexpr double width = 760;
constexpr double height = 460;
constexpr double left = 64;
constexpr double right = 150;
constexpr double top = 44;
constexpr double bottom = 54;
// Distinct in hue and in lightness, so that they differ in print and for colour-blind readers.
constexpr std::array<const char*, 6> colours = {"#0b57a4", "#c2570c", "#1d8348",
                                                "#7a4fb5", "#76808c", "#b3261e"};

/// Logarithmic axes: evaluations from 1, and the excess over the optimum's time from 1%.
struct Scales {
  double evaluations;
  double worst;
  double x(double k) const {
    return left + std::log(k) / std::log(evaluations) * (width - left - right);
  }
  double y(double over_optimum) const {
    const double low = std::log(0.01);
    const double at = std::log(std::max(0.01, over_optimum - 1));
    return height - bottom - (at - low) / (std::log(worst) - low) * (height - top - bottom);
  }
};

std::string curve(const PolicyScore& score, const Scales& scales, const char* colour) {
  std::string points;
  for (std::size_t k = 0; k < score.curve.size(); ++k) {
    points += fmt::format("{:.1f},{:.1f} ", scales.x(static_cast<double>(k + 1)),
                          scales.y(score.curve[k]));
  }
  return fmt::format("<polyline fill=\"none\" stroke=\"{}\" stroke-width=\"2\" points=\"{}\"/>\n",
                     colour, points);
}

std::string grid(const Scales& scales) {
  std::string svg;
  for (double k = 1; k <= scales.evaluations; k *= 10) {
    svg += fmt::format(
        "<line x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2}\" stroke=\"#d5dae1\"/>"
        "<text x=\"{0:.1f}\" y=\"{3}\" text-anchor=\"middle\">{4}</text>\n",
        scales.x(k), top, height - bottom, height - bottom + 18, k);
  }
  for (const double excess : {0.01, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 100.0}) {
    if (excess <= scales.worst) {
      const double y = scales.y(1 + excess);
      svg += fmt::format(
          "<line x1=\"{}\" x2=\"{}\" y1=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"#d5dae1\"/>"
          "<text x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{:g}%</text>\n",
          left, width - right, y, y, left - 6, y + 4, excess * 100);
    }
  }
  return svg;
}

}  // namespace

std::string convergence_svg(const std::vector<PolicyScore>& scores, const std::string& title) {
  Scales scales{2, 0.02};
  for (const PolicyScore& score : scores) {
    scales.evaluations = std::max(scales.evaluations, static_cast<double>(score.curve.size()));
    for (const double value : score.curve) {
      scales.worst = std::max(scales.worst, value - 1);
    }
  }
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
      "height=\"{1}\" font-family=\"DejaVu Sans, Arial, sans-serif\" font-size=\"12\">\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n"
      "<text x=\"{2}\" y=\"22\" font-size=\"15\">{3}</text>\n",
      width, height, left, escape_markup(title));
  svg += grid(scales);
  svg += fmt::format(
      "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">evaluations</text>\n"
      "<text transform=\"translate(16 {}) rotate(-90)\" text-anchor=\"middle\">best so far, "
      "excess over the optimum's time (mean)</text>\n",
      (left + width - right) / 2, height - 14, (top + height - bottom) / 2);
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const char* colour = colours[i % colours.size()];
    svg += curve(scores[i], scales, colour);
    const double y = top + 14 + 20 * static_cast<double>(i);
    svg += fmt::format(
        "<line x1=\"{0}\" x2=\"{1}\" y1=\"{2}\" y2=\"{2}\" stroke=\"{3}\" stroke-width=\"2\"/>"
        "<text x=\"{4}\" y=\"{5}\">{6}</text>\n",
        width - right + 10, width - right + 32, y, colour, width - right + 38, y + 4,
        escape_markup(scores[i].policy));
  }
  return svg + "</svg>\n";
}

}  // namespace rooftune
