// Which braces of a C++ text are function bodies, found without parsing it.
#pragma once

#include <vector>

#include "tuner/core/tokens.hpp"

namespace rooftune::host {

enum class ScopeKind { outside, type, function };

/// A function's outermost braces, as indices of tokens.
struct FunctionBody {
  std::size_t head = 0;  ///< first token of the declaration
  std::size_t open = 0;
  std::size_t close = 0;  ///< of the last token where the text ends before
};

struct Scopes {
  std::vector<ScopeKind> of_token;  ///< where each token stands
  std::vector<FunctionBody> functions;
};

Scopes find_scopes(const TokenizedText& text);

/// The index of the bracket that closes the one at `open` ("(", "[" or "{"); the last token where
/// none does.
std::size_t closing_bracket(const TokenizedText& text, std::size_t open);

}  // namespace rooftune::host
