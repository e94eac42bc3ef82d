// Measuring: a loop that does nothing but the one thing, on all workers at once.
#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <barrier>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <new>
#include <thread>

#include "tuner/device/host/ceiling_kernels.hpp"
#include "tuner/device/host/ceilings.hpp"

namespace rooftune::ceilings {
namespace {

/// CPU time of this thread in seconds: other load on the machine does not count.
double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Runs a loop that many times; returns the FLOP or bytes done.
using Loop = std::function<double(std::size_t times)>;
/// Makes a worker's own loop, on the worker's thread.
using MakeLoop = std::function<Loop()>;

/// Times until one run takes about `seconds`: doubled while too short. This warms up, too.
std::size_t calibrate(const Loop& loop, double seconds) {
  constexpr std::size_t most = std::size_t{1} << 40;
  for (std::size_t times = 1; times < most; times *= 2) {
    const double start = thread_seconds();
    loop(times);
    const double taken = thread_seconds() - start;
    if (taken >= seconds / 4) {
      return std::max<std::size_t>(
          1, static_cast<std::size_t>(static_cast<double>(times) * seconds / taken));
    }
  }
  return most;
}

struct Rate {
  double value = 0;   ///< per second, all workers
  double spread = 0;  ///< relative half range
};

/// The best repetition: whatever else runs can only slow a loop down.
Rate best_of(const std::vector<double>& rates) {
  const auto [low, high] = std::minmax_element(rates.begin(), rates.end());
  return {*high, (*high - *low) / (2 * *high)};
}

Rate measure_rate(unsigned workers, const Effort& effort, const MakeLoop& make_loop) {
  std::vector<std::vector<double>> rates(workers);
  std::barrier<> together(workers);
  std::vector<std::thread> threads;
  for (unsigned worker = 0; worker < workers; ++worker) {
    threads.emplace_back([&, worker] {
      const Loop loop = make_loop();
      const std::size_t times = calibrate(loop, effort.seconds);
      for (int i = 0; i < effort.repetitions; ++i) {
        together.arrive_and_wait();
        const double start = thread_seconds();
        const double amount = loop(times);
        rates[worker].push_back(amount / (thread_seconds() - start));
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  std::vector<double> sums(static_cast<std::size_t>(effort.repetitions));
  for (const std::vector<double>& of_worker : rates) {
    std::transform(sums.begin(), sums.end(), of_worker.begin(), sums.begin(), std::plus<>());
  }
  return best_of(sums);
}

/// Floats aligned to a page, touched once, in huge pages where the system gives them: the ceiling
/// is the memory's, not the page table's.
class Buffer {
 public:
  explicit Buffer(std::size_t count) : count_(count) {
    constexpr std::size_t huge_page = std::size_t{2} << 20;
    const std::size_t bytes = (count * sizeof(float) + huge_page - 1) / huge_page * huge_page;
    data_.reset(static_cast<float*>(std::aligned_alloc(huge_page, bytes)));
    if (data_ == nullptr) {
      throw std::bad_alloc();
    }
    madvise(data_.get(), bytes, MADV_HUGEPAGE);
    std::fill_n(data_.get(), count, 1.0F);
  }
  float* data() const { return data_.get(); }
  std::size_t count() const { return count_; }

 private:
  struct Free {
    void operator()(float* data) const { std::free(data); }
  };
  std::unique_ptr<float, Free> data_;
  std::size_t count_;
};

/// Floats in so many bytes, rounded down to whole granules, one at least.
std::size_t floats_in(std::uint64_t bytes) {
  return std::max<std::size_t>(1, bytes / sizeof(float) / granule) * granule;
}

MakeLoop reader(const Kernels& kernels, std::uint64_t bytes) {
  return [&kernels, bytes]() -> Loop {
    auto from = std::make_shared<Buffer>(floats_in(bytes));
    return [&kernels, from](std::size_t times) {
      kernels.read(from->data(), from->count(), times);
      return static_cast<double>(from->count() * sizeof(float)) * static_cast<double>(times);
    };
  };
}

/// Counts two reads and one write; the line that a store fetches first is not counted.
MakeLoop triad(const Kernels& kernels, std::uint64_t bytes) {
  return [&kernels, bytes]() -> Loop {
    const std::size_t count = floats_in(bytes / 3);
    auto to = std::make_shared<Buffer>(count);
    auto a = std::make_shared<Buffer>(count);
    auto b = std::make_shared<Buffer>(count);
    return [&kernels, to, a, b, count](std::size_t times) {
      kernels.triad(to->data(), a->data(), b->data(), count, times);
      return 3.0 * static_cast<double>(count * sizeof(float)) * static_cast<double>(times);
    };
  };
}

/// A level of the memory, as the roofline names it, with a working set for each worker.
struct MemoryLevel {
  std::string name;    ///< "l1", "core_l2", "l2" (the last-level cache), "dram"
  std::string people;  ///< "L1"
  std::uint64_t working_set = 0;
};

std::vector<MemoryLevel> memory_levels(const Cpu& cpu, unsigned workers, const Effort& effort) {
  std::vector<MemoryLevel> levels;
  std::uint64_t inner = 0;  // the cache below, which must not hold the set
  for (std::size_t i = 0; i < cpu.caches.size(); ++i) {
    const Cache& cache = cpu.caches[i];
    const std::uint64_t share = cache.bytes / std::min(cache.shared_by, workers);
    const bool last = i + 1 == cpu.caches.size();
    const std::string name = i == 0 ? "l1" : last ? "l2" : "core_l2";
    levels.push_back({name, fmt::format("L{}", cache.level),
                      std::min(share * 3 / 4, std::max(share / 2, inner * 2))});
    inner = share;
  }
  const std::uint64_t last_level = cpu.caches.back().bytes;
  const std::uint64_t wanted = std::max<std::uint64_t>(last_level * 4, std::uint64_t{128} << 20);
  const std::uint64_t allowed = std::min(effort.largest_working_set, cpu.memory_bytes / 4);
  levels.push_back({"dram", "DRAM", std::min(wanted, allowed) / workers});
  return levels;
}

class Profiler {
 public:
  Profiler(const Cpu& cpu, unsigned workers, const Effort& effort)
      : workers_(workers), effort_(effort), all_(supported_kernels()), kernels_(all_.back()) {
    profile_.id = "host";
    profile_.name = cpu.name;
    profile_.kind = DeviceKind::host;
    profile_.multiprocessors = static_cast<int>(workers);
    profile_.memory_bytes = cpu.memory_bytes;
    profile_.l2_bytes = cpu.caches.back().bytes;
    profile_.source = "measured";
    levels_ = memory_levels(cpu, workers, effort);
  }

  DeviceProfile run() {
    add_fma("fp32", kernels_.fma_fp32);
    add_fma("fp64", kernels_.fma_fp64);
    for (const MemoryLevel& level : levels_) {
      add_level(level);
    }
    return std::move(profile_);
  }

 private:
  void add(RoofKind kind, const std::string& name, const Rate& rate, const std::string& how) {
    profile_.roofs.push_back(
        {kind, name, rate.value, RoofSource::measured,
         fmt::format("{}, {}, best of {}", how, to_string(kernels_.set), effort_.repetitions),
         rate.spread, 0});
  }

  void add_fma(const std::string& name, double (*fma)(std::size_t)) {
    const Rate rate = measure_rate(workers_, effort_, [fma]() -> Loop { return fma; });
    add(RoofKind::compute, name, rate, "independent multiply-adds in registers");
  }

  /// The level's roof is the larger of the two figures; both are kept beside it.
  void add_level(const MemoryLevel& level) {
    const Rate read = measure_rate(workers_, effort_, reader(kernels_, level.working_set));
    const Rate both = measure_rate(workers_, effort_, triad(kernels_, level.working_set));
    const std::string set = fmt::format("{}, {} a worker", level.people,
                                        format_bytes(static_cast<double>(level.working_set)));
    const Rate& roof = read.value >= both.value ? read : both;
    const std::string which = read.value >= both.value ? "read" : "triad";
    add(RoofKind::bandwidth, level.name, roof, fmt::format("{} of {}", which, set));
    if (level.name == "l1") {
      // Shared memory of a block is ordinary memory here, at home in the L1.
      add(RoofKind::bandwidth, "shared", roof, fmt::format("{} of {}", which, set));
    }
    add(RoofKind::bandwidth, level.name + ".read", read, fmt::format("read of {}", set));
    add(RoofKind::bandwidth, level.name + ".triad", both, fmt::format("triad of {}", set));
  }

  unsigned workers_;
  Effort effort_;
  std::vector<Kernels> all_;
  const Kernels& kernels_;
  std::vector<MemoryLevel> levels_;
  DeviceProfile profile_;
};

}  // namespace

DeviceProfile measure(const Cpu& cpu, unsigned workers, const Effort& effort) {
  return Profiler(cpu, workers, effort).run();
}

}  // namespace rooftune::ceilings
