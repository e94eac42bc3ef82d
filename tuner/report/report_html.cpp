#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tuner/report/markup.hpp"
#include "tuner/report/occupancy_figures.hpp"
#include "tuner/report/report.hpp"
#include "tuner/report/report_assets.hpp"
#include "tuner/report/report_data.hpp"

namespace rooftune {
namespace {

/// Replaces each placeholder once, in one pass, so that no replacement is searched itself.
std::string filled(std::string_view page,
                   const std::vector<std::pair<std::string_view, std::string>>& parts) {
  std::string result;
  for (const auto& [placeholder, text] : parts) {
    const std::size_t at = page.find(placeholder);
    result.append(page.substr(0, at)).append(text);
    page.remove_prefix(at + placeholder.size());
  }
  return result.append(page);
}

}  // namespace

std::string report_html(const Results& results) {
  // In the order in which they stand in the page.
  return filled(assets::report_html, {{"@TITLE@", escape_markup(results.spec_name + " - rooftune")},
                                      {"@STYLE@", std::string(assets::report_css)},
                                      {"@STATIC_PLOT@", roofline_svg(results)},
                                      {"@OCCUPANCY@", occupancy_figures(results)},
                                      {"@DATA@", report_data(results)},
                                      {"@SCRIPT@", std::string(assets::report_js)}});
}

}  // namespace rooftune
