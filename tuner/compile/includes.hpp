// Which files a source includes, and the folders in which CUDA's own headers are.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace rooftune {

/// What a source includes, directly and through other files, whatever its conditions say.
struct Includes {
  std::vector<std::filesystem::path> files;  ///< found, each once
  std::vector<std::string> missing;          ///< names that no folder holds, each once
  bool computed = false;                     ///< some `#include MACRO` could not be followed
  /// Over the contents of `files` and over `missing`: equal where a compiler would see the same.
  std::uint64_t hash = 0;
};

/// `folders` are searched in order, after the folder of the file with the #include where it is
/// written with quotes. Contents are read once and kept until a file changes. Thread-safe.
Includes includes_of(std::string_view text, const std::filesystem::path& file,
                     const std::vector<std::filesystem::path>& folders);

/// Where CUDA's headers were looked for, and found.
struct CudaFolders {
  std::vector<std::filesystem::path> use;    ///< in the order in which to search them
  std::vector<std::filesystem::path> tried;  ///< all, in order
};

/// The folders that hold the headers in `needed` (such as "cuda_fp16.h"), by looking for each of
/// them: a toolkit without one header may have another. CUDA_PATH, CUDA_HOME, beside `library` (a
/// file of the toolkit, may be empty), where the build found them, the usual prefixes.
CudaFolders cuda_folders(const std::vector<std::string>& needed,
                         const std::filesystem::path& library);

/// Whether a header belongs to the host's C or C++ library, which NVRTC does not have.
bool is_host_library_header(std::string_view name);
/// The header of libcu++ that stands in for it ("cuda/std/cstdint" for "stdint.h").
std::string libcudacxx_header(std::string_view name);

/// CUDA_VERSION of a folder's cuda.h as "13.0"; empty where there is none.
std::string header_version(const std::filesystem::path& folder);

}  // namespace rooftune
