#include "tuner/codec/codec.hpp"

#include <limits>

namespace rooftune::codec {

// JSON has no number for these.
constexpr std::string_view infinite = "inf";
constexpr std::string_view negative_infinite = "-inf";
constexpr std::string_view not_a_number = "nan";

Json encode_real(double value) {
  if (std::isfinite(value)) {
    return value;
  }
  return std::isnan(value) ? not_a_number : value > 0 ? infinite : negative_infinite;
}

double decode_real(const Json& in, const std::string& where) {
  if (in.is_number()) {
    return in.get<double>();
  }
  if (in.is_string()) {
    const auto& text = in.get_ref<const std::string&>();
    if (text == infinite || text == negative_infinite) {
      const double infinity = std::numeric_limits<double>::infinity();
      return text == infinite ? infinity : -infinity;
    }
    if (text == not_a_number) {
      return std::numeric_limits<double>::quiet_NaN();
    }
  }
  throw CodecError(where, "a number is expected");
}

Json encode_value(const Value& value) {
  switch (value.kind()) {
    case Value::Kind::integer:
      return value.as_integer();
    case Value::Kind::boolean:
      return value.truthy();
    case Value::Kind::text:
      return value.as_text();
    case Value::Kind::real:
      break;
  }
  // A text stays apart from a real that is written as a text.
  const double real = value.as_real();
  return std::isfinite(real) ? Json(real) : Json{{"real", encode_real(real)}};
}

Value decode_value(const Json& in, const std::string& where) {
  if (in.is_boolean()) {
    return in.get<bool>();
  }
  if (in.is_number_integer()) {
    return decode_integer<std::int64_t>(in, where);
  }
  if (in.is_number()) {
    return in.get<double>();
  }
  if (in.is_string()) {
    return in.get<std::string>();
  }
  if (in.is_object() && in.contains("real")) {
    return decode_real(in["real"], where);
  }
  throw CodecError(where, "a number, a text, true or false is expected");
}

Json encode_values(const NamedValues& values) {
  Json out = Json::object();
  for (const NamedValue& named : values) {
    out[named.name] = encode_value(named.value);
  }
  return out;
}

NamedValues decode_values(const Json& in, const std::string& where) {
  if (!in.is_object()) {
    throw CodecError(where, "an object is expected");
  }
  NamedValues values;
  for (const auto& [name, value] : in.items()) {
    values.push_back({name, decode_value(value, where + "." + name)});
  }
  return values;
}

Json encode_unit(const ComputeUnit& unit) {
  return to_string(unit);
}

ComputeUnit decode_unit(const Json& in, const std::string& where) {
  if (const auto unit = compute_unit_from(text_of(in, where))) {
    return *unit;
  }
  throw CodecError(where, "\"" + text_of(in, where) + "\" is not a precision");
}

const std::string& text_of(const Json& in, const std::string& where) {
  if (!in.is_string()) {
    throw CodecError(where, "a text is expected");
  }
  return in.get_ref<const std::string&>();
}

std::string dump(const Json& json, bool indented) {
  return json.dump(indented ? 1 : -1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace rooftune::codec
