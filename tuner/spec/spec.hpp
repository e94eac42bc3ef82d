// The spec: what a user writes about a kernel, read from YAML and checked.
// In: a file and overrides. Out: a Spec, or an InputError with file:line:column.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/core/error.hpp"
#include "tuner/core/value.hpp"
#include "tuner/spec/expression.hpp"

namespace rooftune {

/// What a parameter does to a kernel: a prior for the search, never a restriction.
enum class Role {
  tile,
  block,
  unroll,
  vector,
  stages,
  launch_bounds,
  precision,
  padding,
  layout,
  cache,
  fusion,
  split,
  algorithm,
  other,
};
enum class Level { dram, l2, l1, shared };
enum class Precision { fp64, fp32, fp16, bf16, tf32, fp8, int8 };
enum class Access { in, out, inout };

std::string_view to_string(Role role);
std::string_view to_string(Level level);
std::string_view to_string(Precision precision);
std::string_view to_string(Access access);
std::optional<Role> role_from(std::string_view name);
std::optional<Level> level_from(std::string_view name);
std::optional<Precision> precision_from(std::string_view name);
std::optional<Access> access_from(std::string_view name);

/// What computes: a precision on the CUDA cores, or on the tensor cores ("fp16.tensor").
struct ComputeUnit {
  Precision precision = Precision::fp32;
  bool tensor = false;
  friend auto operator<=>(const ComputeUnit&, const ComputeUnit&) = default;
};
std::string to_string(ComputeUnit unit);
std::optional<ComputeUnit> compute_unit_from(std::string_view name);

/// An expression with the place where it stands, so that a failing evaluation can point at it.
struct SpecExpression {
  Expression expression;
  SourceSpot spot;
};

/// A text with `{EXPRESSION}` holes, such as a name expression or an argument's type.
class TextTemplate {
 public:
  TextTemplate() = default;
  /// Throws ExpressionError. `{{` and `}}` stand for braces.
  static TextTemplate parse(std::string_view text);
  /// Numbers are written as C++ tokens (Value::to_cpp). Throws ValueError.
  std::string render(const Scope& scope) const;
  std::vector<std::string> names() const;
  /// Where a hole first uses `name`, in bytes from the start of the text.
  std::optional<std::size_t> offset_of(std::string_view name) const;
  bool has_holes() const { return !holes_.empty(); }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  std::vector<std::string> pieces_;  ///< one more than holes_
  std::vector<Expression> holes_;
  std::vector<std::size_t> hole_offsets_;
};

struct SpecText {
  TextTemplate text;
  SourceSpot spot;
};

struct KernelSpec {
  std::filesystem::path source;  ///< absolute; empty in a spec that is only replayed
  SpecText name;                 ///< "sgemm<{BM}, {BN}>" or "sgemm"
  std::vector<SpecText> options;
  std::vector<std::filesystem::path> include;  ///< absolute folders
  /// Names whose values reach the source as #define lines. Where the spec does not say: every
  /// parameter that the name does not mention.
  std::vector<std::string> defines;
  SourceSpot spot;
};

struct Parameter {
  std::string name;
  std::vector<Value> values;  ///< at least one, no repeats
  Role role = Role::other;
  SourceSpot spot;
};

struct Rule {
  SpecExpression condition;
  std::string text;  ///< as written
};

struct Derived {
  std::string name;
  SpecExpression value;
};

struct LaunchSpec {
  std::vector<SpecExpression> block;  ///< one to three
  std::vector<SpecExpression> grid;   ///< one to three
  SpecExpression shared_bytes;        ///< dynamic shared memory, bytes
};

/// How an input buffer is filled. All fills are functions of (seed, index): reproducible.
struct Fill {
  enum class Kind { zero, constant, uniform, uniform_integer, iota };
  Kind kind = Kind::uniform;
  double low = -1;  ///< uniform: [low, high); constant: the value
  double high = 1;
};

struct ArgumentSpec {
  std::string name;
  SpecText type;                        ///< C++ element type, "{T}"
  std::optional<SpecExpression> count;  ///< elements of a buffer
  std::optional<SpecExpression> value;  ///< of a scalar
  Fill fill;
  std::filesystem::path file;  ///< absolute; raw elements instead of a fill
  Access access = Access::in;
  SourceSpot spot;
};

/// What one warp does, for the bounds that neither bytes nor operations show. All of a warp's lanes
/// act at once, so these are the counts of one thread.
struct WarpSpec {
  std::optional<SpecExpression> instructions;  ///< issued
  std::optional<SpecExpression> fp;            ///< of those, on the fp32 pipe
  std::optional<SpecExpression> special;       ///< of those, on the special-function pipe
  std::optional<SpecExpression> chain;  ///< clocks from first to last instruction, when alone
  std::optional<SpecExpression> wait;   ///< clocks of a block in which none of its warps can go on
  std::optional<SpecExpression> code;   ///< bytes of instructions that it runs through
};

struct WorkSpec {
  std::map<ComputeUnit, SpecExpression> flops;  ///< operations of one launch
  std::map<Level, SpecExpression> bytes;        ///< compulsory: each byte once
  std::map<Level, SpecExpression> traffic;      ///< what this configuration moves
  WarpSpec warp;
};

/// What a compiled kernel is expected to take, for the model before it is compiled.
struct ResourceSpec {
  std::optional<SpecExpression> registers;     ///< a thread
  std::optional<SpecExpression> shared_bytes;  ///< static, a block
};

struct Tolerance {
  std::optional<double> relative;
  std::optional<double> absolute;
};

struct VerifySpec {
  SpecText name;                 ///< the reference kernel; it takes the tuned kernel's arguments
  std::filesystem::path source;  ///< absolute; the kernel's own source unless given
  std::vector<SpecExpression> block;
  std::vector<SpecExpression> grid;
  SpecExpression shared_bytes;
  /// Argument name -> raw expected elements, instead of a reference kernel.
  std::map<std::string, std::filesystem::path> files;
  Tolerance tolerance;
  SourceSpot spot;
};

struct StopSpec {
  double ceiling = 0.9;                      ///< fraction of the attainable roof
  std::optional<std::uint64_t> evaluations;  ///< configurations measured or failed
  std::optional<double> seconds;             ///< wall time of the session
  double improvement = 0.05;                 ///< stop when no more than this can be gained (proof)
};

/// What configurations are ranked by.
enum class Objective {
  time,
  energy,  ///< of a launch
};
std::string_view to_string(Objective objective);

/// One size of the problem: the constants that it sets, over Spec::constants.
using Problem = NamedValues;

struct Spec {
  std::filesystem::path file;  ///< absolute
  std::string text;            ///< as read
  std::string name;            ///< the kernel's plain name, or the file's stem
  std::optional<KernelSpec> kernel;
  NamedValues constants;
  std::vector<Problem> problems;  ///< at least one; complete: all constants with this size's values
  std::vector<Parameter> parameters;
  std::vector<Rule> rules;
  std::vector<Derived> derived;  ///< in an order in which each uses only earlier ones
  LaunchSpec launch;
  std::vector<ArgumentSpec> arguments;
  WorkSpec work;
  ResourceSpec resources;
  std::optional<VerifySpec> verify;
  NamedValues baseline;  ///< empty, or a value for each parameter
  StopSpec stop;
  Objective objective = Objective::time;
  /// Over the text, the overrides and the kernel source: equal hashes mean comparable results.
  std::string hash;
};

/// `NAME=VALUE` of the command line: a constant, or a parameter (which it fixes).
struct Override {
  std::string name;
  std::string value;  ///< an expression without names
};

/// Reads and checks a spec. Relative paths count from the spec's folder. Everything that can be
/// refused without running anything is refused here, with an InputError.
Spec load_spec(const std::filesystem::path& file, const std::vector<Override>& overrides = {});
/// The same from text; `file` is for messages and relative paths.
Spec parse_spec(std::string text, const std::filesystem::path& file,
                const std::vector<Override>& overrides = {});

/// Adds sizes to those that the spec lists; where it lists none, they take the place of its
/// constants' own. Each sets some of the constants, the others keep their values; the hash stays.
/// Throws InputError for a name that is no constant and a value of another kind.
void add_problems(Spec& spec, const std::vector<std::vector<Override>>& sizes);

}  // namespace rooftune
