// What a CUDA source says about its kernels, as far as that can be told without a compiler.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rooftune {

struct KernelSignature {
  std::string name;
  /// Each as written, blanks as one space: "const float* A".
  std::vector<std::string> parameters;
  /// Of `template <...>`: "int TILE", "typename T = float". Empty for a plain function.
  std::vector<std::string> template_parameters;
};

/// A macro that a source sets where nobody else did, so that a spec may set it.
struct TunableMacro {
  std::string name;
  std::string value;
};
/// Every `#ifndef NAME` that a `#define NAME VALUE` follows.
std::vector<TunableMacro> tunable_macros(std::string_view source);

/// Every `__global__` function whose parameters can be told, in the order of the text. Comments and
/// texts are skipped; a parameter list that macros build, or that ends in `...`, is left out.
std::vector<KernelSignature> kernel_signatures(std::string_view source);

/// The parameters of the kernel of that plain name; nullopt where it is not found, or where two of
/// that name take different numbers of parameters.
std::optional<std::vector<std::string>> kernel_signature(std::string_view source,
                                                         std::string_view name);

/// Whether `word` stands anywhere in the source as an identifier, outside of comments and texts.
bool mentions_identifier(std::string_view source, std::string_view word);

/// "sgemm" of "sgemm<{BM}, float>", "detail::sgemm<1>" and "&sgemm".
std::string plain_kernel_name(std::string_view name_expression);

}  // namespace rooftune
