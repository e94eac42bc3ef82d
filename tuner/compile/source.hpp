// A kernel's source before any compiler sees it: its kernels, its includes, and the #define lines
// of a configuration.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/core/error.hpp"
#include "tuner/core/tokens.hpp"
#include "tuner/core/value.hpp"

namespace rooftune {

/// Names of the `__global__` functions in a source, in order, each once, with their namespaces
/// ("a::k").
std::vector<std::string> kernels_in(const TokenizedText& source);

/// The identifier before the parameter list of the function that is declared from token `index` on;
/// empty where there is none. Attributes with arguments, such as __launch_bounds__, are passed by.
std::string_view declared_function(const TokenizedText& source, std::size_t index);
/// The index after the parenthesis that closes the one at `index`.
std::size_t after_parentheses(const TokenizedText& source, std::size_t index);

/// What a directive names: "include" of `#  include <a.h>`.
std::string_view directive_word(std::string_view directive);
/// What follows the word, without blanks at either end.
std::string_view directive_rest(std::string_view directive);

/// The place of a token (of `length` characters) in a source, for a message.
SourceSpot spot_of(const TokenizedText& source, std::size_t offset, std::size_t length);
/// Line `line` of a text, without its newline; empty where there is none.
std::string line_of(std::string_view text, int line);

/// Throws InputError for the first name that #define lines cannot carry safely into this source:
/// the message names it, the place where the source would break, and what to do.
void refuse_unsafe_defines(const TokenizedText& source, const NamedValues& defines);

/// Where #define lines go: the end of the last leading include, before its newline; 0 where there
/// is none. Throws as refuse_unsafe_defines.
std::size_t place_of_defines(const TokenizedText& source, const NamedValues& defines);

/// A value as the body of a #define line: booleans as true and false, negative numbers and
/// arithmetic in parentheses, other text verbatim. Throws InputError for text of several lines.
std::string define_body(const NamedValue& define);

}  // namespace rooftune
