// The readers of the single formats, each from a parsed document. They fill what the format holds
// and throw InputError (without a line: JSON positions are gone by then, so they name the entry).
#pragma once

#include <nlohmann/json.hpp>

#include "tuner/device/replay/recording.hpp"

namespace rooftune {

using RecordedJson = nlohmann::ordered_json;

bool is_kernel_tuner(const RecordedJson& document);
bool is_t4(const RecordedJson& document);
bool is_ktt(const RecordedJson& document);

void read_kernel_tuner(const RecordedJson& document, Recording& recording);
void read_t4(const RecordedJson& document, Recording& recording);
void read_ktt(const RecordedJson& document, Recording& recording);

/// What the exported formats have no word for (exact outcome, reason, resources, launch, counters)
/// travels beside the format's own fields under this key; other tools pass over it.
inline constexpr const char* details_key = "rooftune_details";
RecordedJson write_details(const RecordedPoint& point);
/// Throws nlohmann's exceptions for wrong types, as the readers do.
void read_details(const RecordedJson& entry, RecordedPoint& point);

/// A JSON number, boolean or string as a Value; throws InputError naming `what`.
Value value_from_json(const RecordedJson& json, const std::string& what);
/// A finite number, or nullopt (missing, null, NaN, text).
std::optional<double> number_from_json(const RecordedJson& object, const char* key);
/// Milliseconds as "milliseconds", "ms", "Microseconds", ...: seconds in one unit; throws
/// InputError.
double seconds_per_unit(const std::string& unit, const std::filesystem::path& file);
/// "CompilationFailedConfig", "compile", "RuntimeFailedConfig", "timeout", ...
Outcome outcome_from_recorder(const std::string& word);

}  // namespace rooftune
