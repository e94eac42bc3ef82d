#include "tests/fake_cuda/kernels.hpp"

#include <cctype>
#include <cstring>
#include <map>

namespace fake_cuda {
namespace {

/// (const float* in, float* out, int n): what all of them take.
struct Arguments {
  explicit Arguments(void** arguments)
      : in(*static_cast<const float**>(arguments[0])),
        out(*static_cast<float**>(arguments[1])),
        n(*static_cast<int*>(arguments[2])) {}
  Output output() const {
    return {reinterpret_cast<char*>(out), static_cast<std::size_t>(n) * sizeof(float)};
  }

  const float* in;
  float* out;
  int n;
};

Output scale(void** pointers) {
  const Arguments it(pointers);
  for (int i = 0; i < it.n; ++i) {
    it.out[i] = 2 * it.in[i];
  }
  return it.output();
}

Output accumulate(void** pointers) {
  const Arguments it(pointers);
  for (int i = 0; i < it.n; ++i) {
    it.out[i] += it.in[i];
  }
  return it.output();
}

/// A copy of n packs of 16 bytes.
Output ceiling_copy(void** pointers) {
  const Arguments it(pointers);
  const std::size_t bytes = std::size_t{16} * static_cast<std::size_t>(it.n);
  std::memcpy(it.out, it.in, bytes);
  return {reinterpret_cast<char*>(it.out), bytes};
}

/// What shows a ceiling by its time alone writes nothing.
Output ceiling(void** pointers) {
  return {reinterpret_cast<char*>(Arguments(pointers).out), sizeof(float)};
}

std::string plain_name(const std::string& mangled) {
  std::size_t at = 2;  // after _Z
  std::size_t length = 0;
  while (at < mangled.size() && std::isdigit(static_cast<unsigned char>(mangled[at])) != 0) {
    length = 10 * length + static_cast<std::size_t>(mangled[at++] - '0');
  }
  return mangled.substr(at, length);
}

}  // namespace

Kernel find_kernel(const std::string& mangled_name) {
  static const std::map<std::string, Kernel> kernels = {{"scale", scale},
                                                        {"scale_reference", scale},
                                                        {"accumulate", accumulate},
                                                        {"accumulate_reference", accumulate},
                                                        {"ceiling_copy", ceiling_copy},
                                                        {"ceiling_read", ceiling},
                                                        {"ceiling_l2", ceiling},
                                                        {"ceiling_shared", ceiling},
                                                        {"ceiling_fma", ceiling},
                                                        {"ceiling_tensor", ceiling},
                                                        {"ceiling_launch", ceiling}};
  const auto found =
      mangled_name.rfind("_Z", 0) == 0 ? kernels.find(plain_name(mangled_name)) : kernels.end();
  return found != kernels.end() ? found->second : nullptr;
}

}  // namespace fake_cuda
