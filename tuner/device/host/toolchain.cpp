#include "tuner/device/host/toolchain.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <regex>
#include <sstream>

#include "tuner/core/error.hpp"
#include "tuner/device/host/process.hpp"

namespace rooftune::host {
namespace {

std::vector<std::string> words(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> out;
  for (std::string word; in >> word;) {
    out.push_back(word);
  }
  return out;
}

/// The version of the g++ that `command` runs; empty for another compiler, or none.
std::string gcc_version(const std::vector<std::string>& command) {
  std::vector<std::string> argv = command;
  argv.insert(argv.end(), {"-dM", "-E", "-x", "c++", "/dev/null"});
  try {
    const ProcessResult macros = run_process({argv, {}, 20, false});
    if (!macros.succeeded() || macros.output.find("__clang__") != std::string::npos) {
      return "";
    }
    const auto value = [&](const std::string& name) {
      std::smatch match;
      const std::regex pattern("#define " + name + " (\\d+)");
      return std::regex_search(macros.output, match, pattern) ? match[1].str() : "0";
    };
    const std::string major = value("__GNUC__");
    return major == "0" ? ""
                        : fmt::format("{}.{}.{}", major, value("__GNUC_MINOR__"),
                                      value("__GNUC_PATCHLEVEL__"));
  } catch (const InputError&) {
    return "";  // no such program
  }
}

}  // namespace

std::string FoundCompiler::description() const {
  return fmt::format("{} {}", std::filesystem::path(command.front()).filename().string(), version);
}

FoundCompiler find_compiler() {
  std::vector<std::vector<std::string>> candidates;
  const char* cxx = std::getenv("CXX");
  if (cxx != nullptr && !words(cxx).empty()) {
    candidates.push_back(words(cxx));
  }
  candidates.push_back({"g++"});
  for (const std::vector<std::string>& command : candidates) {
    const std::string version = gcc_version(command);
    if (!version.empty()) {
      if (std::stoi(version) < 11) {
        throw InputError(fmt::format("the host device needs g++ 11 or newer; {} is {}",
                                     command.front(), version),
                         "install a newer g++, or name it in CXX");
      }
      return {command, version};
    }
  }
  throw InputError(
      cxx == nullptr
          ? "the host device needs the C++ compiler g++, and there is none on PATH"
          : fmt::format("the host device needs g++: CXX ({}) is not, and PATH has none", cxx),
      "on Debian: apt-get install g++; or set CXX to a g++");
}

std::vector<std::string> host_options(const std::vector<std::string>& options) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < options.size(); ++i) {
    const std::string& option = options[i];
    const auto value_of = [&](std::string_view name) -> std::string {
      return option.size() > name.size() ? option.substr(name.size())
             : i + 1 < options.size()    ? options[++i]
                                         : "";
    };
    const auto begins = [&](std::string_view name) { return option.rfind(name, 0) == 0; };
    if (begins("--define-macro=")) {
      out.push_back("-D" + value_of("--define-macro="));
    } else if (begins("--include-path=")) {
      out.push_back("-I" + value_of("--include-path="));
    } else if (begins("-D") || begins("-I") || begins("-U")) {
      out.push_back(option.substr(0, 2) + value_of(option.substr(0, 2)));
    } else if (option == "--use_fast_math" || option == "-use_fast_math") {
      // Not -ffast-math: CUDA keeps NaN and infinity, and so must the conversions of the prelude.
      out.insert(out.end(), {"-fassociative-math", "-freciprocal-math", "-fno-signed-zeros"});
    } else if (option == "--fmad=false" || option == "-fmad=false") {
      out.emplace_back("-ffp-contract=off");
    }
  }
  return out;
}

std::vector<std::string> build_flags(HostBuild build) {
  switch (build) {
    case HostBuild::time:
      // The limits let loops of a known trip count unroll fully, as `#pragma unroll` asks.
      return {"-O3", "-g1", "-march=native", "--param=max-completely-peeled-insns=4000",
              "--param=max-completely-peel-times=128"};
    case HostBuild::check:
      return {"-O1", "-g1", "-fno-omit-frame-pointer", "-fsanitize=address,undefined",
              "-fno-sanitize-recover=all"};
    case HostBuild::race:
      return {"-O1", "-g1", "-fno-omit-frame-pointer", "-fsanitize=thread"};
    case HostBuild::count:
      break;
  }
  // The instrumentation of ThreadSanitizer without itself: see runtime/access_counts.hpp. Vectors
  // are loaded whole, as a GPU does, where they are not taken apart into scalars.
  return {"-O3",
          "-g1",
          "-fno-tree-sra",
          "-fsanitize=thread",
          "-DROOFTUNE_HOST_COUNT",
          "-U__SANITIZE_THREAD__",
          "--param=tsan-instrument-func-entry-exit=0",
          "--param=max-completely-peeled-insns=4000",
          "--param=max-completely-peel-times=128"};
}

}  // namespace rooftune::host
