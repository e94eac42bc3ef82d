#include "tuner/device/host/scopes.hpp"

#include <algorithm>

namespace rooftune::host {
namespace {

bool is_any(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool adjacent(const TokenizedText& text, std::size_t left) {
  return left + 1 < text.tokens.size() &&
         text.tokens[left].offset + text.tokens[left].length == text.tokens[left + 1].offset;
}

/// A `=` of its own, not a part of `==`, `<=`, `+=` and the like.
bool is_assignment(const TokenizedText& text, std::size_t i) {
  if (text.view(i) != "=") {
    return false;
  }
  const bool after = adjacent(text, i) && text.view(i + 1) == "=";
  const bool before =
      i > 0 && adjacent(text, i - 1) &&
      is_any(text.view(i - 1), {"=", "<", ">", "!", "+", "-", "*", "/", "%", "&", "|", "^"});
  return !after && !before;
}

/// The index past `template <...>` whose `<` is at `open`.
std::size_t past_angles(const TokenizedText& text, std::size_t open, std::size_t end) {
  int depth = 0;
  for (std::size_t i = open; i < end; ++i) {
    const std::string_view word = text.view(i);
    if (word == "(") {
      i = closing_bracket(text, i);
    } else if (word == "<") {
      ++depth;
    } else if (word == ">" && --depth == 0) {
      return i + 1;
    }
  }
  return end;
}

/// What the brace at `open` begins, by the tokens since `head`, outside of any function.
ScopeKind kind_of_brace(const TokenizedText& text, std::size_t head, std::size_t open) {
  bool names_type = false;
  bool has_parameters = false;
  std::size_t i = head;
  while (i < open) {
    const std::string_view word = text.view(i);
    if (word == "namespace") {
      return ScopeKind::outside;
    }
    if (!has_parameters && is_assignment(text, i)) {
      return ScopeKind::type;  // an initialiser: no declarations that matter inside
    }
    if (word == "template" && i + 1 < open && text.view(i + 1) == "<") {
      i = past_angles(text, i + 1, open);  // `template <class T>` names no type
    } else if (word == "<") {
      i = past_angles(text, i, open);
    } else if (word == "operator") {
      while (i < open && text.view(i) != "(") {
        ++i;
      }
    } else if (word == "(") {
      const bool attribute =
          i > head && is_any(text.view(i - 1), {"alignas", "__align__", "__attribute__", "decltype",
                                                "__launch_bounds__", "noexcept"});
      has_parameters = has_parameters || !attribute;
      i = std::min(closing_bracket(text, i) + 1, open);
    } else {
      names_type = names_type || is_any(word, {"class", "struct", "union", "enum"});
      ++i;
    }
  }
  if (has_parameters) {
    return ScopeKind::function;
  }
  const bool linkage = open > head && text.tokens[open - 1].kind == TokenKind::text;
  return names_type || !linkage ? ScopeKind::type : ScopeKind::outside;
}

}  // namespace

std::size_t closing_bracket(const TokenizedText& text, std::size_t open) {
  std::size_t depth = 0;
  for (std::size_t i = open; i < text.tokens.size(); ++i) {
    if (text.tokens[i].kind != TokenKind::punctuation) {
      continue;
    }
    const char c = text.view(i).front();
    if (c == '(' || c == '[' || c == '{') {
      ++depth;
    } else if ((c == ')' || c == ']' || c == '}') && --depth == 0) {
      return i;
    }
  }
  return text.tokens.size() - 1;
}

Scopes find_scopes(const TokenizedText& text) {
  Scopes scopes;
  scopes.of_token.resize(text.tokens.size(), ScopeKind::outside);
  std::vector<ScopeKind> stack;
  std::size_t head = 0;
  for (std::size_t i = 0; i < text.tokens.size(); ++i) {
    const ScopeKind here = stack.empty() ? ScopeKind::outside : stack.back();
    scopes.of_token[i] = here;
    const std::string_view word = text.view(i);
    if (text.tokens[i].kind == TokenKind::directive) {
      head = i + 1;
    } else if (word == "{") {
      const ScopeKind kind = kind_of_brace(text, head, i);
      if (kind == ScopeKind::function) {
        const std::size_t close = closing_bracket(text, i);
        std::fill(scopes.of_token.begin() + static_cast<std::ptrdiff_t>(i),
                  scopes.of_token.begin() + static_cast<std::ptrdiff_t>(close), kind);
        scopes.functions.push_back({head, i, close});
        i = close;
        scopes.of_token[i] = here;
      } else {
        stack.push_back(kind);
      }
      head = i + 1;
    } else if (word == "}") {
      if (!stack.empty()) {
        stack.pop_back();
      }
      head = i + 1;
    } else if (word == ";") {
      head = i + 1;
    }
  }
  return scopes;
}

}  // namespace rooftune::host
