// `__shared__` declarations, and the text edits that replace them.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "tuner/core/tokens.hpp"

namespace rooftune::host {

/// Replacements in a text, applied all at once. What is replaced keeps its newlines.
class Edits {
 public:
  void replace(std::size_t offset, std::size_t length, std::string with);
  void insert(std::size_t offset, std::string what) { replace(offset, 0, std::move(what)); }
  std::string apply(const std::string& text) const;

 private:
  struct Edit {
    std::size_t offset;
    std::size_t length;
    std::string with;
  };
  std::vector<Edit> edits_;
};

struct DeclarationError : std::runtime_error {
  DeclarationError(const std::string& message, std::size_t at)
      : std::runtime_error(message), token(at) {}
  std::size_t token;
};

/// A statement such as `__shared__ alignas(16) float a[4], (*p)[N];`. It is rewritten to
///
///     typedef float rt_0_a[4], (*rt_0_p)[N]; struct rt_0_a_ { alignas(16) rt_0_a value; };
///     auto& a = ::rooftune_host::shared_array<rt_0_a_>(0, "a", FILE, LINE).value; ...
///
/// so that C++ reads the declarators, however they are spelt. The local struct is a type of its
/// own in each instantiation of a template, as the variable is in CUDA.
struct SharedDeclaration {
  std::size_t begin = 0;                 ///< first token of the statement
  std::size_t end = 0;                   ///< its `;`
  bool dynamic = false;                  ///< `extern`
  std::vector<std::size_t> removed;      ///< static, extern, alignment
  std::vector<std::string> alignment;    ///< specifiers
  std::vector<std::size_t> declarators;  ///< the names' tokens

  std::vector<std::string> names(const TokenizedText& text) const;
  /// Turns the statement into a typedef of each variable's type.
  void rewrite_types(const TokenizedText& text, int first_id, Edits& edits) const;
  /// The statements that declare the variables, to stand in a function. The variables are numbered
  /// from `first_id`.
  std::string variables(const TokenizedText& text, int first_id) const;
};

/// Reads the statement that the `__shared__` at token `shared` is part of. Throws DeclarationError.
SharedDeclaration read_shared_declaration(const TokenizedText& text, std::size_t shared);

}  // namespace rooftune::host
