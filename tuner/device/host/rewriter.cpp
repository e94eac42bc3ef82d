#include "tuner/device/host/rewriter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <optional>

#include "tuner/core/error.hpp"
#include "tuner/core/tokens.hpp"
#include "tuner/device/host/scopes.hpp"
#include "tuner/device/host/shared_declaration.hpp"

namespace rooftune::host {
namespace {

/// Stands for `#pragma unroll` while the preprocessor runs.
constexpr std::string_view unroll_mark = "__rooftune_unroll__";
/// g++ takes an unroll factor at its word even for a loop whose trip count it does not know, so a
/// large one makes code explode. Full unrolling is left to the raised peeling limits.
constexpr int unroll_at_most = 64;

struct Refusal {
  std::string_view word;
  std::string_view why;
};
constexpr std::array<Refusal, 11> refusals = {{
    {"asm", "inline PTX runs on a GPU only"},
    {"__asm", "inline PTX runs on a GPU only"},
    {"__asm__", "inline PTX runs on a GPU only"},
    {"texture", "texture references do not exist on the host device (nor in CUDA 12 and newer)"},
    {"surface", "surface references do not exist on the host device (nor in CUDA 12 and newer)"},
    {"cudaTextureObject_t", "the host device has no textures"},
    {"cudaSurfaceObject_t", "the host device has no surfaces"},
    {"__cluster_dims__", "the host device has no thread block clusters"},
    {"__block_size__", "the host device has no thread block clusters"},
    {"cudaLaunchDevice", "the host device cannot launch kernels from a kernel"},
    {"cudaGridDependencySynchronize", "the host device has no dependent launches"},
}};
constexpr std::string_view refusal_hint =
    "put it between `#ifndef ROOFTUNE_HOST` and `#endif` with plain CUDA C++ in the other branch, "
    "or use --device cuda";

constexpr const char* host_code_hint =
    "put host code into a file of its own, or between `#ifndef __CUDACC_RTC__` and `#endif`";

/// `#pragma NAME` with what follows the name; nullopt for other directives.
std::optional<std::string> pragma_operand(std::string_view directive, std::string_view name) {
  std::vector<std::string> words;
  const TokenizedText line = tokenize(std::string(directive.substr(1)), "");
  if (line.tokens.size() < 2 || line.view(0) != "pragma" || line.view(1) != name) {
    return std::nullopt;
  }
  std::string operand;
  for (std::size_t i = 2; i < line.tokens.size(); ++i) {
    operand += fmt::format("{}{}", operand.empty() ? "" : " ", line.view(i));
  }
  return operand;
}

class Rewriter {
 public:
  Rewriter(const std::string& source, const std::filesystem::path& file)
      : text_(tokenize(source, file.string())), scopes_(find_scopes(text_)) {}

  std::string run() {
    for (std::size_t i = 0; i < text_.tokens.size(); ++i) {
      if (!text_.tokens[i].system_header) {
        i = rewrite(i);
      }
    }
    place_outside_declarations();
    return edits_.apply(text_.text);
  }

 private:
  /// Rewrites what starts at token `i`; returns the last token that is done with.
  std::size_t rewrite(std::size_t i) {
    const Token& token = text_.tokens[i];
    const std::string_view word = text_.view(i);
    if (token.kind == TokenKind::directive) {
      unroll_pragma(i);
    } else if (word == unroll_mark) {
      return unroll_marked(i);
    } else if (word == "<<<") {
      refuse(i, "a kernel launch (<<<...>>>) cannot be in the source of a kernel", host_code_hint);
    } else if (word == "main" && scopes_.of_token[i] == ScopeKind::outside &&
               i + 1 < text_.tokens.size() && text_.view(i + 1) == "(") {
      refuse(i, "the source of a kernel cannot have a main()", host_code_hint);
    } else if (word == "__global__") {
      edits_.replace(token.offset, token.length, "");
    } else if (token.kind == TokenKind::identifier && word == "__shared__") {
      return shared_statement(i);
    } else if (token.kind == TokenKind::identifier) {
      refuse_unsupported(i);
    }
    return i;
  }

  // Unrolling.

  void unroll_pragma(std::size_t i) {
    const Token& token = text_.tokens[i];
    const std::string_view line = text_.view(token);
    if (const auto factor = pragma_operand(line, "unroll")) {
      edits_.replace(token.offset, token.length, unroll(*factor, i + 1));
    } else if (pragma_operand(line, "nounroll")) {
      edits_.replace(token.offset, token.length, unroll("1", i + 1));
    }
  }

  std::size_t unroll_marked(std::size_t i) {
    const std::size_t close = closing_bracket(text_, i + 1);
    std::string factor;
    for (std::size_t k = i + 2; k < close; ++k) {
      factor += fmt::format("{}{}", factor.empty() ? "" : " ", text_.view(k));
    }
    const Token& last = text_.tokens[close];
    const std::size_t start = text_.tokens[i].offset;
    edits_.replace(start, last.offset + last.length - start, unroll(factor, close + 1));
    return close;
  }

  /// g++'s pragma for a loop that starts at token `next`, or nothing.
  std::string unroll(const std::string& factor, std::size_t next) const {
    const std::string_view loop = next < text_.tokens.size() ? text_.view(next) : "";
    if (loop != "for" && loop != "while" && loop != "do") {
      return "";
    }
    // g++ 12 takes no factor that depends on a template parameter, and none at all means fully:
    // both are left to the peeling limits, which unroll every loop of a known trip count.
    const TokenizedText words = tokenize(factor, "");
    for (const Token& token : words.tokens) {
      if (token.kind == TokenKind::identifier) {
        return "";
      }
    }
    if (words.tokens.empty()) {
      return "";
    }
    if (words.tokens.size() == 1 && factor.size() < 3) {
      return fmt::format("#pragma GCC unroll {}", factor);
    }
    return fmt::format("#pragma GCC unroll (({0}) < {1} ? ({0}) : {1})", factor, unroll_at_most);
  }

  // Shared memory.

  std::size_t shared_statement(std::size_t i) {
    const ScopeKind scope = scopes_.of_token[i];
    if (scope == ScopeKind::type) {
      refuse(i, "a member of a type cannot be __shared__", "declare it in a function");
    }
    SharedDeclaration declaration;
    try {
      declaration = read_shared_declaration(text_, i);
    } catch (const DeclarationError& error) {
      refuse(error.token, error.what(), "");
    }
    const int id = next_id_;
    next_id_ += static_cast<int>(declaration.declarators.size());
    declaration.rewrite_types(text_, id, edits_);
    const Token& end = text_.tokens[declaration.end];
    const std::string variables = declaration.variables(text_, id);
    if (scope == ScopeKind::function) {
      edits_.insert(end.offset + end.length, variables);
    } else {
      outside_.push_back({declaration.names(text_), variables, declaration.end});
    }
    return declaration.end;
  }

  /// Shared variables that are declared outside of functions become variables of each function
  /// that uses one of them.
  void place_outside_declarations() {
    for (const FunctionBody& function : scopes_.functions) {
      for (const OutsideDeclaration& outside : outside_) {
        if (outside.end < function.head && uses(function, outside)) {
          edits_.insert(text_.tokens[function.open].offset + 1, outside.variables);
        }
      }
    }
  }

  struct OutsideDeclaration {
    std::vector<std::string> names;
    std::string variables;  ///< C++ that declares them in a function
    std::size_t end = 0;    ///< token
  };

  /// Whether the body uses a name that neither it nor its parameters declare anew.
  bool uses(const FunctionBody& function, const OutsideDeclaration& outside) const {
    const auto is_name = [&](std::size_t i) {
      return text_.tokens[i].kind == TokenKind::identifier &&
             std::find(outside.names.begin(), outside.names.end(), text_.view(i)) !=
                 outside.names.end();
    };
    for (std::size_t i = function.head; i < function.open; ++i) {
      if (is_name(i)) {
        return false;
      }
    }
    bool found = false;
    for (std::size_t i = function.open; i <= function.close; ++i) {
      if (text_.view(i) == "__shared__") {
        const SharedDeclaration local = read_shared_declaration(text_, i);
        for (const std::string& name : local.names(text_)) {
          if (std::count(outside.names.begin(), outside.names.end(), name) != 0) {
            return false;
          }
        }
        i = local.end;
      }
      found = found || is_name(i);
    }
    return found;
  }

  // What the host cannot do.

  void refuse_unsupported(std::size_t i) const {
    const std::string_view word = text_.view(i);
    const auto* found = std::find_if(refusals.begin(), refusals.end(),
                                     [&](const Refusal& refusal) { return refusal.word == word; });
    if (found == refusals.end()) {
      return;
    }
    const bool reference = word == "texture" || word == "surface";
    if (reference && (i + 1 >= text_.tokens.size() || text_.view(i + 1) != "<")) {
      return;  // a name like any other
    }
    if (word.find("asm") != std::string_view::npos && is_empty_asm(i)) {
      return;  // a barrier for the compiler
    }
    refuse(i, fmt::format("`{}`: {}", word, found->why), std::string(refusal_hint));
  }

  bool is_empty_asm(std::size_t i) const {
    while (++i < text_.tokens.size()) {
      if (text_.tokens[i].kind == TokenKind::text) {
        return text_.view(i) == "\"\"";
      }
      if (text_.view(i) == ";") {
        return false;
      }
    }
    return false;
  }

  [[noreturn]] void refuse(std::size_t i, const std::string& problem,
                           const std::string& hint) const {
    throw InputError(spot(text_.tokens[i]), problem, hint);
  }

  /// The token's place in the user's file. Macros may have moved it, so it is looked for there.
  SourceSpot spot(const Token& token) const {
    SourceSpot spot;
    spot.file = text_.files[static_cast<std::size_t>(token.file)];
    spot.line = token.line;
    spot.length = static_cast<int>(token.length);
    const std::string_view word = text_.view(token);
    std::ifstream file(spot.file);
    for (int line = 0; line < token.line && std::getline(file, spot.line_text); ++line) {
    }
    std::size_t column = file ? spot.line_text.find(word) : std::string::npos;
    if (column == std::string::npos) {
      const std::size_t newline = text_.text.rfind('\n', token.offset);
      const std::size_t start = newline == std::string::npos ? 0 : newline + 1;
      const std::size_t end = text_.text.find('\n', token.offset);
      spot.line_text = text_.text.substr(start, end == std::string::npos ? end : end - start);
      column = token.offset - start;
    }
    spot.column = static_cast<int>(column) + 1;
    return spot;
  }

  TokenizedText text_;
  Scopes scopes_;
  Edits edits_;
  std::vector<OutsideDeclaration> outside_;
  int next_id_ = 0;
};

}  // namespace

std::string mark_unroll_pragmas(const std::string& source) {
  const TokenizedText text = tokenize(source, "");
  Edits edits;
  for (const Token& token : text.tokens) {
    if (token.kind != TokenKind::directive) {
      continue;
    }
    if (const auto factor = pragma_operand(text.view(token), "unroll")) {
      edits.replace(token.offset, token.length, fmt::format("{}({})", unroll_mark, *factor));
    }
  }
  return edits.apply(source);
}

std::string without_other_kernels(const std::string& preprocessed, const std::string& kernel) {
  const TokenizedText text = tokenize(preprocessed, "");
  const std::string name = kernel.substr(kernel.rfind(':') + 1);  // npos + 1 is 0
  std::vector<bool> left_out(text.tokens.size());
  for (const FunctionBody& function : find_scopes(text).functions) {
    const auto has = [&](std::string_view word) {
      for (std::size_t i = function.head; i < function.open; ++i) {
        if (text.view(i) == word) {
          return true;
        }
      }
      return false;
    };
    if (has("__global__") && !has(name)) {
      std::fill(left_out.begin() + static_cast<std::ptrdiff_t>(function.head),
                left_out.begin() + static_cast<std::ptrdiff_t>(function.close + 1), true);
    }
  }
  std::string out;
  for (std::size_t i = 0; i < text.tokens.size(); ++i) {
    if (!left_out[i]) {
      out += fmt::format("{} ", text.view(i));
    }
  }
  return out;
}

}  // namespace rooftune::host

namespace rooftune {

std::string rewrite_for_host(const std::string& source, const std::filesystem::path& file) {
  return host::Rewriter(source, file).run();
}

}  // namespace rooftune
