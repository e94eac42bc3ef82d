// One call of NVRTC, as values. The only place that includes nvrtc.h.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace rooftune {

struct NvrtcInput {
  std::string source;
  std::string name;             ///< of the source, for messages
  std::string name_expression;  ///< "k<256, float>", or a plain name
  std::vector<std::string> options;
};

struct NvrtcOutput {
  enum class Status { ok, refused_option, failed, broken } status = Status::broken;
  std::string error;  ///< NVRTC's own word for the status
  std::string log;
  std::string entry;  ///< lowered name, where it compiled
  std::vector<char> cubin;
  std::string ptx;
};

NvrtcOutput run_nvrtc(const NvrtcInput& input);

/// The file from which libnvrtc was loaded; empty where that cannot be told.
std::filesystem::path nvrtc_library();

}  // namespace rooftune
