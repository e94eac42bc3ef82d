#include "tuner/session/journal.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "tuner/core/error.hpp"
#include "tuner/session/crash_note.hpp"
#include "tuner/session/fields.hpp"

namespace rooftune {
namespace codec {

template <class A, class T>
void header_members(A& archive, T& it) {
  archive("rooftune_journal", it.version);
  archive("spec_hash", it.spec_hash);
  archive("spec_name", it.spec_name);
  archive("problems", it.problems);
  archive("policy", it.policy);
  archive("seed", it.seed);
  archive("device", it.device);
  archive("tool_version", it.tool_version);
  archive("timestamp", it.timestamp);
}

template <class A, class T>
void finals_members(A& archive, T& it) {
  archive("number", it.number);
  archive("seconds", it.seconds);
}

// Found by the codec's templates, as the stage's own structs are.
static void fields(Writer& archive, const JournalHeader& it) {
  header_members(archive, it);
}
static void fields(Reader& archive, JournalHeader& it) {
  header_members(archive, it);
}
static void fields(Writer& archive, const Finals& it) {
  finals_members(archive, it);
}
static void fields(Reader& archive, Finals& it) {
  finals_members(archive, it);
}

}  // namespace codec

namespace {

using codec::Json;

constexpr int version = 1;
constexpr const char* journal_name = "journal.jsonl";
constexpr const char* results_name = "results.json";

[[noreturn]] void damaged(const std::string& file, int line, const std::string& what) {
  throw InputError(
      fmt::format("{}:{}: {}", file, line, what),
      "the journal is damaged or is none of rooftune's; run without --resume to begin anew: it is "
      "kept under another name");
}

JournalHeader parse_header(const Json& json, const std::string& file) {
  if (!json.is_object() || !json.contains("rooftune_journal")) {
    damaged(file, 1, "not a journal of rooftune");
  }
  const Json& found = json["rooftune_journal"];
  if (found.is_number_integer() && found.get<std::int64_t>() > version) {
    throw InputError(fmt::format("{}:1: journal version {} is newer than this rooftune reads ({})",
                                 file, found.get<std::int64_t>(), version),
                     "resume with the rooftune that wrote it");
  }
  return codec::read<JournalHeader>(json);
}

std::string text_of(const NamedValues& parameters) {
  return to_string(parameters);
}

void take_entry(const Json& json, JournalContents& contents) {
  if (const auto record = json.find("record"); record != json.end()) {
    contents.records.push_back(codec::read<Record>(*record, "record"));
    contents.unanswered.erase(text_of(contents.records.back().parameters));
  } else if (const auto started = json.find("started"); started != json.end()) {
    ++contents.unanswered[text_of(
        codec::decode_values(started->value("parameters", Json()), "started.parameters"))];
  } else if (const auto died = json.find("died"); died != json.end()) {
    contents.died.push_back(
        text_of(codec::decode_values(died->value("parameters", Json()), "died.parameters")));
  } else if (const auto finals = json.find("finals"); finals != json.end()) {
    contents.finals = codec::read<std::vector<Finals>>(*finals, "finals");
  } else {
    throw codec::CodecError("", "neither of record, started, died, finals");
  }
}

/// One line; false where it is not even JSON.
bool take_line(const std::string& line, int number, const std::string& file,
               JournalContents& contents) {
  const Json json = Json::parse(line, nullptr, false);
  if (json.is_discarded()) {
    return false;
  }
  try {
    if (number == 1) {
      contents.header = parse_header(json, file);
    } else if (json.is_object()) {
      take_entry(json, contents);
    } else {
      throw codec::CodecError("", "an object is expected");
    }
  } catch (const codec::CodecError& error) {
    damaged(file, number, error.what());
  }
  return true;
}

/// The first of NAME.1.EXT, NAME.2.EXT, ... that is not taken by either of the two files.
int free_number(const std::filesystem::path& folder) {
  int number = 1;
  while (exists(folder / fmt::format("journal.{}.jsonl", number)) ||
         exists(folder / fmt::format("results.{}.json", number))) {
    ++number;
  }
  return number;
}

/// Moves an earlier run's files out of the way; where its journal went.
std::filesystem::path keep_earlier_run(const std::filesystem::path& folder) {
  const int number = free_number(folder);
  const auto kept = folder / fmt::format("journal.{}.jsonl", number);
  std::filesystem::rename(folder / journal_name, kept);
  if (exists(folder / results_name)) {
    std::filesystem::rename(folder / results_name, folder / fmt::format("results.{}.json", number));
  }
  sync_folder(folder);
  return kept;
}

void check_same(std::string_view what, const std::string& then, const std::string& now,
                const std::string& file, const std::string& hint) {
  if (then != now) {
    throw InputError(fmt::format("{}: cannot be resumed: it was begun with {} {}, this run has {}",
                                 file, what, then, now),
                     hint);
  }
}

void check_same_run(const JournalHeader& then, const JournalHeader& now, const std::string& file) {
  const std::string anew = "or run without --resume to begin anew (the journal is kept)";
  check_same(
      "spec hash", then.spec_hash, now.spec_hash, file,
      "the spec, its overrides or the kernel's source changed since; undo the change, " + anew);
  check_same("sizes", then.problems, now.problems, file, "give the same --problem, " + anew);
  check_same("device", then.device, now.device, file,
             "times of different devices do not compare; choose the device by --device, " + anew);
  check_same("policy", then.policy, now.policy, file,
             fmt::format("give --policy {}, {}", then.policy, anew));
  check_same("seed", std::to_string(then.seed), std::to_string(now.seed), file,
             fmt::format("give --seed {}, {}", then.seed, anew));
}

FileHandle lock_folder(const std::filesystem::path& folder) {
  const auto file = folder / "journal.lock";
  FileHandle handle = open_for_appending(file);
  if (!try_lock(handle)) {
    throw InputError(
        fmt::format("{}: another run writes here (process {})", folder.string(), read_file(file)),
        "wait for it to end, or give another folder by --out");
  }
  std::filesystem::resize_file(file, 0);
  append_durably(handle, std::to_string(::getpid()), file);
  return handle;
}

}  // namespace

bool JournalContents::is_deadly(const NamedValues& parameters) const {
  const std::string text = text_of(parameters);
  const auto started = unanswered.find(text);
  const bool has_died = std::find(died.begin(), died.end(), text) != died.end();
  return started != unanswered.end() && (has_died || started->second >= 2);
}

JournalContents parse_journal(const std::string& text, const std::string& file) {
  JournalContents contents;
  int number = 0;
  for (std::size_t begin = 0; begin < text.size(); begin = contents.whole_bytes) {
    const std::size_t end = text.find('\n', begin);
    if (end == std::string::npos) {
      break;  // torn: the line was being written when the run ended
    }
    ++number;
    if (!take_line(text.substr(begin, end - begin), number, file, contents)) {
      if (end + 1 == text.size() && number > 1) {
        break;  // a block of the disk was lost in mid-line
      }
      damaged(file, number, "not a line of JSON");
    }
    contents.whole_bytes = end + 1;
  }
  if (number == 0) {
    damaged(file, 1, "the file holds no whole line");
  }
  return contents;
}

Journal::Journal(const std::filesystem::path& folder, JournalHeader header, bool resume)
    : file_(folder / journal_name) {
  make_folder(folder);
  lock_ = lock_folder(folder);
  header.version = version;
  if (exists(file_) && !resume) {
    kept_ = keep_earlier_run(folder);
  }
  if (exists(file_)) {
    resumed_ = parse_journal(read_file(file_), file_.string());
    check_same_run(resumed_.header, header, file_.string());
    std::filesystem::resize_file(file_, resumed_.whole_bytes);
    handle_ = open_for_appending(file_);
  } else {
    handle_ = open_for_appending(file_);
    append(codec::dump(codec::encode(header)));
    sync_folder(folder);
  }
}

void Journal::started(std::uint64_t number, const NamedValues& parameters) {
  const Json values = codec::encode(parameters);
  append(codec::dump({{"started", {{"number", number}, {"parameters", values}}}}));
  if (handle_.get() >= 0) {
    arm_crash_note(handle_.get(), codec::dump({{"died", {{"parameters", values}}}}) + "\n");
  }
}

void Journal::answered(const Record& record) {
  disarm_crash_note();
  append(codec::dump({{"record", codec::encode(record)}}));
}

void Journal::finals(const std::vector<Finals>& finals) {
  append(codec::dump({{"finals", codec::encode(finals)}}));
}

void Journal::append(const std::string& line) {
  if (handle_.get() >= 0) {
    append_durably(handle_, line + "\n", file_);
  }
}

}  // namespace rooftune
