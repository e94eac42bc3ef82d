#include "tuner/device/replay/inferred_launch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace rooftune {
namespace {

struct Size {
  std::string text;
  std::function<std::uint64_t(const RecordedPoint&)> of;
};
using Points = std::vector<const RecordedPoint*>;

std::uint64_t value_of(const RecordedPoint& point, const std::string& name) {
  return static_cast<std::uint64_t>(find_value(point.parameters, name)->as_integer());
}

std::uint64_t ceil_div(std::uint64_t a, std::uint64_t b) {
  return (a + b - 1) / b;
}

std::vector<Size> positive_parameters(const Recording& recording, bool varying) {
  std::vector<Size> sizes;
  for (const Parameter& parameter : recording.parameters) {
    const bool usable =
        std::all_of(parameter.values.begin(), parameter.values.end(), [](const Value& value) {
          constexpr double largest = 1e9;
          return value.kind() == Value::Kind::integer && value.as_real() > 0 &&
                 value.as_real() <= largest;
        });
    if (usable && (parameter.values.size() > 1) == varying) {
      sizes.push_back({parameter.name, [name = parameter.name](const RecordedPoint& point) {
                         return value_of(point, name);
                       }});
    }
  }
  return sizes;
}

/// One, a parameter, the product of two.
std::vector<Size> divisors(const Recording& recording) {
  std::vector<Size> sizes = positive_parameters(recording, true);
  const std::size_t single = sizes.size();
  for (std::size_t a = 0; a < single; ++a) {
    for (std::size_t b = a + 1; b < single; ++b) {
      sizes.push_back({fmt::format("{} * {}", sizes[a].text, sizes[b].text),
                       [x = sizes[a].of, y = sizes[b].of](const RecordedPoint& point) {
                         return x(point) * y(point);
                       }});
    }
  }
  return sizes;
}

using Axis = std::uint64_t Dim3::*;

std::optional<std::string> block_size(const Recording& recording, const Points& points, Axis axis) {
  const std::uint64_t first = points.front()->launch->block.*axis;
  if (std::all_of(points.begin(), points.end(),
                  [&](const auto* point) { return point->launch->block.*axis == first; })) {
    return fmt::format("{}", first);
  }
  for (const Size& size : positive_parameters(recording, true)) {
    if (std::all_of(points.begin(), points.end(), [&](const auto* point) {
          return point->launch->block.*axis == size.of(*point);
        })) {
      return size.text;
    }
  }
  return std::nullopt;
}

/// `taken` are extents of other axes: where several fit, another one is likelier.
std::optional<std::string> grid_size(const Recording& recording, const Points& points, Axis axis,
                                     std::vector<std::string>& taken) {
  const std::uint64_t first = points.front()->launch->grid.*axis;
  if (std::all_of(points.begin(), points.end(),
                  [&](const auto* point) { return point->launch->grid.*axis == first; })) {
    return fmt::format("{}", first);
  }
  for (const Size& divisor : divisors(recording)) {
    std::vector<Size> extents = positive_parameters(recording, false);
    std::stable_partition(extents.begin(), extents.end(), [&](const Size& extent) {
      return std::find(taken.begin(), taken.end(), extent.text) == taken.end();
    });
    const std::uint64_t product = first * divisor.of(*points.front());
    extents.push_back({fmt::format("{}", product), [product](const auto&) { return product; }});
    for (const Size& extent : extents) {
      if (std::all_of(points.begin(), points.end(), [&](const auto* point) {
            return point->launch->grid.*axis == ceil_div(extent.of(*point), divisor.of(*point));
          })) {
        taken.push_back(extent.text);
        return fmt::format("ceil_div({}, {})", extent.text, divisor.text);
      }
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<InferredLaunch> infer_launch(const Recording& recording) {
  Points points;
  for (const RecordedPoint& point : recording.points) {
    if (point.launch) {
      points.push_back(&point);
    }
  }
  if (points.empty()) {
    return std::nullopt;
  }
  InferredLaunch launch;
  std::vector<std::string> taken;
  for (const Axis axis : {&Dim3::x, &Dim3::y, &Dim3::z}) {
    const auto block = block_size(recording, points, axis);
    const auto grid = grid_size(recording, points, axis, taken);
    if (!block || !grid) {
      return std::nullopt;
    }
    launch.block.push_back(*block);
    launch.grid.push_back(*grid);
  }
  return launch;
}

}  // namespace rooftune
