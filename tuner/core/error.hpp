// The one way in which bad input is told: what is wrong, where, and what to do.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace rooftune {

/// A place in a text file, for a message. Lines and columns count from 1; 0 means unknown.
struct SourceSpot {
  std::string file;
  int line = 0;
  int column = 0;
  int length = 1;         ///< columns to underline
  std::string line_text;  ///< the source line, without its newline; empty when unknown
};

/// Wrong input from a user. what() is the complete message for a terminal:
///
///     FILE:LINE:COLUMN: PROBLEM
///        12 |     BM: {values: [32], roel: tile}
///           |                        ^~~~
///       HINT
class InputError : public std::runtime_error {
 public:
  explicit InputError(std::string problem, std::string hint = "");
  InputError(SourceSpot spot, std::string problem, std::string hint = "");

  const std::string& problem() const { return problem_; }
  const std::string& hint() const { return hint_; }
  const std::optional<SourceSpot>& spot() const { return spot_; }

 private:
  std::string problem_;
  std::string hint_;
  std::optional<SourceSpot> spot_;
};

/// A value of the wrong type, an overflow, a division by zero: wrong wherever it happens. Whoever
/// knows the place turns it into an InputError.
class ValueError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The known word nearest to `word` by edit distance, if it is near enough to be meant.
std::optional<std::string> nearest_word(std::string_view word,
                                        const std::vector<std::string>& known);
/// `did you mean "X"?`, or `known: a, b, c` where nothing is near, for use as a hint.
std::string suggest(std::string_view word, const std::vector<std::string>& known);

}  // namespace rooftune
