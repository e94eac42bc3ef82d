#include "tuner/device/host/host_findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <regex>
#include <sstream>

#include "tuner/core/error.hpp"
#include "tuner/core/units.hpp"

namespace rooftune::host {
namespace {

namespace fs = std::filesystem;

std::string rest_of(std::istream& in) {
  std::string text;
  std::getline(in >> std::ws, text);
  return text;
}

std::string place(const std::string& file, int line) {
  return file.empty() ? "" : fmt::format("{}:{}: ", fs::path(file).filename().string(), line);
}

// The result file.

/// `KIND<TAB>FILE<TAB>LINE<TAB>MESSAGE` of the runtime.
Failure runtime_fault(const std::string& text) {
  std::vector<std::string> fields;
  std::istringstream in(text);
  for (std::string field; fields.size() < 3 && std::getline(in, field, '\t');) {
    fields.push_back(field);
  }
  std::string message;
  std::getline(in, message);
  if (fields.size() < 3) {
    return {Outcome::crashed, text, text};
  }
  const Outcome outcome = fields[0] == "cannot launch" ? Outcome::cannot_launch
                          : fields[0] == "deadlock"    ? Outcome::timed_out
                          : fields[0] == "data race"   ? Outcome::wrong_result
                                                       : Outcome::crashed;
  // Its folder once is enough.
  const std::string name = fs::path(fields[1]).filename().string();
  std::string reason = place(fields[1], std::atoi(fields[2].c_str())) + message;
  for (std::size_t at = fields[1].empty() ? std::string::npos : reason.find(fields[1]);
       at != std::string::npos; at = reason.find(fields[1], at + name.size())) {
    reason.replace(at, fields[1].size(), name);
  }
  return {outcome, reason, message};
}

/// `NAME COUNT TEXT`: elements that do not match.
Failure mismatch(std::istream& in) {
  std::string name;
  std::uint64_t count = 0;
  in >> name >> count;
  const std::string first = rest_of(in);
  const std::string reason =
      fmt::format("wrong result: {} ({} element{} of {} beyond the tolerance)", first,
                  format_count(count), count == 1 ? "" : "s", name);
  return {Outcome::wrong_result, reason, reason};
}

void read_line(Findings& findings, const std::string& word, std::istream& in) {
  if (word == "launched") {
    findings.launched = true;
  } else if (word == "done") {
    findings.done = true;
  } else if (word == "fault") {
    findings.failure = runtime_fault(rest_of(in));
  } else if (word == "overrun") {
    const std::string text = rest_of(in);
    findings.failure = {Outcome::crashed,
                        "out of bounds: " + text + "; `rooftune verify --sanitize` names the line",
                        text};
  } else if (word == "wrong") {
    findings.failure = mismatch(in);
  } else if (word == "error") {
    std::string number;
    in >> number;
    const double error = std::strtod(number.c_str(), nullptr);  // streams do not read "inf"
    const std::string where = rest_of(in);
    if (findings.max_error_where.empty() || error > findings.max_error) {
      findings.max_error = error;
      findings.max_error_where = where;
    }
  } else if (word == "verified") {
    findings.verified = true;
    in >> findings.verification_seconds;
  } else if (word == "sample") {
    double seconds = 0;
    double wall = 0;
    in >> seconds >> wall;
    findings.seconds.push_back(seconds);
    findings.wall_seconds.push_back(wall);
  } else if (word == "note") {
    findings.note = rest_of(in);
  } else if (word == "census") {
    OutputCensus output;
    Census& census = output.census;
    in >> output.name >> census.unwritten >> census.nan >> census.first_nan >> output.count;
    findings.census.push_back(output);
  } else if (word == "count") {
    std::string name;
    in >> name;
    in >> findings.counts[name];
  } else if (word == "crash") {
    findings.crash = rest_of(in);
  } else if (word == "failed") {
    const std::string text = rest_of(in);
    const bool memory = text.rfind("no memory", 0) == 0;
    findings.failure = {memory ? Outcome::out_of_memory : Outcome::crashed, text, text};
  }
}

// Addresses and stacks.

/// Whether a line of debug information belongs to the kernel's source and what it includes.
bool is_users(const std::string& file, const fs::path& runtime) {
  const auto begins = [&](const std::string& folder) { return file.rfind(folder, 0) == 0; };
  std::error_code ignored;
  const bool of_runtime = begins(runtime.string()) ||
                          begins(fs::weakly_canonical(runtime / "runtime", ignored).string()) ||
                          begins(fs::weakly_canonical(runtime / "child", ignored).string());
  return !of_runtime && !begins("/usr/") && !begins("..") && !begins("??") && !begins("<");
}

/// "file.cu:12: " of a program counter, through inlined calls; empty where it is not the user's.
std::string place_of(std::uint64_t counter, const RunContext& context) {
  try {
    const ProcessResult result = run_process(
        {{"addr2line", "-i", "-e", context.program.string(), fmt::format("{:#x}", counter)},
         {},
         20,
         false});
    std::istringstream lines(result.output);
    for (std::string line; std::getline(lines, line);) {
      line = line.substr(0, line.find(" ("));
      const std::size_t colon = line.rfind(':');
      if (colon != std::string::npos && is_users(line, context.runtime)) {
        return place(line.substr(0, colon), std::atoi(line.c_str() + colon + 1));
      }
    }
  } catch (const InputError&) {
    // No binutils: the reason is told without its place.
  }
  return "";
}

std::string_view signal_name(int number) {
  switch (number) {
    case SIGSEGV:
    case SIGBUS:
      return "memory fault";
    case SIGFPE:
      return "integer division by zero";
    case SIGILL:
      return "illegal instruction";
    case SIGABRT:
      return "abort";
    case SIGKILL:
      return "killed";
    default:
      return "signal";
  }
}

Failure crash(const Findings& findings, const ProcessResult& process, const RunContext& context) {
  int number = process.signal;
  std::uint64_t counter = 0;
  std::string address;
  std::istringstream in(findings.crash);
  std::string counter_text;
  std::string where;
  if (in >> number >> counter_text >> address) {
    counter = std::stoull(counter_text, nullptr, 16);
    where = place_of(counter, context);
  }
  const bool memory = number == SIGSEGV || number == SIGBUS;
  const std::string detail = memory && !address.empty() ? " at an address " + rest_of(in) : "";
  std::string reason =
      fmt::format("{}{}{} (signal {})", where, signal_name(number), detail, number);
  if (where.empty() && memory) {
    reason += ", maybe a stack overflow; `rooftune verify --sanitize` tells more";
  }
  const bool killed = number == SIGKILL;
  return {killed ? Outcome::out_of_memory : Outcome::crashed,
          killed ? "killed by the system, probably for want of memory" : reason, process.output};
}

Failure hang(const ProcessResult& process, const RunContext& context) {
  std::string where;
  for (const std::uint64_t counter : process.stuck_at) {
    where = place_of(counter, context);
    if (!where.empty()) {
      break;
    }
  }
  return {
      Outcome::timed_out,
      fmt::format("{}a launch took more than {:g} s: an endless loop, or more work than the limit "
                  "allows",
                  where, context.timeout_seconds),
      process.output};
}

/// The first frame of a stack in `text`, from `from` on, that is in the user's code.
struct Frame {
  std::string file;
  int line = 0;
};
std::optional<Frame> first_frame(const std::string& text, std::size_t from,
                                 const fs::path& runtime) {
  static const std::regex pattern(R"(#\d+ [^\n]*? ([^\s:]+):(\d+)(?::\d+)?)");
  const std::string part = text.substr(from);
  for (std::sregex_iterator it(part.begin(), part.end(), pattern), end; it != end; ++it) {
    if (is_users((*it)[1], runtime)) {
      return Frame{(*it)[1], std::stoi((*it)[2])};
    }
  }
  return std::nullopt;
}

/// What the pattern's group matches; empty where nothing does.
std::string group(const std::string& text, const char* pattern) {
  std::smatch match;
  return std::regex_search(text, match, std::regex(pattern)) ? match[1].str() : "";
}

/// `all` is the output with a report at `found`.
std::string address_report(const std::string& all, std::size_t found, const fs::path& runtime) {
  // A kernel may have printed megabytes around it, which regular expressions do not bear.
  constexpr std::size_t before = 512;
  constexpr std::size_t after = 16384;
  const std::size_t begin = found < before ? 0 : found - before;
  const std::string text = all.substr(begin, before + after);
  const std::size_t at = found - begin;
  const std::string kind = group(text, R"(AddressSanitizer: ([^\s]+))");
  std::string access = group(text, R"((READ|WRITE) of size \d+)");
  const std::string size = group(text, R"((?:READ|WRITE) of size (\d+))");
  const std::string where = group(text, R"(rooftune: the address is ([^\n]+))");
  std::transform(access.begin(), access.end(), access.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const auto frame = first_frame(text, at, runtime);
  std::string reason = frame ? place(frame->file, frame->line) : "";
  reason += access.empty() ? kind : fmt::format("{} of {} bytes", access, size);
  if (!where.empty() && where.find("outside") == std::string::npos) {
    reason += " " + where;
  }
  return fmt::format("{} (AddressSanitizer: {})", reason, kind);
}

}  // namespace

Findings read_findings(const std::string& text) {
  Findings findings;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream in(line);
    std::string word;
    in >> word;
    read_line(findings, word, in);
  }
  return findings;
}

std::optional<std::string> read_sanitizer_report(const std::string& text, const fs::path& runtime) {
  const std::size_t address = text.find("ERROR: AddressSanitizer");
  if (address != std::string::npos) {
    return address_report(text, address, runtime);
  }
  const std::size_t undefined = text.find(": runtime error: ");
  if (undefined == std::string::npos) {
    return std::nullopt;
  }
  const std::size_t newline = text.rfind('\n', undefined);
  const std::size_t begin = newline == std::string::npos ? 0 : newline + 1;
  const std::string line =
      text.substr(begin, std::min(text.find('\n', begin), begin + 4096) - begin);
  static const std::regex pattern(R"((.+):(\d+):\d+: runtime error: (.*))");
  std::smatch match;
  if (!std::regex_match(line, match, pattern)) {
    return std::nullopt;
  }
  return place(match[1], std::stoi(match[2])) + match[3].str() + " (UndefinedBehaviorSanitizer)";
}

std::optional<Failure> failure_of_run(const Findings& findings, const ProcessResult& process,
                                      const RunContext& context) {
  if (process.timed_out) {
    return hang(process, context);
  }
  if (findings.failure) {
    Failure failure = *findings.failure;
    failure.log += process.output.empty() ? "" : "\n" + process.output;
    return failure;
  }
  if (const auto report = read_sanitizer_report(process.output, context.runtime)) {
    return Failure{Outcome::crashed, *report, process.output};
  }
  if (process.signal != 0) {
    return crash(findings, process, context);
  }
  if (!findings.done || !process.succeeded()) {
    return Failure{
        Outcome::crashed,
        fmt::format("the kernel's process ended early with status {}", process.exit_status),
        process.output};
  }
  return std::nullopt;
}

}  // namespace rooftune::host
