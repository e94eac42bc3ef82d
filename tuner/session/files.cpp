#include "tuner/session/files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

#include "tuner/core/error.hpp"

namespace rooftune {
namespace {

[[noreturn]] void fail(const std::filesystem::path& file, std::string_view what, int error) {
  throw InputError(
      fmt::format("{}: cannot be {}: {}", file.string(), what,
                  std::generic_category().message(error)),
      "check the path, its permissions and the space left; --out names another folder");
}

FileHandle open_file(const std::filesystem::path& file, int flags) {
  const int descriptor = ::open(file.c_str(), flags | O_CLOEXEC, 0666);
  if (descriptor < 0) {
    fail(file, "written", errno);
  }
  return FileHandle(descriptor);
}

}  // namespace

FileHandle& FileHandle::operator=(FileHandle&& other) noexcept {
  FileHandle old(std::exchange(descriptor_, other.release()));
  return *this;
}

FileHandle::~FileHandle() {
  if (descriptor_ >= 0) {
    ::close(descriptor_);
  }
}

int FileHandle::release() {
  return std::exchange(descriptor_, -1);
}

std::string read_file(const std::filesystem::path& file) {
  errno = 0;
  std::ifstream in(file, std::ios::binary);
  if (!in || std::filesystem::is_directory(file)) {
    throw InputError(fmt::format("{}: cannot be read: {}", file.string(),
                                 in ? "it is a folder" : std::generic_category().message(errno)),
                     "check the path");
  }
  return {std::istreambuf_iterator<char>(in), {}};
}

void write_file_durably(const std::filesystem::path& file, std::string_view text) {
  std::filesystem::path beside = file;
  beside += fmt::format(".{}.tmp", ::getpid());
  {
    const FileHandle handle = open_file(beside, O_WRONLY | O_CREAT | O_TRUNC);
    append_durably(handle, text, beside);
  }
  if (std::error_code error; std::filesystem::rename(beside, file, error), error) {
    fail(file, "written", error.value());
  }
  sync_folder(file.parent_path());
}

void make_folder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) {
    fail(folder, "created", error.value());
  }
}

FileHandle open_for_appending(const std::filesystem::path& file) {
  return open_file(file, O_WRONLY | O_CREAT | O_APPEND);
}

void append_durably(const FileHandle& handle, std::string_view text,
                    const std::filesystem::path& file) {
  while (!text.empty()) {
    const ssize_t written = ::write(handle.get(), text.data(), text.size());
    if (written < 0 && errno == EINTR) {
      continue;
    }
    if (written < 0) {
      fail(file, "written", errno);
    }
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  if (::fsync(handle.get()) != 0 && errno != EINVAL && errno != EROFS) {  // pipes cannot be synced
    fail(file, "written", errno);
  }
}

void sync_folder(const std::filesystem::path& folder) {
  const int descriptor = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY);
  const FileHandle handle(descriptor);
  if (descriptor >= 0) {
    ::fsync(descriptor);  // some file systems refuse it; the file itself was synced
  }
}

bool try_lock(const FileHandle& handle) {
  return ::flock(handle.get(), LOCK_EX | LOCK_NB) == 0;
}

}  // namespace rooftune
