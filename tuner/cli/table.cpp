#include "tuner/cli/table.hpp"

#include <algorithm>
#include <ostream>

namespace rooftune::cli {

void Table::print(std::ostream& out) const {
  std::vector<std::string> titles;
  std::vector<std::size_t> widths;
  for (const Column& column : columns_) {
    titles.push_back(column.title);
    widths.push_back(column.title.size());
  }
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], row[i].size());
    }
  }
  const auto line = [&](const std::vector<std::string>& cells) {
    std::string text;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::string blanks(widths[i] - cells[i].size(), ' ');
      text += "  " + (columns_[i].align == Align::right ? blanks + cells[i] : cells[i] + blanks);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    out << text << '\n';
  };
  line(titles);
  for (const auto& row : rows_) {
    line(row);
  }
}

}  // namespace rooftune::cli
