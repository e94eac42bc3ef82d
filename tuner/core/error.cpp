#include "tuner/core/error.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace rooftune {
namespace {

/// "file:12:5: ", as much of it as is known.
std::string place(const SourceSpot& spot) {
  std::string text = spot.file;
  if (spot.line > 0) {
    text += fmt::format(":{}", spot.line);
    if (spot.column > 0) {
      text += fmt::format(":{}", spot.column);
    }
  }
  return text.empty() ? "" : text + ": ";
}

/// Whether a byte of UTF-8 continues the character before it.
bool continues_character(char c) {
  return (static_cast<unsigned char>(c) & 0xc0U) == 0x80U;
}

/// The source line and a caret under the fault. Tabs are kept above the caret so that it lines up.
std::string excerpt(const SourceSpot& spot) {
  if (spot.line_text.empty() || spot.column <= 0) {
    return "";
  }
  const std::size_t before = std::min<std::size_t>(spot.column - 1, spot.line_text.size());
  std::string indent = spot.line_text.substr(0, before);
  // Columns count bytes; what is drawn counts characters.
  indent.erase(std::remove_if(indent.begin(), indent.end(), continues_character), indent.end());
  for (char& c : indent) {
    c = c == '\t' ? '\t' : ' ';
  }
  const std::string marked = spot.line_text.substr(before, std::max(1, spot.length));
  const auto continued = std::count_if(marked.begin(), marked.end(), continues_character);
  const std::size_t length =
      std::max<std::size_t>(1, marked.size() - static_cast<std::size_t>(continued));
  return fmt::format("\n{:5} | {}\n      | {}^{}", spot.line, spot.line_text, indent,
                     std::string(length - 1, '~'));
}

std::string render(const std::optional<SourceSpot>& spot, const std::string& problem,
                   const std::string& hint) {
  std::string text = spot ? place(*spot) : "";
  text += problem;
  if (spot) {
    text += excerpt(*spot);
  }
  if (!hint.empty()) {
    text += "\n  " + hint;
  }
  return text;
}

bool equal_but_for_case(std::string_view a, std::string_view b) {
  const auto lower = [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](char x, char y) { return lower(x) == lower(y); });
}

/// Optimal string alignment: insertions, deletions, substitutions and swapped neighbours cost 1.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> cost(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        cost[i][j] = i + j;
        continue;
      }
      const std::size_t substitute = cost[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, substitute});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
      }
    }
  }
  return cost[a.size()][b.size()];
}

}  // namespace

InputError::InputError(std::string problem, std::string hint)
    : std::runtime_error(render(std::nullopt, problem, hint)),
      problem_(std::move(problem)),
      hint_(std::move(hint)) {}

InputError::InputError(SourceSpot spot, std::string problem, std::string hint)
    : std::runtime_error(render(spot, problem, hint)),
      problem_(std::move(problem)),
      hint_(std::move(hint)),
      spot_(std::move(spot)) {}

std::optional<std::string> nearest_word(std::string_view word,
                                        const std::vector<std::string>& known) {
  std::optional<std::string> nearest;
  // One slip in a short word, two in a longer one, a third of a long one. A single letter has no
  // room for a slip, but for its case.
  const std::size_t slips = word.size() <= 1   ? 0
                            : word.size() <= 3 ? 1
                                               : std::max<std::size_t>(2, word.size() / 3);
  std::size_t best = slips + 1;
  for (const std::string& candidate : known) {
    if (equal_but_for_case(word, candidate)) {
      return candidate;
    }
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < best) {
      best = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

std::string suggest(std::string_view word, const std::vector<std::string>& known) {
  if (const auto nearest = nearest_word(word, known)) {
    return fmt::format("did you mean \"{}\"?", *nearest);
  }
  return known.empty() ? "" : fmt::format("known: {}", fmt::join(known, ", "));
}

}  // namespace rooftune
