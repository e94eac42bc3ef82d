#include "tuner/device/cuda/worker/buffers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "tuner/core/error.hpp"
#include "tuner/core/units.hpp"
#include "tuner/device/data.hpp"
#include "tuner/device/fill.hpp"

namespace rooftune::cuda {
namespace {

/// On each side; the data between starts aligned to it.
constexpr std::size_t canary_bytes = 4096;
/// Elements that are made on the host at a time.
constexpr std::uint64_t chunk_elements = std::uint64_t{1} << 20;

std::size_t padded(std::size_t bytes) {
  return bytes + bytes % 2;  // canaries are 16-bit words
}

char canary_byte(std::size_t offset) {
  return static_cast<char>(offset % 2 != 0 ? canary_pattern >> 8 : canary_pattern & 0xff);
}

}  // namespace

std::size_t Buffer::bytes_needed(const Argument& argument) {
  const std::size_t data = padded(argument.bytes());
  return data + 2 * canary_bytes + (argument.access == Access::inout ? data : 0);
}

Buffer::Buffer(const Gpu& gpu, const Argument& argument, std::size_t position, std::uint64_t seed)
    : gpu_(gpu), argument_(argument), memory_(gpu, padded(argument.bytes()) + 2 * canary_bytes) {
  write_canaries();
  if (argument_.access == Access::out) {
    return;
  }
  fill(position, seed);
  if (argument_.access == Access::inout) {
    pristine_.emplace(gpu, padded(argument_.bytes()));
    check(gpu_.api().copy_on_device(pristine_->address(), address(), argument_.bytes(),
                                    gpu_.stream()),
          "copying an inout buffer");
  }
  gpu_.wait("setting up a buffer");
}

CUdeviceptr Buffer::address() const {
  return memory_.address() + canary_bytes;
}

void Buffer::write_canaries() const {
  const std::size_t words = canary_bytes / 2;
  const char* during = "writing canaries";
  check(gpu_.api().fill_words(memory_.address(), canary_pattern, words, gpu_.stream()), during);
  check(gpu_.api().fill_words(address() + padded(argument_.bytes()), canary_pattern, words,
                              gpu_.stream()),
        during);
  gpu_.wait(during);
}

void Buffer::fill(std::size_t position, std::uint64_t seed) const {
  std::ifstream file;
  if (!argument_.file.empty()) {
    check_size(argument_.file, argument_);
    file.open(argument_.file, std::ios::binary);
  }
  const std::size_t size = argument_.type.size;
  std::vector<std::byte> bytes(std::min(chunk_elements, argument_.count) * size);
  for (std::uint64_t first = 0; first < argument_.count; first += chunk_elements) {
    const std::uint64_t count = std::min(chunk_elements, argument_.count - first);
    const std::span<std::byte> part(bytes.data(), count * size);
    if (argument_.file.empty()) {
      fill_elements(argument_, position, seed, first, part);
    } else {
      file.read(reinterpret_cast<char*>(part.data()), static_cast<std::streamsize>(part.size()));
    }
    check(gpu_.api().copy_to_device(address() + first * size, part.data(), part.size()),
          "copying inputs to the GPU");
  }
}

void Buffer::prepare() const {
  if (argument_.access == Access::out) {
    check(gpu_.api().fill_words(address(), poison_pattern, padded(argument_.bytes()) / 2,
                                gpu_.stream()),
          "poisoning an output");
  }
  // An odd byte of padding belongs to the canary behind it.
  if (argument_.bytes() % 2 != 0) {
    const auto low = static_cast<unsigned char>(canary_byte(1));
    check(gpu_.api().fill_bytes(address() + argument_.bytes(), low, 1, gpu_.stream()),
          "writing canaries");
  }
  restore();
}

void Buffer::restore() const {
  if (pristine_) {
    check(gpu_.api().copy_on_device(address(), pristine_->address(), argument_.bytes(),
                                    gpu_.stream()),
          "restoring an inout buffer");
  }
}

std::vector<char> Buffer::read() const {
  std::vector<char> bytes(argument_.bytes());
  check(gpu_.api().copy_to_host(bytes.data(), address(), bytes.size()), "reading a result");
  return bytes;
}

std::optional<std::string> Buffer::find_overrun() const {
  std::vector<char> canary(canary_bytes);
  check(gpu_.api().copy_to_host(canary.data(), memory_.address(), canary.size()),
        "reading canaries");
  for (std::size_t i = canary.size(); i-- > 0;) {
    if (canary[i] != canary_byte(i)) {
      return fmt::format("{}: written {} bytes before its start", argument_.name,
                         canary.size() - i);
    }
  }
  const std::size_t bytes = argument_.bytes();
  canary.resize(canary_bytes + bytes % 2);
  check(gpu_.api().copy_to_host(canary.data(), address() + bytes, canary.size()),
        "reading canaries");
  for (std::size_t i = 0; i < canary.size(); ++i) {
    if (canary[i] != canary_byte(bytes + i)) {
      return fmt::format("{}: written {} bytes past its end", argument_.name, i);
    }
  }
  return std::nullopt;
}

std::vector<Buffer*> BufferStore::take(const Job& job) {
  for (Entry& entry : entries_) {
    entry.in_use = false;
  }
  std::vector<Buffer*> buffers;
  for (std::size_t i = 0; i < job.arguments.size(); ++i) {
    buffers.push_back(job.arguments[i].is_buffer ? find_or_make(job, i) : nullptr);
  }
  return buffers;
}

Buffer* BufferStore::find_or_make(const Job& job, std::size_t position) {
  const std::string& key = job.argument_keys[position];
  for (Entry& entry : entries_) {
    if (!entry.in_use && entry.key == key) {
      entry.in_use = true;
      return entry.buffer.get();
    }
  }
  while (true) {
    try {
      auto made =
          std::make_unique<Buffer>(gpu_, job.arguments[position], position, job.options.seed);
      entries_.push_front({key, std::move(made), true});
      return entries_.front().buffer.get();
    } catch (const DriverError& error) {
      if (meaning_of(error.code()).outcome != Outcome::out_of_memory) {
        throw;
      }
    }
    if (!drop_unused()) {
      std::size_t need = 0;
      for (const Argument& argument : job.arguments) {
        need += argument.is_buffer ? Buffer::bytes_needed(argument) : 0;
      }
      throw OutOfMemory(fmt::format(
          "the buffers need {} of device memory, copies of inout buffers included; there was no "
          "room for {}",
          format_bytes(static_cast<double>(need)), job.arguments[position].name));
    }
  }
}

bool BufferStore::drop_unused() {
  const auto before = entries_.size();
  entries_.remove_if([](const Entry& entry) { return !entry.in_use; });
  return entries_.size() < before;
}

}  // namespace rooftune::cuda
