#include "tuner/device/replay/export.hpp"

#include <memory>
#include <ostream>

#include "tuner/cli/commands.hpp"
#include "tuner/cli/spec_argument.hpp"
#include "tuner/session/files.hpp"
#include "tuner/session/recorded.hpp"

namespace rooftune::cli {
namespace {

struct Export {
  std::filesystem::path results;
  std::string format;
  std::filesystem::path output;
};

int run_export(const Export& given, Io& io) {
  const Recording recording = open_recording(given.results);
  for (const std::string& remark : recording.remarks) {
    io.err << given.results.string() << ": " << remark << '\n';
  }
  const std::string text = export_text(recording, given.format);
  if (given.output.empty()) {
    io.out << text;
  } else {
    write_file_durably(given.output, packed_for(given.output, text));
    io.out << given.output.string() << '\n';
  }
  return 0;
}

}  // namespace

void add_export(CLI::App& app, Action& action) {
  CLI::App* command =
      app.add_subcommand("export", "results as T4, as a Kernel Tuner cache, or as CSV");
  const auto given = std::make_shared<Export>();
  command
      ->add_option("RESULTS", given->results,
                   "results.json, the folder of a run, or a recording of another tuner")
      ->required();
  command->add_option("--format", given->format, "of the output")
      ->required()
      ->check(one_of(export_formats()));
  command->add_option("-o,--output", given->output,
                      "file to write, packed where it ends in .gz (default: stdout)");
  command->footer(
      "Times are milliseconds in all formats.\n\n"
      "Examples:\n"
      "  rooftune export out/sgemm --format t4 -o sgemm-A100.t4.json.gz\n"
      "  rooftune export out/sgemm --format kernel-tuner -o sgemm-A100.json\n"
      "  rooftune export out/sgemm/results.json --format csv -o sgemm.csv");
  command->callback(
      [&action, given] { action = [given](Io& io) { return run_export(*given, io); }; });
}

}  // namespace rooftune::cli
