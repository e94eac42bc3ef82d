#include "tuner/core/tokens.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace rooftune {
namespace {

bool starts_identifier(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' ||
         (c & 0x80) != 0;
}
bool continues_identifier(char c) {
  return starts_identifier(c) || std::isdigit(static_cast<unsigned char>(c)) != 0;
}
bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

/// Reads a text once, from its start to its end.
class Tokenizer {
 public:
  Tokenizer(std::string text, const std::string& file) {
    out_.text = std::move(text);
    out_.files.push_back(file);
  }

  TokenizedText run() {
    while (at_ < size()) {
      step();
    }
    return std::move(out_);
  }

 private:
  std::size_t size() const { return out_.text.size(); }
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < size() ? out_.text[at_ + ahead] : '\0';
  }
  bool looking_at(std::string_view what) const {
    return std::string_view(out_.text).substr(at_, what.size()) == what;
  }

  /// Moves on by `count` characters, counting lines.
  void advance(std::size_t count) {
    for (std::size_t i = 0; i < count && at_ < size(); ++i, ++at_) {
      if (out_.text[at_] == '\n') {
        ++line_;
        line_start_ = true;
      }
    }
  }

  void step() {
    const char c = peek();
    if (c == '\n' || is_blank(c)) {
      advance(1);
    } else if (c == '\\' && skips_continuation()) {
      // A line that goes on in the next one.
    } else if (looking_at("//")) {
      skip_line_comment();
    } else if (looking_at("/*")) {
      skip_block_comment();
    } else if (c == '#' && line_start_) {
      directive();
    } else {
      line_start_ = false;
      if (!literal()) {
        word_or_punctuation();
      }
    }
  }

  bool skips_continuation() {
    const std::size_t newline = peek(1) == '\r' ? 2 : 1;
    if (peek(newline) != '\n') {
      return false;
    }
    const bool keep = line_start_;
    advance(newline + 1);
    line_start_ = keep;
    return true;
  }

  void skip_line_comment() {
    while (at_ < size() && peek() != '\n') {
      if (peek() != '\\' || !skips_continuation()) {
        advance(1);
      }
    }
  }

  void skip_block_comment() {
    const std::size_t end = out_.text.find("*/", at_ + 2);
    const bool keep = line_start_;
    advance((end == std::string::npos ? size() : end + 2) - at_);
    line_start_ = keep;
  }

  /// Adds the token that starts at `start` on `line` and ends here.
  void add(TokenKind kind, std::size_t start, int line) {
    out_.tokens.push_back({kind, start, at_ - start, file_, line, system_});
  }

  void directive() {
    const std::size_t start = at_;
    const int line = line_;
    while (at_ < size() && peek() != '\n') {
      if (looking_at("//")) {
        skip_line_comment();
      } else if (looking_at("/*")) {
        skip_block_comment();
      } else if (peek() == '\\' && skips_continuation()) {
        continue;
      } else {
        advance(1);
      }
    }
    line_start_ = true;
    if (!line_marker(std::string_view(out_.text).substr(start, at_ - start))) {
      add(TokenKind::directive, start, line);
    }
  }

  /// `# 12 "file" 1 3` of a preprocessor, or `#line 12 "file"`: the next line is line 12 of file.
  bool line_marker(std::string_view text) {
    std::size_t i = 1;
    const auto skip_blanks = [&] {
      while (i < text.size() && is_blank(text[i])) {
        ++i;
      }
    };
    skip_blanks();
    if (text.substr(i, 4) == "line") {
      i += 4;
      skip_blanks();
    }
    if (i >= text.size() || std::isdigit(static_cast<unsigned char>(text[i])) == 0) {
      return false;
    }
    int number = 0;
    for (; i < text.size() && std::isdigit(static_cast<unsigned char>(text[i])) != 0; ++i) {
      number = number * 10 + (text[i] - '0');
    }
    skip_blanks();
    if (i < text.size() && text[i] == '"') {
      const std::size_t end = text.find('"', i + 1);
      enter_file(
          std::string(text.substr(i + 1, end == std::string_view::npos ? end : end - i - 1)));
      const std::string_view flags = end == std::string_view::npos ? "" : text.substr(end + 1);
      system_ = flags.find(" 3") != std::string_view::npos;
    }
    line_ = number - 1;  // the newline after the marker makes it `number`
    return true;
  }

  void enter_file(const std::string& name) {
    const auto found = std::find(out_.files.begin(), out_.files.end(), name);
    file_ = static_cast<int>(found - out_.files.begin());
    if (found == out_.files.end()) {
      out_.files.push_back(name);
    }
  }

  /// A string or character literal with its prefix. False where there is none.
  bool literal() {
    static constexpr std::array<std::string_view, 5> prefixes = {"u8", "u", "U", "L", ""};
    for (const std::string_view prefix : prefixes) {
      if (!looking_at(prefix)) {
        continue;
      }
      const char next = peek(prefix.size());
      if (next == 'R' && peek(prefix.size() + 1) == '"') {
        raw_string(prefix.size() + 1);
        return true;
      }
      if (next == '"' || next == '\'') {
        quoted(prefix.size(), next);
        return true;
      }
    }
    return false;
  }

  void raw_string(std::size_t quote) {
    const std::size_t start = at_;
    const int line = line_;
    const std::size_t open = out_.text.find('(', at_ + quote);
    std::size_t end = std::string::npos;
    if (open != std::string::npos) {
      const std::size_t first = at_ + quote + 1;
      const std::string closing = ")" + out_.text.substr(first, open - first) + "\"";
      end = out_.text.find(closing, open);
      end = end == std::string::npos ? end : end + closing.size();
    }
    advance((end == std::string::npos ? size() : end) - at_);
    line_start_ = false;
    add(TokenKind::text, start, line);
  }

  void quoted(std::size_t prefix, char quote) {
    const std::size_t start = at_;
    const int line = line_;
    advance(prefix + 1);
    while (at_ < size() && peek() != quote && peek() != '\n') {
      advance(peek() == '\\' ? 2 : 1);
    }
    if (peek() == quote) {
      advance(1);
    }
    line_start_ = false;
    add(TokenKind::text, start, line);
  }

  void word_or_punctuation() {
    const std::size_t start = at_;
    TokenKind kind = TokenKind::punctuation;
    const bool fraction = peek() == '.' && std::isdigit(static_cast<unsigned char>(peek(1))) != 0;
    if (starts_identifier(peek())) {
      kind = TokenKind::identifier;
      while (continues_identifier(peek()) && at_ < size()) {
        ++at_;
      }
    } else if (std::isdigit(static_cast<unsigned char>(peek())) != 0 || fraction) {
      kind = TokenKind::number;
      number();
    } else {
      at_ += looking_at("<<<") ? 3 : looking_at("::") || looking_at("->") ? 2 : 1;
    }
    add(kind, start, line_);
  }

  void number() {
    while (at_ < size()) {
      const char c = peek();
      const bool exponent = c == 'e' || c == 'E' || c == 'p' || c == 'P';
      if (exponent && (peek(1) == '+' || peek(1) == '-')) {
        at_ += 2;
      } else if (continues_identifier(c) || c == '.' ||
                 (c == '\'' && continues_identifier(peek(1)))) {
        ++at_;
      } else {
        return;
      }
    }
  }

  TokenizedText out_;
  std::size_t at_ = 0;
  int line_ = 1;
  int file_ = 0;
  bool system_ = false;
  bool line_start_ = true;
};

}  // namespace

TokenizedText tokenize(std::string text, const std::string& file) {
  return Tokenizer(std::move(text), file).run();
}

}  // namespace rooftune
