// Writes a report for the browser test: sample_report FILE EVALUATIONS.
#include <fstream>
#include <iostream>
#include <string>

#include "tuner/report/report.hpp"
#include "tuner/report/sample_run.hpp"

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: sample_report FILE EVALUATIONS\n";
    return 2;
  }
  std::ofstream(argv[1]) << rooftune::report_html(
      rooftune::testing::sample_run(std::stoull(argv[2])));
  return 0;
}
