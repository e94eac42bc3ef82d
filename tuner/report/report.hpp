// Results for people and for programs: the roofline as SVG, the report, the C++ header.
#pragma once

#include <string>
#include <vector>

#include "tuner/session/results.hpp"

namespace rooftune {

/// One point on a roofline plot.
struct PlotPoint {
  std::string label;
  double intensity = 0;  ///< FLOP/byte of DRAM traffic
  double flops = 0;      ///< FLOP/s
  enum class Kind { tried, best, baseline } kind = Kind::tried;
  std::string bound;
};

/// A complete SVG document: log-log, every roof labelled with value and source.
std::string roofline_svg(const DeviceProfile& device, ComputeUnit unit,
                         const std::vector<PlotPoint>& points, const std::string& title);
std::string roofline_svg(const Results& results);

/// A self-contained HTML page: plot, story of the search, table, environment.
std::string report_html(const Results& results);

struct HeaderOptions {
  std::string name_space;     ///< "rooftune_tuned::KERNEL" when empty
  bool include_host = false;  ///< results of the host device enter, labelled
  std::string command;        ///< that makes it again
};
/// One C++17 header of the tuned parameters. Throws InputError where nothing may enter.
std::string tuned_header(const std::vector<Results>& results, const HeaderOptions& options);

}  // namespace rooftune
