// The journal: what a run did, line by line, synced before the next step is taken. A run that was
// killed goes on from it.
//
//     {"rooftune_journal": 1, "spec_hash": ..., "policy": ..., "seed": ..., "device": ...}
//     {"started": {"number": 1, "parameters": {...}}}      before the first launch
//     {"record": {...}}                                    what came of it
//     {"died": {"parameters": {...}}}                      rooftune itself crashed meanwhile
//     {"finals": [{"number": 1, "seconds": [...]}, ...]}   finalists measured again in turn
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tuner/session/files.hpp"
#include "tuner/session/results.hpp"

namespace rooftune {

/// What makes two runs the same run.
struct JournalHeader {
  int version = 1;
  std::string spec_hash;
  std::string spec_name;
  std::string problems;  ///< the sizes, which the command line may add to
  std::string policy;
  std::uint64_t seed = 0;
  std::string device;  ///< id and name
  std::string tool_version;
  std::string timestamp;
};

/// Seconds of one finalist, measured in turn with the others.
struct Finals {
  std::uint64_t number = 0;
  std::vector<double> seconds;
};

/// What a journal says. Pure.
struct JournalContents {
  JournalHeader header;
  std::vector<Record> records;
  std::vector<Finals> finals;  ///< of the last time that they were held
  /// Configurations without an answer, by their text: how often they were started.
  std::map<std::string, int> unanswered;
  std::vector<std::string> died;  ///< configurations during which rooftune itself crashed
  std::size_t whole_bytes = 0;    ///< up to the last whole line

  /// Whether trying the configuration again would likely end this run too: rooftune crashed, or
  /// was gone twice without a word (once may be a power cut or a kill that meant something else).
  bool is_deadly(const NamedValues& parameters) const;
};

/// A torn last line is tolerated. Throws InputError (file:line) for damage elsewhere, a foreign
/// file, or a newer version.
JournalContents parse_journal(const std::string& text, const std::string& file);

class Journal {
 public:
  /// Writes nothing.
  Journal() = default;
  /// Locks the folder against other runs and opens its journal.jsonl. Without `resume`, a journal
  /// and results that exist are kept under other names. Throws InputError: locked, unreadable, or
  /// (on resume) begun with another spec, policy, seed or device.
  Journal(const std::filesystem::path& folder, JournalHeader header, bool resume);

  /// What was there to resume; empty for a new run.
  const JournalContents& resumed() const { return resumed_; }
  /// "journal.1.jsonl": the name under which an earlier journal was kept.
  const std::optional<std::filesystem::path>& kept() const { return kept_; }

  void started(std::uint64_t number, const NamedValues& parameters);
  void answered(const Record& record);
  void finals(const std::vector<Finals>& finals);

 private:
  void append(const std::string& line);

  std::filesystem::path file_;
  FileHandle lock_;
  FileHandle handle_;
  JournalContents resumed_;
  std::optional<std::filesystem::path> kept_;
};

}  // namespace rooftune
