// Records and results as JSON (tuner/codec).
#pragma once

#include "tuner/device/fields.hpp"
#include "tuner/session/results.hpp"

namespace rooftune::codec {

template <>
struct LastOf<StopReason> : std::integral_constant<StopReason, StopReason::device_lost> {};
template <>
struct LastOf<Objective> : std::integral_constant<Objective, Objective::energy> {};
template <>
struct LastOf<Level> : std::integral_constant<Level, Level::shared> {};
template <>
struct LastOf<Role> : std::integral_constant<Role, Role::other> {};
template <>
struct LastOf<Bound> : std::integral_constant<Bound, Bound::launch> {};
template <>
struct LastOf<Resource> : std::integral_constant<Resource, Resource::shared> {};
template <>
struct LastOf<RoofKind> : std::integral_constant<RoofKind, RoofKind::latency> {};
template <>
struct LastOf<RoofSource> : std::integral_constant<RoofSource, RoofSource::given> {};
template <>
struct LastOf<DeviceKind> : std::integral_constant<DeviceKind, DeviceKind::host> {};
template <>
struct LastOf<AmountSource> : std::integral_constant<AmountSource, AmountSource::counters> {};
template <>
struct LastOf<Diagnosis::Verdict>
    : std::integral_constant<Diagnosis::Verdict, Diagnosis::Verdict::not_enough_evidence> {};

ROOFTUNE_DECLARE_FIELDS(Resources);
ROOFTUNE_DECLARE_FIELDS(Occupancy);
ROOFTUNE_DECLARE_FIELDS(LevelPlacement);
ROOFTUNE_DECLARE_FIELDS(Placement);
ROOFTUNE_DECLARE_FIELDS(BoundTime);
ROOFTUNE_DECLARE_FIELDS(Remedy);
ROOFTUNE_DECLARE_FIELDS(Finding);
ROOFTUNE_DECLARE_FIELDS(Diagnosis);
ROOFTUNE_DECLARE_FIELDS(Reason);
ROOFTUNE_DECLARE_FIELDS(ProblemResult);
ROOFTUNE_DECLARE_FIELDS(Record);
ROOFTUNE_DECLARE_FIELDS(Roof);
ROOFTUNE_DECLARE_FIELDS(ComputeCapability);
ROOFTUNE_DECLARE_FIELDS(DeviceProfile);
ROOFTUNE_DECLARE_FIELDS(Parameter);
ROOFTUNE_DECLARE_FIELDS(RuleCount);
ROOFTUNE_DECLARE_FIELDS(Dropped);
ROOFTUNE_DECLARE_FIELDS(LaunchText);
ROOFTUNE_DECLARE_FIELDS(Results);

}  // namespace rooftune::codec
