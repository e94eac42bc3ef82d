#include "tuner/cli/spec_argument.hpp"

#include <algorithm>

#include "tuner/core/error.hpp"

namespace rooftune::cli {
namespace {

std::string check_override(const std::string& text) {
  const std::size_t equals = text.find('=');
  const bool complete = equals != std::string::npos && equals > 0 && equals + 1 < text.size();
  return complete ? "" : "\"" + text + "\" is not NAME=VALUE, such as M=1024";
}

}  // namespace

Spec SpecArgument::load() const {
  std::vector<Override> given;
  for (const std::string& text : overrides) {
    const std::size_t equals = text.find('=');
    given.push_back({text.substr(0, equals), text.substr(equals + 1)});
  }
  return load_spec(file, given);
}

void add_spec_argument(CLI::App& command, SpecArgument& argument) {
  command.add_option("SPEC", argument.file, "the kernel's YAML spec")->required();
  command
      .add_option("--set", argument.overrides,
                  "set a constant, or fix a parameter; may be given several times")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false)
      ->check(CLI::Validator(check_override, ""));
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
