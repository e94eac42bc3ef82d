// A YAML file as a tree with places, checked for what no spec may contain. Internal to tuner/spec.
#pragma once

#include <cstddef>
#include <filesystem>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/core/error.hpp"
#include "tuner/core/value.hpp"

namespace rooftune::yaml {

struct Entry;

struct Node {
  enum class Kind { null, scalar, sequence, map } kind = Kind::null;
  std::string text;      ///< of a scalar, without quotes
  bool plain = true;     ///< a scalar without quotes
  bool in_flow = false;  ///< somewhere inside [...] or {...}
  std::size_t line = 0;  ///< from 0
  std::size_t column = 0;
  std::vector<Node> items;     ///< of a sequence
  std::vector<Entry> entries;  ///< of a map; keys are scalars, each once
};

struct Entry {
  Node key;
  Node value;
};

/// "a list", "a mapping", ...
std::string_view kind_name(const Node& node);

class Document {
 public:
  /// Throws InputError for what is not YAML, tabs in an indentation, duplicate keys, anchors, tags,
  /// and expressions that an unquoted comma has split.
  Document(std::string text, const std::filesystem::path& file);

  const Node& root() const { return root_; }
  const std::string& file() const { return file_; }

  SourceSpot spot(const Node& node) const;
  /// The place of a byte of a scalar's text, quotes, escapes and folded lines considered.
  SourceSpot spot(const Node& scalar, std::size_t offset) const;
  [[noreturn]] void fail(const Node& node, std::string problem, std::string hint = "") const;

 private:
  friend class TreeBuilder;
  struct Position {
    std::size_t line;
    std::size_t column;
  };
  SourceSpot spot_at(Position position, std::size_t length) const;
  Position position_of(const Node& scalar, std::size_t offset) const;
  void refuse_tabs() const;

  std::string file_;
  std::vector<std::string> lines_;
  Node root_;
};

/// A mapping with a closed set of keys.
class Map {
 public:
  /// `what` names it in messages: "kernel", "argument `A`". Throws InputError where `node` is no
  /// mapping or has an unknown key.
  Map(const Document& document, const Node& node, std::string what,
      std::initializer_list<std::string_view> keys);

  /// nullptr where the key is not there.
  const Node* find(std::string_view key) const;
  const Node& require(std::string_view key, std::string_view hint = "") const;
  const Node& node() const { return node_; }

 private:
  const Document& document_;
  const Node& node_;
  std::string what_;
};

/// The entries of a mapping with free keys. Throws InputError where it is none.
const std::vector<Entry>& entries(const Document& document, const Node& node,
                                  std::string_view what);
/// The items of a list. Throws InputError where it is none.
const std::vector<Node>& items(const Document& document, const Node& node, std::string_view what);
/// A scalar's text. Throws InputError where it is none, or empty.
const std::string& text(const Document& document, const Node& node, std::string_view what);

/// A number, a boolean or a text, by the rules on which YAML 1.1 and 1.2 agree; where they do not
/// (on, 012, 1e3, 12:30), an InputError says how to write what is meant. A plain scalar that is
/// neither a number nor a name is computed as an expression without names: 2 ** 20.
Value value(const Document& document, const Node& node, std::string_view what);
/// The same for a text from the command line; throws ValueError.
Value value_of_plain(const std::string& text);

}  // namespace rooftune::yaml
