// A kernel's source without the files beside it.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "tuner/compile/compiler.hpp"
#include "tuner/compile/source.hpp"
#include "tuner/core/error.hpp"
#include "tuner/report/header/embed.hpp"

namespace rooftune::header {
namespace {

namespace fs = std::filesystem;

/// What `#include` names: the text between its quotes or brackets, and these themselves.
struct Included {
  std::string name;
  bool quoted = false;
  std::string written;  ///< with its quotes or brackets
};

Included included(std::string_view directive, const fs::path& file) {
  const std::string_view rest = directive_rest(directive);
  const char close = rest.empty() ? 0 : rest.front() == '"' ? '"' : rest.front() == '<' ? '>' : 0;
  const std::size_t end = close == 0 ? std::string_view::npos : rest.find(close, 1);
  if (end == std::string_view::npos) {
    throw InputError(fmt::format("{}: an include that a macro names cannot be embedded: {}",
                                 file.string(), directive),
                     "write the file's name, or use --embed none");
  }
  return {std::string(rest.substr(1, end - 1)), close == '"', std::string(rest.substr(0, end + 1))};
}

bool is_include(const TokenizedText& source, const Token& token) {
  return token.kind == TokenKind::directive && directive_word(source.view(token)) == "include";
}

bool is_pragma_once(const TokenizedText& source, const Token& token) {
  return token.kind == TokenKind::directive && directive_word(source.view(token)) == "pragma" &&
         directive_rest(source.view(token)) == "once";
}

/// Puts what a source includes from its own folders into its place, each file once.
class Flattener {
 public:
  explicit Flattener(std::vector<fs::path> folders) : folders_(std::move(folders)) {}

  std::string flatten(const fs::path& file) {
    seen_.insert(fs::weakly_canonical(file));
    const TokenizedText source = tokenize(read_source(file), file.string());
    std::string text;
    std::size_t copied = 0;
    for (const Token& token : source.tokens) {
      if (!is_include(source, token) && !is_pragma_once(source, token)) {
        continue;
      }
      text += source.text.substr(copied, token.offset - copied);
      copied = token.offset + token.length;
      text += is_include(source, token) ? replacement(source.view(token), file) : "";
    }
    return text + source.text.substr(copied);
  }

 private:
  std::string replacement(std::string_view directive, const fs::path& file) {
    const Included what = included(directive, file);
    std::vector<fs::path> folders = folders_;
    if (what.quoted) {
      folders.insert(folders.begin(), file.parent_path());
    }
    for (const fs::path& folder : folders) {
      const fs::path candidate = fs::weakly_canonical(folder / what.name);
      if (fs::is_regular_file(candidate)) {
        return seen_.count(candidate) > 0 ? "" : flatten(candidate);
      }
    }
    return std::string(directive);
  }

  std::vector<fs::path> folders_;
  std::set<fs::path> seen_;
};

/// Takes the includes that are left out of the text.
void hoist_includes(WholeSource& source, const fs::path& file) {
  const TokenizedText text = tokenize(source.text, file.string());
  std::size_t copied = 0;
  for (const Token& token : text.tokens) {
    if (!is_include(text, token)) {
      continue;
    }
    source.body += text.text.substr(copied, token.offset - copied);
    copied = token.offset + token.length;
    const std::string written = included(text.view(token), file).written;
    if (std::find(source.includes.begin(), source.includes.end(), written) ==
        source.includes.end()) {
      source.includes.push_back(written);
    }
  }
  source.body += text.text.substr(copied);
}

std::vector<std::string> macros_of(const std::string& body) {
  const TokenizedText text = tokenize(body, "");
  std::set<std::string> names;
  for (const Token& token : text.tokens) {
    if (token.kind == TokenKind::directive && directive_word(text.view(token)) == "define") {
      const TokenizedText words = tokenize(std::string(directive_rest(text.view(token))), "");
      names.insert(words.tokens.empty() ? "" : std::string(words.view(0)));
    }
  }
  names.erase("");
  return {names.begin(), names.end()};
}

}  // namespace

WholeSource whole_source(const Spec& spec) {
  const fs::path& file = kernel_of(spec).source;
  std::vector<fs::path> folders = kernel_of(spec).include;
  folders.push_back(file.parent_path());
  WholeSource source;
  source.text = Flattener(folders).flatten(file);
  if (source.text.empty() || source.text.back() != '\n') {
    source.text += '\n';
  }
  hoist_includes(source, file);
  source.macros = macros_of(source.body);
  return source;
}

}  // namespace rooftune::header
