#include <algorithm>

#include "tuner/spec/spec.hpp"

namespace rooftune {
namespace {

/// The closing brace of the hole that begins at `begin`, texts in quotes skipped.
std::size_t end_of_hole(std::string_view text, std::size_t begin) {
  char quote = '\0';
  for (std::size_t i = begin; i < text.size(); ++i) {
    if (quote != '\0') {
      quote = text[i] == quote ? '\0' : quote;
    } else if (text[i] == '"' || text[i] == '\'') {
      quote = text[i];
    } else if (text[i] == '}') {
      return i;
    }
  }
  throw ExpressionError("this `{` is never closed", begin - 1, "write {{ for a brace itself");
}

}  // namespace

TextTemplate TextTemplate::parse(std::string_view text) {
  TextTemplate result;
  result.text_ = text;
  result.pieces_.emplace_back();
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool doubled = i + 1 < text.size() && text[i + 1] == text[i];
    if (text[i] == '}' && !doubled) {
      throw ExpressionError("this `}` was never opened", i, "write }} for a brace itself");
    }
    if (text[i] != '{' || doubled) {
      result.pieces_.back() += text[i];
      i += text[i] == '{' || text[i] == '}' ? 1 : 0;
      continue;
    }
    const std::size_t end = end_of_hole(text, i + 1);
    try {
      result.holes_.push_back(Expression::parse(text.substr(i + 1, end - i - 1)));
    } catch (const ExpressionError& error) {
      throw ExpressionError(error.what(), i + 1 + error.offset(), error.hint());
    }
    result.hole_offsets_.push_back(i + 1);
    result.pieces_.emplace_back();
    i = end;
  }
  return result;
}

std::string TextTemplate::render(const Scope& scope) const {
  std::string result;
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    result += pieces_[i];
    if (i < holes_.size()) {
      result += holes_[i].evaluate(scope).to_cpp();
    }
  }
  return result;
}

std::vector<std::string> TextTemplate::names() const {
  std::vector<std::string> names;
  for (const Expression& hole : holes_) {
    names.insert(names.end(), hole.names().begin(), hole.names().end());
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

std::optional<std::size_t> TextTemplate::offset_of(std::string_view name) const {
  for (std::size_t i = 0; i < holes_.size(); ++i) {
    if (const auto offset = holes_[i].offset_of(name)) {
      return hole_offsets_[i] + *offset;
    }
  }
  return std::nullopt;
}

}  // namespace rooftune
