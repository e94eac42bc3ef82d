// Results for people and for programs: the roofline as SVG, the report, the C++ header.
#pragma once

#include <functional>
#include <map>
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

/// How much of the kernel goes into the header.
enum class HeaderEmbed {
  none,      ///< parameters and geometry alone
  source,    ///< the source as a text, with what NVRTC needs
  launcher,  ///< the source as code, and a function that launches it
};

struct HeaderOptions {
  /// Each kernel has a namespace in it; with macros, the prefix of all names.
  std::string name_space = "rooftune_tuned";
  bool include_host = false;  ///< results of the host device enter, labelled
  std::string command;        ///< that makes it again
  HeaderEmbed embed = HeaderEmbed::none;
  /// The spec behind results, from which the kernel is embedded. Throws InputError.
  std::function<const Spec&(const Results&)> spec_of;
  /// Why a configuration must not enter; empty where it may. Asked of winners, so that the next
  /// best takes the place of one that is refused.
  std::function<std::string(const Results&, const Record&)> objection;
  std::function<void(const std::string&)> warn = [](const std::string&) {};
};

/// One C++17 header of the tuned parameters (docs/headers.md). Throws InputError where nothing may
/// enter, where results are of different specs, and for a kernel that cannot be embedded.
std::string tuned_header(const std::vector<Results>& results, const HeaderOptions& options);

/// The same as macros, for C and OpenCL: a file for each device, one for the default, and `file`,
/// which includes one of them. By file name. Throws InputError also where macros would collide.
std::map<std::string, std::string> tuned_macros(const std::vector<Results>& results,
                                                const HeaderOptions& options,
                                                const std::string& file);

}  // namespace rooftune
