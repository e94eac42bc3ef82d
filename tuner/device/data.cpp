#include "tuner/device/data.hpp"

#include <fmt/format.h>

#include "tuner/core/error.hpp"

namespace rooftune {

namespace fs = std::filesystem;

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

std::string data_key(const KernelInstance& instance, std::uint64_t seed) {
  std::string key;
  for (std::size_t i = 0; i < instance.arguments.size(); ++i) {
    key += argument_key(instance.arguments[i], i, seed) + "\n";
  }
  return key;
}

std::string reference_key(const KernelInstance& instance, std::uint64_t seed,
                          const std::string& code) {
  const Reference& reference = *instance.reference;
  return fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n{}", reference.source.string(),
                     reference.name_expression, to_string(reference.launch.grid),
                     to_string(reference.launch.block), reference.launch.shared_bytes, code,
                     data_key(instance, seed));
}

std::string reference_key(const KernelInstance& instance, std::uint64_t seed) {
  return reference_key(instance, seed, to_string(instance.defines));
}

void check_reference_output(const std::string& kernel, const std::string& buffer,
                            const Census& census, std::uint64_t count) {
  if (census.nan > 0) {
    throw InputError(fmt::format("the reference kernel {} gives not-a-number at {}[{}]", kernel,
                                 buffer, census.first_nan),
                     "choose another fill for the inputs, or mend the reference");
  }
  if (census.unwritten == count) {
    throw InputError(fmt::format("the reference kernel {} writes nothing to {}", kernel, buffer),
                     "if it adds to what is there, the argument's access is inout");
  }
}

}  // namespace rooftune
