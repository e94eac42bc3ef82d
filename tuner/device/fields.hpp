// What a device answers, as JSON (tuner/codec).
#pragma once

#include "tuner/codec/codec.hpp"
#include "tuner/device/device.hpp"

namespace rooftune::codec {

template <>
struct LastOf<Outcome> : std::integral_constant<Outcome, Outcome::skipped> {};

ROOFTUNE_DECLARE_FIELDS(Dim3);
ROOFTUNE_DECLARE_FIELDS(Launch);
ROOFTUNE_DECLARE_FIELDS(Measurement);
ROOFTUNE_DECLARE_FIELDS(Failure);

}  // namespace rooftune::codec
