// The process of a variant: sets up the kernel's buffers, launches it, compares what it wrote, and
// times it. Linked with the variant's code into an executable.

#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iterator>

#include "tuner/device/host/child/buffer.hpp"
#include "tuner/device/host/child/findings.hpp"
#include "tuner/device/host/child/job.hpp"
#include "tuner/device/host/runtime/access_counts.hpp"
#include "tuner/device/host/runtime/launch.hpp"
#include "tuner/measure/sampling.hpp"

// The variant's own code.
extern "C" void rooftune_kernel(void** arguments);
extern "C" const char* const rooftune_kernel_name;

namespace rooftune::host_child {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::string number(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}

/// In the first launch: a crash must find a stack for its handler.
void guarded_kernel(void** arguments) {
  prepare_thread_for_crashes();
  rooftune_kernel(arguments);
}

class Run {
 public:
  explicit Run(const Job& job) : job_(job) {
    for (const JobArgument& argument : job_.arguments) {
      if (argument.is_buffer) {
        buffers_.emplace_back(argument);
      }
    }
    std::size_t next = 0;
    for (JobArgument& argument : job_.arguments) {
      pointers_.push_back(argument.is_buffer ? buffers_[next++].data() : nullptr);
    }
    for (std::size_t i = 0; i < pointers_.size(); ++i) {
      // A buffer's argument is the pointer to it.
      arguments_.push_back(job_.arguments[i].is_buffer
                               ? static_cast<void*>(&pointers_[i])
                               : static_cast<void*>(job_.arguments[i].scalar.data()));
    }
    report_crashes(buffers_);
  }

  void run() {
    for (Buffer& buffer : buffers_) {
      beat();
      buffer.prepare();
    }
    if constexpr (rooftune_host::accesses_are_counted) {
      for (const Buffer& buffer : buffers_) {
        rooftune_host::count_accesses_to(buffer.data(), buffer.argument().bytes());
      }
    }
    const auto first = launch(true);
    if (!first) {
      return;
    }
    report("launched");
    report_counts();
    if (overrun() || (job_.task == Task::reference ? !store() : !verify())) {
      return;
    }
    if (job_.task == Task::measure) {
      if (!time(first->seconds) || overrun() || !verify()) {
        return;
      }
    } else {
      sample(*first);
    }
    report("done");
  }

 private:
  struct Times {
    double seconds = 0;  ///< CPU time of the busiest worker
    double wall = 0;
  };

  /// nullopt, reported, where the runtime found a fault.
  std::optional<Times> launch(bool first) {
    beat();
    rooftune_host::LaunchOptions options;
    options.kernel_name = rooftune_kernel_name;
    options.workers = job_.workers;
    options.checks = first;
    options.exits_are_right = !job_.strict;
    options.seed = job_.seed;
    const auto dim = [](const std::uint64_t(&d)[3]) {
      return dim3(static_cast<unsigned>(d[0]), static_cast<unsigned>(d[1]),
                  static_cast<unsigned>(d[2]));
    };
    const rooftune_host::LaunchShape shape{dim(job_.grid), dim(job_.block), job_.shared_bytes};
    const rooftune_host::LaunchReport done = rooftune_host::launch(
        shape, first ? guarded_kernel : rooftune_kernel, arguments_.data(), options);
    if (done.error) {
      report("fault " + std::string(to_string(done.error->kind)) + "\t" + done.error->file + "\t" +
             std::to_string(done.error->line) + "\t" + done.error->message);
      return std::nullopt;
    }
    return Times{worker_seconds(done.cpu_seconds), done.wall_seconds};
  }

  /// The CPU time of all workers, shared out as the blocks are: what the busiest worker takes when
  /// nothing else disturbs it. The largest figure itself depends on who else uses the machine.
  double worker_seconds(const std::vector<double>& cpu_seconds) const {
    double sum = 0;
    for (const double seconds : cpu_seconds) {
      sum += seconds;
    }
    const std::uint64_t blocks = job_.grid[0] * job_.grid[1] * job_.grid[2];
    const std::uint64_t busiest = (blocks + job_.workers - 1) / job_.workers;
    return sum * static_cast<double>(busiest) / static_cast<double>(blocks);
  }

  static void report_counts() {
    if constexpr (rooftune_host::accesses_are_counted) {
      const rooftune_host::AccessCounts counts = rooftune_host::access_counts();
      const auto line = [](const char* name, std::uint64_t count) {
        report("count host__" + std::string(name) + ".sum " + std::to_string(count));
      };
      line("dram_bytes", counts.dram_bytes);
      line("l2_bytes", counts.l2_bytes);
      line("shared_bytes", counts.shared_bytes);
      line("static_shared_bytes", counts.static_shared_bytes);
      if (counts.by_warps) {
        line("l1_bytes", counts.l1_bytes);
        line("shared_wavefronts", counts.shared_wavefronts);
      }
    }
  }

  bool overrun() const {
    for (const Buffer& buffer : buffers_) {
      if (const auto damage = buffer.find_overrun()) {
        report("overrun " + *damage);
        return true;
      }
    }
    return false;
  }

  bool store() const {
    for (const Buffer& buffer : buffers_) {
      const JobArgument& argument = buffer.argument();
      if (argument.store.empty()) {
        continue;
      }
      buffer.store();
      const Census census = take_census(argument.format, buffer.data(), argument.count);
      report("census " + argument.name + " " + std::to_string(census.unwritten) + " " +
             std::to_string(census.nan) + " " + std::to_string(census.first_nan) + " " +
             std::to_string(argument.count));
    }
    return true;
  }

  bool verify() const {
    const auto start = Clock::now();
    bool right = true;
    bool compared = false;
    for (const Buffer& buffer : buffers_) {
      if (buffer.argument().expected.empty()) {
        continue;
      }
      compared = true;
      beat();
      const Comparison result = buffer.compare_with_expected();
      report("error " + number(result.max_error) + " " + buffer.describe(result.max_error_at));
      if (result.wrong > 0) {
        report("wrong " + buffer.argument().name + " " + std::to_string(result.wrong) + " " +
               buffer.describe(result.first_wrong));
        right = false;
      }
    }
    if (right && compared) {
      report("verified " + number(seconds_since(start)));
    }
    return right;
  }

  void sample(const Times& times) const {
    report("sample " + number(times.seconds) + " " + number(times.wall));
  }

  /// What a kernel may change is as it was before each launch, outside of the time.
  void restore() {
    for (Buffer& buffer : buffers_) {
      if (buffer.argument().direction == Direction::inout) {
        buffer.prepare();
      }
    }
  }

  /// False, reported, where a launch failed.
  bool time(double first_seconds) {
    Sampling sampling(job_.sampling);
    const int launches = launches_per_sample(first_seconds);
    while (!sampling.finished()) {
      const auto start = Clock::now();
      Times total;
      for (int i = 0; i < launches; ++i) {
        restore();
        const auto times = launch(false);
        if (!times) {
          return false;
        }
        total.seconds += times->seconds;
        total.wall += times->wall;
      }
      const Times mean{total.seconds / launches, total.wall / launches};
      sample(mean);
      sampling.add(mean.seconds, seconds_since(start));
    }
    if (!sampling.note().empty()) {
      report("note " + sampling.note());
    }
    return true;
  }

  Job job_;
  std::vector<Buffer> buffers_;
  std::vector<void*> pointers_;
  std::vector<void*> arguments_;
};

std::string read_text(const char* file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) {
    throw std::runtime_error(std::string("cannot read ") + file);
  }
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace
}  // namespace rooftune::host_child

int main(int argc, char** argv) {
  using namespace rooftune::host_child;
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // never outlive the tuner
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  try {
    if (argc != 2) {
      throw std::runtime_error("usage: VARIANT JOB");
    }
    const Job job = read_job(read_text(argv[1]));
    open_findings(job.result);
    Run(job).run();
  } catch (const std::exception& error) {
    report(std::string("failed ") + error.what());
    std::fprintf(stderr, "rooftune: %s\n", error.what());
    return 3;
  }
  // Not exit(): detached workers are still there.
  std::_Exit(0);
}
