// What every generated header needs, as C++17: the spec's functions, the types, the selection.
#pragma once

#include <string>
#include <string_view>

namespace rooftune {

/// Names that Expression::to_cpp uses.
constexpr std::string_view header_helper_names[] = {"ceil_div", "floor_div", "floor_mod", "ipow",
                                                    "min",      "max",       "abs",       "log2"};

/// Constant expressions with the meaning that the spec's language gives them. A division by zero,
/// which the language refuses, is 0: a size that no rule allows must not end the program.
constexpr std::string_view header_helpers = R"header(constexpr double floor_real(double x) {
  if (x < -9007199254740992.0 || x > 9007199254740992.0) {
    return x;  // whole already
  }
  const double whole = static_cast<double>(static_cast<std::int64_t>(x));
  return whole > x ? whole - 1 : whole;
}
template <class A, class B>
constexpr auto floor_div(A a, B b) {
  if constexpr (std::is_integral_v<A> && std::is_integral_v<B>) {
    const std::int64_t n = a;
    const std::int64_t d = b;
    return d == 0 ? 0 : n / d - ((n % d != 0 && (n < 0) != (d < 0)) ? 1 : 0);
  } else {
    return floor_real(static_cast<double>(a) / static_cast<double>(b));
  }
}
template <class A, class B>
constexpr auto floor_mod(A a, B b) {
  if constexpr (std::is_integral_v<A> && std::is_integral_v<B>) {
    const std::int64_t n = a;
    const std::int64_t d = b;
    return n - floor_div(n, d) * d;
  } else {
    return static_cast<double>(a) - floor_div(a, b) * static_cast<double>(b);
  }
}
template <class A, class B>
constexpr auto ceil_div(A a, B b) {
  return -floor_div(-a, b);
}
template <class A, class B>
constexpr auto min(A a, B b) {
  return b < a ? b : a;
}
template <class A, class B>
constexpr auto max(A a, B b) {
  return b > a ? b : a;
}
template <class A>
constexpr A abs(A a) {
  return a < 0 ? -a : a;
}
template <class A, class B>
constexpr auto ipow(A base, B exponent) {
  static_assert(std::is_integral_v<B>, "a broken power is no constant expression in C++17");
  std::conditional_t<std::is_integral_v<A>, std::int64_t, double> result = 1;
  for (B i = 0; i < exponent; ++i) {
    result *= base;
  }
  return result;
}
constexpr double log2(double x) {
  if (!(x > 0)) {
    return 0;
  }
  double whole = 0;
  for (; x >= 2; x /= 2) {
    whole += 1;
  }
  for (; x < 1; x *= 2) {
    whole -= 1;
  }
  // ln x = 2 artanh((x - 1) / (x + 1)), for 1 <= x < 2.
  const double y = (x - 1) / (x + 1);
  double sum = 0;
  double power = y;
  for (int i = 1; i < 60; i += 2) {
    sum += power / i;
    power *= y * y;
  }
  return whole + 2 * sum / 0.693147180559945309417;
}
)header";

/// Types, before the helpers.
constexpr std::string_view header_types = R"header(struct Dim3 {
  std::int64_t x = 1;
  std::int64_t y = 1;
  std::int64_t z = 1;
};

/// What a launch takes; shared_bytes is dynamic shared memory.
struct Geometry {
  Dim3 grid;
  Dim3 block;
  std::int64_t shared_bytes = 0;
};

/// A device as cudaGetDeviceProperties tells it: name, and major.minor compute capability.
struct Device {
  std::string_view name;
  int major = 0;  ///< 0: a CPU
  int minor = 0;
};

/// Where a configuration comes from.
struct Origin {
  std::string_view kernel;       ///< as a C++ name expression
  double seconds = 0;            ///< of a launch at the size of its line
  double roof_fraction = 0;      ///< of what the roofline says is attainable; 0: unknown
  std::string_view bound;        ///< that held it back
  double largest_error = 0;      ///< against the reference
  bool is_host = false;          ///< measured on a CPU: says nothing about a GPU
  std::string_view environment;  ///< compiler, driver, NVRTC
  std::string_view spec_hash;
  std::string_view measured_at;  ///< UTC
};

/// How a configuration was found, the best way first.
enum class Match {
  exact,            ///< measured on this device at this size
  nearest_size,     ///< measured on this device at another size
  same_capability,  ///< on a device of the same compute capability
  same_family,      ///< on a device of the same architecture
  by_default,       ///< the configuration that loses least on all measured devices
};
constexpr std::string_view to_string(Match match) {
  constexpr std::string_view names[] = {"exact", "nearest size", "same capability", "same family",
                                        "default"};
  return names[static_cast<int>(match)];
}

/// A line of the table, how it was found, and what a launch takes.
template <class Row>
struct Selection {
  const Row* row = nullptr;
  Match match = Match::by_default;
  bool valid = false;  ///< the spec's rules hold; where not, no line of the table may run
  Geometry geometry;

  constexpr const auto& parameters() const { return row->parameters; }
  constexpr const Origin& origin() const { return row->origin; }
};
)header";

/// Selection and warning, after the helpers.
constexpr std::string_view header_selection =
    R"header(/// log2 in units of 2^-16: whole numbers alone, so that every compiler and run time agrees.
constexpr std::int64_t log2_units(std::int64_t n) {
  int whole = 0;
  while (n >> whole > 1) {
    ++whole;
  }
  const auto bits = static_cast<std::uint64_t>(n);
  std::uint64_t mantissa = whole > 31 ? bits >> (whole - 31) : bits << (31 - whole);
  std::int64_t units = whole;
  for (int i = 0; i < 16; ++i) {
    mantissa = mantissa * mantissa >> 31;
    const bool carry = mantissa >> 32 != 0;
    mantissa = carry ? mantissa >> 1 : mantissa;
    units = units * 2 + (carry ? 1 : 0);
  }
  return units;
}

/// How far two constants of a problem are apart: sizes by the square of their ratio's logarithm,
/// whatever else (texts, flags, reals, zeros) by being equal or not, which outweighs any size.
template <class T>
constexpr std::int64_t apart(const T& a, const T& b) {
  if constexpr (std::is_same_v<T, std::int64_t>) {
    if (a > 0 && b > 0) {
      const std::int64_t difference = log2_units(a) - log2_units(b);
      return difference * difference;
    }
  }
  return a == b ? 0 : std::int64_t{1} << 50;
}

/// Architectures that share their major number, with Turing (7.5) apart from Volta and Ada (8.9)
/// apart from Ampere.
constexpr int family(const Device& device) {
  const bool second = (device.major == 7 && device.minor >= 5) ||
                      (device.major == 8 && device.minor == 9);
  return 2 * device.major + (second ? 1 : 0);
}

/// Some drivers and device files leave the maker out.
constexpr std::string_view plain_name(std::string_view name) {
  constexpr std::string_view maker = "NVIDIA ";
  return name.substr(0, maker.size()) == maker ? name.substr(maker.size()) : name;
}

constexpr Match match(const Device& asked, const Device& measured) {
  if (plain_name(asked.name) == plain_name(measured.name)) {
    return Match::exact;
  }
  if (asked.major == 0 || family(asked) != family(measured)) {
    return Match::by_default;
  }
  return asked.major == measured.major && asked.minor == measured.minor ? Match::same_capability
                                                                        : Match::same_family;
}

/// A line as a candidate; `better` orders by device, then equal size, then distance.
struct Rank {
  Match match = Match::by_default;
  bool same_size = false;
  std::int64_t distance = 0;
};
constexpr bool better(const Rank& a, const Rank& b) {
  if (a.match != b.match) {
    return a.match < b.match;
  }
  return a.same_size != b.same_size ? a.same_size : a.distance < b.distance;
}

/// Lines of the first `measured`, whose rules hold at this size and whose argument types are those
/// asked for (-1: any), by their rank; the first one of equals. Else the default, where its rules
/// hold; else the nearest of all lines.
template <class Row, class Problem>
constexpr Selection<Row> select(const Row* rows, std::size_t measured, const Row* default_row,
                                const Device& device, const Problem& problem, int types) {
  const Row* best = nullptr;
  Rank best_rank;
  const bool default_runs = usable(*default_row, problem);
  for (std::size_t i = 0; i < measured; ++i) {
    const Row& row = rows[i];
    const Rank rank{match(device, row.device), same_size(row.problem, problem),
                    distance(row.problem, problem)};
    if ((types >= 0 && row.types != types) || (rank.match == Match::by_default && default_runs) ||
        !usable(row, problem)) {
      continue;
    }
    if (best == nullptr || better(rank, best_rank)) {
      best = &row;
      best_rank = rank;
    }
  }
  if (best_rank.match == Match::exact && !best_rank.same_size) {
    best_rank.match = Match::nearest_size;
  }
  const bool valid = best != nullptr || default_runs;
  best = best == nullptr ? default_row : best;
  return {best, best_rank.match, valid, valid ? geometry(best->parameters, problem) : Geometry{}};
}

/// Called once a kernel, the first time that its table has no line of the device, or none that may
/// run. Set it before threads start; nullptr is silent.
using WarningHook = void (*)(const std::string& message);
inline void warn_on_stderr(const std::string& message) {
  std::fprintf(stderr, "%s\n", message.c_str());
}
inline WarningHook& warning_hook() {
  static WarningHook hook = warn_on_stderr;
  return hook;
}

template <class Row>
void warn_once(std::atomic_flag& warned, std::string_view kernel, const Device& device,
               const Selection<Row>& chosen) {
  const bool measured = chosen.match == Match::exact || chosen.match == Match::nearest_size;
  if ((measured && chosen.valid) || warning_hook() == nullptr || warned.test_and_set()) {
    return;
  }
  std::string message = std::string(kernel) + ": ";
  if (!chosen.valid) {
    message += "no configuration in the header is valid at this size";
  } else {
    message += "not tuned for " + std::string(device.name) + " (compute capability " +
               std::to_string(device.major) + "." + std::to_string(device.minor) +
               "): runs with the configuration of " + std::string(chosen.row->device.name) +
               ", found by: " + std::string(to_string(chosen.match));
  }
  warning_hook()(message);
}
)header";

/// What launchers need besides, for nvcc.
constexpr std::string_view header_launch = R"header(/// The device that the calling thread uses.
inline cudaError_t current_device(Device& device) {
  thread_local int known = -1;
  thread_local cudaDeviceProp properties;
  int ordinal = 0;
  cudaError_t error = cudaGetDevice(&ordinal);
  if (error == cudaSuccess && ordinal != known) {
    error = cudaGetDeviceProperties(&properties, ordinal);
    known = error == cudaSuccess ? ordinal : -1;
  }
  if (error == cudaSuccess) {
    device = Device{properties.name, properties.major, properties.minor};
  }
  return error;
}

/// More than 48 KiB of shared memory, static and dynamic together, have to be asked for.
template <class Kernel>
cudaError_t opt_in_to_shared_memory(Kernel kernel, std::int64_t dynamic_bytes) {
  if (dynamic_bytes == 0) {
    return cudaSuccess;
  }
  cudaFuncAttributes attributes{};
  const cudaError_t error = cudaFuncGetAttributes(&attributes, kernel);
  const auto bytes = static_cast<std::int64_t>(attributes.sharedSizeBytes) + dynamic_bytes;
  if (error != cudaSuccess || bytes <= 48 * 1024) {
    return error;
  }
  return cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                              static_cast<int>(dynamic_bytes));
}

constexpr bool fits(const Dim3& size, std::int64_t x, std::int64_t yz) {
  return size.x >= 1 && size.x <= x && size.y >= 1 && size.y <= yz && size.z >= 1 && size.z <= yz;
}

/// The arguments have the kernel's own types.
template <class... Types>
cudaError_t start(void (*kernel)(Types...), const Geometry& geometry, cudaStream_t stream,
                  std::common_type_t<Types>... arguments) {
  if (!fits(geometry.grid, 2147483647, 65535) || !fits(geometry.block, 1024, 1024) ||
      geometry.shared_bytes < 0 || geometry.shared_bytes > 1 << 20) {
    return cudaErrorInvalidConfiguration;
  }
  const cudaError_t error = opt_in_to_shared_memory(kernel, geometry.shared_bytes);
  if (error != cudaSuccess) {
    return error;
  }
  const auto dim = [](const Dim3& size) {
    return dim3(static_cast<unsigned>(size.x), static_cast<unsigned>(size.y),
                static_cast<unsigned>(size.z));
  };
  void* pointers[] = {const_cast<void*>(static_cast<const void*>(&arguments))..., nullptr};
  return cudaLaunchKernel(kernel, dim(geometry.grid), dim(geometry.block), pointers,
                          static_cast<std::size_t>(geometry.shared_bytes), stream);
}
)header";

/// The namespace that these stand in: its name has a hash of them.
std::string support_namespace();

}  // namespace rooftune
