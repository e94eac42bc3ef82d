// Configurations of a spec, compiled without a device: what each takes, and how many blocks fit.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "tuner/cli/command.hpp"
#include "tuner/compile/compiler.hpp"
#include "tuner/spec/spec.hpp"

namespace rooftune::cli {

/// What a compiled configuration takes.
struct Usage {
  Resources resources;
  Occupancy occupancy;
};

struct Variant {
  NamedValues parameters;
  Launch launch;
  std::optional<Usage> usage;      ///< where it compiled
  std::optional<Failure> failure;  ///< does not compile, or cannot launch
  std::vector<std::string> notes;  ///< of the compiler
};

/// In the order of `configurations`, at the spec's first problem, with progress on a terminal. What
/// cannot launch by its numbers alone is not compiled. Throws InputError as instantiate and
/// compile_nvrtc do, and for a spec without a kernel.
std::vector<Variant> compile_variants(const Spec& spec,
                                      const std::vector<NamedValues>& configurations,
                                      const std::string& architecture, BinaryCache* cache, Io& io);

/// "sm_90", also from "9.0" and "90"; other text as it is.
std::string architecture_named(const std::string& text);

/// What a table of variants may be sorted by.
enum class SortKey { occupancy, registers, spills, shared, threads };
std::optional<SortKey> sort_key_from(std::string_view name);
std::vector<std::string> sort_key_names();
/// Best first: most occupancy, least of everything else; failures last. Ties keep their order.
void sort_variants(std::vector<Variant>& variants, SortKey key);

/// One line a variant; parameters that all share are left out.
void print_variants(const std::vector<Variant>& variants, std::ostream& out);
std::string variants_csv(const std::vector<Variant>& variants);

}  // namespace rooftune::cli
