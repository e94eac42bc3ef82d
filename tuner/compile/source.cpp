#include "tuner/compile/source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "tuner/compile/compiler.hpp"

namespace rooftune {
namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

/// Follows the namespaces that are open while tokens are read in order.
class Namespaces {
 public:
  void read(const TokenizedText& source, std::size_t index) {
    const std::string_view token = source.view(index);
    if (token == "namespace") {
      begin(source, index + 1);
    } else if (token == "{") {
      ++depth_;
    } else if (token == "}") {
      --depth_;
      while (!open_.empty() && open_.back().depth > depth_) {
        open_.pop_back();
      }
    }
  }

  /// "a::b::", empty at global scope.
  std::string prefix() const {
    std::string text;
    for (const Open& space : open_) {
      text += space.name;
    }
    return text;
  }

 private:
  struct Open {
    std::string name;  ///< with a trailing "::"; empty for an unnamed one
    int depth;         ///< of the braces inside
  };

  /// `index` is after the word namespace; a name that no brace follows is an alias or a using.
  void begin(const TokenizedText& source, std::size_t index) {
    std::string name;
    for (; index < source.tokens.size(); ++index) {
      const Token& token = source.tokens[index];
      if (source.view(token) == "{") {
        open_.push_back({name.empty() ? "" : name + "::", depth_ + 1});
        return;
      }
      if (token.kind != TokenKind::identifier && source.view(token) != "::") {
        return;
      }
      name += source.view(token);
    }
  }

  std::vector<Open> open_;
  int depth_ = 0;
};

/// Reads the directives before the first declaration and finds where #define lines go.
class Preamble {
 public:
  Preamble(const TokenizedText& source, const NamedValues& defines)
      : source_(source), defines_(defines) {}

  /// Offset of the line after the last leading include; 0 where there is none. It lies before any
  /// directive that asks for a defined name (`#ifndef BM`), and outside of conditional blocks,
  /// except for a guard around the whole file.
  std::size_t end() {
    for (std::size_t i = 0; i < source_.tokens.size(); ++i) {
      if (source_.tokens[i].kind != TokenKind::directive || !read(i)) {
        break;
      }
    }
    return end_;
  }

 private:
  /// False where the search ends.
  bool read(std::size_t index) {
    const std::string_view text = source_.view(index);
    const std::string_view word = directive_word(text);
    if (word == "include") {
      block_includes_ = true;
    } else if (asks_for_define(word, directive_rest(text))) {
      return false;
    } else if (word == "if" || word == "ifdef" || word == "ifndef") {
      if (is_guard(index)) {
        return true;
      }
      block_includes_ = depth_ > 0 && block_includes_;
      ++depth_;
    } else if (word == "endif") {
      --depth_;
    }
    if (depth_ == 0 && block_includes_) {
      end_ = source_.tokens[index].offset + source_.tokens[index].length;
      block_includes_ = false;
    }
    return true;
  }

  /// `#ifndef NAME` and `#define NAME` as the first two directives.
  bool is_guard(std::size_t index) const {
    return index == 0 && source_.tokens.size() > 1 &&
           directive_word(source_.view(index)) == "ifndef" &&
           directive_word(source_.view(index + 1)) == "define" &&
           directive_rest(source_.view(index)) == directive_rest(source_.view(index + 1));
  }

  /// Conditions that mention a defined name, and its own #define or #undef. Other macros may use
  /// it: they are expanded later.
  bool asks_for_define(std::string_view word, std::string_view rest) const {
    const bool condition = word == "if" || word == "ifdef" || word == "ifndef" || word == "elif";
    if (!condition && word != "define" && word != "undef") {
      return false;
    }
    const TokenizedText words = tokenize(std::string(rest), "");
    const auto end = condition ? words.tokens.end() : words.tokens.begin() + !words.tokens.empty();
    return std::any_of(words.tokens.begin(), end, [&](const Token& token) {
      return find_value(defines_, words.view(token)) != nullptr;
    });
  }

  const TokenizedText& source_;
  const NamedValues& defines_;
  std::size_t end_ = 0;
  int depth_ = 0;
  bool block_includes_ = false;
};

/// A file name as the text of a #line directive.
std::string quoted(const std::string& name) {
  std::string text = "\"";
  for (const char c : name) {
    if (c == '"' || c == '\\') {
      text += '\\';
    }
    text += c;
  }
  return text + '"';
}

}  // namespace

std::string_view directive_word(std::string_view directive) {
  std::size_t begin = 1;  // after the #
  while (begin < directive.size() && is_blank(directive[begin])) {
    ++begin;
  }
  std::size_t end = begin;
  while (end < directive.size() && directive[end] >= 'a' && directive[end] <= 'z') {
    ++end;
  }
  return directive.substr(begin, end - begin);
}

std::string_view directive_rest(std::string_view directive) {
  const std::string_view word = directive_word(directive);
  std::string_view rest =
      directive.substr(static_cast<std::size_t>(word.data() - directive.data()) + word.size());
  while (!rest.empty() && is_blank(rest.front())) {
    rest.remove_prefix(1);
  }
  while (!rest.empty() && is_blank(rest.back())) {
    rest.remove_suffix(1);
  }
  return rest;
}

std::size_t after_parentheses(const TokenizedText& source, std::size_t index) {
  int depth = 0;
  for (; index < source.tokens.size(); ++index) {
    const std::string_view token = source.view(index);
    depth += token == "(" ? 1 : token == ")" ? -1 : 0;
    if (depth == 0) {
      return index + 1;
    }
  }
  return index;
}

std::string_view declared_function(const TokenizedText& source, std::size_t index) {
  while (index + 1 < source.tokens.size()) {
    const std::string_view token = source.view(index);
    if (token == ";" || token == "{" || token == "}") {
      return {};
    }
    const bool called =
        source.tokens[index].kind == TokenKind::identifier && source.view(index + 1) == "(";
    if (!called) {
      ++index;
    } else if (token.substr(0, 2) == "__" || token == "alignas" || token == "decltype") {
      index = after_parentheses(source, index + 1);
    } else {
      return token;
    }
  }
  return {};
}

std::vector<std::string> kernels_in(const TokenizedText& source) {
  std::vector<std::string> kernels;
  Namespaces namespaces;
  for (std::size_t i = 0; i < source.tokens.size(); ++i) {
    namespaces.read(source, i);
    if (source.view(i) != "__global__") {
      continue;
    }
    const std::string_view name = declared_function(source, i + 1);
    const std::string full = namespaces.prefix() + std::string(name);
    if (!name.empty() && std::find(kernels.begin(), kernels.end(), full) == kernels.end()) {
      kernels.push_back(full);
    }
  }
  return kernels;
}

std::string line_of(std::string_view text, int line) {
  for (int at = 1; at < line; ++at) {
    const std::size_t newline = text.find('\n');
    if (newline == std::string_view::npos) {
      return "";
    }
    text.remove_prefix(newline + 1);
  }
  text = text.substr(0, text.find('\n'));
  return std::string(text.substr(0, text.find('\r')));
}

SourceSpot spot_of(const TokenizedText& source, std::size_t offset, std::size_t length) {
  const std::string_view before = std::string_view(source.text).substr(0, offset);
  SourceSpot spot;
  spot.file = source.files.front();
  spot.line = 1 + static_cast<int>(std::count(before.begin(), before.end(), '\n'));
  const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  spot.column = 1 + static_cast<int>(offset - line_start);
  spot.length = static_cast<int>(length);
  spot.line_text = line_of(source.text, spot.line);
  return spot;
}

std::string read_source(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in || std::filesystem::is_directory(file)) {
    throw InputError(fmt::format("cannot read the kernel source {}", file.string()),
                     "check kernel.source; it counts from the spec's folder");
  }
  std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  if (text.compare(0, byte_order_mark.size(), byte_order_mark) == 0) {
    text.erase(0, byte_order_mark.size());  // NVRTC takes it for code
  }
  return text;
}

std::size_t place_of_defines(const TokenizedText& source, const NamedValues& defines) {
  refuse_unsafe_defines(source, defines);
  return Preamble(source, defines).end();
}

std::string source_with_defines(const std::string& text, const std::filesystem::path& file,
                                const NamedValues& defines) {
  if (defines.empty()) {
    return text;
  }
  const TokenizedText source = tokenize(text, file.string());
  std::size_t at = place_of_defines(source, defines);
  std::string head = text.substr(0, at);
  if (at > 0) {
    head += '\n';
    at = std::min(text.size(), at + 1);
  }
  for (const NamedValue& define : defines) {
    head += fmt::format("#define {} {}\n", define.name, define_body(define));
  }
  const auto lines = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
  return fmt::format("{}#line {} {}\n{}", head, lines + 1, quoted(file.string()),
                     std::string_view(text).substr(at));
}

}  // namespace rooftune
