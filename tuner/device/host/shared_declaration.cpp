#include "tuner/device/host/shared_declaration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "tuner/device/host/scopes.hpp"

namespace rooftune::host {
namespace {

/// The first token of the statement that token `i` is in.
std::size_t statement_begin(const TokenizedText& text, std::size_t i) {
  while (i > 0) {
    const std::string_view before = text.view(i - 1);
    if (before == ";" || before == "{" || before == "}" || before == ":" ||
        text.tokens[i - 1].kind == TokenKind::directive) {
      break;
    }
    --i;
  }
  return i;
}

/// Walks over a declaration at bracket depth 0, and finds its declarators.
class DeclarationReader {
 public:
  DeclarationReader(const TokenizedText& text, std::size_t shared) : text_(text), shared_(shared) {
    out_.begin = statement_begin(text, shared);
  }

  SharedDeclaration read() {
    std::size_t i = out_.begin;
    while (i < text_.tokens.size() && word(i) != ";") {
      i = step(i);
    }
    if (i >= text_.tokens.size()) {
      throw DeclarationError("this __shared__ declaration has no end", shared_);
    }
    finish_declarator(i);
    out_.end = i;
    return std::move(out_);
  }

 private:
  std::string_view word(std::size_t i) const { return text_.view(i); }

  std::size_t step(std::size_t i) {
    const std::string_view w = word(i);
    if (w == "static" || w == "extern") {
      out_.dynamic = out_.dynamic || w == "extern";
      out_.removed.push_back(i);
      return i + 1;
    }
    if (w == "alignas" || w == "__align__" || w == "__attribute__") {
      return attribute(i);
    }
    if (w == "decltype" || w == "typeof" || w == "__typeof__") {
      return closing_bracket(text_, i + 1) + 1;
    }
    if (w == "[") {
      extents_ = extents_ || word(i + 1) != "[";  // not for a [[attribute]]
      return closing_bracket(text_, i) + 1;
    }
    if (w == "(") {
      return parenthesis(i);
    }
    if (w == "{") {
      return braces(i);
    }
    if (w == "<") {
      return past_template_arguments(i);
    }
    if (w == "=") {
      throw DeclarationError("a __shared__ variable cannot have an initialiser", i);
    }
    if (w == ",") {
      finish_declarator(i);
      return i + 1;
    }
    if (text_.tokens[i].kind == TokenKind::identifier && w != "__shared__" && !extents_ &&
        !in_parentheses_) {
      name_ = i;
    }
    return i + 1;
  }

  /// Takes `alignas(N)` or `__attribute__((aligned(N)))` out, and notes N.
  std::size_t attribute(std::size_t i) {
    const std::size_t close = closing_bracket(text_, i + 1);
    std::size_t open = i + 1;
    if (word(i) == "__attribute__") {
      const bool aligned =
          i + 4 < close && (word(i + 3) == "aligned" || word(i + 3) == "__aligned__");
      if (!aligned || word(i + 4) != "(") {
        return close + 1;  // of another kind: stays
      }
      open = i + 4;
    }
    std::string expression;
    const std::size_t end = closing_bracket(text_, open);
    for (std::size_t k = open + 1; k < end; ++k) {
      expression += fmt::format("{}{}", expression.empty() ? "" : " ", word(k));
    }
    out_.alignment.push_back(word(i) == "alignas"
                                 ? fmt::format("alignas({})", expression)
                                 : fmt::format("__attribute__((aligned({})))", expression));
    for (std::size_t k = i; k <= close; ++k) {
      out_.removed.push_back(k);
    }
    return close + 1;
  }

  /// `(*p)` and `(&r)` hold the name; anything else is an initialiser.
  std::size_t parenthesis(std::size_t i) {
    const std::size_t close = closing_bracket(text_, i);
    if (i + 1 < close && (word(i + 1) == "*" || word(i + 1) == "&")) {
      for (std::size_t k = i + 1; k < close && word(k) != "["; ++k) {
        if (text_.tokens[k].kind == TokenKind::identifier && word(k) != "const") {
          name_ = k;
        }
      }
      in_parentheses_ = true;
      return close + 1;
    }
    if (in_parentheses_) {
      return close + 1;  // the parameters of a pointer to a function
    }
    throw DeclarationError("a __shared__ variable cannot have an initialiser", i);
  }

  std::size_t braces(std::size_t i) {
    for (std::size_t k = out_.begin; k < i; ++k) {
      const std::string_view w = word(k);
      if (w == "struct" || w == "union" || w == "class" || w == "enum") {
        name_.reset();
        return closing_bracket(text_, i) + 1;
      }
    }
    throw DeclarationError("a __shared__ variable cannot have an initialiser", i);
  }

  std::size_t past_template_arguments(std::size_t i) {
    int depth = 0;
    for (; i < text_.tokens.size() && word(i) != ";"; ++i) {
      if (word(i) == "(" || word(i) == "[" || word(i) == "{") {
        i = closing_bracket(text_, i);
      } else if (word(i) == "<") {
        ++depth;
      } else if (word(i) == ">" && --depth == 0) {
        return i + 1;
      }
    }
    return i;
  }

  void finish_declarator(std::size_t at) {
    if (!name_) {
      throw DeclarationError("this __shared__ declaration has no name", at);
    }
    out_.declarators.push_back(*name_);
    name_.reset();
    extents_ = false;
    in_parentheses_ = false;
  }

  const TokenizedText& text_;
  std::size_t shared_;
  SharedDeclaration out_;
  std::optional<std::size_t> name_;
  bool extents_ = false;
  bool in_parentheses_ = false;
};

/// Of the variable's own; `id` is that of the statement's first variable.
std::string type_name(std::string_view variable, int id) {
  return fmt::format("rt_{}_{}", id, variable);
}

}  // namespace

void Edits::replace(std::size_t offset, std::size_t length, std::string with) {
  edits_.push_back({offset, length, std::move(with)});
}

std::string Edits::apply(const std::string& text) const {
  std::vector<Edit> sorted = edits_;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Edit& a, const Edit& b) { return a.offset < b.offset; });
  std::string out;
  std::size_t at = 0;
  for (const Edit& edit : sorted) {
    out.append(text, at, edit.offset - at);
    out += edit.with;
    at = edit.offset + edit.length;
    const auto begin = text.begin() + static_cast<std::ptrdiff_t>(edit.offset);
    const auto newlines = std::count(begin, begin + static_cast<std::ptrdiff_t>(edit.length), '\n');
    out.append(static_cast<std::size_t>(newlines), '\n');
  }
  return out.append(text, at, std::string::npos);
}

std::vector<std::string> SharedDeclaration::names(const TokenizedText& text) const {
  std::vector<std::string> names;
  for (const std::size_t declarator : declarators) {
    names.emplace_back(text.view(declarator));
  }
  return names;
}

void SharedDeclaration::rewrite_types(const TokenizedText& text, int first_id, Edits& edits) const {
  for (const std::size_t i : removed) {
    edits.replace(text.tokens[i].offset, text.tokens[i].length, "");
  }
  for (std::size_t i = begin; i < end; ++i) {
    if (text.view(i) == "__shared__") {
      edits.replace(text.tokens[i].offset, text.tokens[i].length, "typedef");
    }
  }
  for (const std::size_t i : declarators) {
    edits.replace(text.tokens[i].offset, text.tokens[i].length, type_name(text.view(i), first_id));
  }
}

std::string SharedDeclaration::variables(const TokenizedText& text, int first_id) const {
  int id = first_id;
  std::string aligned;
  for (const std::string& specifier : alignment) {
    aligned += specifier + " ";
  }
  std::string out;
  for (const std::size_t declarator : declarators) {
    const Token& token = text.tokens[declarator];
    const std::string_view name = text.view(token);
    const std::string type = type_name(name, first_id);
    if (dynamic) {
      out += fmt::format(" auto* {} = ::rooftune_host::dynamic_shared<std::remove_extent_t<{}>>();",
                         name, type);
      continue;
    }
    out += fmt::format(" struct {0}_ {{ {1}{0} value; }};", type, aligned);
    out += fmt::format(
        " auto& {} = ::rooftune_host::shared_array<{}_>({}, \"{}\", \"{}\", {}).value;", name, type,
        id++, name, text.files[static_cast<std::size_t>(token.file)], token.line);
  }
  return out;
}

SharedDeclaration read_shared_declaration(const TokenizedText& text, std::size_t shared) {
  return DeclarationReader(text, shared).read();
}

}  // namespace rooftune::host
