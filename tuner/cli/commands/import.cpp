#include <fmt/format.h>

#include <memory>
#include <ostream>

#include "tuner/cli/commands.hpp"
#include "tuner/cli/recording_skeleton.hpp"
#include "tuner/cli/spec_argument.hpp"
#include "tuner/core/error.hpp"
#include "tuner/session/files.hpp"
#include "tuner/session/recorded.hpp"

namespace rooftune::cli {
namespace {

namespace fs = std::filesystem;

struct Import {
  fs::path file;
  fs::path input;  ///< T1
  fs::path out = ".";
};

/// "convolution-A100" of "convolution-A100.t4.json.gz".
std::string stem_of(const fs::path& file) {
  const std::string name = file.filename().string();
  return name.substr(0,
                     std::min(name.find(".t1."), std::min(name.find(".t4."), name.find(".json"))));
}

void refuse_existing(const fs::path& file) {
  if (fs::exists(file)) {
    throw InputError(fmt::format("{}: it exists already", file.string()),
                     "give another folder by --out, or move it away");
  }
}

/// The description of a space without measurements.
int import_input(const Import& given, Io& io) {
  const T1Input input = read_t1(given.file);
  const fs::path spec = given.out / (file_stem(stem_of(given.file)) + ".yaml");
  refuse_existing(spec);
  const RecordingSkeleton skeleton = recording_skeleton({nullptr, &input, ""});
  (void)parse_spec(skeleton.text, spec);
  make_folder(given.out);
  write_file_durably(spec, skeleton.text);
  io.out << fmt::format("spec       {}\n", spec.string());
  return 0;
}

int import_recording(const Import& given, Io& io) {
  const Recording recording = open_recording(given.file);
  for (const std::string& remark : recording.remarks) {
    io.err << fmt::format("{}: {}\n", given.file.string(), remark);
  }
  if (recording.format == "rooftune") {
    throw InputError(fmt::format("{}: results of rooftune need no import", given.file.string()),
                     "replay them with their spec: rooftune replay SPEC RESULTS");
  }
  std::optional<T1Input> input;
  if (!given.input.empty()) {
    input = read_t1(given.input);
  }
  const std::string stem = stem_of(given.file);
  const std::string kernel = stem.substr(0, stem.rfind('-'));
  const fs::path spec_file = given.out / (file_stem(kernel) + ".yaml");
  const fs::path results_file = given.out / (file_stem(stem) + ".results.json.gz");
  refuse_existing(spec_file);
  refuse_existing(results_file);
  const RecordingSkeleton skeleton =
      recording_skeleton({&recording, input ? &*input : nullptr, results_file.filename().string()});
  const Spec spec = parse_spec(skeleton.text, fs::absolute(spec_file));
  const Results results = results_of(recording, spec);
  make_folder(given.out);
  write_file_durably(spec_file, skeleton.text);
  write_results(results, results_file);
  io.out << fmt::format("spec       {}\nrecording  {}\n", spec_file.string(),
                        results_file.string());
  if (!skeleton.warning.empty()) {
    io.err << fmt::format("{}: {}\n", spec_file.string(), skeleton.warning);
  }
  return 0;
}

}  // namespace

void add_import(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand(
      "import", "another tuner's recording as a spec skeleton and results of rooftune");
  const auto given = std::make_shared<Import>();
  command
      ->add_option("FILE", given->file,
                   "Kernel Tuner cache (an interrupted one too), T4 or KTT results, or a T1 input "
                   "alone; plain or gzip")
      ->required();
  command->add_option("--t1", given->input, "the T1 input that belongs to it: its conditions");
  command->add_option("--out", given->out, "folder for the files")->capture_default_str();
  command->footer(
      "Writes NAME.yaml, which loads and replays as it stands, with comments on what it lacks, "
      "and\n"
      "NAME-DEVICE.results.json.gz.\n\n"
      "Examples:\n"
      "  rooftune import convolution-A100.json.gz --out recorded\n"
      "  rooftune import convolution-A100.t4.json --t1 convolution.t1.json --out recorded\n"
      "  rooftune replay recorded/convolution.yaml recorded/convolution-A100.results.json.gz");
  command->callback([&action, given] {
    action = [given](Io& io) {
      return is_t1(given->file) ? import_input(*given, io) : import_recording(*given, io);
    };
  });
}

}  // namespace rooftune::cli
