// The figure of a run: its configurations on the roofline, or, for a kernel without arithmetic, in
// the order of the evaluations under the DRAM roof.
#include <fmt/format.h>

#include <algorithm>

#include "tuner/report/plot_parts.hpp"

namespace rooftune {
namespace {

using svg::plot_bottom;
using svg::plot_left;
using svg::plot_right;
using svg::plot_top;

const Placement* placement_of(const Record& record) {
  if (record.outcome != Outcome::ok || record.problems.empty()) {
    return nullptr;
  }
  const std::optional<Placement>& placement = record.problems.front().placement;
  return placement ? &*placement : nullptr;
}

std::string bound_of(const Record& record) {
  if (!record.diagnosis) {
    return "";
  }
  switch (record.diagnosis->verdict) {
    case Diagnosis::Verdict::near_ceiling:
      return "near_ceiling";
    case Diagnosis::Verdict::not_enough_evidence:
      return "";
    case Diagnosis::Verdict::bound:
      break;
  }
  return record.diagnosis->findings.empty()
             ? ""
             : std::string(to_string(record.diagnosis->findings.front().bound));
}

const LevelPlacement* at_dram(const Placement& placement) {
  const LevelPlacement* found = nullptr;
  for (const LevelPlacement& level : placement.levels) {
    const bool model_dram = level.level == Level::dram && level.source == AmountSource::model;
    // Of mixed precisions, the one with the most work.
    if (model_dram && (found == nullptr || level.intensity > found->intensity)) {
      found = &level;
    }
  }
  return found;
}

PlotPoint::Kind kind_of(const Record& record, const Results& results) {
  if (&record == results.best()) {
    return PlotPoint::Kind::best;
  }
  return &record == results.baseline_record() ? PlotPoint::Kind::baseline : PlotPoint::Kind::tried;
}

std::vector<PlotPoint> roofline_points(const Results& results) {
  std::vector<PlotPoint> points;
  for (const Record& record : results.records) {
    const Placement* placement = placement_of(record);
    const LevelPlacement* dram = placement == nullptr ? nullptr : at_dram(*placement);
    if (dram != nullptr && dram->intensity > 0 && placement->achieved_flops > 0) {
      points.push_back({to_string(record.parameters), dram->intensity, placement->achieved_flops,
                        kind_of(record, results), bound_of(record)});
    }
  }
  return points;
}

/// Byte/s of DRAM over the number of the evaluation.
std::vector<PlotPoint> bandwidth_points(const Results& results) {
  std::vector<PlotPoint> points;
  for (const Record& record : results.records) {
    const Placement* placement = placement_of(record);
    if (placement != nullptr && placement->achieved_dram > 0) {
      points.push_back({to_string(record.parameters), static_cast<double>(record.number),
                        placement->achieved_dram, kind_of(record, results), bound_of(record)});
    }
  }
  return points;
}

ComputeUnit unit_of(const Results& results) {
  for (const Record* record : {results.best(), results.baseline_record()}) {
    const Placement* placement = record == nullptr ? nullptr : placement_of(*record);
    if (const LevelPlacement* dram = placement == nullptr ? nullptr : at_dram(*placement)) {
      return dram->unit;
    }
  }
  return {};
}

std::vector<svg::DrawnRoof> dram_roofs(const DeviceProfile& device) {
  std::vector<svg::DrawnRoof> roofs = svg::drawn_roofs(device, RoofKind::bandwidth, "dram");
  roofs.erase(
      std::remove_if(roofs.begin(), roofs.end(), [](const auto& roof) { return !roof.main; }),
      roofs.end());
  return roofs;
}

/// Wide enough for the points and the DRAM roofs.
svg::Axis bandwidth_axis(const std::vector<PlotPoint>& points,
                         const std::vector<svg::DrawnRoof>& roofs) {
  const auto [low, high] = std::minmax_element(
      points.begin(), points.end(), [](const auto& a, const auto& b) { return a.flops < b.flops; });
  const double top = roofs.empty() ? high->flops : std::max(high->flops, roofs.front().value);
  return {std::min(low->flops / 2, top / 20), top * 1.4, plot_bottom, plot_top};
}

std::string bandwidth_svg(const DeviceProfile& device, const std::vector<PlotPoint>& points,
                          const std::string& title) {
  const std::vector<svg::DrawnRoof> roofs = dram_roofs(device);
  const svg::Axis x = {0.7, points.back().intensity * 1.4, plot_left, plot_right};
  const svg::Axis y = bandwidth_axis(points, roofs);
  svg::Canvas canvas(svg::plot_width, plot_bottom + 48 + svg::legend_height(points), title);
  canvas.text({plot_left, 26}, title, {.size = 15, .bold = true});
  svg::draw_frame(canvas, x, y, "evaluation", "DRAM bandwidth (byte/s); no arithmetic");
  std::vector<double> heights;
  for (const svg::DrawnRoof& roof : roofs) {
    const svg::RoofStyle style = svg::style_of(roof);
    heights.push_back(y.at(roof.value));
    canvas.line({plot_left, heights.back()}, {plot_right, heights.back()}, style.colour,
                style.width, style.dashes);
  }
  svg::label_in_margin(canvas, roofs, heights);
  svg::draw_points(canvas, points, x, y, format_bandwidth);
  svg::draw_legend(canvas, points, roofs, {}, format_bandwidth);
  return canvas.finish();
}

}  // namespace

std::string roofline_svg(const Results& results) {
  const std::string title = fmt::format("{} on {}", results.spec_name, results.device.name);
  const std::vector<PlotPoint> points = roofline_points(results);
  const std::vector<PlotPoint> moved = points.empty() ? bandwidth_points(results) : points;
  return points.empty() && !moved.empty()
             ? bandwidth_svg(results.device, moved, title)
             : roofline_svg(results.device, unit_of(results), points, title);
}

}  // namespace rooftune
