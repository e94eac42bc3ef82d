// Internal to the stage: SVG elements as text, logarithmic axes, and labels that do not overlap.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rooftune::svg {

/// Width of a text in pixels, roughly: for laying out, in a sans-serif face.
double text_width(std::string_view text, double font_size);

/// A logarithmic axis: values in [low, high] onto pixels [from, to].
struct Axis {
  double low = 1;
  double high = 10;
  double from = 0;
  double to = 1;
  double at(double value) const;
  double pixels_per_decade() const;
  /// The powers of ten in the range.
  std::vector<double> decades() const;
  /// Two to nine times each power of ten, in the range.
  std::vector<double> between_decades() const;
};

struct Point {
  double x = 0;
  double y = 0;
};

struct Box {
  double left = 0;
  double top = 0;
  double right = 0;
  double bottom = 0;
  bool overlaps(const Box& other) const;
};

struct TextStyle {
  double size = 12;
  std::string colour = "#222";
  std::string anchor = "start";
  double degrees = 0;  ///< counter-clockwise about the position
  bool bold = false;
  bool halo = false;  ///< a white rim, so that lines behind do not disturb
};

class Canvas {
 public:
  Canvas(double width, double height, std::string_view title);
  void line(Point a, Point b, std::string_view colour, double width, std::string_view dashes = "");
  void circle(Point centre, double radius, std::string_view fill, double opacity,
              std::string_view tooltip = "");
  void polygon(const std::vector<Point>& corners, std::string_view fill,
               std::string_view tooltip = "");
  void rectangle(const Box& box, std::string_view stroke);
  void text(Point at, std::string_view text, const TextStyle& style);
  /// The document.
  std::string finish() const;

 private:
  std::string head_;
  std::string body_;
};

/// Corners of a five-pointed star, or of a diamond.
std::vector<Point> star(Point centre, double radius);
std::vector<Point> diamond(Point centre, double radius);

}  // namespace rooftune::svg
