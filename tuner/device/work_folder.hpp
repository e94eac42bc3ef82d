// A folder for the files of one run.
#pragma once

#include <filesystem>

namespace rooftune {

/// A folder that is removed with its owner, unless the user chose it.
class WorkFolder {
 public:
  /// A temporary one where `chosen` is empty. Throws InputError where none can be made.
  explicit WorkFolder(const std::filesystem::path& chosen);
  ~WorkFolder();
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  bool temporary_;
};

}  // namespace rooftune
