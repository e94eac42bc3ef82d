// The spec on the command line, the same for every command that takes one.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "tuner/spec/spec.hpp"

namespace rooftune::cli {

struct SpecArgument {
  std::string file;
  std::vector<std::string> overrides;  ///< NAME=VALUE, as given
  std::vector<std::string> problems;   ///< NAME=VALUE,NAME=VALUE, as given

  /// Throws InputError.
  Spec load() const;
};

/// NAME=VALUE texts, which the command line has checked.
std::vector<Override> parse_overrides(const std::vector<std::string>& texts);
/// Adds the sizes of --problem to a spec. Throws InputError.
void add_problem_sizes(Spec& spec, const std::vector<std::string>& problems);

/// Adds --problem.
void add_problem_option(CLI::App& command, std::vector<std::string>& problems,
                        const std::string& description);
/// Adds SPEC, --set and --problem. The argument must outlive the parsing.
void add_spec_argument(CLI::App& command, SpecArgument& argument);

/// Accepts one of the words; its error suggests the nearest.
CLI::Validator one_of(std::vector<std::string> words);

/// A kernel's name as part of a file name.
std::string file_stem(const std::string& name);

/// A word of a command as a shell takes it: in quotes where it needs them.
std::string shell_word(const std::string& word);

}  // namespace rooftune::cli
