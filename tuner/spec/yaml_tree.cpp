#include "tuner/spec/yaml_tree.hpp"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <sstream>

namespace rooftune::yaml {

std::string_view kind_name(const Node& node) {
  switch (node.kind) {
    case Node::Kind::null:
      return "nothing";
    case Node::Kind::scalar:
      return "a single value";
    case Node::Kind::sequence:
      return "a list";
    case Node::Kind::map:
      break;
  }
  return "a mapping";
}

/// Builds the tree from yaml-cpp's events.
class TreeBuilder : public YAML::EventHandler {
 public:
  explicit TreeBuilder(const Document& document) : document_(document) {}

  Node take() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark& /*mark*/) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    add(begin(Node::Kind::null, mark, "", anchor));
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) override {
    refuse_anchor(begin(Node::Kind::null, mark, "", 0));
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    Node node = begin(Node::Kind::scalar, mark, tag, anchor);
    node.text = value;
    node.plain = tag == "?";
    refuse_split(node);
    add(std::move(node));
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value style) override {
    open(Node::Kind::sequence, mark, tag, anchor, style);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value style) override {
    open(Node::Kind::map, mark, tag, anchor, style);
  }
  void OnMapEnd() override { close(); }

 private:
  struct Open {
    Node node;
    Node key;
    bool has_key = false;
    bool flow = false;
  };

  Node begin(Node::Kind kind, const YAML::Mark& mark, const std::string& tag,
             YAML::anchor_t anchor) const {
    Node node;
    node.kind = kind;
    node.line = static_cast<std::size_t>(std::max(0, mark.line));
    node.column = static_cast<std::size_t>(std::max(0, mark.column));
    node.in_flow = !open_.empty() && open_.back().flow;
    if (anchor != 0) {
      refuse_anchor(node);
    }
    if (!tag.empty() && tag != "?" && tag != "!") {
      document_.fail(node, "a spec has no tags", "leave the `!` out, or put the text in quotes");
    }
    return node;
  }

  void open(Node::Kind kind, const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
            YAML::EmitterStyle::value style) {
    Open opened;
    opened.node = begin(kind, mark, tag, anchor);
    opened.flow = opened.node.in_flow || style == YAML::EmitterStyle::Flow;
    open_.push_back(std::move(opened));
  }

  void close() {
    Node node = std::move(open_.back().node);
    open_.pop_back();
    add(std::move(node));
  }

  void add(Node node) {
    if (open_.empty()) {
      root_ = std::move(node);
      return;
    }
    Open& parent = open_.back();
    if (parent.node.kind == Node::Kind::sequence) {
      parent.node.items.push_back(std::move(node));
    } else if (parent.has_key) {
      parent.node.entries.push_back({std::move(parent.key), std::move(node)});
      parent.has_key = false;
    } else {
      parent.key = checked_key(parent.node, std::move(node));
      parent.has_key = true;
    }
  }

  Node checked_key(const Node& map, Node key) const {
    if (key.kind != Node::Kind::scalar) {
      document_.fail(key, fmt::format("a key is a name, not {}", kind_name(key)),
                     "a text that begins with `{` or `[` needs quotes");
    }
    for (const auto& [earlier, value] : map.entries) {
      if (earlier.text == key.text) {
        document_.fail(key, fmt::format("duplicate key \"{}\"", key.text),
                       fmt::format("it stands in line {} already", earlier.line + 1));
      }
    }
    return key;
  }

  [[noreturn]] void refuse_anchor(const Node& node) const {
    document_.fail(node, "a spec has no anchors and aliases", "write the value out");
  }

  /// In [...] and {...} a comma ends a plain scalar, in the middle of a call too.
  void refuse_split(const Node& node) const {
    const auto count = [&](char c) { return std::count(node.text.begin(), node.text.end(), c); };
    if (node.plain && node.in_flow && count('(') > count(')')) {
      document_.fail(node, fmt::format("the comma after `{}` splits the expression", node.text),
                     "inside [...] and {...} an expression with a comma needs quotes");
    }
  }

  const Document& document_;
  Node root_;
  std::vector<Open> open_;
};

namespace {

std::vector<std::string> split_lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  std::string line;
  while (std::getline(stream, line)) {
    if (!line.empty() && line.back() == '\r') {
      line.pop_back();
    }
    lines.push_back(line);
  }
  return lines;
}

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n';
}

}  // namespace

Document::Document(std::string text, const std::filesystem::path& file) : file_(file.string()) {
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  if (text.compare(0, byte_order_mark.size(), byte_order_mark) == 0) {
    text.erase(0, byte_order_mark.size());
  }
  lines_ = split_lines(text);
  refuse_tabs();
  TreeBuilder builder(*this);
  try {
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    parser.HandleNextDocument(builder);
    root_ = builder.take();
    TreeBuilder second(*this);
    if (parser.HandleNextDocument(second)) {
      fail(second.take(), "a spec is one YAML document", "take the second one out");
    }
  } catch (const YAML::ParserException& error) {
    const auto line = static_cast<std::size_t>(std::max(0, error.mark.line));
    const auto column = static_cast<std::size_t>(std::max(0, error.mark.column));
    throw InputError(spot_at({line, column}, 1), fmt::format("not valid YAML: {}", error.msg),
                     "a text with `: `, ` #` or quotes in it needs quotes around it, and so does "
                     "one with a comma inside [...] or {...}");
  }
}

void Document::refuse_tabs() const {
  for (std::size_t line = 0; line < lines_.size(); ++line) {
    const std::size_t content = lines_[line].find_first_not_of(" \t");
    const std::size_t tab = lines_[line].find('\t');
    if (content != std::string::npos && lines_[line][content] != '#' && tab < content) {
      throw InputError(spot_at({line, tab}, 1), "a tab in the indentation",
                       "YAML indents with spaces");
    }
  }
}

SourceSpot Document::spot_at(Position position, std::size_t length) const {
  SourceSpot spot;
  spot.file = file_;
  spot.line = static_cast<int>(position.line + 1);
  spot.column = static_cast<int>(position.column + 1);
  spot.length = static_cast<int>(std::max<std::size_t>(1, length));
  if (position.line < lines_.size()) {
    spot.line_text = lines_[position.line];
  }
  return spot;
}

SourceSpot Document::spot(const Node& node) const {
  const Position begin{node.line, node.column};
  if (node.kind != Node::Kind::scalar) {
    return spot_at(begin, 1);
  }
  const Position end = position_of(node, node.text.size());
  // The last character, and the quote that closes.
  const std::size_t quote = node.plain ? 0 : 1;
  return spot_at(begin, end.line == begin.line ? end.column - begin.column + quote : 1);
}

SourceSpot Document::spot(const Node& scalar, std::size_t offset) const {
  return spot_at(position_of(scalar, offset), 1);
}

/// Walks the scalar's text and its source side by side: runs of blanks match each other (folded
/// lines), escapes are two characters for one. Where they part, the scalar's begin must do.
Document::Position Document::position_of(const Node& scalar, std::size_t offset) const {
  const Position begin{scalar.line, scalar.column};
  Position at = begin;
  const auto peek = [&](std::size_t ahead = 0) {
    if (at.line >= lines_.size()) {
      return '\0';
    }
    const std::string& line = lines_[at.line];
    return at.column + ahead < line.size() ? line[at.column + ahead] : '\n';
  };
  const auto step = [&] {
    at = peek() == '\n' ? Position{at.line + 1, 0} : Position{at.line, at.column + 1};
  };
  const char quote = scalar.plain ? '\0' : peek();
  if (quote == '|' || quote == '>') {
    at = {at.line + 1, 0};
    while (peek() == ' ' || peek() == '\n') {
      step();
    }
  } else if (quote != '\0') {
    step();
  }
  for (std::size_t i = 0; i < offset && i < scalar.text.size();) {
    if (is_blank(scalar.text[i])) {
      while (i < offset && i < scalar.text.size() && is_blank(scalar.text[i])) {
        ++i;
      }
      while (is_blank(peek())) {
        step();
      }
      continue;
    }
    const bool escaped =
        (quote == '"' && peek() == '\\') || (quote == '\'' && peek() == '\'' && peek(1) == '\'');
    if (escaped) {
      step();
    }
    if (peek() != scalar.text[i]) {
      return begin;
    }
    step();
    ++i;
  }
  return at;
}

void Document::fail(const Node& node, std::string problem, std::string hint) const {
  throw InputError(spot(node), std::move(problem), std::move(hint));
}

Map::Map(const Document& document, const Node& node, std::string what,
         std::initializer_list<std::string_view> keys)
    : document_(document), node_(node), what_(std::move(what)) {
  for (const auto& [key, value] : entries(document, node, what_)) {
    if (std::find(keys.begin(), keys.end(), key.text) == keys.end()) {
      document.fail(key, fmt::format("unknown key \"{}\" in {}", key.text, what_),
                    suggest(key.text, std::vector<std::string>(keys.begin(), keys.end())));
    }
  }
}

const Node* Map::find(std::string_view key) const {
  for (const auto& [name, value] : node_.entries) {
    if (name.text == key) {
      return &value;
    }
  }
  return nullptr;
}

const Node& Map::require(std::string_view key, std::string_view hint) const {
  const Node* node = find(key);
  if (node == nullptr) {
    document_.fail(node_, fmt::format("{} has no \"{}\"", what_, key), std::string(hint));
  }
  return *node;
}

namespace {

[[noreturn]] void wrong_kind(const Document& document, const Node& node, std::string_view what,
                             std::string_view wanted) {
  document.fail(node, fmt::format("{} should be {}, not {}", what, wanted, kind_name(node)),
                node.kind == Node::Kind::map && node.in_flow
                    ? "a text that begins with `{` needs quotes"
                    : "");
}

}  // namespace

const std::vector<Entry>& entries(const Document& document, const Node& node,
                                  std::string_view what) {
  if (node.kind != Node::Kind::map) {
    wrong_kind(document, node, what, "a mapping");
  }
  return node.entries;
}

const std::vector<Node>& items(const Document& document, const Node& node, std::string_view what) {
  if (node.kind != Node::Kind::sequence) {
    wrong_kind(document, node, what, "a list");
  }
  return node.items;
}

const std::string& text(const Document& document, const Node& node, std::string_view what) {
  if (node.kind != Node::Kind::scalar) {
    wrong_kind(document, node, what, "a single value");
  }
  if (node.text.empty()) {
    document.fail(node, fmt::format("{} is empty", what));
  }
  return node.text;
}

}  // namespace rooftune::yaml
