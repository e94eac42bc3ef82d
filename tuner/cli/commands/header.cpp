#include <memory>
#include <ostream>
#include <set>

#include "tuner/cli/commands.hpp"
#include "tuner/cli/header_proof.hpp"
#include "tuner/cli/results_argument.hpp"
#include "tuner/cli/spec_argument.hpp"
#include "tuner/core/error.hpp"
#include "tuner/report/report.hpp"
#include "tuner/session/files.hpp"

namespace rooftune::cli {
namespace {

struct Header {
  std::vector<std::string> results;
  std::vector<std::string> specs;
  std::string output;
  std::string name_space = HeaderOptions().name_space;
  std::string style = "constexpr";
  std::string embed = "none";
  std::vector<std::string> problems;
  bool include_host = false;
  bool no_verify = false;
};

HeaderEmbed embed_of(const Header& header) {
  return header.embed == "launcher" ? HeaderEmbed::launcher
         : header.embed == "source" ? HeaderEmbed::source
                                    : HeaderEmbed::none;
}

std::string command_of(const Header& header) {
  std::string text = "rooftune header";
  const auto add = [&](const char* option, const std::string& value) {
    text += std::string(" ") + option + " " + shell_word(value);
  };
  for (const std::string& file : header.results) {
    text += " " + shell_word(file);
  }
  for (const std::string& spec : header.specs) {
    add("--spec", spec);
  }
  text += header.include_host ? " --include-host" : "";
  text += header.no_verify ? " --no-verify" : "";
  for (const std::string& problem : header.problems) {
    add("--problem", problem);
  }
  const Header standard;
  for (const auto& [option, value, usual] :
       {std::tuple("--namespace", &header.name_space, &standard.name_space),
        std::tuple("--style", &header.style, &standard.style),
        std::tuple("--embed", &header.embed, &standard.embed),
        std::tuple("-o", &header.output, &standard.output)}) {
    if (*value != *usual) {
      add(option, *value);
    }
  }
  return text;
}

/// The files to write; "" is stdout.
std::map<std::string, std::string> files_of(const Header& header,
                                            const std::vector<Results>& results,
                                            const HeaderOptions& options) {
  if (header.style != "macros") {
    return {{header.output, tuned_header(results, options)}};
  }
  if (header.output.empty()) {
    throw InputError("macros take several files, so they do not go to stdout",
                     "name the first one by -o, such as -o sgemm_tuned.h");
  }
  if (options.embed != HeaderEmbed::none) {
    throw InputError("macros hold no source and no launcher", "leave --embed out");
  }
  return tuned_macros(results, options, header.output);
}

int run_header(const Header& header, Io& io) {
  std::vector<Results> results;
  for (const std::string& file : header.results) {
    results.push_back(load_results(file));
  }
  SpecsOfResults specs(header.specs);
  HeaderProof proof(results, header.problems, specs, io);
  HeaderOptions options;
  options.name_space = header.name_space;
  options.include_host = header.include_host;
  options.command = command_of(header);
  options.embed = embed_of(header);
  options.spec_of = [&](const Results& it) -> const Spec& { return specs.of(it); };
  std::set<std::string> told;
  options.warn = [&](const std::string& text) {
    if (told.insert(text).second) {
      io.err << "warning: " << text << '\n';
    }
  };
  if (!header.no_verify) {
    options.objection = [&](const Results& it, const Record& record) {
      return proof.objection(it, record);
    };
  }
  for (const auto& [file, text] : files_of(header, results, options)) {
    if (file.empty()) {
      io.out << text;
    } else {
      write_file_durably(file, text);
      io.out << file << '\n';
    }
  }
  return 0;
}

void add_options(CLI::App& command, Header& header) {
  command.add_option("RESULTS", header.results, "results.json files, or folders of runs")
      ->required();
  command.add_option("-o,--output", header.output, "file to write (default: stdout)");
  command.add_option("--namespace", header.name_space, "holds a namespace for each kernel")
      ->capture_default_str();
  command
      .add_option("--style", header.style, "C++17, or #define lines with a file for each device")
      ->capture_default_str()
      ->check(one_of({"constexpr", "macros"}));
  command.add_option("--embed", header.embed, "how much of the kernel becomes part of the header")
      ->capture_default_str()
      ->check(one_of({"none", "source", "launcher"}));
  command
      .add_option("--spec", header.specs,
                  "where the spec is now (default: where it was when tuning)")
      ->allow_extra_args(false);
  add_problem_option(command, header.problems, "a size to verify winners at, besides the results'");
  command.add_flag("--include-host", header.include_host,
                   "let results of the host device enter, labelled as the host's");
  command.add_flag("--no-verify", header.no_verify,
                   "trust the results: do not run the winners again before writing");
}

}  // namespace

void add_header(CLI::App& app, Action& action) {
  CLI::App* command =
      app.add_subcommand("header", "one C++ header of tuned parameters from results");
  const auto header = std::make_shared<Header>();
  add_options(*command, *header);
  command->footer(
      "A table of the best configurations by kernel, device and size, and select() that finds the\n"
      "line to use, at compile time or at run time. Winners are verified on the device at hand "
      "before\nthey enter. See docs/headers.md.\n\n"
      "Examples:\n"
      "  rooftune header out/sgemm -o sgemm_tuned.hpp\n"
      "  rooftune header a100/results.json h100/results.json --embed launcher -o sgemm_tuned.hpp\n"
      "  rooftune header out/sgemm --style macros -o sgemm_tuned.h");
  command->callback(
      [&action, header] { action = [header](Io& io) { return run_header(*header, io); }; });
}

}  // namespace rooftune::cli
