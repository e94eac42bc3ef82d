// Which names may become macros in a source, and how their values are written.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "tuner/compile/source.hpp"

namespace rooftune {
namespace {

using std::string_view;

template <std::size_t N>
bool one_of(string_view word, const std::array<string_view, N>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

constexpr std::array<string_view, 97> keywords = {
    "alignas",      "alignof",   "and",           "and_eq",
    "asm",          "auto",      "bitand",        "bitor",
    "bool",         "break",     "case",          "catch",
    "char",         "char8_t",   "char16_t",      "char32_t",
    "class",        "compl",     "concept",       "const",
    "consteval",    "constexpr", "constinit",     "const_cast",
    "continue",     "co_await",  "co_return",     "co_yield",
    "decltype",     "default",   "defined",       "delete",
    "do",           "double",    "dynamic_cast",  "else",
    "enum",         "explicit",  "export",        "extern",
    "false",        "float",     "for",           "friend",
    "goto",         "if",        "inline",        "int",
    "long",         "mutable",   "namespace",     "new",
    "noexcept",     "not",       "not_eq",        "nullptr",
    "operator",     "or",        "or_eq",         "private",
    "protected",    "public",    "register",      "reinterpret_cast",
    "requires",     "return",    "short",         "signed",
    "sizeof",       "static",    "static_assert", "static_cast",
    "struct",       "switch",    "template",      "this",
    "thread_local", "throw",     "true",          "try",
    "typedef",      "typeid",    "typename",      "union",
    "unsigned",     "using",     "virtual",       "void",
    "volatile",     "wchar_t",   "while",         "xor",
    "xor_eq",       "size_t",    "dim3",          "NULL"};

/// What CUDA gives to every kernel; `#define warpSize 32` is harmless, these are not.
constexpr std::array<string_view, 7> builtins = {"threadIdx", "blockIdx", "blockDim", "gridDim",
                                                 "std",       "cuda",     "nvcuda"};

/// Words that, before a name, declare it.
constexpr std::array<string_view, 24> types = {
    "int",    "unsigned", "signed",  "long",     "short",   "char",     "bool",     "float",
    "double", "auto",     "class",   "typename", "struct",  "size_t",   "half",     "__half",
    "enum",   "int8_t",   "int32_t", "int64_t",  "uint8_t", "uint32_t", "uint64_t", "using"};

/// What follows the name in a declaration.
constexpr std::array<string_view, 8> ends = {",", ")", "=", ";", "[", ">", ":", "{"};

bool is_identifier(string_view name) {
  const auto letter = [](char c) {
    return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
  };
  return !name.empty() && letter(name.front()) &&
         std::all_of(name.begin(), name.end(), [&](char c) {
           return letter(c) || std::isdigit(static_cast<unsigned char>(c)) != 0;
         });
}

void refuse_impossible_name(const std::string& name) {
  const auto refuse = [&](string_view why) {
    throw InputError(fmt::format("parameter \"{}\" cannot become a #define: {}", name, why),
                     "rename it");
  };
  if (!is_identifier(name)) {
    refuse("it is no C++ name");
  }
  if (one_of(name, keywords)) {
    refuse("it is a word of C++");
  }
  if (one_of(name, builtins)) {
    refuse("every kernel needs CUDA's own");
  }
  if (name.substr(0, 2) == "__") {
    refuse("names with two leading underscores belong to the compiler");
  }
}

/// Looks through a source for uses that a macro of a given name would break.
class Uses {
 public:
  Uses(const TokenizedText& source, const NamedValues& defines)
      : source_(source), defines_(defines) {}

  void refuse() {
    for (std::size_t i = 0; i < source_.tokens.size(); ++i) {
      const Token& token = source_.tokens[i];
      if (token.kind == TokenKind::directive) {
        directive(token);
      } else if (token.kind == TokenKind::identifier) {
        refuse_use(source_, i, token.offset);
      }
    }
  }

 private:
  /// Conditional blocks that test a name say `#ifndef BM` before `#define BM 64`.
  void directive(const Token& token) {
    const string_view text = source_.view(token);
    const string_view word = directive_word(text);
    if (word == "if" || word == "ifdef" || word == "ifndef") {
      conditions_.push_back(std::string(directive_rest(text)));
    } else if (word == "endif" && !conditions_.empty()) {
      conditions_.pop_back();
    } else if (word == "define" || word == "undef") {
      const string_view rest = directive_rest(text);
      const auto shift = static_cast<std::size_t>(rest.data() - source_.text.data());
      const TokenizedText body = tokenize(std::string(rest), "");
      if (body.tokens.empty()) {
        return;
      }
      refuse_redefinition(body.view(0), shift, word);
      for (std::size_t i = 1; i < body.tokens.size(); ++i) {
        refuse_use(body, i, shift + body.tokens[i].offset);
      }
    }
  }

  bool is_tested(string_view name) const {
    return std::any_of(conditions_.begin(), conditions_.end(), [&](const std::string& condition) {
      const TokenizedText words = tokenize(condition, "");
      return std::any_of(words.tokens.begin(), words.tokens.end(),
                         [&](const Token& token) { return words.view(token) == name; });
    });
  }

  void refuse_redefinition(string_view name, std::size_t offset, string_view word) const {
    if (find_value(defines_, name) != nullptr && !is_tested(name)) {
      throw InputError(
          spot_of(source_, offset, name.size()),
          fmt::format("parameter \"{}\" would have no effect: the source has its own #{}", name,
                      word),
          fmt::format("remove the line, or put it between #ifndef {} and #endif", name));
    }
  }

  /// `tokens[index]` is an identifier that stands at `offset` of the source.
  void refuse_use(const TokenizedText& text, std::size_t index, std::size_t offset) const {
    const string_view name = text.view(index);
    const Value* value = find_value(defines_, name);
    if (value == nullptr || text.tokens[index].kind != TokenKind::identifier || is_tested(name)) {
      return;
    }
    const string_view before = index > 0 ? text.view(index - 1) : "";
    const string_view after = index + 1 < text.tokens.size() ? text.view(index + 1) : "";
    const bool member = before == "." || before == "->" || before == "::";
    const bool declared = one_of(before, types) && one_of(after, ends);
    const bool called = after == "(" && value->is_number();
    if (!member && !declared && !called) {
      return;
    }
    const std::string use = member     ? fmt::format("uses `{}{}`", before, name)
                            : declared ? fmt::format("declares `{} {}`", before, name)
                                       : fmt::format("calls `{}(`", name);
    throw InputError(
        spot_of(source_, offset, name.size()),
        fmt::format("parameter \"{}\" cannot become a #define: the source {}, which the macro "
                    "would rewrite",
                    name, use),
        fmt::format("rename the parameter; or, where it is a template parameter of the kernel, "
                    "write it into kernel.name: \"KERNEL<{{{}}}>\"",
                    name));
  }

  const TokenizedText& source_;
  const NamedValues& defines_;
  std::vector<std::string> conditions_;
};

/// Whether a text is arithmetic on numbers alone, such as `64+1`.
bool is_arithmetic(const std::string& text) {
  bool digit = false;
  bool operation = false;
  for (const char c : text) {
    digit = digit || std::isdigit(static_cast<unsigned char>(c)) != 0;
    const bool here = string_view("+-*/%<>&|^~!").find(c) != string_view::npos;
    operation = operation || here;
    if (!here && std::isalnum(static_cast<unsigned char>(c)) == 0 &&
        string_view("(). ").find(c) == string_view::npos) {
      return false;
    }
  }
  const TokenizedText tokens = tokenize(text, "");
  return digit && operation &&
         std::none_of(tokens.tokens.begin(), tokens.tokens.end(),
                      [](auto& t) { return t.kind == TokenKind::identifier; });
}

}  // namespace

void refuse_unsafe_defines(const TokenizedText& source, const NamedValues& defines) {
  for (const NamedValue& define : defines) {
    refuse_impossible_name(define.name);
  }
  Uses(source, defines).refuse();
}

std::string define_body(const NamedValue& define) {
  std::string body = define.value.to_cpp();
  if (define.value.is_number()) {
    return body;
  }
  if (body.find_first_of("\r\n") != std::string::npos || (!body.empty() && body.back() == '\\')) {
    throw InputError(fmt::format("the value of \"{}\" does not fit a #define line", define.name),
                     "write it as one line, without a backslash at its end");
  }
  return is_arithmetic(body) ? "(" + body + ")" : body;
}

}  // namespace rooftune
