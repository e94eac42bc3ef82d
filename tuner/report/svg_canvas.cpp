#include "tuner/report/svg_canvas.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "tuner/report/markup.hpp"

namespace rooftune::svg {
namespace {

std::string corners_text(const std::vector<Point>& corners) {
  std::string text;
  for (const Point& corner : corners) {
    text += fmt::format("{}{:.1f},{:.1f}", text.empty() ? "" : " ", corner.x, corner.y);
  }
  return text;
}

std::string with_tooltip(std::string_view element, std::string_view tooltip) {
  return tooltip.empty()
             ? "/>\n"
             : fmt::format("><title>{}</title></{}>\n", escape_markup(tooltip), element);
}

}  // namespace

double text_width(std::string_view text, double font_size) {
  constexpr double mean_advance = 0.56;  // of a sans-serif face, in ems; a little generous
  return static_cast<double>(text.size()) * font_size * mean_advance;
}

double Axis::at(double value) const {
  return from + (to - from) * std::log(value / low) / std::log(high / low);
}

double Axis::pixels_per_decade() const {
  return std::abs(to - from) / std::log10(high / low);
}

std::vector<double> Axis::decades() const {
  std::vector<double> values;
  constexpr double slack = 1e-9;
  const int first = static_cast<int>(std::ceil(std::log10(low) - slack));
  const int last = static_cast<int>(std::floor(std::log10(high) + slack));
  for (int exponent = first; exponent <= last; ++exponent) {
    values.push_back(std::pow(10.0, exponent));
  }
  return values;
}

std::vector<double> Axis::between_decades() const {
  std::vector<double> values;
  for (int exponent = static_cast<int>(std::floor(std::log10(low))); std::pow(10, exponent) < high;
       ++exponent) {
    for (int digit = 2; digit <= 9; ++digit) {
      const double value = digit * std::pow(10.0, exponent);
      if (value > low && value < high) {
        values.push_back(value);
      }
    }
  }
  return values;
}

bool Box::overlaps(const Box& other) const {
  return left < other.right && other.left < right && top < other.bottom && other.top < bottom;
}

Canvas::Canvas(double width, double height, std::string_view title) {
  head_ = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" "
      "height=\"{1:.0f}\" font-family=\"Helvetica, Arial, sans-serif\" role=\"img\">\n"
      "<title>{2}</title>\n<rect width=\"{0:.0f}\" height=\"{1:.0f}\" fill=\"#fff\"/>\n",
      width, height, escape_markup(title));
}

void Canvas::line(Point a, Point b, std::string_view colour, double width,
                  std::string_view dashes) {
  body_ += fmt::format(
      "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\" "
      "stroke-width=\"{:g}\"{}/>\n",
      a.x, a.y, b.x, b.y, colour, width,
      dashes.empty() ? "" : fmt::format(" stroke-dasharray=\"{}\"", dashes));
}

void Canvas::circle(Point centre, double radius, std::string_view fill, double opacity,
                    std::string_view tooltip) {
  body_ += fmt::format(
      "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:g}\" fill=\"{}\" "
      "fill-opacity=\"{:g}\"{}",
      centre.x, centre.y, radius, fill, opacity, with_tooltip("circle", tooltip));
}

void Canvas::polygon(const std::vector<Point>& corners, std::string_view fill,
                     std::string_view tooltip) {
  body_ += fmt::format("<polygon points=\"{}\" fill=\"{}\" stroke=\"#222\" stroke-width=\"1\"{}",
                       corners_text(corners), fill, with_tooltip("polygon", tooltip));
}

void Canvas::rectangle(const Box& box, std::string_view stroke) {
  body_ += fmt::format(
      "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"none\" "
      "stroke=\"{}\"/>\n",
      box.left, box.top, box.right - box.left, box.bottom - box.top, stroke);
}

void Canvas::text(Point at, std::string_view text, const TextStyle& style) {
  std::string attributes =
      fmt::format("x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"{:g}\" fill=\"{}\" text-anchor=\"{}\"",
                  at.x, at.y, style.size, style.colour, style.anchor);
  if (style.degrees != 0) {
    attributes +=
        fmt::format(" transform=\"rotate({:.2f} {:.1f} {:.1f})\"", -style.degrees, at.x, at.y);
  }
  if (style.bold) {
    attributes += " font-weight=\"bold\"";
  }
  if (style.halo) {
    attributes +=
        " stroke=\"#fff\" stroke-width=\"3\" stroke-linejoin=\"round\" paint-order=\"stroke\"";
  }
  body_ += fmt::format("<text {}>{}</text>\n", attributes, escape_markup(text));
}

std::string Canvas::finish() const {
  return head_ + body_ + "</svg>\n";
}

std::vector<Point> star(Point centre, double radius) {
  std::vector<Point> corners;
  constexpr int tips = 5;
  for (int i = 0; i < 2 * tips; ++i) {
    const double angle = std::numbers::pi * (static_cast<double>(i) / tips - 0.5);
    const double reach = i % 2 == 0 ? radius : radius * 0.45;
    corners.push_back({centre.x + reach * std::cos(angle), centre.y + reach * std::sin(angle)});
  }
  return corners;
}

std::vector<Point> diamond(Point centre, double radius) {
  return {{centre.x, centre.y - radius},
          {centre.x + radius, centre.y},
          {centre.x, centre.y + radius},
          {centre.x - radius, centre.y}};
}

}  // namespace rooftune::svg
