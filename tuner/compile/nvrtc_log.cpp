#include "tuner/compile/nvrtc_log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace rooftune {
namespace {

using std::string_view;

/// Calls `read(line)` for each line until it returns false.
template <typename Read>
void for_each_line(string_view text, Read read) {
  while (!text.empty()) {
    const std::size_t newline = text.find('\n');
    if (!read(text.substr(0, newline))) {
      return;
    }
    text.remove_prefix(newline == string_view::npos ? text.size() : newline + 1);
  }
}

bool contains(string_view text, string_view part) {
  return text.find(part) != string_view::npos;
}

/// The text between `before` and the next `after`; nullopt where either is missing.
std::optional<string_view> between(string_view text, string_view before, string_view after) {
  const std::size_t begin = text.find(before);
  if (begin == string_view::npos) {
    return std::nullopt;
  }
  text.remove_prefix(begin + before.size());
  const std::size_t end = text.find(after);
  return end == string_view::npos ? std::nullopt : std::optional(text.substr(0, end));
}

std::optional<std::int64_t> number(string_view text, int base = 10) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  return error == std::errc{} ? std::optional(value) : std::nullopt;
}

/// The number just before `unit`: 496 of "496 bytes spill stores" for " bytes spill stores".
std::int64_t number_before(string_view line, string_view unit) {
  const std::size_t at = line.find(unit);
  if (at == string_view::npos) {
    return 0;
  }
  const string_view before = line.substr(0, at);
  const std::size_t blank = before.find_last_not_of("0123456789");
  return number(before.substr(blank + 1)).value_or(0);  // npos + 1 is 0
}

string_view trimmed(string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  if (begin == string_view::npos) {
    return "";
  }
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

/// "k.cu(12): error: message", "k.cu(1): catastrophic error: message".
std::optional<Diagnostic> error_of_compiler(string_view line) {
  for (const string_view kind : {"): error", "): catastrophic error"}) {
    const std::size_t close = line.find(kind);
    const std::size_t open =
        close == string_view::npos ? string_view::npos : line.rfind('(', close);
    if (open == string_view::npos) {
      continue;
    }
    const std::size_t colon = line.find(": ", close + kind.size());
    Diagnostic found;
    found.file = line.substr(0, open);
    found.line = static_cast<int>(number(line.substr(open + 1)).value_or(0));
    found.message = line.substr(std::min(line.size(), colon + 2));
    return found;
  }
  return std::nullopt;
}

/// "ptxas error   : message", "nvrtc: error: message", "Command-line error: message".
std::optional<Diagnostic> error_of_tool(string_view line) {
  const bool ptxas = line.substr(0, 5) == "ptxas" &&
                     (contains(line, "error   : ") || contains(line, "fatal   : "));
  if (!ptxas && !contains(line, "nvrtc: error: ") && !contains(line, "Command-line error: ")) {
    return std::nullopt;
  }
  Diagnostic found;
  found.message = ptxas ? fmt::format("ptxas: {}", trimmed(line.substr(line.find("   : ") + 5)))
                        : std::string(trimmed(line.substr(line.find("error: ") + 7)));
  return found;
}

struct Known {
  string_view prefix;
  string_view advice;
};

constexpr std::array known_options = {
    Known{"-O",
          "a flag of nvcc and the host compiler; device code is optimised as it is, and "
          "ptxas takes --ptxas-options=-O3"},
    Known{"-Xcompiler", "a flag of nvcc for the host compiler, and no host code is compiled here"},
    Known{"--compiler-options",
          "a flag of nvcc for the host compiler, and no host code is compiled here"},
    Known{"-ffast-math", "a flag of the host compiler; NVRTC's is --use_fast_math"},
    Known{"--use-fast-math", "spelt --use_fast_math"},
    Known{"-gencode", "a flag of nvcc; the architecture is chosen by rooftune"},
    Known{"--generate-code", "a flag of nvcc; the architecture is chosen by rooftune"},
    Known{"-code", "a flag of nvcc; the architecture is chosen by rooftune"},
    Known{"--expt-", "a flag of nvcc that NVRTC does not need"},
    Known{"-expt-", "a flag of nvcc that NVRTC does not need"},
    Known{"--extended-lambda", "a flag of nvcc that NVRTC does not need"},
    Known{"-extended-lambda", "a flag of nvcc that NVRTC does not need"},
    Known{"-Xlinker", "a flag of nvcc for the linker, and nothing is linked here"},
    Known{"-l", "a flag of nvcc for the linker, and nothing is linked here"},
    Known{"-L", "a flag of nvcc for the linker, and nothing is linked here"},
    Known{"-x", "a flag of nvcc"},
    Known{"-c", "a flag of nvcc"},
    Known{"--", "a flag that NVRTC does not know; nvcc and the host compiler have more than it"},
    Known{"-f", "a flag of the host compiler, and no host code is compiled here"},
    Known{"-W", "a flag of the host compiler, and no host code is compiled here"},
    Known{"-m", "a flag of the host compiler, and no host code is compiled here"},
    Known{"-g", "a flag of the host compiler; NVRTC's are --device-debug and -lineinfo"},
    Known{"", "no option of NVRTC; one of nvcc or of the host compiler, perhaps"},
};

}  // namespace

std::optional<Diagnostic> first_error(string_view log) {
  std::optional<Diagnostic> found;
  for_each_line(log, [&](string_view line) {
    if (found) {  // the line after the error shows the code
      found->excerpt = found->file.empty() ? "" : trimmed(line);
      return false;
    }
    found = error_of_compiler(line);
    if (!found) {
      found = error_of_tool(line);
    }
    return true;
  });
  return found;
}

std::optional<Resources> resources_in(string_view log, string_view entry) {
  std::optional<Resources> found;
  bool current = false;     // lines about the entry's code
  bool properties = false;  // ... and its stack, not that of a function that it calls
  Resources resources;
  for_each_line(log, [&](string_view line) {
    if (const auto name = between(line, "Compiling entry function '", "'")) {
      current = *name == entry;
      return true;
    }
    constexpr string_view function = "Function properties for ";
    const std::size_t at = line.find(function);
    if (at != string_view::npos) {
      properties = trimmed(line.substr(at + function.size())) == entry;
      return true;
    }
    if (properties && contains(line, " bytes stack frame")) {
      resources.stack_frame = number_before(line, " bytes stack frame");
      resources.spill_stores = number_before(line, " bytes spill stores");
      resources.spill_loads = number_before(line, " bytes spill loads");
    } else if (current && contains(line, "Used ") && contains(line, " registers")) {
      resources.registers = static_cast<int>(number_before(line, " registers"));
      resources.static_shared = number_before(line, " bytes smem");
      resources.constant = number_before(line, " bytes cmem[0]");
      found = resources;
      return false;
    }
    return true;
  });
  return found;
}

std::vector<std::string> notes_in(string_view log) {
  std::vector<std::string> notes;
  for_each_line(log, [&](string_view line) {
    constexpr string_view prefix = "ptxas warning : ";
    if (line.substr(0, prefix.size()) != prefix) {
      return true;
    }
    const auto asked = between(line, "register count of ", " to lower bound");
    const std::size_t got = line.find("lower bound of ");
    notes.push_back(asked && got != string_view::npos
                        ? fmt::format("asked for {} registers a thread, got {}", *asked,
                                      trimmed(line.substr(got + 15)))
                        : std::string(trimmed(line.substr(prefix.size()))));
    return true;
  });
  return notes;
}

std::optional<SharedOverflow> shared_overflow_in(string_view log) {
  const auto sizes = between(log, "uses too much shared data (0x", " max)");
  if (!sizes) {
    return std::nullopt;
  }
  const std::size_t second = sizes->find(", 0x");
  const auto need = number(*sizes, 16);
  const auto limit =
      second == string_view::npos ? std::nullopt : number(sizes->substr(second + 4), 16);
  if (!need || !limit) {
    return std::nullopt;
  }
  return SharedOverflow{*need, *limit};
}

std::optional<std::string> missing_header_in(string_view log) {
  const auto name = between(log, "open source file \"", "\"");
  return name ? std::optional<std::string>(*name) : std::nullopt;
}

std::optional<std::string> refused_option_in(string_view log) {
  const auto name = between(log, "unrecognized option ", " found");
  return name ? std::optional<std::string>(*name) : std::nullopt;
}

std::string about_option(const std::string& option) {
  const std::size_t blank = option.find(' ');
  if (blank != std::string::npos) {
    return fmt::format("an option and its value are two elements: [\"{}\", \"{}\"]",
                       option.substr(0, blank), option.substr(blank + 1));
  }
  const auto known =
      std::find_if(known_options.begin(), known_options.end(), [&](const Known& entry) {
        return option.compare(0, entry.prefix.size(), entry.prefix) == 0;
      });
  return fmt::format("{} is {}; remove it from kernel.options", option, known->advice);
}

std::optional<int> launch_bound_in(string_view ptx, string_view entry) {
  const std::string start = fmt::format(".entry {}(", entry);
  const std::size_t at = ptx.find(start);
  if (at == string_view::npos) {
    return std::nullopt;
  }
  const string_view head = ptx.substr(at, ptx.find('{', at) - at);
  constexpr string_view directive = ".maxntid ";
  const std::size_t bound = head.find(directive);
  if (bound == string_view::npos) {
    return 0;
  }
  // One to three numbers; it is their product that counts.
  string_view sides = head.substr(bound + directive.size());
  sides = sides.substr(0, sides.find('\n'));
  std::int64_t threads = 1;
  while (!sides.empty()) {
    threads *= number(trimmed(sides)).value_or(1);
    sides.remove_prefix(std::min(sides.find(','), sides.size() - 1) + 1);
  }
  return static_cast<int>(threads);
}

}  // namespace rooftune
