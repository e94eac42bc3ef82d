#include "tuner/device/cuda/worker/runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iterator>
#include <thread>

#include "tuner/core/error.hpp"
#include "tuner/core/units.hpp"
#include "tuner/device/cuda/worker/launch_plan.hpp"
#include "tuner/device/data.hpp"
#include "tuner/device/fill.hpp"
#include "tuner/measure/energy.hpp"

namespace rooftune::cuda {
namespace {

using Clock = std::chrono::steady_clock;

/// A reference is a plain kernel, often slow: it may take as long as anyone would wait for.
constexpr double reference_limit = 300;
/// Making gigabytes of input takes its time; so does the driver's compiler.
constexpr double setup_limit = 300;
/// Expected outputs of so many data sets are kept.
constexpr std::size_t most_expected = 4;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// A configuration's own failure, on the way out.
struct Failed {
  Failure failure;
};

/// The reference's failure, on the way out.
struct ReferenceFailed {
  SpecFault fault;
  bool worker_ends = false;
};

SpecFault reference_fault(const std::string& kernel, const std::string& reason) {
  return {fmt::format("the reference kernel {} failed: {}", kernel, reason),
          "every result is held against the reference: mend verify.kernel, or its launch"};
}

[[noreturn]] void fail(Outcome outcome, std::string reason) {
  throw Failed{{outcome, std::move(reason), ""}};
}

/// As long as anyone waits for the first launch: much more than the best needs, if one is known,
/// but a second at least.
double launch_limit(const MeasureOptions& options) {
  constexpr double least = 1;
  constexpr double times_the_best = 1000;
  return options.best_seconds > 0 ? std::min(options.timeout_seconds,
                                             std::max(least, times_the_best * options.best_seconds))
                                  : options.timeout_seconds;
}

bool is_best_so_far(const MeasureOptions& options, double seconds) {
  return options.best_seconds == 0 || seconds < options.best_seconds;
}

std::vector<std::vector<std::byte>> scalars_of(const Job& job) {
  std::vector<std::vector<std::byte>> scalars;
  for (const Argument& argument : job.arguments) {
    try {
      scalars.push_back(argument.is_buffer ? std::vector<std::byte>{} : scalar_bytes(argument));
    } catch (const ValueError& error) {
      throw InputError(error.what(), "give the argument a type that holds its value");
    }
  }
  return scalars;
}

}  // namespace

/// A kernel with its arguments, ready to be launched any number of times.
class Runner::Launchable {
 public:
  Launchable(const Gpu& gpu, const Job& job, const Program& program,
             const std::vector<Buffer*>& buffers)
      : gpu_(gpu),
        launch_(program.launch),
        module_(gpu, program.file, program.entry),
        scalars_(scalars_of(job)) {
    for (std::size_t i = 0; i < buffers.size(); ++i) {
      addresses_.push_back(buffers[i] != nullptr ? buffers[i]->address() : 0);
    }
    for (std::size_t i = 0; i < buffers.size(); ++i) {
      pointers_.push_back(buffers[i] != nullptr ? static_cast<void*>(&addresses_[i])
                                                : static_cast<void*>(scalars_[i].data()));
    }
    prepare();
  }

  void launch() {
    const auto of = [](std::uint64_t value) { return static_cast<unsigned>(value); };
    const Dim3& grid = launch_.grid;
    const Dim3& block = launch_.block;
    check(gpu_.api().launch(module_.function(), of(grid.x), of(grid.y), of(grid.z), of(block.x),
                            of(block.y), of(block.z), of(launch_.shared_bytes), gpu_.stream(),
                            pointers_.data(), nullptr),
          "launching the kernel");
  }

 private:
  void prepare() {
    const KernelNeeds needs{module_.attribute(CU_FUNC_ATTRIBUTE_NUM_REGS),
                            module_.attribute(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES),
                            module_.attribute(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)};
    const ComputeCapability cc{gpu_.attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR),
                               gpu_.attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)};
    const LaunchPlan plan = plan_launch(
        launch_, needs, cc, gpu_.attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN));
    if (plan.failure) {
      throw Failed{*plan.failure};
    }
    if (plan.opt_in) {
      module_.set(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, *plan.opt_in);
    }
    if (plan.carveout) {
      module_.set(CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, *plan.carveout);
    }
  }

  const Gpu& gpu_;
  Launch launch_;
  Module module_;
  std::vector<std::vector<std::byte>> scalars_;
  std::vector<CUdeviceptr> addresses_;
  std::vector<void*> pointers_;
};

/// What timing does, with one kernel and its buffers.
class Runner::Steps : public TimingSteps {
 public:
  Steps(Runner& runner, const Job& job, const std::vector<Buffer*>& buffers)
      : runner_(runner),
        job_(job),
        buffers_(buffers),
        kernel_(runner.gpu_, job, job.kernel, buffers) {
    restores_ = std::any_of(buffers.begin(), buffers.end(), [](const Buffer* buffer) {
      return buffer != nullptr && buffer->argument().access == Access::inout;
    });
  }

  /// Everything as it is before a launch whose result is looked at.
  void prepare() {
    for (const Buffer* buffer : buffers_) {
      if (buffer != nullptr) {
        buffer->prepare();
      }
    }
  }

  /// A launch by itself; its seconds.
  double launch_once() {
    runner_.tell_({"a launch", launch_limit(job_.options), true, false});
    runner_.events_.begin(0);
    launch();
    runner_.events_.end(0);
    runner_.gpu_.wait("running the kernel");
    return runner_.events_.seconds(0);
  }

  void announce(double expected_seconds) override {
    runner_.tell_({"a launch", job_.options.timeout_seconds + 2 * expected_seconds, true, false});
  }
  bool needs_restore() const override { return restores_; }
  void restore() override {
    for (const Buffer* buffer : buffers_) {
      if (buffer != nullptr) {
        buffer->restore();
      }
    }
  }
  void flush() override {
    const Memory& memory = runner_.flush_memory();
    check(runner_.gpu_.api().fill_bytes(memory.address(), 0, memory.bytes(), runner_.gpu_.stream()),
          "flushing the L2");
  }
  void hold() override { runner_.hold_.hold(); }
  void release() noexcept override { runner_.hold_.release(); }
  void begin(int slot) override { runner_.events_.begin(slot); }
  void launch() override { kernel_.launch(); }
  void end(int slot) override { runner_.events_.end(slot); }
  std::vector<double> wait(int slots) override {
    runner_.gpu_.wait("running the kernel");
    std::vector<double> seconds;
    for (int slot = 0; slot < slots; ++slot) {
      seconds.push_back(runner_.events_.seconds(slot));
    }
    return seconds;
  }
  bool hold_timed_out() const override { return runner_.hold_.has_timed_out(); }
  std::optional<double> clock() override { return runner_.nvml_->clock(); }
  void pause() override { std::this_thread::sleep_for(std::chrono::milliseconds(20)); }
  double now() override {
    return std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
  }

 private:
  Runner& runner_;
  const Job& job_;
  const std::vector<Buffer*>& buffers_;
  Launchable kernel_;
  bool restores_ = false;
};

Runner::Runner(const Gpu& gpu, std::unique_ptr<Nvml> nvml, Tell tell)
    : gpu_(gpu),
      nvml_(std::move(nvml)),
      tell_(std::move(tell)),
      store_(gpu),
      hold_(gpu),
      events_(gpu, most_launches_in_a_sample) {}

Runner::~Runner() = default;

Answer Runner::run(const Job& job) {
  try {
    return measure(job);
  } catch (const ReferenceFailed& failed) {
    return {failed.fault, failed.worker_ends, false, "", ""};
  } catch (const Failed& failed) {
    if (failed.failure.outcome == Outcome::wrong_result) {
      store_.clear();  // it may have written to what others read
    }
    return {failed.failure, false, false, "", ""};
  } catch (const OutOfMemory& error) {
    return {Failure{Outcome::out_of_memory, error.what(), ""}, false, false, "", ""};
  } catch (const DriverError& error) {
    const ErrorMeaning meaning = meaning_of(error.code());
    return {failure_of(error), meaning.sticky, meaning.device_lost, "", ""};
  } catch (const InputError& error) {
    return {SpecFault{error.problem(), error.hint()}, false, false, "", ""};
  } catch (const std::exception& error) {
    return {Failure{Outcome::crashed, error.what(), ""}, true, false, "", ""};
  }
}

Answer Runner::measure(const Job& job) {
  tell_({"setting up the buffers", setup_limit, false, false});
  if (!job.options.warm) {
    flush_memory();
  }
  const std::vector<Buffer*> buffers = store_.take(job);
  const Outputs* expected = expected_outputs(job, buffers);
  tell_({"loading the binary", setup_limit, false, false});
  Steps steps(*this, job, buffers);
  steps.prepare();
  const double first_seconds = steps.launch_once();
  Measurement measurement;
  tell_({"comparing the result", setup_limit, false, false});
  verify(job, buffers, expected != nullptr ? *expected : Outputs(buffers.size()), measurement);
  const bool abandoned = time(job, steps, first_seconds, measurement);
  if (!abandoned) {
    read_energy(job, steps, measurement);
  }
  check_canaries(buffers);
  Answer answer{std::move(measurement), false, false, "", ""};
  if (job.options.counters != CounterLevel::off && !abandoned) {
    read_counters(job, steps, answer);
  }
  return answer;
}

const Memory& Runner::flush_memory() {
  if (!flush_) {
    // Twice the L2: a write to each of its lines whatever its policy of replacement.
    const int l2 = gpu_.attribute(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
    flush_ = std::make_unique<Memory>(gpu_, 2 * static_cast<std::size_t>(std::max(l2, 1 << 20)));
  }
  return *flush_;
}

const Runner::Outputs* Runner::expected_outputs(const Job& job,
                                                const std::vector<Buffer*>& buffers) {
  if (job.expected_key.empty()) {
    return nullptr;
  }
  const auto known = std::find_if(expected_.begin(), expected_.end(), [&](const auto& entry) {
    return entry.first == job.expected_key;
  });
  if (known != expected_.end()) {
    expected_.splice(expected_.begin(), expected_, known);
  } else {
    expected_.emplace_front(job.expected_key,
                            job.reference ? run_reference(job, buffers) : read_expected_files(job));
    if (expected_.size() > most_expected) {
      expected_.pop_back();
    }
  }
  return &expected_.front().second;
}

Runner::Outputs Runner::read_expected_files(const Job& job) const {
  Outputs outputs(job.arguments.size());
  for (const auto& [name, file] : job.expected_files) {
    const auto found = std::find_if(
        job.arguments.begin(), job.arguments.end(),
        [&](const Argument& argument) { return argument.is_buffer && argument.name == name; });
    if (found == job.arguments.end()) {
      throw InputError(
          fmt::format("verify.file names {}, which is no buffer among the arguments", name));
    }
    check_size(file, *found);
    std::ifstream in(file, std::ios::binary);
    outputs[static_cast<std::size_t>(found - job.arguments.begin())] = {
        std::istreambuf_iterator<char>(in), {}};
  }
  return outputs;
}

Runner::Outputs Runner::run_reference(const Job& job, const std::vector<Buffer*>& buffers) {
  const std::string& name = job.reference->entry;
  tell_({"running the reference kernel", reference_limit, false, true});
  try {
    Launchable reference(gpu_, job, *job.reference, buffers);
    for (const Buffer* buffer : buffers) {
      if (buffer != nullptr) {
        buffer->prepare();
      }
    }
    reference.launch();
    gpu_.wait("running the reference kernel");
  } catch (const Failed& failed) {
    throw ReferenceFailed{reference_fault(name, failed.failure.reason), false};
  } catch (const DriverError& error) {
    const ErrorMeaning meaning = meaning_of(error.code());
    if (meaning.device_lost || meaning.outcome == Outcome::out_of_memory) {
      throw;
    }
    throw ReferenceFailed{reference_fault(name, error.what()), meaning.sticky};
  }
  Outputs outputs(buffers.size());
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    if (buffers[i] == nullptr || job.arguments[i].access == Access::in) {
      continue;
    }
    outputs[i] = buffers[i]->read();
    const std::uint64_t count = job.arguments[i].count;
    check_reference_output(name, job.arguments[i].name,
                           take_census(format_of(job.arguments[i].type), outputs[i].data(), count),
                           count);
  }
  return outputs;
}

void Runner::check_canaries(const std::vector<Buffer*>& buffers) {
  for (const Buffer* buffer : buffers) {
    const auto overrun = buffer != nullptr ? buffer->find_overrun() : std::nullopt;
    if (overrun) {
      fail(Outcome::wrong_result, *overrun);
    }
  }
}

void Runner::verify(const Job& job, const std::vector<Buffer*>& buffers, const Outputs& expected,
                    Measurement& measurement) {
  const auto start = Clock::now();
  check_canaries(buffers);
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    if (buffers[i] == nullptr || expected[i].empty()) {
      continue;
    }
    const Argument& argument = job.arguments[i];
    const ElementFormat format = format_of(argument.type);
    const std::vector<char> got = buffers[i]->read();
    const Comparison result =
        compare(format, got.data(), expected[i].data(), argument.count, job.limits[i]);
    const auto describe = [&](std::uint64_t index) {
      return fmt::format("{}[{}]: got {}, expected {}", argument.name, index,
                         element_text(format, got.data(), index),
                         element_text(format, expected[i].data(), index));
    };
    if (result.wrong > 0) {
      fail(Outcome::wrong_result,
           fmt::format("{} of {} elements of {} are wrong; {}", format_count(result.wrong),
                       format_count(argument.count), argument.name, describe(result.first_wrong)));
    }
    if (result.max_error >= measurement.max_error) {
      measurement.max_error = result.max_error;
      measurement.max_error_where = describe(result.max_error_at);
    }
    measurement.verified = true;
  }
  measurement.verification_seconds = seconds_since(start);
}

bool Runner::time(const Job& job, Steps& steps, double first_seconds, Measurement& measurement) {
  TimingOptions options;
  options.sampling = {job.options.minimum_seconds, job.options.minimum_samples,
                      job.options.maximum_samples, job.options.relative_noise};
  options.warm = job.options.warm;
  options.best_seconds = job.options.best_seconds;
  options.full_clock = nvml_->maximum_clock().value_or(0);
  Timing timing = time_kernel(steps, options, first_seconds);
  measurement.seconds = median(timing.samples);
  measurement.relative_noise = relative_noise(timing.samples);
  measurement.samples = std::move(timing.samples);
  measurement.wall_seconds = median(timing.wall_seconds);
  measurement.clock = job.options.warm ? "gpu events, warm" : "gpu events, cold";
  measurement.dropped_samples = timing.dropped;
  measurement.slowest_clock = timing.slowest_clock;
  measurement.fastest_clock = timing.fastest_clock;
  measurement.note = timing.note;
  return timing.abandoned;
}

/// It takes a third of a second: by default only what may be the run's result is worth that.
void Runner::read_energy(const Job& job, Steps& steps, Measurement& measurement) {
  const MeasureOptions& options = job.options;
  if (!options.rank_by_energy &&
      !(options.energy && is_best_so_far(options, measurement.seconds) && nvml_->energy())) {
    return;
  }
  std::string why;
  const auto energy =
      measure_energy(steps, [this] { return nvml_->energy(); }, measurement.seconds, why);
  if (energy) {
    measurement.joules = energy->joules;
    why = fmt::format("energy over {} launches back to back, {}", format_count(energy->launches),
                      format_seconds(energy->seconds));
  } else if (options.rank_by_energy) {
    fail(Outcome::crashed, why);
  }
  measurement.note += (measurement.note.empty() ? "" : "; ") + why;
}

/// The costly metrics only for what the search may go on from.
CounterLevel Runner::counter_level(const MeasureOptions& options, double seconds) {
  return options.counters == CounterLevel::full && !is_best_so_far(options, seconds)
             ? CounterLevel::roofline
             : options.counters;
}

void Runner::read_counters(const Job& job, Steps& steps, Answer& answer) {
  if (!counters_) {
    counters_ = make_counter_reader(gpu_.device());
  }
  auto& measurement = std::get<Measurement>(answer.result);
  CountedRun run;
  run.prepare = [&] {
    steps.announce(measurement.seconds);
    steps.restore();
    gpu_.wait("restoring inout buffers");
  };
  run.launch = [&] {
    steps.launch();
    gpu_.wait("running the kernel for its counters");
  };
  auto counted = counters_->read(metric_set(counter_level(job.options, measurement.seconds)), run);
  if (const auto* refusal = std::get_if<CounterRefusal>(&counted)) {
    answer.counter_refusal = refusal->text;
    return;
  }
  measurement.counters = std::move(std::get<Counted>(counted).counters);
  answer.counter_note = std::move(std::get<Counted>(counted).note);
}

}  // namespace rooftune::cuda
