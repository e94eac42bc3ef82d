#include "tuner/device/host/child/buffer.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <utility>

// Only the check build has AddressSanitizer.
extern "C" void __asan_poison_memory_region(const volatile void*, std::size_t)
    __attribute__((weak));

namespace rooftune::host_child {
namespace {

constexpr std::size_t page = 4096;
/// Untouchable memory on each side; it takes addresses alone. As far as findings name a buffer.
constexpr std::size_t guard = std::size_t{1} << 20;
constexpr std::size_t huge_page = std::size_t{2} << 20;

std::size_t round_up(std::size_t bytes, std::size_t multiple) {
  return (bytes + multiple - 1) / multiple * multiple;
}

unsigned char canary_byte(const unsigned char* address) {
  return (reinterpret_cast<std::uintptr_t>(address) & 1U) != 0 ? canary_pattern >> 8
                                                               : canary_pattern & 0xff;
}

[[noreturn]] void fail(const std::string& what) {
  throw std::runtime_error(what + ": " + std::strerror(errno));
}

/// An open file that is read or written whole. The system calls are made directly:
/// ThreadSanitizer would take the bytes for this thread's, and report races with them.
class File {
 public:
  File(const std::string& name, int flags)
      : name_(name), descriptor_(open(name.c_str(), flags | O_CLOEXEC, 0666)) {
    if (descriptor_ < 0) {
      fail(name);
    }
  }
  ~File() { close(descriptor_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  void skip(std::size_t bytes) { lseek(descriptor_, static_cast<off_t>(bytes), SEEK_SET); }
  void read_whole(unsigned char* into, std::size_t bytes) {
    transfer(SYS_read, into, bytes, "is too short");
  }
  void write_whole(const unsigned char* from, std::size_t bytes) {
    transfer(SYS_write, const_cast<unsigned char*>(from), bytes, "cannot be written");
  }

 private:
  void transfer(long call, unsigned char* data, std::size_t bytes, const char* fault) {
    while (bytes > 0) {
      const long count = syscall(call, descriptor_, data, bytes);
      if (count < 0) {
        fail(name_);
      }
      if (count == 0) {
        throw std::runtime_error(name_ + " " + fault);
      }
      data += count;
      bytes -= static_cast<std::size_t>(count);
    }
  }

  std::string name_;
  int descriptor_;
};

}  // namespace

Buffer::Buffer(const JobArgument& argument) : argument_(&argument) {
  const std::size_t bytes = argument.bytes();
  // Guard, canary page, data up to a page's end, canary page, guard.
  const std::size_t alignment = bytes >= 2 * huge_page ? huge_page : page;
  region_bytes_ = guard + page + alignment + round_up(bytes, page) + page + guard;
  void* region = mmap(nullptr, region_bytes_, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (region == MAP_FAILED) {
    fail("no memory for " + argument.name);
  }
  region_ = static_cast<unsigned char*>(region);
  const auto first = reinterpret_cast<std::uintptr_t>(region_) + guard + page;
  data_ = region_ + guard + page + (round_up(first, alignment) - first);
  if (alignment == huge_page) {
    madvise(data_, round_up(bytes, page), MADV_HUGEPAGE);  // fewer faults; no harm where refused
  }
  mprotect(data_ - page - guard, guard, PROT_NONE);
  mprotect(data_ + round_up(bytes, page) + page, guard, PROT_NONE);
  for_each_canary([](unsigned char* begin, const unsigned char* end) {
    for (unsigned char* at = begin; at < end; ++at) {
      *at = canary_byte(at);
    }
    if (__asan_poison_memory_region != nullptr) {
      __asan_poison_memory_region(begin, static_cast<std::size_t>(end - begin));
    }
  });
}

Buffer::~Buffer() {
  if (region_ != nullptr) {
    munmap(region_, region_bytes_);
  }
}

Buffer::Buffer(Buffer&& other) noexcept
    : argument_(other.argument_),
      region_(std::exchange(other.region_, nullptr)),
      region_bytes_(other.region_bytes_),
      data_(other.data_) {}

template <class Range>
void Buffer::for_each_canary(Range range) const {
  unsigned char* end = data_ + argument_->bytes();
  range(data_ - page, data_);
  range(end, data_ + round_up(argument_->bytes(), page) + page);
}

void Buffer::prepare() {
  if (!argument_->input.empty()) {
    File(argument_->input, O_RDONLY).read_whole(data_, argument_->bytes());
    return;
  }
  for (std::size_t i = 0; i < argument_->bytes(); ++i) {
    data_[i] = i % 2 != 0 ? poison_pattern >> 8 : poison_pattern & 0xff;
  }
}

std::optional<std::string> Buffer::find_overrun() const {
  if (__asan_poison_memory_region != nullptr) {
    return std::nullopt;  // it would have ended the process
  }
  std::optional<std::string> found;
  for_each_canary([&](unsigned char* begin, const unsigned char* end) {
    for (unsigned char* at = begin; at < end && !found; ++at) {
      if (*at != canary_byte(at)) {
        const unsigned char* last = data_ + argument_->bytes();
        found = argument_->name + ": written " +
                (at < data_ ? std::to_string(data_ - at) + " bytes before its start"
                            : std::to_string(at - last) + " bytes past its end");
      }
    }
  });
  return found;
}

Comparison Buffer::compare_with_expected() const {
  File file(argument_->expected, O_RDONLY);
  std::vector<unsigned char> expected(argument_->bytes());
  file.read_whole(expected.data(), expected.size());
  return compare(argument_->format, data_, expected.data(), argument_->count, argument_->limits);
}

std::string Buffer::describe(std::uint64_t index) const {
  const std::size_t size = size_of(argument_->format);
  unsigned char expected[8];
  File file(argument_->expected, O_RDONLY);
  file.skip(index * size);
  file.read_whole(expected, size);
  return argument_->name + "[" + std::to_string(index) + "]: got " +
         element_text(argument_->format, data_, index) + ", expected " +
         element_text(argument_->format, expected, 0);
}

void Buffer::store() const {
  File(argument_->store, O_WRONLY | O_CREAT | O_TRUNC).write_whole(data_, argument_->bytes());
}

bool Buffer::is_near(const void* address) const {
  const auto* at = static_cast<const unsigned char*>(address);
  return at - data_ >= -static_cast<std::ptrdiff_t>(guard) &&
         at - end() < static_cast<std::ptrdiff_t>(guard);
}

}  // namespace rooftune::host_child
