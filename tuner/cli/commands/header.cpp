#include <memory>
#include <ostream>

#include "tuner/cli/commands.hpp"
#include "tuner/cli/results_argument.hpp"
#include "tuner/cli/spec_argument.hpp"
#include "tuner/report/report.hpp"
#include "tuner/session/files.hpp"

namespace rooftune::cli {
namespace {

struct Header {
  std::vector<std::string> results;
  std::string output;
  std::string name_space;
  bool include_host = false;
};

std::string command_of(const Header& header) {
  std::string text = "rooftune header";
  for (const std::string& file : header.results) {
    text += " " + shell_word(file);
  }
  text += header.include_host ? " --include-host" : "";
  text += header.name_space.empty() ? "" : " --namespace " + shell_word(header.name_space);
  return header.output.empty() ? text : text + " -o " + shell_word(header.output);
}

int run_header(const Header& header, Io& io) {
  std::vector<Results> results;
  for (const std::string& file : header.results) {
    results.push_back(load_results(file));
  }
  const std::string text =
      tuned_header(results, {header.name_space, header.include_host, command_of(header)});
  if (header.output.empty()) {
    io.out << text;
  } else {
    write_file_durably(header.output, text);
    io.out << header.output << '\n';
  }
  return 0;
}

}  // namespace

void add_header(CLI::App& app, Action& action) {
  CLI::App* command =
      app.add_subcommand("header", "one C++ header of tuned parameters from results");
  const auto header = std::make_shared<Header>();
  command->add_option("RESULTS", header->results, "results.json files, or folders of runs")
      ->required();
  command->add_option("-o,--output", header->output, "file to write (default: stdout)");
  command->add_option("--namespace", header->name_space,
                      "C++ namespace (default: rooftune_tuned::KERNEL)");
  command->add_flag("--include-host", header->include_host,
                    "let results of the host device enter, labelled as the host's");
  command->footer(
      "For each device a struct: parameters as constants, launch geometry as constexpr functions "
      "of\n"
      "the problem's size, and where the figures come from. C++17, no dependency.\n\n"
      "Examples:\n"
      "  rooftune header out/sgemm -o sgemm_tuned.hpp\n"
      "  rooftune header a100/results.json h100/results.json -o sgemm_tuned.hpp");
  command->callback(
      [&action, header] { action = [header](Io& io) { return run_header(*header, io); }; });
}

}  // namespace rooftune::cli
