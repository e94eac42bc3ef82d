#include "tuner/device/cuda/ceilings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tuner/core/error.hpp"
#include "tuner/core/units.hpp"

namespace rooftune::cuda {
namespace {

constexpr int block_threads = 256;
constexpr std::uint64_t pack_bytes = 16;
/// Blocks of a multiprocessor: all of them fit at once on every architecture, and 32 warps hide
/// what one has to wait for.
constexpr int blocks_a_multiprocessor = 4;
/// Of a launch, about: some milliseconds, beside which the launch itself is nothing.
constexpr double launch_clocks = 4e6;

Argument buffer(const char* name, std::uint64_t bytes) {
  Argument argument;
  argument.name = name;
  argument.type = *element_type("float");
  argument.is_buffer = true;
  argument.count = bytes / sizeof(float);
  argument.access = Access::out;  // filled on the GPU: what is in it does not matter
  return argument;
}

Argument integer(const char* name, std::int64_t value) {
  Argument argument;
  argument.name = name;
  argument.type = *element_type("int");
  argument.value = value;
  return argument;
}

class Probes {
 public:
  explicit Probes(const DeviceProfile& gpu)
      : gpu_(gpu), folder_(config_folder() / "ceilings"), cc_(gpu.cc) {}

  std::vector<Probe> make() {
    add_fma("fp64", "double", 1);
    add_fma("fp32", "float", 1);
    add_fma("fp16", "Half2", 2);
    if (cc_ >= ComputeCapability{8, 0}) {
      add_fma("bf16", "Bfloat2", 2);
    }
    add_tensors();
    add_dram();
    add_l2();
    add_shared();
    add_launch();
    return std::move(probes_);
  }

 private:
  void add(RoofKind kind, std::string name, double amount, std::string how, const char* file,
           std::string kernel, const Launch& launch, std::vector<Argument> arguments) {
    Probe probe{kind, std::move(name), amount, std::move(how), {}};
    probe.instance.source = folder_ / file;
    probe.instance.name_expression = std::move(kernel);
    probe.instance.launch = launch;
    probe.instance.arguments = std::move(arguments);
    probes_.push_back(std::move(probe));
  }

  static Launch blocks(std::uint64_t count, unsigned threads = block_threads) {
    return {{count, 1, 1}, {threads, 1, 1}, 0};
  }
  Launch full_device() const {
    return blocks(static_cast<std::uint64_t>(gpu_.multiprocessors) * blocks_a_multiprocessor);
  }

  void add_dram() {
    constexpr std::uint64_t items = 4;
    constexpr std::uint64_t block_bytes = block_threads * items * pack_bytes;
    constexpr std::uint64_t mebi = 1 << 20;
    // Far beyond the L2, so that next to nothing of the last launch is still in it.
    const std::uint64_t wanted = std::clamp(16 * gpu_.l2_bytes, 512 * mebi, 2048 * mebi);
    const std::uint64_t room = gpu_.memory_bytes > 0 ? gpu_.memory_bytes / 8 : wanted;
    const std::uint64_t bytes =
        std::max(std::min(wanted, room) / block_bytes, std::uint64_t{1}) * block_bytes;
    const auto packs = static_cast<std::int64_t>(bytes / pack_bytes);
    const std::vector<Argument> arguments = {buffer("in", bytes), buffer("out", bytes),
                                             integer("n", packs)};
    const auto amount = static_cast<double>(bytes);
    const std::string size = format_bytes(amount);
    const std::string limits = fmt::format("<{}, {}>", block_threads, items);
    add(RoofKind::bandwidth, "dram.read", amount, "read of " + size, "memory.cu",
        "ceiling_read" + limits, blocks(bytes / block_bytes), arguments);
    add(RoofKind::bandwidth, "dram.copy", 2 * amount, "copy of " + size, "memory.cu",
        "ceiling_copy" + limits, blocks(bytes / block_bytes), arguments);
  }

  void add_l2() {
    constexpr std::uint64_t items = 4;
    constexpr std::uint64_t round = block_threads * items * pack_bytes;
    // A quarter: on GPUs whose L2 has two halves, data may lie in both.
    const std::uint64_t bytes = std::max(gpu_.l2_bytes / 4 / round, std::uint64_t{1}) * round;
    const Launch launch = full_device();
    add(RoofKind::bandwidth, "l2", static_cast<double>(bytes * launch.grid.x),
        fmt::format("read of {} past the L1", format_bytes(static_cast<double>(bytes))),
        "memory.cu", fmt::format("ceiling_l2<{}, {}>", block_threads, items), launch,
        {buffer("in", bytes), buffer("out", pack_bytes),
         integer("n", static_cast<std::int64_t>(bytes / pack_bytes))});
  }

  void add_shared() {
    constexpr int items = 4;  // 16 KiB a block
    const double a_round = static_cast<double>(block_threads) * blocks_a_multiprocessor * items *
                           static_cast<double>(pack_bytes);
    add_rounds(RoofKind::bandwidth, "shared", a_round, 128,
               "reads of 16 bytes a thread without bank conflicts", "memory.cu",
               fmt::format("ceiling_shared<{}, {}>", block_threads, items));
  }

  /// `a_round`: FLOP or bytes that a multiprocessor does in a round of the kernel's loop, of which
  /// there are as many as `rate` a clock makes for a launch of some milliseconds.
  void add_rounds(RoofKind kind, const std::string& name, double a_round, double rate,
                  const std::string& how, const char* file, const std::string& kernel) {
    const auto rounds =
        static_cast<std::int64_t>(std::max(1.0, std::round(launch_clocks * rate / a_round)));
    const double amount = a_round * gpu_.multiprocessors * static_cast<double>(rounds);
    add(kind, name, amount, how, file, kernel, full_device(),
        {buffer("in", pack_bytes), buffer("out", pack_bytes), integer("n", rounds)});
  }

  /// FLOP a multiprocessor and clock that the known roof promises; where there is none, so few
  /// that the launch is short on any GPU.
  double rate_of(const std::string& name, double otherwise) const {
    const Roof* known = gpu_.roof(RoofKind::compute, name, RoofSource::data_sheet);
    return known != nullptr && known->rate > 0 ? known->rate : otherwise;
  }

  void add_fma(const std::string& name, const char* type, int numbers) {
    constexpr int chains = 8;
    constexpr int unrolled = 8;
    const double a_round =
        2.0 * numbers * chains * unrolled * block_threads * blocks_a_multiprocessor;
    add_rounds(RoofKind::compute, name, a_round, rate_of(name, name == "fp64" ? 4 : 128),
               fmt::format("{} chains of multiply-adds a thread", chains), "arithmetic.cu",
               fmt::format("ceiling_fma<{}, {}, {}>", type, chains, unrolled));
  }

  /// `product`: m * n * k of an instruction.
  void add_tensor(const std::string& name, const char* type, int product) {
    constexpr int tiles = 8;
    constexpr int unrolled = 4;
    constexpr int warps = block_threads / 32 * blocks_a_multiprocessor;
    const double a_round = 2.0 * product * tiles * unrolled * warps;
    const std::string roof = name + ".tensor";
    const bool has_faster_instructions = cc_.major == 9 || cc_.major == 10 || cc_.major == 11;
    add_rounds(RoofKind::compute, has_faster_instructions ? roof + ".mma_sync" : roof, a_round,
               rate_of(roof, name == "fp64" ? 64 : 512), "mma.sync on tiles in registers",
               "tensor.cu", fmt::format("ceiling_tensor<{}, {}, {}>", type, tiles, unrolled));
  }

  void add_tensors() {
    const bool is_ampere = cc_ >= ComputeCapability{8, 0};
    if (cc_ < ComputeCapability{7, 5}) {
      return;  // has other instructions
    }
    if (cc_ == ComputeCapability{8, 0} || cc_ == ComputeCapability{9, 0} ||
        cc_ == ComputeCapability{10, 0}) {  // others emulate it
      add_tensor("fp64", "Fp64", 8 * 8 * 4);
    }
    add_tensor("fp16", "Fp16", 16 * 8 * (is_ampere ? 16 : 8));
    if (is_ampere) {
      add_tensor("bf16", "Bf16", 16 * 8 * 16);
      add_tensor("tf32", "Tf32", 16 * 8 * 8);
    }
    add_tensor("int8", "Int8", is_ampere ? 16 * 8 * 32 : 8 * 8 * 16);
    if (cc_ >= ComputeCapability{8, 9}) {
      add_tensor("fp8", "Fp8", 16 * 8 * 32);
    }
  }

  void add_launch() {
    add(RoofKind::latency, "launch", 1, "empty launches back to back, each", "memory.cu",
        "ceiling_launch", blocks(1, 32),
        {buffer("in", pack_bytes), buffer("out", pack_bytes), integer("n", 0)});
  }

  const DeviceProfile& gpu_;
  std::filesystem::path folder_;
  ComputeCapability cc_;
  std::vector<Probe> probes_;
};

std::string clock_text(const Measurement& measurement) {
  const double slowest = std::round(measurement.slowest_clock / 1e6);
  const double fastest = std::round(measurement.fastest_clock / 1e6);
  if (fastest == 0) {
    return "clock unknown";
  }
  return slowest == fastest ? fmt::format("at {} MHz", fastest)
                            : fmt::format("at {} to {} MHz", slowest, fastest);
}

MeasureResult measure(Device& gpu, const KernelInstance& instance) {
  MeasureOptions options;
  options.warm = true;
  options.minimum_seconds = 0.1;
  options.timeout_seconds = 5;
  CompileResult compiled = gpu.compile(instance);
  if (auto* failure = std::get_if<Failure>(&compiled)) {
    return std::move(*failure);
  }
  return gpu.measure(instance, std::get<KernelBinary>(compiled), options);
}

}  // namespace

std::vector<Probe> ceiling_probes(const DeviceProfile& gpu) {
  return Probes(gpu).make();
}

Roof roof_from(const Probe& probe, const Measurement& measurement) {
  const auto [quickest, slowest] =
      std::minmax_element(measurement.samples.begin(), measurement.samples.end());
  Roof roof;
  roof.kind = probe.kind;
  roof.name = probe.name;
  roof.source = RoofSource::measured;
  const bool is_latency = probe.kind == RoofKind::latency;
  roof.value = is_latency ? *quickest : probe.amount / *quickest;
  roof.spread =
      is_latency ? (*slowest - *quickest) / 2 / *quickest : (1 - *quickest / *slowest) / 2;
  roof.origin = fmt::format("{}, best of {}, {}", probe.how, measurement.samples.size(),
                            clock_text(measurement));
  if (!measurement.note.empty()) {
    roof.origin += "; " + measurement.note;
  }
  return roof;
}

MeasuredCeilings measure_ceilings(Device& gpu, const std::vector<Probe>& probes) {
  MeasuredCeilings ceilings;
  for (const Probe& probe : probes) {
    std::string reason;
    try {
      const MeasureResult result = measure(gpu, probe.instance);
      const auto* measurement = std::get_if<Measurement>(&result);
      if (measurement != nullptr) {
        ceilings.roofs.push_back(roof_from(probe, *measurement));
        continue;
      }
      reason = std::get<Failure>(result).reason;
    } catch (const InputError& error) {
      reason = error.problem();
    }
    ceilings.left_out.push_back(fmt::format("{}: {}", probe.name, reason));
  }
  if (ceilings.roofs.empty()) {
    throw InputError(fmt::format("no ceiling of {} could be measured", gpu.profile().name),
                     ceilings.left_out.empty() ? "" : ceilings.left_out.front());
  }
  return ceilings;
}

void add_dram_roof(std::vector<Roof>& roofs) {
  const auto is_dram = [](const Roof& roof) {
    return roof.name == "dram.read" || roof.name == "dram.copy";
  };
  const auto first = std::find_if(roofs.begin(), roofs.end(), is_dram);
  if (first == roofs.end()) {
    return;
  }
  Roof dram = *first;
  for (const Roof& roof : roofs) {
    if (is_dram(roof) && roof.value > dram.value) {
      dram = roof;
    }
  }
  dram.name = "dram";
  roofs.insert(first, std::move(dram));
}

DeviceProfile with_measured(DeviceProfile known, const DeviceProfile& measured) {
  std::vector<Roof>& roofs = known.roofs;
  for (const Roof& roof : measured.roofs) {
    auto before = std::find_if(roofs.rbegin(), roofs.rend(), [&](const Roof& other) {
      return other.kind == roof.kind && other.name == roof.name;
    });
    if (before == roofs.rend()) {
      before = std::find_if(roofs.rbegin(), roofs.rend(),
                            [&](const Roof& other) { return other.kind == roof.kind; });
    }
    roofs.insert(before == roofs.rend() ? roofs.end() : before.base(), roof);
  }
  known.source += "; " + measured.source;
  return known;
}

}  // namespace rooftune::cuda
