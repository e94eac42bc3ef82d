#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/property_tree/xml_parser.hpp>
#include <cmath>
#include <numbers>
#include <sstream>

#include "tuner/report/report.hpp"
#include "tuner/report/sample_run.hpp"
#include "tuner/report/svg_canvas.hpp"

namespace rooftune {
namespace {

using boost::property_tree::ptree;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

/// A text of the figure with the corners of its box on the page.
struct Label {
  std::string text;
  std::vector<svg::Point> corners;
};

struct Figure {
  std::vector<Label> labels;
  std::vector<std::string> texts;
  std::map<std::string, int> elements;
  double width = 0;
  double height = 0;
};

Label label_of(const ptree& node) {
  const double size = node.get<double>("<xmlattr>.font-size");
  const std::string text = node.get_value<std::string>();
  const double wide = svg::text_width(text, size) * 0.9;  // the estimate is generous
  const std::string anchor = node.get<std::string>("<xmlattr>.text-anchor");
  const double x = node.get<double>("<xmlattr>.x");
  const double y = node.get<double>("<xmlattr>.y");
  const double start = anchor == "end" ? -wide : anchor == "middle" ? -wide / 2 : 0;
  double degrees = 0;
  const std::string transform = node.get<std::string>("<xmlattr>.transform", "");
  if (!transform.empty()) {
    degrees = std::stod(transform.substr(transform.find('(') + 1));
  }
  const double angle = degrees * std::numbers::pi / 180;
  Label label{text, {}};
  for (const auto& [along, down] : {std::pair{start, 0.0},
                                    {start + wide, 0.0},
                                    {start + wide, -0.7 * size},
                                    {start, -0.7 * size}}) {
    label.corners.push_back({x + along * std::cos(angle) - down * std::sin(angle),
                             y + along * std::sin(angle) + down * std::cos(angle)});
  }
  return label;
}

/// Throws where the text is not XML.
Figure read(const std::string& svg) {
  std::istringstream in(svg);
  ptree tree;
  boost::property_tree::read_xml(in, tree);
  Figure figure;
  figure.width = tree.get<double>("svg.<xmlattr>.width");
  figure.height = tree.get<double>("svg.<xmlattr>.height");
  for (const auto& [name, node] : tree.get_child("svg")) {
    ++figure.elements[name];
    if (name == "text") {
      figure.labels.push_back(label_of(node));
      figure.texts.push_back(figure.labels.back().text);
    }
  }
  return figure;
}

/// Whether a line along one of the sides of `a` parts the two rectangles.
bool parted_by_sides_of(const Label& a, const Label& b) {
  for (std::size_t i = 0; i < 2; ++i) {
    const double nx = a.corners[i + 1].x - a.corners[i].x;
    const double ny = a.corners[i + 1].y - a.corners[i].y;
    const auto range = [&](const Label& label) {
      std::pair<double, double> reach{1e300, -1e300};
      for (const svg::Point& corner : label.corners) {
        const double at = corner.x * nx + corner.y * ny;
        reach = {std::min(reach.first, at), std::max(reach.second, at)};
      }
      return reach;
    };
    const auto [a_low, a_high] = range(a);
    const auto [b_low, b_high] = range(b);
    if (a_high <= b_low || b_high <= a_low) {
      return true;
    }
  }
  return false;
}

void expect_readable(const Figure& figure) {
  for (std::size_t i = 0; i < figure.labels.size(); ++i) {
    const Label& a = figure.labels[i];
    for (const svg::Point& corner : a.corners) {
      EXPECT_GE(corner.x, 0) << a.text;
      EXPECT_LE(corner.x, figure.width) << a.text;
      EXPECT_GE(corner.y, 0) << a.text;
      EXPECT_LE(corner.y, figure.height) << a.text;
    }
    for (std::size_t j = i + 1; j < figure.labels.size(); ++j) {
      const Label& b = figure.labels[j];
      EXPECT_TRUE(parted_by_sides_of(a, b) || parted_by_sides_of(b, a))
          << '"' << a.text << "\" lies on \"" << b.text << '"';
    }
  }
}

std::vector<PlotPoint> sgemm_points() {
  return {{"BM=32", 682, 2e12, PlotPoint::Kind::tried, "shared"},
          {"BM=64", 682, 5e12, PlotPoint::Kind::baseline, "shared"},
          {"BM=128", 682, 15e12, PlotPoint::Kind::best, "fp"}};
}

class EveryDevice : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryDevice, LabelsDoNotOverlapAndStayInside) {
  const DeviceProfile device = load_device(GetParam());
  for (const ComputeUnit unit : {ComputeUnit{Precision::fp32, false}, {Precision::fp16, true}}) {
    expect_readable(read(roofline_svg(device, unit, sgemm_points(), "sgemm on " + device.name)));
    expect_readable(read(roofline_svg(device, unit, {}, device.name)));
  }
}

INSTANTIATE_TEST_SUITE_P(Configs, EveryDevice, ::testing::ValuesIn(device_ids()),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(RooflineSvg, EveryRoofHasItsValueAndSource) {
  DeviceProfile device = load_device("a100-40");
  device.roofs.push_back({RoofKind::bandwidth, "dram", 1503e9, RoofSource::measured, "", 0, 0});
  device.roofs.push_back({RoofKind::bandwidth, "dram.read", 1e9, RoofSource::measured, "", 0, 0});
  const std::string svg = roofline_svg(device, {}, sgemm_points(), "sgemm");
  const Figure figure = read(svg);
  expect_readable(figure);
  for (const char* text :
       {"FP64 9.70 TFLOP/s (data sheet)", "FP64 tensor, FP32", "19.5 TFLOP/s (data sheet)",
        "INT8 tensor", "624 TFLOP/s (data sheet)", "DRAM 1.55 TB/s (data sheet), ridge 12.5",
        "DRAM 1.50 TB/s (measured), ridge 13", "measured roof", "data sheet roof",
        "best: BM=128 (15.0 TFLOP/s)", "baseline: BM=64 (5.00 TFLOP/s)", "shared (2)", "fp (1)"}) {
    EXPECT_THAT(figure.texts, Contains(HasSubstr(text)));
  }
  EXPECT_THAT(svg, Not(HasSubstr("read")));         // a part of the DRAM roof, not one of its own
  EXPECT_THAT(svg, HasSubstr("stroke-dasharray"));  // data sheets are dashed
}

TEST(RooflineSvg, MeasuredRoofsAreSolid) {
  DeviceProfile device;
  device.kind = DeviceKind::host;
  device.roofs = {{RoofKind::compute, "fp32", 5e11, RoofSource::measured, "", 0, 0},
                  {RoofKind::bandwidth, "dram", 8e10, RoofSource::measured, "", 0, 0}};
  const std::string svg = roofline_svg(device, {}, {}, "host");
  EXPECT_THAT(svg, Not(HasSubstr("7 4")));
  EXPECT_THAT(read(svg).texts, Not(Contains(HasSubstr("data sheet"))));
}

TEST(RooflineSvg, NamesAreEscaped) {
  const std::string svg =
      roofline_svg(load_device("t4"), {}, {{"T=<b>&\"", 1, 1e12, PlotPoint::Kind::best, "<i>"}},
                   "</svg><script>");
  EXPECT_THAT(svg, Not(HasSubstr("<script>")));
  EXPECT_THAT(read(svg).texts, Contains(HasSubstr("best: T=<b>&\"")));
}

TEST(RooflineSvg, ADeviceWithoutRoofsStillGivesAFigure) {
  EXPECT_NO_THROW(read(roofline_svg(DeviceProfile{}, {}, {}, "nothing known")));
  DeviceProfile bandwidth_only;
  bandwidth_only.roofs = {{RoofKind::bandwidth, "dram", 8e10, RoofSource::measured, "", 0, 0}};
  EXPECT_THAT(read(roofline_svg(bandwidth_only, {}, {}, "x")).texts,
              Contains(HasSubstr("DRAM 80.0 GB/s (measured)")));
}

TEST(ResultsSvg, ShowsEveryPlacedConfiguration) {
  const Results results = rooftune::testing::sample_run(40);
  const Figure figure = read(roofline_svg(results));
  expect_readable(figure);
  const auto placed =
      std::count_if(results.records.begin(), results.records.end(),
                    [](const Record& record) { return record.outcome == Outcome::ok; });
  // One mark of the best on the plot and one in the legend.
  EXPECT_EQ(figure.elements.at("polygon"), 2);
  EXPECT_GE(figure.elements.at("circle"), placed - 1);
  EXPECT_THAT(figure.texts, Contains(HasSubstr("best: ")));
  EXPECT_THAT(figure.texts, Contains(HasSubstr("sgemm on GPU </script>")));
}

// A transpose computes nothing: it is shown under the DRAM roof alone.
TEST(ResultsSvg, WithoutArithmeticItShowsBandwidth) {
  Results results = rooftune::testing::sample_run(20);
  for (Record& record : results.records) {
    for (ProblemResult& problem : record.problems) {
      problem.placement->levels.clear();
      problem.placement->achieved_flops = 0;
      problem.placement->achieved_dram = 1e10 + 1e8 * static_cast<double>(record.number);
    }
  }
  const Figure figure = read(roofline_svg(results));
  expect_readable(figure);
  EXPECT_THAT(figure.texts, Contains("DRAM 21.0 GB/s (measured)"));
  EXPECT_THAT(figure.texts, Contains(HasSubstr("no arithmetic")));
  EXPECT_THAT(figure.texts, Contains(::testing::MatchesRegex("best: .* GB/s.*")));
}

TEST(ResultsSvg, ThousandsOfPointsStaySmall) {
  EXPECT_LT(roofline_svg(rooftune::testing::sample_run(5000)).size(), 700'000U);
}

TEST(ResultsSvg, NoSuccessNoPoints) {
  Results results = rooftune::testing::sample_run(0);
  expect_readable(read(roofline_svg(results)));
}

}  // namespace
}  // namespace rooftune
