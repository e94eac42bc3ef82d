#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <iterator>

#include "tuner/compile/compiler.hpp"
#include "tuner/compile/includes.hpp"
#include "tuner/compile/nvrtc_log.hpp"
#include "tuner/compile/nvrtc_program.hpp"
#include "tuner/compile/source.hpp"
#include "tuner/core/error.hpp"
#include "tuner/core/hash.hpp"

namespace rooftune {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view verbose_ptxas = "--ptxas-options=-v";
/// Of architectures that are PTX, for the driver to finish.
constexpr std::string_view ptx_prefix = "compute_";

bool starts_with(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

void refuse_conflicting_options(const std::vector<std::string>& options) {
  for (const std::string& option : options) {
    if (starts_with(option, "-arch") || starts_with(option, "--gpu-architecture")) {
      throw InputError(fmt::format("kernel.options must not choose the architecture: {}", option),
                       "it is the device's, or that of --arch");
    }
  }
}

/// Folders of `-Ifolder`, `-I folder` and their long forms, in order.
std::vector<fs::path> folders_in(const std::vector<std::string>& options) {
  std::vector<fs::path> folders;
  for (std::size_t i = 0; i < options.size(); ++i) {
    const std::string& option = options[i];
    for (const std::string_view prefix : {"-I", "--include-path="}) {
      if (!starts_with(option, prefix)) {
        continue;
      }
      if (option.size() > prefix.size()) {
        folders.emplace_back(option.substr(prefix.size()));
      } else if (i + 1 < options.size()) {
        folders.emplace_back(options[i + 1]);
      }
    }
  }
  return folders;
}

/// Everything that decides what NVRTC makes of an instance.
class Job {
 public:
  Job(const KernelInstance& instance, const std::string& architecture) : instance_(instance) {
    require_nvrtc_architecture(architecture);
    refuse_conflicting_options(instance.options);
    text_ = instance.source_text.empty() ? read_source(instance.source) : instance.source_text;
    input_.source = source_with_defines(text_, instance.source, instance.defines);
    input_.name = instance.source.string();
    input_.name_expression = instance.name_expression;
    find_folders();
    input_.options = {"--gpu-architecture=" + architecture, std::string(verbose_ptxas)};
    std::copy(instance.options.begin(), instance.options.end(), std::back_inserter(input_.options));
    for (const fs::path& folder : folders_) {
      input_.options.push_back("-I" + folder.string());
    }
  }

  const NvrtcInput& input() const { return input_; }
  const KernelInstance& instance() const { return instance_; }
  const std::string& text() const { return text_; }
  const CudaFolders& cuda() const { return cuda_; }

  /// nullopt where an include cannot be followed, so that a change of it would go unseen.
  std::optional<std::string> cache_key() const {
    const Includes all = includes_of(text_, instance_.source, all_folders());
    if (all.computed) {
      return std::nullopt;
    }
    std::string material =
        fmt::format("1\n{}\n{}\n{:016x}\n", library_identity(), input_.name_expression, all.hash);
    for (const std::string& option : input_.options) {
      material += option + '\n';
    }
    material += input_.source;
    constexpr std::uint64_t other_seed = 0x9e3779b97f4a7c15ULL;
    return fmt::format("{:016x}{:016x}", stable_hash(material), stable_hash(material, other_seed));
  }

  /// Where headers of another release of CUDA are used; empty otherwise.
  std::string version_mismatch() const {
    for (const fs::path& folder : cuda_.use) {
      const std::string version = header_version(folder);
      if (!version.empty() && version != nvrtc_version()) {
        return fmt::format("the headers in {} are of CUDA {}, NVRTC is {}", folder.string(),
                           version, nvrtc_version());
      }
    }
    return "";
  }

 private:
  std::vector<fs::path> all_folders() const {
    std::vector<fs::path> folders = folders_in(instance_.options);
    folders.insert(folders.end(), folders_.begin(), folders_.end());
    return folders;
  }

  /// The spec's folders, the source's own, and those of CUDA that hold what these lack.
  void find_folders() {
    folders_ = instance_.include;
    folders_.push_back(instance_.source.parent_path());
    const Includes users = includes_of(text_, instance_.source, all_folders());
    cuda_ = cuda_folders(users.missing, nvrtc_library());
    folders_.insert(folders_.end(), cuda_.use.begin(), cuda_.use.end());
  }

  /// Releases of one version differ: the library's size and time tell them apart.
  static const std::string& library_identity() {
    static const std::string identity = [] {
      const fs::path library = nvrtc_library();
      std::error_code error;
      const auto size = fs::file_size(library, error);
      const auto changed = fs::last_write_time(library, error).time_since_epoch().count();
      return fmt::format("{} {} {}", nvrtc_version(), size, changed);
    }();
    return identity;
  }

  const KernelInstance& instance_;
  std::string text_;
  NvrtcInput input_;
  std::vector<fs::path> folders_;
  CudaFolders cuda_;
};

/// Why a compilation failed: a Failure of the configuration, or an InputError.
class Explanation {
 public:
  Explanation(const Job& job, const NvrtcOutput& output) : job_(job), output_(output) {}

  Failure find() const {
    if (output_.status == NvrtcOutput::Status::refused_option) {
      refuse_option();
    }
    if (output_.status == NvrtcOutput::Status::broken) {
      throw InputError(fmt::format("NVRTC {} does not work: {}", nvrtc_version(), output_.error),
                       output_.log.empty() ? fmt::format("loaded from {}", nvrtc_library().string())
                                           : output_.log);
    }
    if (const auto shared = shared_overflow_in(output_.log)) {
      return {Outcome::cannot_launch,
              fmt::format("static shared memory: needs {} bytes, the limit is {}", shared->need,
                          shared->limit),
              output_.log};
    }
    const Diagnostic error =
        first_error(output_.log).value_or(Diagnostic{"", 0, output_.error, ""});
    if (const auto header = missing_header_in(output_.log)) {
      refuse_missing_header(*header, error);
    }
    if (error.message.find("Unknown option") != std::string::npos ||
        error.message.find("invalid macro definition") != std::string::npos) {
      throw InputError(fmt::format("kernel.options is refused: {}", error.message),
                       fmt::format("it says [{}]", fmt::join(job_.instance().options, ", ")));
    }
    if (error.file.find("__nv_name_map") != std::string::npos) {
      return explain_name(error);
    }
    refuse_defines_of_options(error);
    refuse_name_that_breaks_a_header(error);
    return {Outcome::compile_failed, place(error) + error.message, output_.log};
  }

  /// A name that compiles without being a kernel's, such as a __device__ function's.
  [[noreturn]] void refuse_name() const {
    const std::vector<std::string> kernels = kernels_in(tokenize(job_.text(), ""));
    const std::string name = plain_name();
    throw InputError(fmt::format("kernel.name: {} has no __global__ function \"{}\"",
                                 job_.instance().source.string(), name),
                     kernels.empty() ? "it has none at all" : suggest(name, kernels));
  }

 private:
  static std::string place(const Diagnostic& error) {
    return error.file.empty() ? "" : fmt::format("{}:{}: ", error.file, error.line);
  }

  /// The name without template arguments, `&` and blanks.
  std::string plain_name() const {
    std::string name = job_.instance().name_expression;
    name = name.substr(0, name.find('<'));
    name.erase(std::remove_if(name.begin(), name.end(),
                              [](char c) { return c == ' ' || c == '&' || c == '('; }),
               name.end());
    return name;
  }

  [[noreturn]] void refuse_option() const {
    if (const auto option = refused_option_in(output_.log)) {
      throw InputError(fmt::format("NVRTC refuses the option \"{}\"", *option),
                       about_option(*option));
    }
    const Diagnostic error =
        first_error(output_.log).value_or(Diagnostic{"", 0, output_.error, ""});
    throw InputError(fmt::format("NVRTC refuses its options: {}", error.message),
                     fmt::format("they are [{}]", fmt::join(job_.input().options, ", ")));
  }

  [[noreturn]] void refuse_missing_header(const std::string& header,
                                          const Diagnostic& error) const {
    SourceSpot spot{error.file, error.line, 0, 1, error.excerpt};
    if (is_host_library_header(header)) {
      throw InputError(
          std::move(spot), fmt::format("NVRTC has no header <{}>", header),
          fmt::format("it compiles device code without the host's C++ library: size_t is built in, "
                      "<{}> stands in for others; or put the line between #ifndef "
                      "__CUDACC_RTC__ and #endif",
                      libcudacxx_header(header)));
    }
    std::vector<std::string> tried;
    for (const std::string& option : job_.input().options) {
      if (starts_with(option, "-I")) {
        tried.push_back(option.substr(2));
      }
    }
    for (const fs::path& folder : job_.cuda().tried) {
      tried.push_back(folder.string());
    }
    throw InputError(std::move(spot), fmt::format("cannot find the header \"{}\"", header),
                     fmt::format("looked in {}. Add its folder to kernel.include; for CUDA's own "
                                 "headers set CUDA_PATH to a toolkit that has them",
                                 fmt::join(tried, ", ")));
  }

  Failure explain_name(const Diagnostic& error) const {
    const std::string name = plain_name();
    const std::string last = name.substr(name.rfind(':') + 1);  // npos + 1 is 0
    if (error.message.find(fmt::format("\"{}\" is undefined", last)) != std::string::npos ||
        error.message.find(fmt::format("no member \"{}\"", last)) != std::string::npos ||
        error.message.find("non-__global__ function") != std::string::npos) {
      refuse_name();
    }
    const bool without_arguments = job_.instance().name_expression.find('<') == std::string::npos;
    if (without_arguments && error.message.find("template") != std::string::npos) {
      throw InputError(fmt::format("kernel.name: \"{}\" is a template", name),
                       fmt::format("write its arguments: \"{}<{{PARAMETER}}, ...>\"", name));
    }
    return {Outcome::compile_failed,
            fmt::format("{}: {}", job_.instance().name_expression, error.message), output_.log};
  }

  /// NVRTC applies -D before a header of its own, which ordinary names break by the hundred.
  void refuse_defines_of_options(const Diagnostic& error) const {
    if (error.file.find("__nv_nvrtc_builtin_header") == std::string::npos) {
      return;
    }
    throw InputError(
        fmt::format("kernel.options break NVRTC's own header: {}", error.message),
        fmt::format(
            "a -D option rewrites it; make the name a parameter or a constant, which becomes "
            "a #define line after the includes. The options are [{}]",
            fmt::join(job_.instance().options, ", ")));
  }

  /// An error inside of a header whose line holds a parameter's name: the macro did it.
  void refuse_name_that_breaks_a_header(const Diagnostic& error) const {
    if (error.file == job_.instance().source.string()) {
      return;
    }
    const TokenizedText line = tokenize(error.excerpt, error.file);
    for (const Token& token : line.tokens) {
      if (find_value(job_.instance().defines, line.view(token)) != nullptr) {
        throw InputError(
            SourceSpot{error.file, error.line, static_cast<int>(token.offset) + 1,
                       static_cast<int>(token.length), error.excerpt},
            fmt::format("parameter \"{}\" cannot become a #define: this header uses the name: {}",
                        line.view(token), error.message),
            "rename the parameter, or include the header before anything else");
      }
    }
  }

  const Job& job_;
  const NvrtcOutput& output_;
};

/// The options without those of precompiled headers, or nullopt where there are none.
std::optional<std::vector<std::string>> without_pch(const std::vector<std::string>& options) {
  std::vector<std::string> kept;
  for (std::size_t i = 0; i < options.size(); ++i) {
    const bool is_pch = starts_with(options[i], "-") && options[i].find("pch") != std::string::npos;
    if (!is_pch) {
      kept.push_back(options[i]);
    } else if (options[i].find('=') == std::string::npos && i + 1 < options.size() &&
               !starts_with(options[i + 1], "-")) {
      ++i;  // its value
    }
  }
  return kept.size() == options.size() ? std::nullopt : std::optional(kept);
}

/// With -v, ptxas swallows the errors that it finds last (too much shared or constant memory): they
/// are asked for again without it. Precompiled headers that fail (a folder that is not there,
/// another process that removes them) never fail a kernel: it is compiled without them.
NvrtcOutput run(const Job& job) {
  NvrtcOutput output = run_nvrtc(job.input());
  const auto plain = without_pch(job.input().options);
  if (plain && output.status == NvrtcOutput::Status::failed) {
    NvrtcInput without = job.input();
    without.options = *plain;
    output = run_nvrtc(without);
  }
  if (output.status == NvrtcOutput::Status::failed && !first_error(output.log)) {
    NvrtcInput quiet = job.input();
    quiet.options.erase(std::remove(quiet.options.begin(), quiet.options.end(), verbose_ptxas),
                        quiet.options.end());
    output.log += run_nvrtc(quiet).log;
  }
  return output;
}

CompileResult compile(const Job& job, const std::string& architecture) {
  NvrtcOutput output = run(job);
  if (output.status != NvrtcOutput::Status::ok) {
    return Explanation(job, output).find();
  }
  const bool is_ptx = starts_with(architecture, ptx_prefix);
  if (output.cubin.empty() && !is_ptx) {
    throw InputError("kernel.options leave no machine code",
                     fmt::format("remove what asks for another kind of output: [{}]",
                                 fmt::join(job.instance().options, ", ")));
  }
  const auto bound = launch_bound_in(output.ptx, output.entry);
  if (!bound) {
    Explanation(job, output).refuse_name();
  }
  KernelBinary binary;
  binary.image =
      is_ptx ? std::vector<char>(output.ptx.begin(), output.ptx.end()) : std::move(output.cubin);
  binary.entry = output.entry;
  binary.architecture = architecture;
  binary.resources = resources_in(output.log, output.entry);
  if (binary.resources) {
    binary.resources->max_threads = *bound;
  }
  binary.notes = notes_in(output.log);
  const std::string mismatch = job.version_mismatch();
  if (!mismatch.empty()) {
    binary.notes.push_back(mismatch);
  }
  binary.log = std::move(output.log);
  return binary;
}

}  // namespace

void require_nvrtc_architecture(const std::string& architecture) {
  const std::vector<std::string> known = nvrtc_architectures();
  const auto cc = compute_capability_from(architecture);
  const bool is_known =
      (starts_with(architecture, "sm_") || starts_with(architecture, ptx_prefix)) && cc &&
      std::find(known.begin(), known.end(), rooftune::architecture(*cc)) != known.end();
  if (!is_known) {
    throw InputError(fmt::format("NVRTC {} cannot compile for {}", nvrtc_version(), architecture),
                     fmt::format("it knows {}", fmt::join(known, ", ")));
  }
}

CompileResult compile_nvrtc(const KernelInstance& instance, const std::string& architecture,
                            BinaryCache* cache) {
  const auto start = std::chrono::steady_clock::now();
  const Job job(instance, architecture);
  const auto key = cache != nullptr ? job.cache_key() : std::nullopt;
  std::optional<KernelBinary> found = key ? cache->find(*key) : std::nullopt;
  CompileResult result = found ? CompileResult(std::move(*found)) : compile(job, architecture);
  if (auto* binary = std::get_if<KernelBinary>(&result)) {
    binary->compile_seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (key && !binary->cached) {
      cache->store(*key, *binary);
    }
  }
  return result;
}

}  // namespace rooftune
