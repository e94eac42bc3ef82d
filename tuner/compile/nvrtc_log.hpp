// What NVRTC and ptxas say, as values. Pure functions of a log.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/compile/compiler.hpp"

namespace rooftune {

/// An error of the compiler or of ptxas.
struct Diagnostic {
  std::string file;  ///< empty for ptxas and for options
  int line = 0;
  std::string message;
  std::string excerpt;  ///< the line of code that the compiler shows
};
std::optional<Diagnostic> first_error(std::string_view log);

/// What ptxas printed (`--ptxas-options=-v`) for the entry of that lowered name.
std::optional<Resources> resources_in(std::string_view log, std::string_view entry);

/// Warnings of ptxas, each a line for a person: "asked for 8 registers a thread, got 24".
std::vector<std::string> notes_in(std::string_view log);

/// Bytes needed and allowed, where ptxas refuses an entry's static shared memory.
struct SharedOverflow {
  std::int64_t need = 0;
  std::int64_t limit = 0;
};
std::optional<SharedOverflow> shared_overflow_in(std::string_view log);

/// The header that could not be opened: "cuda_fp16.h".
std::optional<std::string> missing_header_in(std::string_view log);
/// The option that NVRTC does not know, as it was given.
std::optional<std::string> refused_option_in(std::string_view log);
/// What `option` is instead, and what to do: "-O3 is a flag of nvcc ...".
std::string about_option(const std::string& option);

/// Threads a block that `.maxntid` of the entry allows (from `__launch_bounds__`); 0 where PTX says
/// nothing. nullopt where PTX has no such entry.
std::optional<int> launch_bound_in(std::string_view ptx, std::string_view entry);

}  // namespace rooftune
