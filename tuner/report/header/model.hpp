// What goes into a header: for each kernel, device and size the fastest configuration that may
// enter, and one default. Decided here from results alone; the writers only write it down.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tuner/report/report.hpp"

namespace rooftune::header {

/// A configuration that was measured and proven right at one size on one device.
struct Candidate {
  const Results* results = nullptr;
  const Record* record = nullptr;
  const ProblemResult* at = nullptr;
  /// What it is ranked by: of several sizes the time at this one, else Record::ranked_seconds().
  double seconds = 0;

  const NamedValues& parameters() const { return record->parameters; }
};

/// A line of the selection table.
struct Entry {
  Candidate measured;
  int types = 0;  ///< index into Kernel::types
};

/// How a default does at one key of the table, against the best there.
struct Loss {
  Candidate best;
  double factor = 0;  ///< time over the best's; 0 where it was not measured there
};

struct Default {
  Entry entry;               ///< where it loses most
  std::vector<Loss> losses;  ///< in the order of the table
  /// The line of the table that has the same parameters, where one has.
  std::optional<std::size_t> same_as;
};

struct Kernel {
  std::string name;
  const Results* results = nullptr;  ///< for what all of them share: the spec's texts
  /// The argument types that the configurations take, each once; one empty text where it does not
  /// matter.
  std::vector<std::string> types;
  std::vector<Entry> entries;     ///< by device, size, time
  std::vector<Default> defaults;  ///< one of each types
};

/// Argument types of a configuration; they part the table, since a program has data of one type.
using TypesOf = std::function<std::string(const Candidate&)>;

/// By name. Throws InputError for results of different specs under one name (with both hashes),
/// where nothing may enter (with the reasons), and where every configuration failed on some device.
std::vector<Kernel> kernels_of(const std::vector<Results>& results, const HeaderOptions& options,
                               const TypesOf& types_of = {});

/// Whether the spec's rules hold for the configuration at that size.
bool rules_hold(const Results& results, const NamedValues& parameters, const Problem& problem);

/// The constants, parameters and derived quantities of a configuration at a size. Throws InputError
/// for results that were changed by hand.
Scope scope_of(const Results& results, const NamedValues& parameters, const Problem& problem);

}  // namespace rooftune::header
