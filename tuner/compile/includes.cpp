#include "tuner/compile/includes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <set>
#include <system_error>

#include "tuner/core/hash.hpp"

namespace rooftune {
namespace {

namespace fs = std::filesystem;

struct Include {
  std::string name;
  bool quoted = false;
};

/// What a scan needs of one file.
struct Scanned {
  fs::file_time_type changed;
  std::uintmax_t size = 0;
  std::uint64_t hash = 0;
  std::vector<Include> includes;
  bool computed = false;
};

/// Reads an #include line into `scanned`; other lines are ignored. Comments are not understood: an
/// #include inside of one does no harm.
void scan_line(std::string_view line, Scanned& scanned) {
  const auto skip_blanks = [&line] {
    const std::size_t at = line.find_first_not_of(" \t");
    line.remove_prefix(std::min(at, line.size()));
  };
  skip_blanks();
  if (line.empty() || line.front() != '#') {
    return;
  }
  line.remove_prefix(1);
  skip_blanks();
  constexpr std::string_view word = "include";
  if (line.substr(0, word.size()) != word) {
    return;
  }
  line.remove_prefix(word.size());
  skip_blanks();
  const char open = line.empty() ? '\0' : line.front();
  if (open != '"' && open != '<') {
    scanned.computed = true;
    return;
  }
  const std::size_t close = line.find(open == '<' ? '>' : '"', 1);
  if (close != std::string_view::npos) {
    scanned.includes.push_back({std::string(line.substr(1, close - 1)), open == '"'});
  }
}

Scanned scan_text(std::string_view text) {
  Scanned scanned;
  scanned.hash = stable_hash(text);
  while (!text.empty()) {
    const std::size_t newline = text.find('\n');
    scan_line(text.substr(0, newline), scanned);
    text.remove_prefix(newline == std::string_view::npos ? text.size() : newline + 1);
  }
  return scanned;
}

/// Files by path, read again when their size or time changes.
class ScannedFiles {
 public:
  Scanned get(const fs::path& file) {
    std::error_code error;
    const auto changed = fs::last_write_time(file, error);
    const auto size = fs::file_size(file, error);
    const std::lock_guard lock(mutex_);
    const auto known = files_.find(file.native());
    if (known != files_.end() && known->second.changed == changed && known->second.size == size) {
      return known->second;
    }
    std::ifstream in(file, std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    Scanned scanned = scan_text(text);
    scanned.changed = changed;
    scanned.size = size;
    return files_[file.native()] = std::move(scanned);
  }

 private:
  std::mutex mutex_;
  std::map<std::string, Scanned> files_;
};

bool is_file(const fs::path& file) {
  std::error_code error;
  return fs::is_regular_file(file, error);
}

/// Follows includes breadth first.
class Scan {
 public:
  explicit Scan(const std::vector<fs::path>& folders) : folders_(folders) {}

  Includes run(std::string_view text, const fs::path& file) {
    follow(scan_text(text), file.parent_path());
    static ScannedFiles files;
    while (!waiting_.empty()) {
      const fs::path next = waiting_.front();
      waiting_.pop_front();
      const Scanned scanned = files.get(next);
      found_.hash = stable_hash(next.native(), found_.hash ^ scanned.hash);
      follow(scanned, next.parent_path());
    }
    for (const std::string& name : found_.missing) {
      found_.hash = stable_hash(name, found_.hash);
    }
    return std::move(found_);
  }

 private:
  void follow(const Scanned& scanned, const fs::path& folder) {
    found_.computed = found_.computed || scanned.computed;
    for (const Include& include : scanned.includes) {
      const fs::path file = resolve(include, folder);
      if (file.empty()) {
        if (missing_.insert(include.name).second) {
          found_.missing.push_back(include.name);
        }
      } else if (seen_.insert(file.native()).second) {
        found_.files.push_back(file);
        waiting_.push_back(file);
      }
    }
  }

  fs::path resolve(const Include& include, const fs::path& folder) const {
    if (include.quoted && is_file(folder / include.name)) {
      return (folder / include.name).lexically_normal();
    }
    for (const fs::path& searched : folders_) {
      if (is_file(searched / include.name)) {
        return (searched / include.name).lexically_normal();
      }
    }
    return {};
  }

  const std::vector<fs::path>& folders_;
  Includes found_;
  std::deque<fs::path> waiting_;
  std::set<std::string> seen_;
  std::set<std::string> missing_;
};

/// Folders that may hold CUDA's headers, in the order in which they are asked.
std::vector<fs::path> candidates(const fs::path& library) {
  std::vector<fs::path> folders;
  const auto add = [&folders](const fs::path& folder) {
    if (std::find(folders.begin(), folders.end(), folder) == folders.end()) {
      folders.push_back(folder);
    }
  };
  const auto add_root = [&](const fs::path& root) {
    add(root / "include");
    add(root / "targets/x86_64-linux/include");
  };
  for (const char* variable : {"CUDA_PATH", "CUDA_HOME"}) {
    const char* root = std::getenv(variable);
    if (root != nullptr && *root != '\0') {
      add_root(root);
    }
  }
  if (!library.empty()) {
    add_root(library.parent_path().parent_path());
  }
  std::string_view built = ROOFTUNE_CUDA_INCLUDE_DIRS;
  while (!built.empty()) {
    const std::string_view folder = built.substr(0, built.find(':'));
    add(fs::path(folder));
    built.remove_prefix(std::min(built.size(), folder.size() + 1));
  }
  for (const char* root : {"/usr/local/cuda", "/opt/cuda", "/usr/lib/cuda", "/usr"}) {
    add_root(root);
  }
  return folders;
}

constexpr std::array<std::string_view, 62> host_headers = {
    "algorithm",  "any",      "array",       "assert.h",
    "atomic",     "bit",      "bitset",      "cassert",
    "cctype",     "cfloat",   "chrono",      "climits",
    "cmath",      "complex",  "concepts",    "cstddef",
    "cstdint",    "cstdio",   "cstdlib",     "cstring",
    "ctime",      "ctype.h",  "deque",       "exception",
    "float.h",    "fstream",  "functional",  "initializer_list",
    "inttypes.h", "iomanip",  "iostream",    "istream",
    "iterator",   "limits",   "limits.h",    "list",
    "map",        "math.h",   "memory",      "mutex",
    "new",        "numeric",  "optional",    "ostream",
    "random",     "ratio",    "set",         "span",
    "sstream",    "stddef.h", "stdexcept",   "stdint.h",
    "stdio.h",    "stdlib.h", "string",      "string.h",
    "thread",     "tuple",    "type_traits", "utility",
    "variant",    "vector"};

}  // namespace

Includes includes_of(std::string_view text, const fs::path& file,
                     const std::vector<fs::path>& folders) {
  return Scan(folders).run(text, file);
}

CudaFolders cuda_folders(const std::vector<std::string>& needed, const fs::path& library) {
  CudaFolders result;
  for (const fs::path& folder : candidates(library)) {
    // libcu++ and CUB live in a folder of their own from CUDA 13 on.
    const fs::path cccl = folder / "cccl";
    result.tried.push_back(folder);
    result.tried.push_back(cccl);
  }
  const auto use = [&result](const fs::path& folder) {
    std::error_code error;
    if (fs::is_directory(folder, error) &&
        std::find(result.use.begin(), result.use.end(), folder) == result.use.end()) {
      result.use.push_back(folder);
    }
  };
  for (const std::string& header : needed) {
    if (is_host_library_header(header)) {
      continue;  // a prefix such as /usr/include has it, but NVRTC cannot digest it
    }
    const auto holds = [&](const fs::path& folder) { return is_file(folder / header); };
    const auto found = std::find_if(result.tried.begin(), result.tried.end(), holds);
    if (found != result.tried.end()) {
      const bool is_cccl = found->filename() == "cccl";
      use(is_cccl ? found->parent_path() : *found);
      use(is_cccl ? *found : *found / "cccl");
    }
  }
  return result;
}

bool is_host_library_header(std::string_view name) {
  return std::find(host_headers.begin(), host_headers.end(), name) != host_headers.end();
}

std::string libcudacxx_header(std::string_view name) {
  const std::size_t suffix = name.rfind(".h");
  const bool c_style = suffix != std::string_view::npos && suffix + 2 == name.size();
  return fmt::format("cuda/std/{}{}", c_style ? "c" : "", name.substr(0, suffix));
}

std::string header_version(const fs::path& folder) {
  std::ifstream in(folder / "cuda.h");
  constexpr std::string_view wanted = "#define CUDA_VERSION ";
  for (std::string line; std::getline(in, line);) {
    int version = 0;
    if (line.compare(0, wanted.size(), wanted) == 0 &&
        std::from_chars(line.data() + wanted.size(), line.data() + line.size(), version).ec ==
            std::errc{}) {
      return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
    }
  }
  return "";
}

}  // namespace rooftune
