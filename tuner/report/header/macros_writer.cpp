// The table as plain macros, for C and OpenCL: a file for each device, one for the default, and one
// that includes the right one of them.
#include <fmt/format.h>

#include <algorithm>
#include <boost/algorithm/string/case_conv.hpp>

#include "tuner/core/error.hpp"
#include "tuner/report/cpp_text.hpp"
#include "tuner/report/header/writer.hpp"

namespace rooftune {
namespace header {
namespace {

/// Letters, digits and single underscores, in upper case.
std::string macro_word(std::string_view text) {
  std::string word = boost::to_upper_copy(cpp_identifier(text));
  while (!word.empty() && word.back() == '_') {
    word.pop_back();
  }
  return word;
}

/// A value as the body of a macro: numbers and names of types as they are, other text in quotes.
std::string macro_body(const Value& value) {
  if (value.kind() == Value::Kind::boolean) {
    return value.truthy() ? "1" : "0";
  }
  if (value.is_number()) {
    return value.to_cpp();
  }
  const std::string& text = value.as_text();
  const bool is_name = !text.empty() && text.front() != ' ' && text.back() != ' ' &&
                       std::all_of(text.begin(), text.end(), [](unsigned char c) {
                         return std::isalnum(c) != 0 || c == '_' || c == ':' || c == ' ';
                       });
  return is_name ? text : cpp_string(text);
}

/// A /* comment */ of one line.
std::string remark(const std::string& text) {
  std::string line = cpp_comment(text);
  for (std::size_t at = line.find("*/"); at != std::string::npos; at = line.find("*/")) {
    line[at] = '.';
  }
  for (std::size_t at = line.find("/*"); at != std::string::npos; at = line.find("/*")) {
    line[at + 1] = '.';
  }
  return "/* " + line + " */\n";
}

/// #define lines of one file, each name once.
class Macros {
 public:
  void define(const std::string& name, const std::string& source, const std::string& body) {
    const auto [place, is_new] = sources_.try_emplace(name, source);
    if (!is_new) {
      throw InputError(
          fmt::format("the macro {} would stand for {} and for {}", name, place->second, source),
          "rename one of them in the spec, or use --style constexpr");
    }
    text_ += fmt::format("#define {} {}\n", name, body);
  }
  void remark(const std::string& text) { text_ += header::remark(text); }
  void blank() { text_ += '\n'; }
  const std::string& text() const { return text_; }

 private:
  std::map<std::string, std::string> sources_;
  std::string text_;
};

std::string dimension(const char* kind, char axis) {
  return fmt::format("{}_{}", kind, axis);
}

/// The launch at the size that was measured.
void define_launch(Macros& macros, const std::string& prefix, const Candidate& measured) {
  const Launch& launch = measured.at->launch;
  const auto dims = [&](const char* kind, const Dim3& dim) {
    const std::uint64_t sizes[] = {dim.x, dim.y, dim.z};
    for (int axis = 0; axis < 3; ++axis) {
      const std::string name = dimension(kind, "XYZ"[axis]);
      macros.define(fmt::format("{}LAUNCH_{}", prefix, name), "the launch's " + name,
                    fmt::format("{}", sizes[axis]));
    }
  };
  dims("GRID", launch.grid);
  dims("BLOCK", launch.block);
  macros.define(prefix + "LAUNCH_SHARED_BYTES", "the launch's shared memory",
                fmt::format("{}", launch.shared_bytes));
}

void define_entry(Macros& macros, const std::string& prefix, const Candidate& measured) {
  for (const std::string& line : remarks(measured)) {
    macros.remark(line);
  }
  for (const NamedValue& parameter : measured.parameters()) {
    macros.define(prefix + macro_word(parameter.name), "the parameter " + parameter.name,
                  macro_body(parameter.value));
  }
  define_launch(macros, prefix, measured);
  macros.define(prefix + "MEASURED_SECONDS", "the measured time",
                fmt::format("{:.6g}", measured.seconds));
  macros.define(prefix + "KERNEL_NAME", "the kernel's name", cpp_string(kernel_name(measured)));
  macros.blank();
}

/// "M512_N512": what parts the sizes of a device.
std::string size_word(const Problem& problem) {
  std::string text;
  for (const NamedValue& constant : problem) {
    text += (text.empty() ? "" : "_") + constant.name + constant.value.to_string();
  }
  return macro_word(text);
}

/// The launch of other sizes, as the spec has it.
void remark_formulas(Macros& macros, const Kernel& kernel) {
  const auto list = [](const std::vector<std::string>& expressions) {
    std::string text;
    for (const std::string& expression : expressions) {
      text += (text.empty() ? "" : ", ") + expression;
    }
    return text;
  };
  const LaunchText& launch = kernel.results->launch;
  macros.remark(
      fmt::format("{}: at other sizes the grid is [{}], the block [{}], in shared memory "
                  "[{}] bytes",
                  kernel.name, list(launch.grid), list(launch.block), launch.shared_bytes));
  for (const auto& [name, expression] : launch.derived) {
    macros.remark(fmt::format("  where {} = {}", name, expression));
  }
}

std::string head(const HeaderOptions& options) {
  std::string text;
  for (const std::string& line : provenance(options)) {
    text += remark(line);
  }
  return text;
}

std::string guarded(const HeaderOptions& options, const std::string& guard,
                    const std::string& text) {
  return head(options) + fmt::format("#ifndef {0}\n#define {0}\n\n{1}#endif\n", guard, text);
}

/// A device's sizes, each with its size in the names.
struct DeviceFile {
  std::string title;  ///< as a file name and as a macro
  Macros macros;
};

/// PREFIX_KERNEL_
std::string prefix_of(const HeaderOptions& options, const Kernel& kernel) {
  const bool standard = options.name_space == HeaderOptions().name_space;
  return (standard ? "" : macro_word(options.name_space) + "_") + macro_word(kernel.name) + "_";
}

std::map<std::string, DeviceFile> device_files(const std::vector<Kernel>& kernels,
                                               const HeaderOptions& options) {
  std::map<std::string, DeviceFile> files;  // by device
  std::map<std::string, std::string> titles;
  for (const Kernel& kernel : kernels) {
    const std::string prefix = prefix_of(options, kernel);
    for (const Entry& entry : kernel.entries) {
      const std::string& device = entry.measured.results->device.name;
      DeviceFile& file = files[device];
      file.title = macro_word(device);
      const auto [other, is_new] = titles.try_emplace(file.title, device);
      if (other->second != device) {
        throw InputError(fmt::format("the devices \"{}\" and \"{}\" would share the file and macro "
                                     "{}",
                                     other->second, device, file.title),
                         "write a header for each, or use --style constexpr");
      }
      define_entry(file.macros, prefix + size_word(entry.measured.at->problem) + "_",
                   entry.measured);
    }
  }
  return files;
}

std::string default_text(const std::vector<Kernel>& kernels, const HeaderOptions& options) {
  Macros macros;
  for (const Kernel& kernel : kernels) {
    const Default& it = kernel.defaults.front();
    remark_formulas(macros, kernel);
    macros.remark(fmt::format("{}: the default; at worst it takes this much longer than the best:",
                              kernel.name));
    for (const Loss& loss : it.losses) {
      macros.remark(fmt::format(
          "  on {} at {}: {}", loss.best.results->device.name, to_string(loss.best.at->problem),
          loss.factor == 0 ? "not measured" : fmt::format("{:.2f}x", loss.factor)));
    }
    define_entry(macros, prefix_of(options, kernel) + "DEFAULT_", it.entry.measured);
  }
  return macros.text();
}

/// Names of files beside each other, without the folder.
std::string beside(const std::string& file, const std::string& title) {
  const std::size_t slash = file.rfind('/');
  const std::string name = slash == std::string::npos ? file : file.substr(slash + 1);
  const std::size_t dot = name.rfind('.');
  const bool has_ending = dot != std::string::npos && dot > 0;
  return (has_ending ? name.substr(0, dot) : name) + "." + title +
         (has_ending ? name.substr(dot) : ".h");
}

std::string folder_of(const std::string& file) {
  return file.substr(0, file.rfind('/') + 1);
}

}  // namespace
}  // namespace header

std::map<std::string, std::string> tuned_macros(const std::vector<Results>& results,
                                                const HeaderOptions& options,
                                                const std::string& file) {
  using namespace header;
  const std::vector<Kernel> kernels = kernels_of(results, options);
  std::string prefix = macro_word(options.name_space);
  for (const Kernel& kernel : kernels) {
    prefix += "_" + macro_word(kernel.name);
  }
  std::map<std::string, std::string> written;
  std::string choice;
  for (const auto& [device, content] : device_files(kernels, options)) {
    const std::string name = beside(file, content.title);
    written[folder_of(file) + name] =
        guarded(options, prefix + "_" + content.title + "_H", content.macros.text());
    choice += remark(device) + fmt::format("#{} defined(ROOFTUNE_DEVICE_{})\n#include {}\n",
                                           choice.empty() ? "if" : "elif", content.title,
                                           cpp_string(name));
  }
  const std::string name = beside(file, "DEFAULT");
  written[folder_of(file) + name] =
      guarded(options, prefix + "_DEFAULT_H", default_text(kernels, options));
  written[file] =
      guarded(options, prefix + "_H",
              remark("Define one of these before, or include the device's file.") + choice +
                  "#endif\n" + fmt::format("#include {}\n\n", cpp_string(name)));
  return written;
}

}  // namespace rooftune
