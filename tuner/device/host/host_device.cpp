#include "tuner/device/host/host_device.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <mutex>
#include <sstream>
#include <thread>

#include "tuner/core/error.hpp"
#include "tuner/core/hash.hpp"
#include "tuner/device/data.hpp"
#include "tuner/device/fill.hpp"
#include "tuner/device/host/ceilings.hpp"
#include "tuner/device/host/child/job.hpp"
#include "tuner/device/host/host_compiler.hpp"
#include "tuner/device/host/host_data.hpp"
#include "tuner/device/host/host_findings.hpp"
#include "tuner/device/host/process.hpp"
#include "tuner/device/host/runtime_files.hpp"
#include "tuner/device/host/toolchain.hpp"
#include "tuner/device/work_folder.hpp"
#include "tuner/measure/sampling.hpp"

namespace rooftune {
namespace host {
namespace {

namespace fs = std::filesystem;
using host_child::Job;
using host_child::JobArgument;
using host_child::Task;

/// A reference is a plain kernel, often slow: it may take as long as anyone would wait for.
constexpr double reference_timeout_seconds = 300;

/// Bytes that a new process may fill without swapping.
std::uint64_t available_memory() {
  std::ifstream in("/proc/meminfo");
  for (std::string line; std::getline(in, line);) {
    std::istringstream fields(line);
    std::string name;
    std::uint64_t kibibytes = 0;
    if (fields >> name >> kibibytes && name == "MemAvailable:") {
      return kibibytes * 1024;
    }
  }
  return ~std::uint64_t{0};
}

std::optional<Failure> lacks_memory(const KernelInstance& instance) {
  std::uint64_t bytes = 0;
  for (const Argument& argument : instance.arguments) {
    bytes += argument.is_buffer ? argument.bytes() : 0;
  }
  const std::uint64_t available = available_memory();
  if (bytes <= available) {
    return std::nullopt;
  }
  const std::string reason =
      fmt::format("the buffers need {}, and {} are free", format_bytes(static_cast<double>(bytes)),
                  format_bytes(static_cast<double>(available)));
  return Failure{Outcome::out_of_memory, reason, reason};
}

/// The words that run a command without randomised addresses, where that is allowed: with as many
/// random bits as newer kernels use, the sanitizers find no room for their shadow.
std::vector<std::string> fixed_addresses() {
  const std::vector<std::string> words = {"setarch", "-R"};
  std::vector<std::string> trial = words;
  trial.emplace_back("true");
  try {
    return run_process({trial, {}, 20, false}).succeeded() ? words : std::vector<std::string>();
  } catch (const InputError&) {
    return {};
  }
}

VariantRequest kernel_request(const KernelInstance& instance) {
  return {instance.source,  instance.defines,         instance.include,
          instance.options, instance.name_expression, instance.arguments};
}

VariantRequest reference_request(const KernelInstance& instance) {
  VariantRequest request = kernel_request(instance);
  request.source = instance.reference->source;
  request.name_expression = instance.reference->name_expression;
  return request;
}

}  // namespace

/// Files of expected outputs, by argument name.
using ExpectedFiles = std::map<std::string, fs::path>;

class HostDevice : public Device {
 public:
  explicit HostDevice(const HostOptions& options)
      : build_(options.build),
        proof_only_(options.proof_only || options.build != HostBuild::time),
        workers_(options.workers != 0 ? options.workers
                                      : std::max(1U, std::thread::hardware_concurrency())),
        folder_(options.work_folder),
        runtime_(runtime_folder()),
        compiler_(build_, folder_.path()) {
    if (build_ != HostBuild::time) {
      launcher_ = fixed_addresses();
    }
  }

  /// Measures the ceilings where none are stored: only when someone asks.
  const DeviceProfile& profile() const override {
    std::call_once(profile_once_, [this] { profile_ = host_profile(workers_); });
    return profile_;
  }
  unsigned compile_jobs() const override {
    return std::max(1U, std::thread::hardware_concurrency());
  }

  CompileResult compile(const KernelInstance& instance) override {
    const auto built = compiler_.build(kernel_request(instance));
    if (const auto* failure = std::get_if<Failure>(&built)) {
      return *failure;
    }
    const auto& variant = std::get<Variant>(built);
    KernelBinary binary;
    binary.program = variant.program;
    binary.entry = "rooftune_kernel";
    binary.architecture = "host";
    binary.log = variant.log;
    binary.compile_seconds = variant.seconds;
    return binary;
  }

  MeasureResult measure(const KernelInstance& instance, const KernelBinary& binary,
                        const MeasureOptions& options) override {
    if (auto failure = lacks_memory(instance)) {
      return *failure;
    }
    Job job = job_of(instance, instance.launch, options);
    job.task = proof_only_ ? Task::verify : Task::measure;
    for (const auto& [name, file] : expected_files(instance, options)) {
      argument_of(job, name).expected = file.string();
    }
    const RunResult run = this->run(job, binary.program, options.timeout_seconds);
    if (run.failure) {
      return *run.failure;
    }
    return measurement_of(run.findings);
  }

 private:
  struct RunResult {
    Findings findings;
    std::optional<Failure> failure;
  };

  Job job_of(const KernelInstance& instance, const Launch& launch, const MeasureOptions& options) {
    Job job;
    const auto copy = [](const Dim3& from, std::uint64_t(&to)[3]) {
      to[0] = from.x;
      to[1] = from.y;
      to[2] = from.z;
    };
    copy(launch.grid, job.grid);
    copy(launch.block, job.block);
    job.shared_bytes = launch.shared_bytes;
    job.workers = workers_;
    job.strict = proof_only_;
    job.seed = options.seed;
    job.sampling = {options.minimum_seconds, options.minimum_samples, options.maximum_samples,
                    options.relative_noise};
    for (std::size_t i = 0; i < instance.arguments.size(); ++i) {
      job.arguments.push_back(job_argument(instance, i, options.seed));
    }
    return job;
  }

  JobArgument job_argument(const KernelInstance& instance, std::size_t i, std::uint64_t seed) {
    const Argument& argument = instance.arguments[i];
    JobArgument out;
    out.is_buffer = argument.is_buffer;
    out.name = argument.name;
    out.format = format_of(argument.type);
    if (!argument.is_buffer) {
      try {
        for (const std::byte byte : scalar_bytes(argument)) {
          out.scalar.push_back(static_cast<unsigned char>(byte));
        }
      } catch (const ValueError& error) {
        throw InputError(error.what(), "give the argument a type that holds its value");
      }
      return out;
    }
    out.count = argument.count;
    out.direction = static_cast<host_child::Direction>(argument.access);
    out.limits = error_limits(instance, argument);
    if (argument.access != Access::out) {
      out.input = input_file(folder_.path(), argument, i, seed).string();
    }
    return out;
  }

  static JobArgument& argument_of(Job& job, const std::string& name) {
    for (JobArgument& argument : job.arguments) {
      if (argument.is_buffer && argument.name == name) {
        return argument;
      }
    }
    throw InputError(
        fmt::format("verify.file names {}, which is no buffer among the arguments", name));
  }

  RunResult run(Job job, const fs::path& program, double timeout_seconds) {
    const fs::path job_file = folder_.path() / fmt::format("job-{}-{}", getpid(), jobs_++);
    job.result = job_file.string() + ".result";
    std::ofstream(job_file) << host_child::write_job(job);
    ProcessRequest request;
    request.argv = launcher_;
    request.argv.insert(request.argv.end(), {program.string(), job_file.string()});
    request.timeout_seconds = timeout_seconds;
    request.heartbeat = true;
    request.environment = {
        {"ASAN_OPTIONS",
         "detect_leaks=0:detect_stack_use_after_return=0:allocator_may_return_null=1"},
        {"UBSAN_OPTIONS", "print_stacktrace=1"},
        {"TSAN_OPTIONS", "report_signal_unsafe=0"}};
    const ProcessResult process = run_process(request);
    std::ifstream in(job.result, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    std::error_code ignored;
    fs::remove(job_file, ignored);
    fs::remove(job.result, ignored);
    RunResult result{read_findings(text.str()), std::nullopt};
    result.failure = failure_of_run(result.findings, process, {program, runtime_, timeout_seconds});
    return result;
  }

  Measurement measurement_of(const Findings& findings) const {
    Measurement measurement;
    measurement.samples = findings.seconds;
    measurement.seconds = median(findings.seconds);
    measurement.wall_seconds = median(findings.wall_seconds);
    measurement.relative_noise = relative_noise(findings.seconds);
    measurement.clock = "cpu time per worker";
    measurement.verified = findings.verified;
    measurement.verification_seconds = findings.verification_seconds;
    measurement.max_error = findings.max_error;
    measurement.max_error_where = findings.max_error_where;
    measurement.note = findings.note;
    measurement.counters = findings.counts;
    return measurement;
  }

  // Expected outputs.

  ExpectedFiles expected_files(const KernelInstance& instance, const MeasureOptions& options) {
    if (!instance.expected_files.empty()) {
      for (const Argument& argument : instance.arguments) {
        const auto given = instance.expected_files.find(argument.name);
        if (given != instance.expected_files.end()) {
          check_size(given->second, argument);
        }
      }
      return instance.expected_files;
    }
    if (!instance.reference) {
      return {};
    }
    // Parameters count as far as they reach the reference: one that is a #define of the tuned
    // kernel alone does not make it run again.
    const std::string key =
        reference_key(instance, options.seed,
                      hash_text(reference_compiler().meaning(reference_request(instance))));
    const auto known = expected_.find(key);
    if (known != expected_.end()) {
      return known->second;
    }
    return expected_[key] = run_reference(instance, options, hash_text(key));
  }

  /// Runs the reference kernel on the same inputs. What it cannot do is the user's to mend.
  ExpectedFiles run_reference(const KernelInstance& instance, const MeasureOptions& options,
                              const std::string& key) {
    const std::string name = instance.reference->name_expression;
    const auto built = reference_compiler().build(reference_request(instance));
    if (const auto* failure = std::get_if<Failure>(&built)) {
      throw InputError(
          fmt::format("the reference kernel {} does not compile: {}", name, failure->reason),
          failure->log);
    }
    Job job = job_of(instance, instance.reference->launch, options);
    job.task = Task::reference;
    job.strict = false;
    ExpectedFiles files;
    for (JobArgument& argument : job.arguments) {
      if (argument.is_buffer && argument.direction != host_child::Direction::in) {
        const fs::path file =
            folder_.path() / fmt::format("expected-{}-{}.bin", key, argument.name);
        argument.store = file.string();
        files[argument.name] = file;
      }
    }
    const RunResult run =
        this->run(job, std::get<Variant>(built).program, reference_timeout_seconds);
    if (run.failure) {
      throw InputError(
          fmt::format("the reference kernel {} failed: {}", name, run.failure->reason),
          "every result is held against the reference: mend verify.kernel, or its launch");
    }
    for (const OutputCensus& output : run.findings.census) {
      check_reference_output(name, output.name, output.census, output.count);
    }
    return files;
  }

  /// References are always built for speed; their faults are not what is looked for.
  HostCompiler& reference_compiler() {
    if (build_ == HostBuild::time) {
      return compiler_;
    }
    if (!reference_compiler_) {
      reference_compiler_ = std::make_unique<HostCompiler>(HostBuild::time, folder_.path());
    }
    return *reference_compiler_;
  }

  HostBuild build_;
  std::vector<std::string> launcher_;  ///< words before a variant's command
  bool proof_only_;
  unsigned workers_;
  WorkFolder folder_;
  fs::path runtime_;
  HostCompiler compiler_;
  std::unique_ptr<HostCompiler> reference_compiler_;
  mutable std::once_flag profile_once_;
  mutable DeviceProfile profile_;
  std::map<std::string, ExpectedFiles> expected_;
  unsigned jobs_ = 0;
};

}  // namespace host

std::string_view to_string(HostBuild build) {
  switch (build) {
    case HostBuild::time:
      return "time";
    case HostBuild::check:
      return "check";
    case HostBuild::race:
      return "race";
    case HostBuild::count:
      break;
  }
  return "count";
}

std::string host_toolchain() {
  host::runtime_folder();
  return host::find_compiler().description();
}

DeviceProfile host_identity(unsigned workers) {
  const ceilings::Cpu cpu = ceilings::read_cpu();
  DeviceProfile profile;
  profile.id = "host";
  profile.name = cpu.name;
  profile.kind = DeviceKind::host;
  profile.multiprocessors =
      static_cast<int>(workers != 0 ? workers : std::max(1U, std::thread::hardware_concurrency()));
  profile.memory_bytes = cpu.memory_bytes;
  profile.l2_bytes = cpu.caches.back().bytes;
  profile.source = "the operating system";
  return profile;
}

std::unique_ptr<Device> make_host_device(const HostOptions& options) {
  return std::make_unique<host::HostDevice>(options);
}

}  // namespace rooftune
