// Values to JSON and back, each struct described once for both directions: `fields(archive, value)`
// names its members, a Writer or a Reader is the archive. A stage declares it for its types in this
// namespace (ROOFTUNE_DECLARE_FIELDS) and describes them in a source file (fields.hpp). Reading
// back gives the same value, bit by bit; what is empty is left out.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tuner/core/units.hpp"
#include "tuner/spec/spec.hpp"

namespace rooftune::codec {

using Json = nlohmann::ordered_json;

/// JSON that is not what it should be. `where` is a path such as "records[3].seconds".
class CodecError : public std::runtime_error {
 public:
  CodecError(const std::string& where, const std::string& what)
      : std::runtime_error(where.empty() ? what : where + ": " + what) {}
};

class Writer {
 public:
  explicit Writer(Json& out) : out_(out) {}
  template <class T>
  void operator()(const char* name, const T& value);
  template <class T>
  void added_later(const char* name, const T& value) {
    (*this)(name, value);
  }

 private:
  Json& out_;
};

class Reader {
 public:
  Reader(const Json& in, std::string where) : in_(in), where_(std::move(where)) {}
  template <class T>
  void operator()(const char* name, T& value);
  /// A member that older files of the same schema do not have: it keeps its default there.
  template <class T>
  void added_later(const char* name, T& value) {
    if (in_.contains(name)) {
      (*this)(name, value);
    }
  }

 private:
  const Json& in_;
  std::string where_;
};

// NOLINTBEGIN(bugprone-macro-parentheses): a type in parentheses declares nothing
#define ROOFTUNE_DECLARE_FIELDS(Type)           \
  void fields(Writer& archive, const Type& it); \
  void fields(Reader& archive, Type& it)
// NOLINTEND(bugprone-macro-parentheses)

/// The last enumerator of an enum that counts from 0 without gaps, as std::integral_constant.
template <class E>
struct LastOf;

template <class E>
std::string enum_name(E value) {
  return std::string(to_string(value));
}

template <class E>
E enum_from(const std::string& name, const std::string& where) {
  std::vector<std::string> known;
  for (std::size_t i = 0; i <= static_cast<std::size_t>(LastOf<E>::value); ++i) {
    known.push_back(enum_name(static_cast<E>(i)));
    if (known.back() == name) {
      return static_cast<E>(i);
    }
  }
  throw CodecError(where, "\"" + name + "\" is unknown: " + suggest(name, known));
}

Json encode_real(double value);
double decode_real(const Json& in, const std::string& where);
Json encode_value(const Value& value);
Value decode_value(const Json& in, const std::string& where);
Json encode_values(const NamedValues& values);
NamedValues decode_values(const Json& in, const std::string& where);
Json encode_unit(const ComputeUnit& unit);
ComputeUnit decode_unit(const Json& in, const std::string& where);
const std::string& text_of(const Json& in, const std::string& where);

template <class T>
struct is_vector : std::false_type {};
template <class T>
struct is_vector<std::vector<T>> : std::true_type {};
template <class T>
struct is_map : std::false_type {};
template <class T>
struct is_map<std::map<std::string, T>> : std::true_type {};
template <class T>
struct is_optional : std::false_type {};
template <class T>
struct is_optional<std::optional<T>> : std::true_type {};

/// Whether a value is left out where it is empty.
template <class T>
constexpr bool may_be_left_out =
    is_vector<T>::value || is_map<T>::value || is_optional<T>::value ||
    std::is_same_v<T, std::string> || std::is_same_v<T, std::filesystem::path>;

template <class T>
bool is_left_out(const T& value) {
  if constexpr (is_optional<T>::value) {
    return !value.has_value();
  } else if constexpr (may_be_left_out<T>) {
    return value.empty();
  } else {
    return false;
  }
}

template <class T>
Json encode(const T& value) {
  if constexpr (std::is_same_v<T, bool> || std::is_integral_v<T> ||
                std::is_same_v<T, std::string>) {
    return value;
  } else if constexpr (std::is_same_v<T, double>) {
    return encode_real(value);
  } else if constexpr (std::is_enum_v<T>) {
    return enum_name(value);
  } else if constexpr (std::is_same_v<T, std::filesystem::path>) {
    return value.string();
  } else if constexpr (std::is_same_v<T, Value>) {
    return encode_value(value);
  } else if constexpr (std::is_same_v<T, NamedValues>) {
    return encode_values(value);
  } else if constexpr (std::is_same_v<T, ComputeUnit>) {
    return encode_unit(value);
  } else if constexpr (std::is_same_v<T, std::pair<std::string, std::string>>) {
    return Json::array({value.first, value.second});
  } else if constexpr (is_map<T>::value) {
    Json out = Json::object();
    for (const auto& [name, mapped] : value) {
      out[name] = encode(mapped);
    }
    return out;
  } else if constexpr (is_vector<T>::value) {
    Json out = Json::array();
    for (const auto& element : value) {
      out.push_back(encode(element));
    }
    return out;
  } else if constexpr (is_optional<T>::value) {
    return encode(*value);
  } else {
    Json out = Json::object();
    Writer writer(out);
    fields(writer, value);
    return out;
  }
}

template <class T>
T decode_integer(const Json& in, const std::string& where) {
  if (!in.is_number_integer()) {
    throw CodecError(where, "an integer is expected");
  }
  const bool fits = in.is_number_unsigned() ? std::in_range<T>(in.template get<std::uint64_t>())
                                            : std::in_range<T>(in.template get<std::int64_t>());
  if (!fits) {
    throw CodecError(where, "the integer is out of range");
  }
  return in.template get<T>();
}

template <class T>
void decode(const Json& in, const std::string& where, T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    if (!in.is_boolean()) {
      throw CodecError(where, "true or false is expected");
    }
    value = in.get<bool>();
  } else if constexpr (std::is_integral_v<T>) {
    value = decode_integer<T>(in, where);
  } else if constexpr (std::is_same_v<T, double>) {
    value = decode_real(in, where);
  } else if constexpr (std::is_enum_v<T>) {
    value = enum_from<T>(text_of(in, where), where);
  } else if constexpr (std::is_same_v<T, std::string> || std::is_same_v<T, std::filesystem::path>) {
    value = text_of(in, where);
  } else if constexpr (std::is_same_v<T, Value>) {
    value = decode_value(in, where);
  } else if constexpr (std::is_same_v<T, NamedValues>) {
    value = decode_values(in, where);
  } else if constexpr (std::is_same_v<T, ComputeUnit>) {
    value = decode_unit(in, where);
  } else if constexpr (std::is_same_v<T, std::pair<std::string, std::string>>) {
    if (!in.is_array() || in.size() != 2) {
      throw CodecError(where, "a pair is expected");
    }
    value = {text_of(in[0], where + "[0]"), text_of(in[1], where + "[1]")};
  } else if constexpr (is_map<T>::value) {
    if (!in.is_object()) {
      throw CodecError(where, "an object is expected");
    }
    for (const auto& [name, mapped] : in.items()) {
      decode(mapped, fmt::format("{}.{}", where, name), value[name]);
    }
  } else if constexpr (is_vector<T>::value) {
    if (!in.is_array()) {
      throw CodecError(where, "a list is expected");
    }
    for (std::size_t i = 0; i < in.size(); ++i) {
      decode(in[i], fmt::format("{}[{}]", where, i), value.emplace_back());
    }
  } else if constexpr (is_optional<T>::value) {
    decode(in, where, value.emplace());
  } else {
    if (!in.is_object()) {
      throw CodecError(where, "an object is expected");
    }
    Reader reader(in, where);
    fields(reader, value);
  }
}

template <class T>
void Writer::operator()(const char* name, const T& value) {
  if (!is_left_out(value)) {
    out_[name] = encode(value);
  }
}

template <class T>
void Reader::operator()(const char* name, T& value) {
  const std::string where = where_.empty() ? name : where_ + "." + name;
  const auto found = in_.find(name);
  if (found != in_.end()) {
    decode(*found, where, value);
  } else if (!may_be_left_out<T>) {
    throw CodecError(where, "it is missing");
  }
}

/// Throws CodecError.
template <class T>
T read(const Json& in, const std::string& where = "") {
  T value;
  decode(in, where, value);
  return value;
}

/// One line, or indented; bytes that are not UTF-8 (a compiler's log) are replaced.
std::string dump(const Json& json, bool indented = false);

}  // namespace rooftune::codec
