#include "tuner/session/fields.hpp"

#include "tuner/codec/fields.hpp"

namespace rooftune::codec {
namespace {

template <class A, Is<Resources> T>
void members(A& archive, T& it) {
  archive("registers", it.registers);
  archive("spill_stores", it.spill_stores);
  archive("spill_loads", it.spill_loads);
  archive("stack_frame", it.stack_frame);
  archive("static_shared", it.static_shared);
  archive("constant", it.constant);
  archive("max_threads", it.max_threads);
}

template <class A, Is<Occupancy> T>
void members(A& archive, T& it) {
  archive("active_blocks", it.active_blocks);
  archive("active_warps", it.active_warps);
  archive("fraction", it.fraction);
  archive("by_blocks", it.by_blocks);
  archive("by_warps", it.by_warps);
  archive("by_registers", it.by_registers);
  archive("by_shared", it.by_shared);
  archive("limited_by", it.limited_by);
  archive("launchable", it.launchable);
  archive("reason", it.reason);
}

template <class A, Is<LevelPlacement> T>
void members(A& archive, T& it) {
  archive("level", it.level);
  archive("unit", it.unit);
  archive("intensity", it.intensity);
  archive("ridge", it.ridge);
  archive("attainable", it.attainable);
  archive("fraction", it.fraction);
  archive("source", it.source);
}

template <class A, Is<Placement> T>
void members(A& archive, T& it) {
  archive("achieved_flops", it.achieved_flops);
  archive("achieved_dram", it.achieved_dram);
  archive("levels", it.levels);
  archive("roof", it.roof);
  archive("attainable_seconds", it.attainable_seconds);
  archive("fraction", it.fraction);
  archive("contradiction", it.contradiction);
  archive("unplaced", it.unplaced);
}

template <class A, Is<BoundTime> T>
void members(A& archive, T& it) {
  archive("bound", it.bound);
  archive("seconds", it.seconds);
  archive("provable", it.provable);
  archive("basis", it.basis);
}

template <class A, Is<Remedy> T>
void members(A& archive, T& it) {
  archive("action", it.action);
  archive("roles", it.roles);
}

template <class A, Is<Finding> T>
void members(A& archive, T& it) {
  archive("bound", it.bound);
  archive("utilisation", it.utilisation);
  archive("weight", it.weight);
  archive("evidence", it.evidence);
  archive("source", it.source);
  archive("speedup_at_most", it.speedup_at_most);
  archive("remedies", it.remedies);
}

template <class A, Is<Diagnosis> T>
void members(A& archive, T& it) {
  archive("verdict", it.verdict);
  archive("findings", it.findings);
  archive("missing", it.missing);
  archive("summary", it.summary);
}

template <class A, Is<Reason> T>
void members(A& archive, T& it) {
  archive("bound", it.bound);
  archive("evidence", it.evidence);
  archive("remedy", it.remedy);
  archive("changes", it.changes);
  archive("expected_seconds", it.expected_seconds);
  archive("summary", it.summary);
}

template <class A, Is<ProblemResult> T>
void members(A& archive, T& it) {
  archive("problem", it.problem);
  archive("launch", it.launch);
  archive("measurement", it.measurement);
  archive("placement", it.placement);
  archive("bounds", it.bounds);
}

template <class A, Is<Record> T>
void members(A& archive, T& it) {
  archive("number", it.number);
  archive("parameters", it.parameters);
  archive("in_space", it.in_space);
  archive("outcome", it.outcome);
  archive("reason", it.reason);
  archive("log", it.log);
  archive("proposal", it.proposal);
  archive("resources", it.resources);
  archive("occupancy", it.occupancy);
  archive("problems", it.problems);
  archive("seconds", it.seconds);
  archive("finals", it.finals);
  archive("diagnosis", it.diagnosis);
  archive("compile_seconds", it.compile_seconds);
  archive("elapsed_seconds", it.elapsed_seconds);
  archive("timestamp", it.timestamp);
}

template <class A, Is<Roof> T>
void members(A& archive, T& it) {
  archive("kind", it.kind);
  archive("name", it.name);
  archive("value", it.value);
  archive("source", it.source);
  archive("origin", it.origin);
  archive("spread", it.spread);
  archive("rate", it.rate);
}

template <class A, Is<ComputeCapability> T>
void members(A& archive, T& it) {
  archive("major", it.major);
  archive("minor", it.minor);
}

template <class A, Is<DeviceProfile> T>
void members(A& archive, T& it) {
  archive("id", it.id);
  archive("name", it.name);
  archive("kind", it.kind);
  archive("match", it.match);
  archive("compute_capability", it.cc);
  archive("multiprocessors", it.multiprocessors);
  archive("clock_hz", it.clock_hz);
  archive("memory_bytes", it.memory_bytes);
  archive("l2_bytes", it.l2_bytes);
  archive("roofs", it.roofs);
  archive("source", it.source);
}

template <class A, Is<Parameter> T>
void members(A& archive, T& it) {
  archive("name", it.name);
  archive("values", it.values);
  archive("role", it.role);
}

template <class A, Is<RuleCount> T>
void members(A& archive, T& it) {
  archive("rule", it.rule);
  archive("removed", it.removed);
}

template <class A, Is<Dropped> T>
void members(A& archive, T& it) {
  archive("outcome", it.outcome);
  archive("reason", it.reason);
  archive("count", it.count);
}

template <class A, Is<LaunchText> T>
void members(A& archive, T& it) {
  archive("block", it.block);
  archive("grid", it.grid);
  archive("shared_bytes", it.shared_bytes);
  archive("derived", it.derived);
  archive("kernel", it.kernel);
}

// All but the records: results.json interleaves those with the T4 fields.
template <class A, Is<Results> T>
void members(A& archive, T& it) {
  archive("schema_version", it.schema_version);
  archive("tool_version", it.tool_version);
  archive("spec_name", it.spec_name);
  archive("spec_file", it.spec_file);
  archive("spec_text", it.spec_text);
  archive("spec_hash", it.spec_hash);
  archive("overrides", it.overrides);
  archive("command", it.command);
  archive("policy", it.policy);
  archive("seed", it.seed);
  archive.added_later("objective", it.objective);
  archive("device", it.device);
  archive("environment", it.environment);
  archive("parameters", it.parameters);
  archive("problems", it.problems);
  archive("launch", it.launch);
  archive("raw_size", it.raw_size);
  archive("space_size", it.space_size);
  archive("removed", it.removed);
  archive("dropped", it.dropped);
  archive("baseline", it.baseline);
  archive("stop", it.stop);
  archive("stop_text", it.stop_text);
  archive("elapsed_seconds", it.elapsed_seconds);
}

}  // namespace

ROOFTUNE_FIELDS(Resources)
ROOFTUNE_FIELDS(Occupancy)
ROOFTUNE_FIELDS(LevelPlacement)
ROOFTUNE_FIELDS(Placement)
ROOFTUNE_FIELDS(BoundTime)
ROOFTUNE_FIELDS(Remedy)
ROOFTUNE_FIELDS(Finding)
ROOFTUNE_FIELDS(Diagnosis)
ROOFTUNE_FIELDS(Reason)
ROOFTUNE_FIELDS(ProblemResult)
ROOFTUNE_FIELDS(Record)
ROOFTUNE_FIELDS(Roof)
ROOFTUNE_FIELDS(ComputeCapability)
ROOFTUNE_FIELDS(DeviceProfile)
ROOFTUNE_FIELDS(Parameter)
ROOFTUNE_FIELDS(RuleCount)
ROOFTUNE_FIELDS(Dropped)
ROOFTUNE_FIELDS(LaunchText)
ROOFTUNE_FIELDS(Results)

}  // namespace rooftune::codec
