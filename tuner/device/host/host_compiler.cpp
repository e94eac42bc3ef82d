#include "tuner/device/host/host_compiler.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <fstream>
#include <optional>
#include <regex>
#include <sstream>

#include "tuner/compile/compiler.hpp"
#include "tuner/core/error.hpp"
#include "tuner/core/hash.hpp"
#include "tuner/device/fill.hpp"
#include "tuner/device/host/ceilings.hpp"
#include "tuner/device/host/rewriter.hpp"
#include "tuner/device/host/runtime_files.hpp"
#include "tuner/device/host/toolchain.hpp"

namespace rooftune::host {
namespace {

namespace fs = std::filesystem;

constexpr double compile_timeout_seconds = 120;
/// What the compiler calls the text that is added below a kernel's source.
constexpr std::string_view entry_file = "<rooftune entry>";
/// How messages begin that the added text's assertions give.
constexpr std::string_view assertion_mark = "rooftune: ";

/// Makes a file or folder name that no other process or thread uses.
std::string unique_suffix() {
  static std::atomic<unsigned> count = 0;
  return fmt::format("{}-{}", getpid(), count++);
}

void write_file(const fs::path& file, const std::string& text) {
  std::ofstream out(file, std::ios::binary);
  out << text;
  if (!out.flush()) {
    throw InputError(fmt::format("cannot write {}", file.string()),
                     "is the disk full? TMPDIR chooses another place");
  }
}

std::string read_file(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

/// Every file that the precompiled header depends on, as one text.
std::string runtime_headers(const fs::path& runtime) {
  std::vector<fs::path> files;
  for (const char* folder : {"runtime", "child"}) {
    const fs::recursive_directory_iterator all(runtime / folder,
                                               fs::directory_options::follow_directory_symlink);
    for (const fs::directory_entry& entry : all) {
      if (entry.is_regular_file() && entry.path().extension() != ".cpp") {
        files.push_back(entry.path());
      }
    }
  }
  std::sort(files.begin(), files.end());
  std::string text;
  for (const fs::path& file : files) {
    text += file.string() + "\n" + read_file(file);
  }
  return text;
}

/// The value of `key`, computed by the first thread that asks; the others wait for it.
template <class Value, class Compute>
Value once(std::mutex& mutex, std::map<std::string, std::shared_future<Value>>& values,
           const std::string& key, Compute compute) {
  std::promise<Value> promise;
  std::shared_future<Value> future;
  bool mine = false;
  {
    const std::lock_guard lock(mutex);
    auto [place, added] = values.try_emplace(key);
    mine = added;
    if (added) {
      place->second = promise.get_future().share();
    }
    future = place->second;
  }
  if (mine) {
    try {
      promise.set_value(compute());
    } catch (...) {
      promise.set_exception(std::current_exception());
    }
  }
  return future.get();
}

/// Ends the making of a variant that is a failed configuration.
struct VariantFailure {
  Failure failure;
};

/// The user's cache folder, or `otherwise` where that cannot be written.
fs::path writable_cache(const fs::path& otherwise) {
  const std::optional<fs::path> cache = ceilings::cache_folder();
  std::error_code error;
  if (cache) {
    fs::create_directories(*cache, error);
  }
  return cache && !error && access(cache->c_str(), W_OK) == 0 ? *cache : otherwise;
}

/// Removes precompiled headers that nobody has used for 30 days: each takes some 50 MB.
void remove_unused_headers(const fs::path& cache) {
  std::error_code ignored;
  const auto long_ago = fs::file_time_type::clock::now() - std::chrono::hours(24 * 30);
  std::vector<fs::path> unused;
  for (const fs::directory_entry& entry : fs::directory_iterator(cache, ignored)) {
    if (entry.path().filename().string().rfind("host-", 0) == 0 &&
        entry.last_write_time(ignored) < long_ago) {
      unused.push_back(entry.path());
    }
  }
  for (const fs::path& folder : unused) {
    fs::remove_all(folder, ignored);
  }
}

// Reading the compiler's messages.

struct Diagnostic {
  std::string file;
  int line = 0;
  int column = 0;
  std::string message;
};

std::optional<Diagnostic> first_error(const std::string& log) {
  static const std::regex pattern(R"(([^:]+):(\d+):(?:(\d+):)? (?:fatal )?error: (.*))");
  std::istringstream lines(log);
  std::smatch match;
  for (std::string line; std::getline(lines, line);) {
    if (line.find("error: ") != std::string::npos && line.size() < 4096 &&
        std::regex_match(line, match, pattern)) {
      return Diagnostic{match[1], std::stoi(match[2]), match[3].matched ? std::stoi(match[3]) : 0,
                        match[4]};
    }
  }
  return std::nullopt;
}

[[noreturn]] void refuse_missing_header(const Diagnostic& error) {
  SourceSpot spot;
  spot.file = error.file;
  spot.line = error.line;
  spot.column = error.column;
  std::ifstream in(error.file);
  for (int line = 0; line < error.line && std::getline(in, spot.line_text); ++line) {
  }
  throw InputError(spot, error.message,
                   "the host device stands in for CUDA's own headers that kernels use; name the "
                   "folders of other headers in the spec's kernel.include");
}

/// The kernel's name without template arguments.
std::string plain_name(const VariantRequest& request) {
  return request.name_expression.substr(0, request.name_expression.find('<'));
}

/// The linker's complaint in one line.
std::string linker_error(const std::string& log) {
  for (const char* what : {"undefined reference to ", "multiple definition of "}) {
    const std::size_t at = log.find(what);
    if (at != std::string::npos) {
      return log.substr(at, log.find_first_of(";\n", at) - at);
    }
  }
  return "the C++ compiler failed without naming an error";
}

/// What a compiler's log means for a variant.
Failure failure_of(const VariantRequest& request, const ProcessResult& result) {
  if (result.timed_out) {
    return {Outcome::timed_out,
            fmt::format("compiling took more than {:.0f} s", compile_timeout_seconds),
            result.output};
  }
  const std::optional<Diagnostic> error = first_error(result.output);
  if (!error) {
    return {Outcome::compile_failed, linker_error(result.output), result.output};
  }
  const std::string reason = fmt::format("{}:{}: {}", fs::path(error->file).filename().string(),
                                         error->line, error->message);
  if (error->file != entry_file) {
    return {Outcome::compile_failed, reason, result.output};
  }
  const std::size_t assertion = error->message.find(assertion_mark);
  if (assertion != std::string::npos) {
    throw InputError(error->message.substr(assertion + assertion_mark.size()),
                     fmt::format("compare the spec's arguments with the kernel's parameters in {}",
                                 request.source.string()));
  }
  const std::string plain = plain_name(request);
  const std::string last =
      plain.substr(plain.rfind(':') == std::string::npos ? 0 : plain.rfind(':') + 1);
  const bool unknown = error->message.find("declared") != std::string::npos ||
                       error->message.find("is not a member") != std::string::npos;
  if (unknown && error->message.find("'" + last + "'") != std::string::npos) {
    throw InputError(fmt::format("{} has no kernel \"{}\"", request.source.string(), plain),
                     "check kernel.name (or verify.kernel) in the spec");
  }
  return {Outcome::compile_failed,
          fmt::format("{} cannot be called: {}", request.name_expression, error->message),
          result.output};
}

// The text below the kernel.

std::string entry_text(const VariantRequest& request) {
  std::string text = fmt::format("\n# 1 \"{}\"\n", entry_file);
  text += fmt::format("constexpr auto rooftune_kernel_address = &{};\n", request.name_expression);
  text += "using RooftuneEntry = ::rooftune_host::Entry<rooftune_kernel_address>;\n";
  text += fmt::format(
      "static_assert(RooftuneEntry::count == {0}, \"{1}the spec gives {0} arguments, and the "
      "kernel "
      "{2} does not take as many\");\n",
      request.arguments.size(), assertion_mark, request.name_expression);
  for (std::size_t i = 0; i < request.arguments.size(); ++i) {
    const Argument& argument = request.arguments[i];
    const ElementFormat format = format_of(argument.type);
    const bool real = is_real(format) && argument.type.size >= 4;
    text += fmt::format(
        "static_assert(RooftuneEntry::accepts<{}>({{{}, {}, {}, {}}}), \"{}argument {} ({}) is {} "
        "{} "
        "in the spec, and the kernel {} takes something else\");\n",
        i, argument.is_buffer, argument.type.size, real, !is_real(format), assertion_mark, i + 1,
        argument.name, argument.is_buffer ? "a buffer of" : "a single", argument.type.name,
        request.name_expression);
  }
  text +=
      "extern \"C\" void rooftune_kernel(void** arguments) { RooftuneEntry::call(arguments); }\n";
  text += fmt::format("extern \"C\" const char* const rooftune_kernel_name = \"{}\";\n",
                      request.name_expression);
  return text;
}

}  // namespace

HostCompiler::HostCompiler(HostBuild build, fs::path folder)
    : build_(build), folder_(std::move(folder)), runtime_(runtime_folder()) {
  const FoundCompiler found = find_compiler();
  compiler_ = found.command;
  description_ = found.description();
  fs::create_directories(folder_);
}

std::vector<std::string> HostCompiler::flags(const VariantRequest& request) const {
  // As CUDA compiles device code: multiply-adds may contract, no errno, no traps, and pointers
  // may alias as they like.
  std::vector<std::string> flags = {
      "-std=gnu++20",         "-fmax-errors=20",    "-w",
      "-fno-math-errno",      "-fno-trapping-math", "-ffp-contract=fast",
      "-fno-strict-aliasing", "-fno-finite-loops",  "-fno-pie",
      "-fcf-protection=none"};
  for (const auto& more : {build_flags(build_), host_options(request.options)}) {
    flags.insert(flags.end(), more.begin(), more.end());
  }
  return flags;
}

ProcessResult HostCompiler::compile(std::vector<std::string> arguments) const {
  arguments.insert(arguments.begin(), compiler_.begin(), compiler_.end());
  return run_process({std::move(arguments), {{"LC_ALL", "C"}}, compile_timeout_seconds, false});
}

fs::path HostCompiler::build_precompiled_header(const std::vector<std::string>& flags) {
  const std::string text =
      fmt::format("#include \"{}\"\n", (runtime_ / "child" / "variant.hpp").string());
  const std::string key =
      hash_text(fmt::format("{}\n{}\n{}\n{}", fmt::join(compiler_, " "), description_,
                            fmt::join(flags, " "), text + runtime_headers(runtime_)));
  const fs::path cache = writable_cache(folder_);
  const fs::path folder = cache / fmt::format("host-{}-{}", to_string(build_), key);
  const fs::path header = folder / "variant.hpp";
  if (fs::exists(header.string() + ".gch")) {
    std::error_code ignored;
    fs::last_write_time(folder, fs::file_time_type::clock::now(), ignored);  // in use
    return header;
  }
  remove_unused_headers(cache);
  // Built aside and renamed: other processes see all of it or nothing.
  const fs::path aside = folder.string() + "." + unique_suffix();
  fs::create_directories(aside);
  write_file(aside / "variant.hpp", text);
  std::vector<std::string> arguments = flags;
  arguments.insert(arguments.end(), {"-x", "c++-header", (aside / "variant.hpp").string(), "-o",
                                     (aside / "variant.hpp.gch").string()});
  const ProcessResult result = compile(arguments);
  std::error_code ignored;
  if (!result.succeeded()) {
    fs::remove_all(aside, ignored);
    throw InputError(fmt::format("{} cannot compile the host device's headers:\n{}", description_,
                                 result.output),
                     "name another g++ in CXX, or reinstall this one");
  }
  std::error_code lost_the_race;
  fs::rename(aside, folder, lost_the_race);
  if (lost_the_race) {
    fs::remove_all(aside, ignored);
  }
  return header;
}

fs::path HostCompiler::precompiled_header(const std::vector<std::string>& flags) {
  return once(mutex_, headers_, fmt::format("{}", fmt::join(flags, "\n")),
              [&] { return build_precompiled_header(flags); });
}

std::string HostCompiler::preprocess(const VariantRequest& request) {
  const std::string file = request.source.string();
  const std::string text = source_with_defines(mark_unroll_pragmas(read_source(request.source)),
                                               request.source, request.defines);
  const fs::path in = folder_ / (unique_suffix() + ".cu");
  const fs::path out = folder_ / (in.stem().string() + ".ii");
  write_file(in, fmt::format("#line 1 \"{}\"\n{}", file, text));
  std::vector<std::string> arguments = flags(request);
  const std::string header = precompiled_header(arguments).string();
  arguments.insert(arguments.end(), {"-E", "-fpch-preprocess", "-include", header});
  const std::string own_folder = request.source.parent_path().string();
  // CUDA's own headers are stood in for, wherever else they may be.
  arguments.insert(arguments.end(), {"-I", (runtime_ / "runtime" / "shadow").string()});
  arguments.insert(arguments.end(), {"-iquote", own_folder, "-I", own_folder});
  for (const fs::path& folder : request.include) {
    arguments.insert(arguments.end(), {"-I", folder.string()});
  }
  arguments.insert(arguments.end(), {"-x", "c++", in.string(), "-o", out.string()});
  const ProcessResult result = compile(arguments);
  const std::string preprocessed = read_file(out);
  std::error_code ignored;
  fs::remove(in, ignored);
  fs::remove(out, ignored);
  if (!result.succeeded()) {
    const auto error = first_error(result.output);
    if (error && error->message.find("No such file") != std::string::npos) {
      refuse_missing_header(*error);
    }
    throw VariantFailure{failure_of(request, result)};
  }
  return preprocessed;
}

HostCompiler::Source HostCompiler::make_source(const VariantRequest& request) {
  Source source;
  source.preprocessed = preprocess(request);
  try {
    source.plain_cpp = rewrite_for_host(source.preprocessed, request.source);
  } catch (const InputError& error) {
    if (request.defines.empty()) {
      throw;
    }
    // Another value of a #define parameter may choose another branch of the source.
    throw VariantFailure{{Outcome::compile_failed, error.problem(), error.what()}};
  }
  return source;
}

/// Sources without #define parameters are the same for every configuration, and kept.
HostCompiler::Source HostCompiler::source(const VariantRequest& request) {
  if (!request.defines.empty()) {
    return make_source(request);
  }
  std::string key =
      fmt::format("{}\n{}\n", request.source.string(), fmt::join(request.options, "\n"));
  for (const fs::path& folder : request.include) {
    key += folder.string() + "\n";
  }
  return once(mutex_, sources_, key, [&] { return make_source(request); });
}

std::string HostCompiler::meaning(const VariantRequest& request) {
  try {
    return without_other_kernels(source(request).preprocessed, plain_name(request));
  } catch (const VariantFailure&) {
    return "";
  }
}

std::variant<Variant, Failure> HostCompiler::build(const VariantRequest& request) {
  std::string text;
  try {
    text = source(request).plain_cpp + entry_text(request);
  } catch (const VariantFailure& failed) {
    return failed.failure;
  }
  const std::vector<std::string> flags = this->flags(request);
  const fs::path program = folder_ / hash_text(fmt::format("{}\n{}", fmt::join(flags, "\n"), text));
  if (fs::exists(program)) {
    return Variant{program, "", 0};
  }
  const std::string suffix = unique_suffix();
  const fs::path source = program.string() + "." + suffix + ".ii";
  const fs::path aside = program.string() + "." + suffix;
  write_file(source, text);
  std::vector<std::string> arguments = flags;
  arguments.insert(arguments.end(), {"-fpreprocessed", "-x", "c++", source.string(), "-x", "none",
                                     "-no-pie", "-o", aside.string()});
  const std::vector<std::string> libraries = runtime_libraries(runtime_, build_);
  arguments.insert(arguments.end(), libraries.begin(), libraries.end());
  const ProcessResult result = compile(arguments);
  std::error_code ignored;
  fs::remove(source, ignored);
  if (!result.succeeded()) {
    fs::remove(aside, ignored);
    return failure_of(request, result);
  }
  fs::rename(aside, program);
  return Variant{program, result.output, result.seconds};
}

}  // namespace rooftune::host
