// Files that survive a crash and tell what is wrong when they cannot be read or written.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace rooftune {

/// Owns a file descriptor.
class FileHandle {
 public:
  FileHandle() = default;
  explicit FileHandle(int descriptor) : descriptor_(descriptor) {}
  FileHandle(FileHandle&& other) noexcept : descriptor_(other.release()) {}
  FileHandle& operator=(FileHandle&& other) noexcept;
  ~FileHandle();
  int get() const { return descriptor_; }
  int release();

 private:
  int descriptor_ = -1;
};

/// The whole file. Throws InputError, saying why it cannot be read.
std::string read_file(const std::filesystem::path& file);
/// Writes beside the file, syncs and renames: what was there stays whole until all of the new is
/// on the disk. Throws InputError.
void write_file_durably(const std::filesystem::path& file, std::string_view text);
/// Creates the folder and its parents. Throws InputError.
void make_folder(const std::filesystem::path& folder);
/// Opens for appending, creating the file. Throws InputError.
FileHandle open_for_appending(const std::filesystem::path& file);
/// Writes all of the text and syncs. Throws InputError.
void append_durably(const FileHandle& handle, std::string_view text,
                    const std::filesystem::path& file);
/// Makes a rename or a new file in the folder last.
void sync_folder(const std::filesystem::path& folder);
/// Locks against other openings of the file, this process's included; false where one holds it.
bool try_lock(const FileHandle& handle);

}  // namespace rooftune
