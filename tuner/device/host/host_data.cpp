#include "tuner/device/host/host_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <vector>

#include "tuner/core/error.hpp"
#include "tuner/core/hash.hpp"
#include "tuner/device/fill.hpp"

namespace rooftune::host {
namespace {

namespace fs = std::filesystem;

std::string argument_key(const Argument& argument, std::size_t position, std::uint64_t seed) {
  std::string key = fmt::format("{} {} {} {} {}", position, argument.type.name, argument.count,
                                static_cast<int>(argument.access), argument.is_buffer);
  if (!argument.is_buffer) {
    return key + " " + argument.value.to_string();
  }
  if (!argument.file.empty()) {
    std::error_code ignored;
    return fmt::format("{} {} {}", key, argument.file.string(),
                       fs::last_write_time(argument.file, ignored).time_since_epoch().count());
  }
  return fmt::format("{} {} {} {} {}", key, static_cast<int>(argument.fill.kind), argument.fill.low,
                     argument.fill.high, seed);
}

void write_elements(const fs::path& file, const Argument& argument, std::size_t position,
                    std::uint64_t seed) {
  std::ofstream out(file, std::ios::binary);
  constexpr std::uint64_t chunk = std::uint64_t{1} << 18;
  std::vector<std::byte> bytes(std::min(chunk, argument.count) * argument.type.size);
  for (std::uint64_t first = 0; first < argument.count; first += chunk) {
    const std::uint64_t count = std::min(chunk, argument.count - first);
    const std::span<std::byte> part(bytes.data(), count * argument.type.size);
    fill_elements(argument, position, seed, first, part);
    out.write(reinterpret_cast<const char*>(part.data()),
              static_cast<std::streamsize>(part.size()));
  }
  if (!out.flush()) {
    throw InputError(
        fmt::format("cannot write {} bytes of input data to {}", argument.bytes(), file.string()),
        "is the disk full? TMPDIR chooses another place");
  }
}

}  // namespace

fs::path input_file(const fs::path& folder, const Argument& argument, std::size_t position,
                    std::uint64_t seed) {
  if (!argument.file.empty()) {
    check_size(argument.file, argument);
    return argument.file;
  }
  const fs::path file =
      folder / fmt::format("input-{}.bin", hash_text(argument_key(argument, position, seed)));
  if (!fs::exists(file)) {
    const fs::path aside = file.string() + ".part";
    write_elements(aside, argument, position, seed);
    fs::rename(aside, file);
  }
  return file;
}

void check_size(const fs::path& file, const Argument& argument) {
  std::error_code missing;
  const std::uintmax_t size = fs::file_size(file, missing);
  if (missing) {
    throw InputError(fmt::format("cannot read {}: {}", file.string(), missing.message()));
  }
  if (size != argument.bytes()) {
    throw InputError(
        fmt::format("{} has {} bytes; {} takes {} ({} elements of {})", file.string(), size,
                    argument.name, argument.bytes(), argument.count, argument.type.name),
        "the file holds the raw elements, little-endian, without a header");
  }
}

std::string data_key(const KernelInstance& instance, std::uint64_t seed) {
  std::string key;
  for (std::size_t i = 0; i < instance.arguments.size(); ++i) {
    key += argument_key(instance.arguments[i], i, seed) + "\n";
  }
  return key;
}

}  // namespace rooftune::host
