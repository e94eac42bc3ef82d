#include "tuner/spec/reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <sstream>

namespace rooftune::reader {
namespace {

/// Refuses a name that no parameter, constant or derived quantity bears. `offset` is where the name
/// stands in the scalar's text.
void check_names(const Context& context, const yaml::Node& node, const std::string& what,
                 const std::vector<std::string>& used,
                 const std::function<std::optional<std::size_t>(const std::string&)>& offset) {
  for (const std::string& name : used) {
    if (std::find(context.names.begin(), context.names.end(), name) != context.names.end()) {
      continue;
    }
    SourceSpot spot = context.document.spot(node, offset(name).value_or(0));
    spot.length = static_cast<int>(name.size());
    throw InputError(
        spot, fmt::format("{} uses `{}`, which is neither a parameter nor a constant", what, name),
        suggest(name, context.names));
  }
}

[[noreturn]] void fail_at(const Context& context, const yaml::Node& node,
                          const ExpressionError& error) {
  throw InputError(context.document.spot(node, error.offset()), error.what(), error.hint());
}

std::filesystem::path existing_path(const Context& context, const yaml::Node& node,
                                    const std::string& what, bool folder) {
  const std::string& written = yaml::text(context.document, node, what);
  std::filesystem::path path = (context.folder / written).lexically_normal();
  std::error_code ignored;
  const bool exists = folder ? std::filesystem::is_directory(path, ignored)
                             : std::filesystem::is_regular_file(path, ignored);
  if (exists) {
    return path;
  }
  std::vector<std::string> siblings;
  for (std::filesystem::directory_iterator entry(path.parent_path(), ignored), end;
       !ignored && entry != end; entry.increment(ignored)) {
    siblings.push_back(entry->path().filename().string());
  }
  const auto nearest = nearest_word(path.filename().string(), siblings);
  context.document.fail(
      node, fmt::format("{}: no {} \"{}\"", what, folder ? "folder" : "file", written),
      nearest ? fmt::format("did you mean \"{}\"?",
                            (std::filesystem::path(written).parent_path() / *nearest).string())
              : "relative paths count from the folder of the spec");
}

}  // namespace

SpecExpression expression(const Context& context, const yaml::Node& node, const std::string& what) {
  if (node.kind == yaml::Node::Kind::null) {
    context.document.fail(node, fmt::format("{} has no value", what));
  }
  const std::string& text = yaml::text(context.document, node, what);
  try {
    SpecExpression result{Expression::parse(text), context.document.spot(node)};
    check_names(context, node, what, result.expression.names(),
                [&](const std::string& name) { return result.expression.offset_of(name); });
    return result;
  } catch (const ExpressionError& error) {
    fail_at(context, node, error);
  }
}

SpecText text_template(const Context& context, const yaml::Node& node, const std::string& what) {
  const std::string& text = yaml::text(context.document, node, what);
  try {
    SpecText result{TextTemplate::parse(text), context.document.spot(node)};
    check_names(context, node, what, result.text.names(),
                [&](const std::string& name) { return result.text.offset_of(name); });
    return result;
  } catch (const ExpressionError& error) {
    fail_at(context, node, error);
  }
}

std::vector<SpecExpression> dimensions(const Context& context, const yaml::Node& node,
                                       const std::string& what) {
  if (node.kind == yaml::Node::Kind::scalar) {
    return {expression(context, node, what)};
  }
  std::vector<SpecExpression> result;
  for (const yaml::Node& item : yaml::items(context.document, node, what)) {
    result.push_back(expression(context, item, what));
  }
  if (result.empty() || result.size() > 3) {
    context.document.fail(node, fmt::format("{} has {} dimensions", what, result.size()),
                          "give one to three: x, y, z");
  }
  return result;
}

double number(const Context& context, const yaml::Node& node, const std::string& what, double least,
              double most) {
  const std::string& text = yaml::text(context.document, node, what);
  double result = 0;
  try {
    result = Expression::parse(text).evaluate(Scope()).as_real();
  } catch (const std::runtime_error&) {  // ExpressionError or ValueError
    context.document.fail(node, fmt::format("{} should be a number, not `{}`", what, text));
  }
  if (result < least || result > most) {
    context.document.fail(node, fmt::format("{} should lie between {} and {}", what, least, most));
  }
  return result;
}

std::filesystem::path existing_file(const Context& context, const yaml::Node& node,
                                    const std::string& what) {
  return existing_path(context, node, what, false);
}

std::filesystem::path existing_folder(const Context& context, const yaml::Node& node,
                                      const std::string& what) {
  return existing_path(context, node, what, true);
}

std::string read_file(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  if (!stream) {
    throw InputError(fmt::format("cannot read {}", file.string()));
  }
  return text.str();
}

}  // namespace rooftune::reader
