#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <mutex>
#include <nlohmann/json.hpp>
#include <sstream>
#include <system_error>

#include "tuner/compile/compiler.hpp"
#include "tuner/core/hash.hpp"
#include "tuner/core/units.hpp"

namespace rooftune {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr std::string_view magic = "rooftune binary 1";
constexpr std::string_view extension = ".bin";
constexpr std::string_view temporary = ".tmp";

Json description(const KernelBinary& binary) {
  Json json = {{"entry", binary.entry},
               {"architecture", binary.architecture},
               {"notes", binary.notes},
               {"log", binary.log}};
  if (const auto& r = binary.resources) {
    json["resources"] = {{"registers", r->registers},         {"spill_stores", r->spill_stores},
                         {"spill_loads", r->spill_loads},     {"stack_frame", r->stack_frame},
                         {"static_shared", r->static_shared}, {"constant", r->constant},
                         {"max_threads", r->max_threads}};
  }
  return json;
}

/// Throws a JSON exception where a field is missing.
KernelBinary binary_from(const Json& json) {
  KernelBinary binary;
  binary.entry = json.at("entry");
  binary.architecture = json.at("architecture");
  binary.notes = json.at("notes").get<std::vector<std::string>>();
  binary.log = json.at("log");
  if (json.contains("resources")) {
    const Json& r = json["resources"];
    binary.resources = Resources{r.at("registers"),   r.at("spill_stores"),  r.at("spill_loads"),
                                 r.at("stack_frame"), r.at("static_shared"), r.at("constant"),
                                 r.at("max_threads")};
  }
  return binary;
}

/// The first line says how long the two parts are and what they hash to.
std::string entry_text(const KernelBinary& binary) {
  // A log need not be UTF-8: file names in it may be anything.
  const std::string text = description(binary).dump(-1, ' ', false, Json::error_handler_t::replace);
  const std::string body = text + std::string(binary.image.begin(), binary.image.end());
  return fmt::format("{} {} {} {}\n{}", magic, text.size(), binary.image.size(), hash_text(body),
                     body);
}

/// nullopt where the text is not an entry, whole and unchanged.
std::optional<KernelBinary> read_entry(const std::string& entry) {
  const std::size_t newline = entry.find('\n');
  if (newline == std::string::npos || entry.compare(0, magic.size(), magic) != 0) {
    return std::nullopt;
  }
  std::istringstream head(entry.substr(magic.size(), newline - magic.size()));
  std::size_t text_size = 0;
  std::size_t image_size = 0;
  std::string hash;
  head >> text_size >> image_size >> hash;
  const std::string body = entry.substr(newline + 1);
  if (!head || image_size == 0 || body.size() != text_size + image_size ||
      hash_text(body) != hash) {
    return std::nullopt;
  }
  try {
    KernelBinary binary = binary_from(Json::parse(body.substr(0, text_size)));
    binary.image.assign(body.begin() + static_cast<std::ptrdiff_t>(text_size), body.end());
    binary.cached = true;
    return binary;
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

/// Writes, syncs and renames, so that no reader ever sees a part of it. False where that fails.
bool write_whole(const fs::path& file, const std::string& text) {
  static std::atomic<unsigned> counter{0};
  const fs::path temp = fmt::format("{}.{}.{}{}", file.string(), getpid(), counter++, temporary);
  const int descriptor = open(temp.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (descriptor < 0) {
    return false;
  }
  bool ok = true;
  for (std::size_t at = 0; ok && at < text.size();) {
    const ssize_t written = write(descriptor, text.data() + at, text.size() - at);
    ok = written > 0;
    at += ok ? static_cast<std::size_t>(written) : 0;
  }
  ok = ok && fsync(descriptor) == 0;
  ok = close(descriptor) == 0 && ok;
  std::error_code error;
  if (ok) {
    fs::rename(temp, file, error);
  }
  if (!ok || error) {
    fs::remove(temp, error);
    return false;
  }
  return true;
}

struct Entry {
  fs::path file;
  std::uintmax_t size = 0;
  fs::file_time_type used;
};

}  // namespace

struct BinaryCache::State {
  fs::path folder;
  std::uint64_t maximum = 0;
  std::string problem;
  std::atomic<std::uint64_t> hits{0};
  std::atomic<std::uint64_t> misses{0};
  std::atomic<std::uint64_t> removed{0};
  std::mutex mutex;
  /// Written by this process since the folder was last looked through; nothing before that.
  std::optional<std::uint64_t> unseen_bytes;
  std::uint64_t seen_bytes = 0;

  std::vector<Entry> entries() const {
    std::vector<Entry> found;
    std::error_code error;
    for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
      std::error_code gone;  // another process may remove it meanwhile
      const Entry entry{at->path(), at->file_size(gone), at->last_write_time(gone)};
      if (!gone) {
        found.push_back(entry);
      }
    }
    return found;
  }

  /// Removes what a killed process left, and what was not used for longest until a tenth is free.
  void tidy() {
    const auto old = fs::file_time_type::clock::now() - std::chrono::hours(1);
    std::vector<Entry> kept;
    seen_bytes = 0;
    std::error_code error;
    for (const Entry& entry : entries()) {
      if (entry.file.extension() == temporary && entry.used < old) {
        fs::remove(entry.file, error);
      } else if (entry.file.extension() == extension) {
        kept.push_back(entry);
        seen_bytes += entry.size;
      }
    }
    if (seen_bytes > maximum) {
      std::sort(kept.begin(), kept.end(),
                [](const Entry& a, const Entry& b) { return a.used < b.used; });
      for (std::size_t i = 0; i < kept.size() && seen_bytes > maximum / 10 * 9; ++i) {
        fs::remove(kept[i].file, error);
        seen_bytes -= kept[i].size;
        ++removed;
      }
    }
    unseen_bytes = 0;
  }

  void stored(std::uint64_t bytes) {
    const std::lock_guard lock(mutex);
    if (unseen_bytes) {
      *unseen_bytes += bytes;
    }
    if (!unseen_bytes || seen_bytes + *unseen_bytes > maximum) {
      tidy();
    }
  }
};

BinaryCache::BinaryCache(fs::path folder, std::uint64_t maximum_bytes)
    : state_(std::make_unique<State>()) {
  state_->folder = std::move(folder);
  state_->maximum = maximum_bytes;
  std::error_code error;
  fs::create_directories(state_->folder, error);
  if (state_->folder.empty() || error || access(state_->folder.c_str(), W_OK) != 0) {
    state_->problem =
        fmt::format("binaries are not kept: cannot write to \"{}\"", state_->folder.string());
  }
}

BinaryCache::~BinaryCache() = default;

fs::path BinaryCache::default_folder() {
  const auto variable = [](const char* name) -> fs::path {
    const char* value = std::getenv(name);
    return value != nullptr ? value : "";
  };
  // Relative paths are to be ignored, says the XDG Base Directory Specification.
  if (const fs::path cache = variable("XDG_CACHE_HOME"); cache.is_absolute()) {
    return cache / "rooftune" / "binaries";
  }
  const fs::path home = variable("HOME");
  return home.empty() ? fs::path() : home / ".cache" / "rooftune" / "binaries";
}

std::optional<KernelBinary> BinaryCache::find(const std::string& key) {
  const fs::path file = state_->folder / (key + std::string(extension));
  std::ifstream in(file, std::ios::binary);
  std::optional<KernelBinary> found;
  if (in) {
    found = read_entry({std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()});
    std::error_code error;  // of a folder that may be read only
    if (found) {
      fs::last_write_time(file, fs::file_time_type::clock::now(), error);
    } else {
      fs::remove(file, error);
    }
  }
  ++(found ? state_->hits : state_->misses);
  return found;
}

void BinaryCache::store(const std::string& key, const KernelBinary& binary) {
  if (!state_->problem.empty() || binary.image.empty()) {
    return;
  }
  const std::string text = entry_text(binary);
  if (write_whole(state_->folder / (key + std::string(extension)), text)) {
    state_->stored(text.size());
  }
}

BinaryCache::Statistics BinaryCache::statistics() const {
  return {state_->hits, state_->misses, state_->removed};
}

std::string BinaryCache::summary() const {
  const Statistics counts = statistics();
  return fmt::format("{} {}, {} {}", format_count(counts.hits), counts.hits == 1 ? "hit" : "hits",
                     format_count(counts.misses), counts.misses == 1 ? "miss" : "misses");
}

const std::string& BinaryCache::problem() const {
  return state_->problem;
}

}  // namespace rooftune
