#include "tuner/spec/kernel_signature.hpp"

#include <algorithm>
#include <regex>

namespace rooftune {
namespace {

struct Token {
  std::string_view text;
  std::size_t offset = 0;
  bool is_word = false;
};

bool starts_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool continues_word(char c) {
  return starts_word(c) || (c >= '0' && c <= '9');
}

/// Past the comment, the text or the directive that begins at `at`; `at` itself where none does.
std::size_t skip_uninteresting(std::string_view source, std::size_t at) {
  const auto past = [&](std::string_view end, std::size_t from) {
    const std::size_t found = source.find(end, from);
    return found == std::string_view::npos ? source.size() : found + end.size();
  };
  const std::string_view rest = source.substr(at);
  if (rest.substr(0, 2) == "//") {
    return past("\n", at);
  }
  if (rest.substr(0, 2) == "/*") {
    return past("*/", at + 2);
  }
  // 1'000 is a number.
  const bool separator = rest.front() == '\'' && at > 0 && continues_word(source[at - 1]);
  if (!separator && (rest.front() == '"' || rest.front() == '\'')) {
    std::size_t end = at + 1;
    while (end < source.size() && source[end] != rest.front() && source[end] != '\n') {
      end += source[end] == '\\' ? 2 : 1;
    }
    return std::min(source.size(), end + 1);
  }
  if (rest.front() == '#') {
    std::size_t end = at;
    do {
      end = past("\n", end);
    } while (end < source.size() && end >= 2 && source[end - 2] == '\\');
    return end;
  }
  return at;
}

std::vector<Token> tokens_of(std::string_view source) {
  std::vector<Token> tokens;
  std::size_t at = 0;
  while (at < source.size()) {
    const std::size_t next = skip_uninteresting(source, at);
    if (next != at) {
      at = next;
      continue;
    }
    std::size_t end = at + 1;
    const bool word = continues_word(source[at]);
    while (word && end < source.size() && continues_word(source[end])) {
      ++end;
    }
    if (source[at] > ' ') {
      tokens.push_back({source.substr(at, end - at), at, word && starts_word(source[at])});
    }
    at = end;
  }
  return tokens;
}

/// The index past the bracket that closes the one at `open`; tokens.size() where none does.
std::size_t past_closing(const std::vector<Token>& tokens, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < tokens.size(); ++i) {
    depth += tokens[i].text == "(" ? 1 : tokens[i].text == ")" ? -1 : 0;
    if (depth == 0) {
      return i + 1;
    }
  }
  return tokens.size();
}

std::string joined(const std::vector<Token>& tokens, std::size_t begin, std::size_t end) {
  std::string text;
  for (std::size_t i = begin; i < end; ++i) {
    const bool touches =
        i > begin && tokens[i - 1].offset + tokens[i - 1].text.size() == tokens[i].offset;
    text += i == begin || touches ? "" : " ";
    text += tokens[i].text;
  }
  return text;
}

/// Between `begin` and `end`, split at the commas that stand in no bracket. nullopt where a
/// parameter is a single word (a macro may stand for many) or `...`.
std::optional<std::vector<std::string>> split_parameters(const std::vector<Token>& tokens,
                                                         std::size_t begin, std::size_t end) {
  const bool none = end == begin || (end == begin + 1 && tokens[begin].text == "void");
  std::vector<std::string> parameters;
  int depth = 0;
  std::size_t first = begin;
  for (std::size_t i = begin; i <= end; ++i) {
    const std::string_view text = i < end ? tokens[i].text : ",";
    if (text == "," && depth == 0) {
      if (i > first + 1) {
        parameters.push_back(joined(tokens, first, i));
      } else if (!none) {
        return std::nullopt;
      }
      first = i + 1;
    }
    const bool opens = text == "(" || text == "<" || text == "[" || text == "{";
    const bool closes = text == ")" || text == ">" || text == "]" || text == "}";
    depth += opens ? 1 : closes ? -1 : 0;
  }
  for (const std::string& parameter : parameters) {
    if (parameter.find("...") != std::string::npos) {
      return std::nullopt;
    }
  }
  return parameters;
}

/// What `template <...>` before the declaration at `at` lists; `static`, `extern` and the like may
/// stand between.
std::vector<std::string> template_parameters_before(const std::vector<Token>& tokens,
                                                    std::size_t at) {
  std::size_t close = at;
  while (close > 0 && tokens[close - 1].is_word) {
    --close;
  }
  if (close == 0 || tokens[close - 1].text != ">") {
    return {};
  }
  int depth = 0;
  std::size_t open = close;
  do {
    --open;
    depth += tokens[open].text == ">" ? 1 : tokens[open].text == "<" ? -1 : 0;
  } while (depth > 0 && open > 0);
  const bool found = depth == 0 && open > 0 && tokens[open - 1].text == "template";
  return found ? split_parameters(tokens, open + 1, close - 1).value_or(std::vector<std::string>{})
               : std::vector<std::string>{};
}

/// The function whose `__global__` is at `at`: the first WORD(...) that a body or `;` follows.
/// What comes before (__launch_bounds__(256), a macro) is followed by more words.
std::optional<KernelSignature> signature_at(const std::vector<Token>& tokens, std::size_t at) {
  for (std::size_t i = at + 1; i + 1 < tokens.size(); ++i) {
    if (tokens[i].text == "{" || tokens[i].text == ";") {
      return std::nullopt;
    }
    if (tokens[i + 1].text != "(" || !tokens[i].is_word) {
      continue;
    }
    const std::size_t past = past_closing(tokens, i + 1);
    if (past < tokens.size() && (tokens[past].text == "{" || tokens[past].text == ";")) {
      auto parameters = split_parameters(tokens, i + 2, past - 1);
      if (!parameters) {
        return std::nullopt;
      }
      return KernelSignature{std::string(tokens[i].text), std::move(*parameters),
                             template_parameters_before(tokens, at)};
    }
    i = past - 1;
  }
  return std::nullopt;
}

}  // namespace

std::vector<KernelSignature> kernel_signatures(std::string_view source) {
  const std::vector<Token> tokens = tokens_of(source);
  std::vector<KernelSignature> signatures;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].text == "__global__") {
      if (auto signature = signature_at(tokens, i)) {
        signatures.push_back(std::move(*signature));
      }
    }
  }
  return signatures;
}

std::vector<TunableMacro> tunable_macros(std::string_view source) {
  static const std::regex guarded(
      R"(#[ \t]*ifndef[ \t]+(\w+)[ \t]*\r?\n[ \t]*#[ \t]*define[ \t]+(\w+)[ \t]+([^\r\n]+))");
  std::vector<TunableMacro> macros;
  const std::string text(source);
  for (std::sregex_iterator match(text.begin(), text.end(), guarded), end; match != end; ++match) {
    if ((*match)[1] == (*match)[2]) {
      const std::string value = (*match)[3];
      macros.push_back({(*match)[1], value.substr(0, value.find_last_not_of(" \t") + 1)});
    }
  }
  return macros;
}

std::optional<std::vector<std::string>> kernel_signature(std::string_view source,
                                                         std::string_view name) {
  std::optional<std::vector<std::string>> found;
  for (KernelSignature& signature : kernel_signatures(source)) {
    if (signature.name != name) {
      continue;
    }
    if (found && found->size() != signature.parameters.size()) {
      return std::nullopt;
    }
    found = std::move(signature.parameters);
  }
  return found;
}

bool mentions_identifier(std::string_view source, std::string_view word) {
  // Directives count too: a macro may build the name.
  std::string text(source);
  std::replace(text.begin(), text.end(), '#', ' ');
  const std::vector<Token> tokens = tokens_of(text);
  return std::any_of(tokens.begin(), tokens.end(),
                     [&](const Token& token) { return token.text == word; });
}

std::string plain_kernel_name(std::string_view name_expression) {
  std::string_view name = name_expression.substr(0, name_expression.find('<'));
  const std::size_t scope = name.rfind("::");
  if (scope != std::string_view::npos) {
    name.remove_prefix(scope + 2);
  }
  while (!name.empty() && !continues_word(name.front())) {
    name.remove_prefix(1);
  }
  while (!name.empty() && !continues_word(name.back())) {
    name.remove_suffix(1);
  }
  return std::string(name);
}

}  // namespace rooftune
