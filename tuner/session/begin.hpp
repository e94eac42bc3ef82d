// What a run begins with: the spec's fitness, the results without records, the journal.
#pragma once

#include <string>

#include "tuner/session/journal.hpp"
#include "tuner/session/session.hpp"

namespace rooftune {

/// Throws InputError for a spec without a kernel, for an objective that the device cannot measure,
/// and for an empty space, with the table of rules.
void refuse_what_cannot_be_tuned(const Spec& spec, const Space& space, const Device& device);
Results begin_results(const Spec& spec, const Space& space, const Device& device,
                      const TuneOptions& options);
/// One that writes nothing where the options name no folder.
Journal open_journal(const Results& results, const TuneOptions& options);
/// ISO 8601, UTC: 2025-01-31T12:00:00Z.
std::string utc_now();

}  // namespace rooftune
