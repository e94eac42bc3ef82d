// C++ text as tokens, each with the place that it came from. Understands comments, every kind of
// literal, line continuations, and the line markers that a preprocessor leaves.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace rooftune {

enum class TokenKind {
  identifier,  ///< and keywords
  number,
  text,         ///< string and character literals, raw ones too
  punctuation,  ///< one character each, except `::`, `->` and `<<<`
  directive,    ///< a whole preprocessor line, with its continuations
};

struct Token {
  TokenKind kind = TokenKind::punctuation;
  std::size_t offset = 0;  ///< in the text
  std::size_t length = 0;
  int file = 0;                ///< index into TokenizedText::files
  int line = 1;                ///< as line markers count
  bool system_header = false;  ///< a marker said so
};

struct TokenizedText {
  std::string text;
  std::vector<std::string> files;
  std::vector<Token> tokens;

  std::string_view view(const Token& token) const {
    return std::string_view(text).substr(token.offset, token.length);
  }
  std::string_view view(std::size_t index) const { return view(tokens[index]); }
};

/// `file` is where the text begins, until a line marker says otherwise. Never throws: a literal
/// that is not closed ends with the line, or the text; the compiler will complain about it.
TokenizedText tokenize(std::string text, const std::string& file);

}  // namespace rooftune
