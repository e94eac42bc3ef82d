// What rooftune adds to exported entries, and reads back.
#include "tuner/device/replay/formats.hpp"

namespace rooftune {
namespace {

RecordedJson dim_json(const Dim3& dim) {
  return RecordedJson::array({dim.x, dim.y, dim.z});
}

Dim3 dim_of(const RecordedJson& json) {
  return {json.at(0).get<std::uint64_t>(), json.at(1).get<std::uint64_t>(),
          json.at(2).get<std::uint64_t>()};
}

}  // namespace

RecordedJson write_details(const RecordedPoint& point) {
  RecordedJson json = {{"outcome", to_string(point.outcome)}};
  if (!point.reason.empty()) {
    json["reason"] = point.reason;
  }
  if (point.resources) {
    const Resources& it = *point.resources;
    json["resources"] = {{"registers", it.registers},         {"spill_stores", it.spill_stores},
                         {"spill_loads", it.spill_loads},     {"stack_frame", it.stack_frame},
                         {"static_shared", it.static_shared}, {"constant", it.constant},
                         {"max_threads", it.max_threads}};
  }
  if (point.launch) {
    json["launch"] = {{"grid", dim_json(point.launch->grid)},
                      {"block", dim_json(point.launch->block)},
                      {"shared_bytes", point.launch->shared_bytes}};
  }
  if (!point.counters.empty()) {
    json["counters"] = point.counters;
  }
  return json;
}

void read_details(const RecordedJson& entry, RecordedPoint& point) {
  const auto found = entry.find(details_key);
  if (found == entry.end()) {
    return;
  }
  if (const auto outcome = outcome_from(found->value("outcome", ""))) {
    point.outcome = *outcome;
  }
  point.reason = found->value("reason", "");
  if (const auto json = found->find("resources"); json != found->end()) {
    Resources it;
    it.registers = json->value("registers", 0);
    it.spill_stores = json->value("spill_stores", std::int64_t{0});
    it.spill_loads = json->value("spill_loads", std::int64_t{0});
    it.stack_frame = json->value("stack_frame", std::int64_t{0});
    it.static_shared = json->value("static_shared", std::int64_t{0});
    it.constant = json->value("constant", std::int64_t{0});
    it.max_threads = json->value("max_threads", 0);
    point.resources = it;
  }
  if (const auto json = found->find("launch"); json != found->end()) {
    point.launch = Launch{dim_of(json->at("grid")), dim_of(json->at("block")),
                          json->value("shared_bytes", std::uint64_t{0})};
  }
  if (const auto json = found->find("counters"); json != found->end()) {
    point.counters = json->get<Counters>();
  }
}

}  // namespace rooftune
