// Text inside HTML, XML and SVG.
#pragma once

#include <string>
#include <string_view>

namespace rooftune {

/// `&`, `<`, `>` and `"` as entities: safe as content and in double-quoted attributes.
std::string escape_markup(std::string_view text);

}  // namespace rooftune
