#include "tuner/device/replay/json_file.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <memory>

#include "tuner/core/error.hpp"

namespace rooftune {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t largest_file = std::size_t{2} << 30;

/// Calls `visit(position)` for every byte that is outside JSON's strings.
template <typename Visit>
void scan_outside_strings(const std::string& text, Visit visit) {
  bool in_string = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (in_string && text[at] == '\\') {
      ++at;
    } else if (text[at] == '"') {
      in_string = !in_string;
    } else if (!in_string) {
      visit(at);
    }
  }
}

/// Replaces Python's three numbers that are not JSON by `null`.
std::string without_python_numbers(const std::string& text) {
  constexpr std::array<std::string_view, 3> words = {"-Infinity", "Infinity", "NaN"};
  std::string mended;
  std::size_t copied = 0;
  scan_outside_strings(text, [&](std::size_t at) {
    for (const std::string_view word : words) {
      if (at >= copied && text.compare(at, word.size(), word) == 0) {
        mended.append(text, copied, at - copied).append("null");
        copied = at + word.size();
      }
    }
  });
  return mended.append(text, copied);
}

/// The end of the last whole entry (an object in a list or object of the document), and the
/// brackets that close what is open there.
struct Cut {
  std::size_t end = 0;
  std::string closers;
};

Cut last_whole_entry(const std::string& text) {
  Cut cut;
  std::string open;
  scan_outside_strings(text, [&](std::size_t at) {
    const char c = text[at];
    if (c == '{' || c == '[') {
      open.push_back(c == '{' ? '}' : ']');
    } else if ((c == '}' || c == ']') && !open.empty()) {
      open.pop_back();
      if (c == '}' && !open.empty() && open.size() <= 2) {
        cut.end = at + 1;
        cut.closers.assign(open.rbegin(), open.rend());
      }
    }
  });
  return cut;
}

SourceSpot spot_at(const std::string& text, std::size_t offset, const std::filesystem::path& file) {
  offset = std::min(offset, text.size());
  const auto begin = text.begin();
  SourceSpot spot;
  spot.file = file.string();
  spot.line =
      1 + static_cast<int>(std::count(begin, begin + static_cast<std::ptrdiff_t>(offset), '\n'));
  const std::size_t newline = offset == 0 ? std::string::npos : text.rfind('\n', offset - 1);
  spot.column = static_cast<int>(newline == std::string::npos ? offset + 1 : offset - newline);
  return spot;
}

}  // namespace

std::string read_maybe_gzip(const std::filesystem::path& file) {
  if (!std::filesystem::is_regular_file(file)) {
    throw InputError(fmt::format("{}: no such file", file.string()));
  }
  // gzopen passes plain files through unchanged.
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> in(gzopen(file.c_str(), "rb"), &gzclose);
  if (!in) {
    throw InputError(fmt::format("{}: cannot be opened", file.string()),
                     "check that you may read it");
  }
  std::string text;
  std::vector<char> chunk(1 << 20);
  while (true) {
    const int count = gzread(in.get(), chunk.data(), static_cast<unsigned>(chunk.size()));
    int status = Z_OK;
    const char* message = gzerror(in.get(), &status);
    // A gzip file that ends early reads as whole blocks and then Z_BUF_ERROR.
    if (count < 0 || status == Z_BUF_ERROR) {
      throw InputError(fmt::format("{}: damaged gzip data ({})", file.string(), message),
                       "copy or download the file again");
    }
    if (count == 0) {
      return text;
    }
    text.append(chunk.data(), static_cast<std::size_t>(count));
    if (text.size() > largest_file) {
      throw InputError(fmt::format("{}: more than 2 GiB when unpacked", file.string()),
                       "split the recording");
    }
  }
}

nlohmann::ordered_json parse_recorded_json(std::string text, const std::filesystem::path& file,
                                           std::vector<std::string>& remarks) {
  text = without_python_numbers(text);
  std::size_t wrong_at = 0;
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& error) {
    wrong_at = error.byte == 0 ? 0 : error.byte - 1;
  }
  const Cut cut = last_whole_entry(text);
  const std::string mended = text.substr(0, cut.end) + cut.closers;
  if (cut.end == 0 || !Json::accept(mended)) {
    throw InputError(spot_at(text, wrong_at, file), "not valid JSON here",
                     "the file is damaged or not a recording; record or download it again");
  }
  const std::size_t lost = text.find_first_not_of(", \t\r\n", cut.end);
  remarks.push_back(lost == std::string::npos
                        ? "the file lacks its closing brackets: read as an interrupted run"
                        : fmt::format("the file ends in the middle of an entry (line {}), which "
                                      "was left out: read as an interrupted run",
                                      spot_at(text, lost, file).line));
  return Json::parse(mended);
}

}  // namespace rooftune
