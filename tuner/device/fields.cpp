#include "tuner/device/fields.hpp"

#include "tuner/codec/fields.hpp"

namespace rooftune::codec {
namespace {

template <class A, Is<Dim3> T>
void members(A& archive, T& it) {
  archive("x", it.x);
  archive("y", it.y);
  archive("z", it.z);
}

template <class A, Is<Launch> T>
void members(A& archive, T& it) {
  archive("grid", it.grid);
  archive("block", it.block);
  archive("shared_bytes", it.shared_bytes);
}

template <class A, Is<Measurement> T>
void members(A& archive, T& it) {
  archive("seconds", it.seconds);
  archive("samples", it.samples);
  archive("relative_noise", it.relative_noise);
  archive("wall_seconds", it.wall_seconds);
  archive("clock", it.clock);
  archive("verification_seconds", it.verification_seconds);
  archive("max_error", it.max_error);
  archive("max_error_where", it.max_error_where);
  archive("verified", it.verified);
  archive("counters", it.counters);
  archive.added_later("dropped_samples", it.dropped_samples);
  archive.added_later("slowest_clock", it.slowest_clock);
  archive.added_later("fastest_clock", it.fastest_clock);
  archive.added_later("joules", it.joules);
  archive("note", it.note);
}

template <class A, Is<Failure> T>
void members(A& archive, T& it) {
  archive("outcome", it.outcome);
  archive("reason", it.reason);
  archive("log", it.log);
}

}  // namespace

ROOFTUNE_FIELDS(Dim3)
ROOFTUNE_FIELDS(Launch)
ROOFTUNE_FIELDS(Measurement)
ROOFTUNE_FIELDS(Failure)

}  // namespace rooftune::codec
