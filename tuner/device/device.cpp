#include "tuner/device/device.hpp"

namespace rooftune {

std::string_view to_string(CounterLevel level) {
  switch (level) {
    case CounterLevel::off:
      return "off";
    case CounterLevel::roofline:
      return "roofline";
    case CounterLevel::full:
      break;
  }
  return "full";
}

std::optional<CounterLevel> counter_level_from(std::string_view name) {
  for (const CounterLevel level : {CounterLevel::off, CounterLevel::roofline, CounterLevel::full}) {
    if (to_string(level) == name) {
      return level;
    }
  }
  return std::nullopt;
}

}  // namespace rooftune
