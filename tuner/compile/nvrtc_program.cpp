#include "tuner/compile/nvrtc_program.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <nvrtc.h>

#include <algorithm>
#include <system_error>

#include "tuner/compile/compiler.hpp"

namespace rooftune {
namespace {

class Program {
 public:
  explicit Program(const NvrtcInput& input) {
    status_ = nvrtcCreateProgram(&program_, input.source.c_str(), input.name.c_str(), 0, nullptr,
                                 nullptr);
    if (status_ == NVRTC_SUCCESS) {
      // A plain name goes this way too: without extern "C" it is mangled.
      status_ = nvrtcAddNameExpression(program_, input.name_expression.c_str());
    }
  }
  ~Program() { nvrtcDestroyProgram(&program_); }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  nvrtcResult compile(const std::vector<std::string>& options) {
    if (status_ == NVRTC_SUCCESS) {
      std::vector<const char*> texts;
      std::transform(options.begin(), options.end(), std::back_inserter(texts),
                     [](const std::string& option) { return option.c_str(); });
      status_ = nvrtcCompileProgram(program_, static_cast<int>(texts.size()), texts.data());
    }
    return status_;
  }

  std::string log() const { return text(nvrtcGetProgramLogSize, nvrtcGetProgramLog); }
  std::string ptx() const { return text(nvrtcGetPTXSize, nvrtcGetPTX); }

  std::vector<char> cubin() const {
    std::size_t size = 0;
    std::vector<char> image;
    if (nvrtcGetCUBINSize(program_, &size) == NVRTC_SUCCESS && size > 0) {
      image.resize(size);
      nvrtcGetCUBIN(program_, image.data());
    }
    return image;
  }

  /// A copy: the name that NVRTC returns dies with the program.
  std::string lowered(const std::string& name_expression) const {
    const char* name = nullptr;
    const bool found =
        nvrtcGetLoweredName(program_, name_expression.c_str(), &name) == NVRTC_SUCCESS;
    return found && name != nullptr ? name : "";
  }

 private:
  /// Texts come with a terminating zero, those of ptxas with two.
  std::string text(nvrtcResult (*size_of)(nvrtcProgram, std::size_t*),
                   nvrtcResult (*get)(nvrtcProgram, char*)) const {
    std::size_t size = 0;
    if (size_of(program_, &size) != NVRTC_SUCCESS || size <= 1) {
      return "";
    }
    std::string text(size, '\0');
    get(program_, text.data());
    text.resize(text.find('\0'));
    return text;
  }

  nvrtcProgram program_ = nullptr;
  nvrtcResult status_ = NVRTC_SUCCESS;
};

NvrtcOutput::Status status_of(nvrtcResult result) {
  switch (result) {
    case NVRTC_SUCCESS:
      return NvrtcOutput::Status::ok;
    case NVRTC_ERROR_INVALID_OPTION:
      return NvrtcOutput::Status::refused_option;
    case NVRTC_ERROR_COMPILATION:
      return NvrtcOutput::Status::failed;
    default:
      return NvrtcOutput::Status::broken;
  }
}

}  // namespace

NvrtcOutput run_nvrtc(const NvrtcInput& input) {
  Program program(input);
  const nvrtcResult result = program.compile(input.options);
  NvrtcOutput output;
  output.status = status_of(result);
  output.error = nvrtcGetErrorString(result);
  output.log = program.log();
  if (output.status == NvrtcOutput::Status::ok) {
    output.entry = program.lowered(input.name_expression);
    output.cubin = program.cubin();
    output.ptx = program.ptx();
  }
  return output;
}

std::filesystem::path nvrtc_library() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&nvrtcVersion), &info) == 0 ||
      info.dli_fname == nullptr) {
    return {};
  }
  std::error_code error;
  return std::filesystem::canonical(info.dli_fname, error);
}

std::string nvrtc_version() {
  int major = 0;
  int minor = 0;
  nvrtcVersion(&major, &minor);
  return fmt::format("{}.{}", major, minor);
}

std::vector<std::string> nvrtc_architectures() {
  int count = 0;
  nvrtcGetNumSupportedArchs(&count);
  std::vector<int> numbers(static_cast<std::size_t>(count));
  nvrtcGetSupportedArchs(numbers.data());
  std::sort(numbers.begin(), numbers.end());
  std::vector<std::string> names;
  std::transform(numbers.begin(), numbers.end(), std::back_inserter(names),
                 [](int number) { return fmt::format("sm_{}", number); });
  return names;
}

}  // namespace rooftune
