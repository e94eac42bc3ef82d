#include "tuner/cli/spec_argument.hpp"

#include <algorithm>
#include <iterator>

#include "tuner/core/error.hpp"

namespace rooftune::cli {
namespace {

std::string check_override(const std::string& text) {
  const std::size_t equals = text.find('=');
  const bool complete = equals != std::string::npos && equals > 0 && equals + 1 < text.size();
  return complete ? "" : "\"" + text + "\" is not NAME=VALUE, such as M=1024";
}

/// "M=512,N=512" in pieces.
std::vector<std::string> pieces_of(const std::string& problem) {
  std::vector<std::string> pieces;
  std::size_t begin = 0;
  while (begin <= problem.size()) {
    const std::size_t end = std::min(problem.find(',', begin), problem.size());
    pieces.push_back(problem.substr(begin, end - begin));
    begin = end + 1;
  }
  return pieces;
}

std::string check_problem(const std::string& text) {
  for (const std::string& piece : pieces_of(text)) {
    const std::string complaint = check_override(piece);
    if (!complaint.empty()) {
      return complaint + "; a size is written M=512,N=512";
    }
  }
  return "";
}

}  // namespace

std::vector<Override> parse_overrides(const std::vector<std::string>& texts) {
  std::vector<Override> given;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    given.push_back({text.substr(0, equals), text.substr(equals + 1)});
  }
  return given;
}

void add_problem_sizes(Spec& spec, const std::vector<std::string>& problems) {
  std::vector<std::vector<Override>> sizes;
  std::transform(problems.begin(), problems.end(), std::back_inserter(sizes),
                 [](const std::string& text) { return parse_overrides(pieces_of(text)); });
  add_problems(spec, sizes);
}

Spec SpecArgument::load() const {
  Spec spec = load_spec(file, parse_overrides(overrides));
  add_problem_sizes(spec, problems);
  return spec;
}

void add_problem_option(CLI::App& command, std::vector<std::string>& problems,
                        const std::string& description) {
  command.add_option("--problem", problems, description)
      ->type_name("NAME=VALUE,...")
      ->allow_extra_args(false)
      ->check(CLI::Validator(check_problem, ""));
}

void add_spec_argument(CLI::App& command, SpecArgument& argument) {
  command.add_option("SPEC", argument.file, "the kernel's YAML spec")->required();
  command
      .add_option("--set", argument.overrides,
                  "set a constant, or fix a parameter; may be given several times")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false)
      ->check(CLI::Validator(check_override, ""));
  add_problem_option(command, argument.problems,
                     "a size of the problem, besides those that the spec lists; may be given "
                     "several times");
}

CLI::Validator one_of(std::vector<std::string> words) {
  std::string list;
  for (const std::string& word : words) {
    list += (list.empty() ? "" : "|") + word;
  }
  const auto check = [words = std::move(words)](const std::string& word) {
    const bool known = std::find(words.begin(), words.end(), word) != words.end();
    return known ? std::string() : "\"" + word + "\" is unknown: " + suggest(word, words);
  };
  return {check, list};
}

std::string file_stem(const std::string& name) {
  std::string stem = name;
  for (char& c : stem) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '.';
    c = plain ? c : '_';
  }
  return stem.empty() || stem.front() == '.' ? "_" + stem : stem;
}

std::string shell_word(const std::string& word) {
  const auto is_plain = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("_-./=:,+@%").find(c) != std::string_view::npos;
  };
  if (!word.empty() && std::all_of(word.begin(), word.end(), is_plain)) {
    return word;
  }
  std::string quoted = "'";
  for (const char c : word) {
    quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  }
  return quoted + "'";
}

}  // namespace rooftune::cli
