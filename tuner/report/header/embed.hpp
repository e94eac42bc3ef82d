// The kernel itself in a header: its source made whole and safe to stand there, and what makes a
// configuration of it.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "tuner/report/header/model.hpp"

namespace rooftune::header {

/// Throws InputError for a spec without one.
const KernelSpec& kernel_of(const Spec& spec);

/// A source without files beside it.
struct WholeSource {
  std::string text;                   ///< local includes in their places; as NVRTC takes it
  std::vector<std::string> includes;  ///< what it includes from elsewhere: "<mma.h>", each once
  std::string body;                   ///< text without these
  std::vector<std::string> macros;    ///< that it defines, sorted
};
/// Reads the kernel's source and what it includes from its own folders. Throws InputError for an
/// include whose name is a macro.
WholeSource whole_source(const Spec& spec);

/// What makes a configuration of the source.
struct Build {
  std::string name_expression;
  std::vector<std::string> options;  ///< of NVRTC
  NamedValues defines;
  std::vector<std::string> argument_types;  ///< as the kernel declares them: "const float*"
  friend bool operator==(const Build&, const Build&) = default;
};
Build build_of(const Spec& spec, const NamedValues& parameters, const Problem& problem);

struct EmbeddedKernel {
  HeaderEmbed how = HeaderEmbed::source;
  const Spec* spec = nullptr;
  WholeSource source;
  /// Constants and derived quantities that the name, the options and the #define lines take: where
  /// these have other values, the kernel is another.
  std::set<std::string> fixed;
};
EmbeddedKernel embedded_kernel(const Spec& spec, const Results& results, HeaderEmbed how);

/// Argument types of a configuration, as the table is parted by them.
std::string types_text(const Build& build);

/// Rows of the table in its order, each with its line.
using Rows = std::vector<Entry>;

/// `#include`s that the embedded source needs, for the head of the file.
std::string embedded_includes(const EmbeddedKernel& embedded);
/// The namespace of the source, before that of the kernel; empty where the source is a text.
std::string embedded_source(const EmbeddedKernel& embedded, const Rows& rows,
                            const std::string& space);
/// What the kernel's namespace gets: programs for NVRTC, or the launch functions.
std::string embedded_members(const EmbeddedKernel& embedded, const Rows& rows, const Kernel& kernel,
                             const std::string& space);

}  // namespace rooftune::header
