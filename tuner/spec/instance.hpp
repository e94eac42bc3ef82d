// A kernel instance: one configuration at one problem size, with every expression of the spec
// evaluated. A plain value; everything downstream (compile, measure, place) works on it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "tuner/core/units.hpp"
#include "tuner/core/value.hpp"
#include "tuner/spec/spec.hpp"

namespace rooftune {

/// An element type that a buffer or a scalar argument may have.
struct ElementType {
  std::string name;  ///< as CUDA C++ spells it: float, double, __half, __nv_bfloat16, int, ...
  std::size_t size = 0;
  enum class Kind {
    real,
    half,
    bfloat16,
    signed_integer,
    unsigned_integer,
    boolean
  } kind = Kind::real;
};
/// Knows float, double, half/__half, (__)nv_bfloat16, (u)int8..64_t and C++'s own integer names,
/// float2/float4-like vectors of them are refused. nullptr where unknown.
const ElementType* element_type(std::string_view name);
/// Without the spellings that begin with std:: or __.
std::vector<std::string> element_type_names();

struct Argument {
  std::string name;
  ElementType type;
  bool is_buffer = false;
  std::uint64_t count = 1;  ///< elements
  Value value;              ///< of a scalar
  Fill fill;
  std::filesystem::path file;
  Access access = Access::in;
  std::uint64_t bytes() const { return count * type.size; }
};

struct Launch {
  Dim3 grid;
  Dim3 block;
  std::uint64_t shared_bytes = 0;  ///< dynamic
};

/// Counts of one warp, as WarpSpec has them; 0 where the spec does not say.
struct WarpWork {
  double instructions = 0;
  double fp = 0;
  double special = 0;
  double chain = 0;  ///< clocks
  double wait = 0;   ///< clocks
  double code = 0;   ///< bytes
};

/// Work and traffic of one launch, in operations and bytes.
struct Work {
  std::map<ComputeUnit, double> flops;
  std::map<Level, double> bytes;
  std::map<Level, double> traffic;
  WarpWork warp;
};

/// How to call the reference that proves a result.
struct Reference {
  std::filesystem::path source;
  std::string name_expression;
  Launch launch;
};

struct KernelInstance {
  NamedValues parameters;
  Problem problem;
  NamedValues derived;
  std::filesystem::path source;
  /// What NVRTC compiles instead of the file's text, where not empty; messages and includes stay
  /// the file's.
  std::string source_text;
  std::vector<std::filesystem::path> include;
  std::vector<std::string> options;
  std::string name_expression;
  NamedValues defines;
  Launch launch;
  std::vector<Argument> arguments;
  Work work;
  std::optional<Reference> reference;
  std::map<std::string, std::filesystem::path> expected_files;
  Tolerance tolerance;
};

/// Evaluates the spec for one configuration. Throws InputError at the expression that fails: a
/// division by zero, a grid of zero, a negative count, an unknown element type.
KernelInstance instantiate(const Spec& spec, const NamedValues& parameters, const Problem& problem);

/// Work, traffic, launch geometry and derived values alone: what the model needs, without a kernel.
struct Geometry {
  NamedValues derived;
  std::optional<Launch> launch;  ///< absent where the spec gives none
  Work work;
  std::optional<int> registers;              ///< a thread, as the spec expects them
  std::optional<std::int64_t> shared_bytes;  ///< static, a block, as the spec expects them
};
Geometry evaluate_geometry(const Spec& spec, const NamedValues& parameters, const Problem& problem);

}  // namespace rooftune
