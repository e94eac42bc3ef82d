#include "tuner/device/host/host_data.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <vector>

#include "tuner/core/error.hpp"
#include "tuner/core/hash.hpp"
#include "tuner/device/data.hpp"
#include "tuner/device/fill.hpp"

namespace rooftune::host {
namespace {

namespace fs = std::filesystem;

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
    const fs::path aside = file.string() + fmt::format(".{}", getpid());
    write_elements(aside, argument, position, seed);
    fs::rename(aside, file);
  }
  return file;
}

}  // namespace rooftune::host
