#include "tuner/device/cuda/cuda_device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <fstream>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

#include "tuner/core/error.hpp"
#include "tuner/core/hash.hpp"
#include "tuner/device/ceiling_store.hpp"
#include "tuner/device/cuda/ceilings.hpp"
#include "tuner/device/cuda/counters.hpp"
#include "tuner/device/cuda/driver_api.hpp"
#include "tuner/device/cuda/errors.hpp"
#include "tuner/device/cuda/gpu_facts.hpp"
#include "tuner/device/cuda/nvml.hpp"
#include "tuner/device/cuda/target.hpp"
#include "tuner/device/cuda/worker_process.hpp"
#include "tuner/device/data.hpp"
#include "tuner/device/fill.hpp"
#include "tuner/device/work_folder.hpp"

namespace rooftune {
namespace cuda {
namespace {

namespace fs = std::filesystem;

/// The reference as an instance of its own: same data and defines, its own kernel and launch.
KernelInstance reference_instance(const KernelInstance& instance) {
  KernelInstance reference = instance;
  reference.source = instance.reference->source;
  reference.source_text.clear();
  reference.name_expression = instance.reference->name_expression;
  reference.launch = instance.reference->launch;
  return reference;
}

Failure hang(const WorkerEnd& end) {
  if (!end.at.launch) {
    return {Outcome::timed_out,
            fmt::format("the worker took more than {:g} s for {}", end.at.limit, end.at.what),
            end.said};
  }
  return {
      Outcome::timed_out,
      fmt::format("a launch took more than {:g} s: an endless loop, or more work than the limit "
                  "allows",
                  end.at.limit),
      end.said};
}

Failure failure_of(const WorkerEnd& end) {
  return end.hung ? hang(end)
                  : Failure{Outcome::crashed,
                            fmt::format("the worker process {} during {}", end.how, end.at.what),
                            end.said};
}

/// Jobs to one GPU's worker, which is started when it is needed.
class Worker {
 public:
  Worker(int gpu, const fs::path& folder)
      : gpu_(gpu), log_(folder / fmt::format("gpu{}.log", gpu)) {}

  Answer run(const Job& job) {
    start();
    auto result = process_->run(job);
    if (const auto* end = std::get_if<WorkerEnd>(&result)) {
      process_.reset();
      return answer_of(*end);
    }
    Answer answer = std::get<Answer>(std::move(result));
    if (answer.worker_ends) {
      process_.reset();
    }
    if (answer.device_lost) {
      start();  // throws where the GPU is really gone
    }
    return answer;
  }

 private:
  /// Throws DeviceLost after three failed starts in a row.
  void start() {
    constexpr int tries = 3;
    std::string why;
    for (int i = 0; !process_ && i < tries; ++i) {
      try {
        process_ = std::make_unique<WorkerProcess>(gpu_, log_);
      } catch (const InputError&) {
        throw;
      } catch (const std::exception& error) {
        why = error.what();
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
      }
    }
    if (!process_) {
      throw DeviceLost(fmt::format(
          "cuda:{} cannot be used: its worker failed to start {} times: {}", gpu_, tries, why));
    }
  }

  static Answer answer_of(const WorkerEnd& end) {
    if (!end.at.reference) {
      return {failure_of(end), true, false, "", ""};
    }
    const std::string reason = end.hung
                                   ? fmt::format("took more than {:g} s", end.at.limit)
                                   : fmt::format("broke the worker process, which {}", end.how);
    return {SpecFault{"the reference kernel " + reason, "mend verify.kernel, or its launch"}, true,
            false, "", ""};
  }

  int gpu_;
  fs::path log_;
  std::unique_ptr<WorkerProcess> process_;
};

/// For GPUs of one model, one driver and one version of rooftune.
std::optional<fs::path> ceilings_file(const GpuFacts& gpu) {
  const auto folder = ceilings::cache_folder();
  return folder ? std::optional(
                      ceilings::file_for(*folder, ceilings::this_host(),
                                         fmt::format("{}\n{}\n{}\n{}", gpu.name, gpu.memory_bytes,
                                                     gpu.driver, ROOFTUNE_VERSION)))
                : std::nullopt;
}

/// With the ceilings that are stored; nothing is measured.
DeviceProfile known_profile(const GpuFacts& gpu) {
  const auto file = ceilings_file(gpu);
  const auto stored = file ? ceilings::read_stored(*file) : std::nullopt;
  return stored ? with_measured(profile_of(gpu), *stored) : profile_of(gpu);
}

std::string ceilings_remark(const GpuFacts& gpu) {
  const auto file = ceilings_file(gpu);
  return file && !ceilings::read_stored(*file)
             ? fmt::format(
                   "the roofs are the data sheet's: `rooftune ceilings --device cuda:{}` "
                   "measures this GPU's in less than a minute, for all runs to come",
                   gpu.index)
             : "";
}

class CudaDevice : public Device {
 public:
  CudaDevice(const std::vector<GpuFacts>& gpus, Target target)
      : profile_(known_profile(gpus.front())), target_(std::move(target)), folder_("") {
    environment_ = fmt::format("driver {}; NVRTC {}; {}", gpus.front().driver, nvrtc_version(),
                               target_.architecture);
    if (gpus.size() > 1) {
      environment_ += fmt::format("; {} equal GPUs in parallel", gpus.size());
    }
    for (const GpuFacts& gpu : gpus) {
      if (!open_nvml(gpu.bus_id)->energy()) {
        energy_refusal_ = fmt::format(
            "NVML does not tell that of cuda:{}: it needs libnvidia-ml.so.1, a GPU of compute "
            "capability 7.0 or later, and no vGPU",
            gpu.index);
      }
      idle_.push_back(std::make_unique<Worker>(gpu.index, folder_.path()));
    }
    workers_ = static_cast<unsigned>(gpus.size());
    tell_once(target_.warning);
    tell_once(ceilings_remark(gpus.front()));
    tell_once(cache_.problem());
  }

  const DeviceProfile& profile() const override { return profile_; }
  unsigned compile_jobs() const override {
    return std::max(1U, std::thread::hardware_concurrency());
  }
  unsigned measure_jobs() const override { return workers_; }
  std::string environment() const override { return environment_; }
  std::string energy_refusal() const override { return energy_refusal_; }

  std::vector<std::string> take_messages() override {
    const std::lock_guard lock(mutex_);
    return std::exchange(messages_, {});
  }

  CompileResult compile(const KernelInstance& instance) override {
    return compile_nvrtc(instance, target_.architecture, &cache_);
  }

  MeasureResult measure(const KernelInstance& instance, const KernelBinary& binary,
                        const MeasureOptions& options) override {
    Job job = job_of(instance, binary, options);
    {
      const std::lock_guard lock(mutex_);
      if (!counter_refusal_.empty()) {
        job.options.counters = CounterLevel::off;
      }
    }
    Answer answer = run(job);
    tell_once(answer.counter_note);
    if (!answer.counter_refusal.empty()) {
      {
        const std::lock_guard lock(mutex_);
        counter_refusal_ = answer.counter_refusal;
      }
      tell_once("no hardware counters: " + answer.counter_refusal +
                ". The run goes on with the spec's work");
    }
    if (const auto* fault = std::get_if<SpecFault>(&answer.result)) {
      throw InputError(fault->problem, fault->hint);
    }
    if (auto* failure = std::get_if<Failure>(&answer.result)) {
      if (failure->reason.find(meaning_of(CUDA_ERROR_UNSUPPORTED_PTX_VERSION).name) !=
          std::string::npos) {
        failure->reason += fmt::format(" (here: {})", environment_);  // both versions
      }
      return std::move(*failure);
    }
    return std::get<Measurement>(std::move(answer.result));
  }

 private:
  /// On whichever GPU is idle.
  Answer run(const Job& job) {
    std::unique_ptr<Worker> worker;
    {
      std::unique_lock lock(mutex_);
      idle_changed_.wait(lock, [this] { return !idle_.empty(); });
      worker = std::move(idle_.back());
      idle_.pop_back();
    }
    struct GiveBack {
      CudaDevice& device;
      std::unique_ptr<Worker>& worker;
      ~GiveBack() {
        const std::lock_guard lock(device.mutex_);
        device.idle_.push_back(std::move(worker));
        device.idle_changed_.notify_one();
      }
    } const give_back{*this, worker};
    return worker->run(job);
  }

  Job job_of(const KernelInstance& instance, const KernelBinary& binary,
             const MeasureOptions& options) {
    Job job;
    job.kernel = program_of(binary, instance.launch);
    job.arguments = instance.arguments;
    for (std::size_t i = 0; i < instance.arguments.size(); ++i) {
      job.argument_keys.push_back(argument_key(instance.arguments[i], i, options.seed));
      job.limits.push_back(instance.arguments[i].is_buffer
                               ? error_limits(instance, instance.arguments[i])
                               : ErrorLimits{});
    }
    job.options = options;
    if (!instance.expected_files.empty()) {
      for (const auto& [name, file] : instance.expected_files) {
        job.expected_files[name] = file.string();
        job.expected_key += fmt::format("{} {}\n", name, file.string());
      }
    } else if (instance.reference) {
      job.reference = reference_program(instance);
      job.expected_key = reference_key(instance, options.seed);
    }
    return job;
  }

  Program reference_program(const KernelInstance& instance) {
    const KernelInstance reference = reference_instance(instance);
    const CompileResult compiled = compile(reference);
    if (const auto* failure = std::get_if<Failure>(&compiled)) {
      throw InputError(fmt::format("the reference kernel {} does not compile: {}",
                                   reference.name_expression, failure->reason),
                       failure->log);
    }
    return program_of(std::get<KernelBinary>(compiled), reference.launch);
  }

  /// The worker reads binaries from files, each written once.
  Program program_of(const KernelBinary& binary, const Launch& launch) {
    const std::string_view image(binary.image.data(), binary.image.size());
    const fs::path file = folder_.path() / (hash_text(image) + ".bin");
    const std::lock_guard lock(mutex_);
    if (written_.insert(file.string()).second) {
      std::ofstream out(file, std::ios::binary);
      out.write(image.data(), static_cast<std::streamsize>(image.size()));
      if (!out.flush()) {
        throw InputError(fmt::format("cannot write {}", file.string()),
                         "is the disk full? TMPDIR chooses another place");
      }
    }
    return {file.string(), binary.entry, launch};
  }

  void tell_once(const std::string& message) {
    const std::lock_guard lock(mutex_);
    if (!message.empty() && told_.insert(message).second) {
      messages_.push_back(message);
    }
  }

  DeviceProfile profile_;
  Target target_;
  WorkFolder folder_;
  BinaryCache cache_;
  std::string environment_;
  std::string energy_refusal_;
  unsigned workers_ = 1;
  std::mutex mutex_;
  std::condition_variable idle_changed_;
  std::vector<std::unique_ptr<Worker>> idle_;
  std::set<std::string> written_;
  std::set<std::string> told_;
  std::vector<std::string> messages_;
  std::string counter_refusal_;
};

std::vector<GpuFacts> gpus_here(std::string& why) {
  const auto driver = load_driver(why);
  return driver ? find_gpus(*driver, why) : std::vector<GpuFacts>{};
}

/// Throws InputError where it is not among those that are here.
const GpuFacts& gpu_of(const std::vector<GpuFacts>& here, int index, const std::string& why) {
  const auto found = std::find_if(here.begin(), here.end(),
                                  [index](const GpuFacts& gpu) { return gpu.index == index; });
  if (found == here.end()) {
    throw InputError(
        fmt::format("device cuda:{} is not available: {}", index,
                    here.empty() ? why : fmt::format("there are {} GPUs here", here.size())),
        here.empty() ? "" : "`rooftune devices` lists them; they count from 0");
  }
  return *found;
}

/// What is stored: the measured roofs alone, and whose they are.
DeviceProfile measured_profile(const GpuFacts& gpu) {
  DeviceProfile profile = profile_of(gpu);
  const std::unique_ptr<Device> device = make_cuda_device({gpu.index});
  MeasuredCeilings measured;
  try {
    measured = measure_ceilings(*device, ceiling_probes(profile));
  } catch (const DeviceLost& lost) {
    throw InputError(lost.what(), "nothing was stored: measure again when the GPU is back");
  }
  add_dram_roof(measured.roofs);
  profile.roofs = std::move(measured.roofs);
  profile.source = fmt::format("measured by rooftune {} on {}, driver {}", ROOFTUNE_VERSION,
                               ceilings::today(), gpu.driver);
  for (const std::string& what : measured.left_out) {
    profile.source += "; left out: " + what;
  }
  return profile;
}

Target target_for(const GpuFacts& gpu) {
  return choose_target(gpu.cc, nvrtc_architectures(), nvrtc_version());
}

}  // namespace
}  // namespace cuda

std::vector<GpuListing> list_gpus(std::string& why) {
  std::vector<GpuListing> listings;
  for (const cuda::GpuFacts& gpu : cuda::gpus_here(why)) {
    GpuListing listing;
    listing.index = gpu.index;
    listing.profile = cuda::known_profile(gpu);
    listing.clock_hz = gpu.clock_hz;
    listing.driver = gpu.driver;
    listing.counters =
        cuda::counter_access(gpu.index, cuda::open_nvml(gpu.bus_id)->mig().value_or(false));
    try {
      const cuda::Target target = cuda::target_for(gpu);
      listing.compiles = true;
      listing.target = fmt::format("{} by NVRTC {}", target.architecture, nvrtc_version());
    } catch (const InputError& error) {
      listing.target = fmt::format("{}; {}", error.problem(), error.hint());
    }
    listings.push_back(std::move(listing));
  }
  return listings;
}

std::unique_ptr<Device> make_cuda_device(const std::vector<int>& indices) {
  std::string why;
  const std::vector<cuda::GpuFacts> here = cuda::gpus_here(why);
  std::vector<cuda::GpuFacts> chosen;
  for (const int index : indices) {
    const cuda::GpuFacts& found = cuda::gpu_of(here, index, why);
    if (!chosen.empty() && !cuda::are_equal(chosen.front(), found)) {
      throw InputError(
          fmt::format("cuda:{} ({}) and cuda:{} ({}) are not equal", chosen.front().index,
                      chosen.front().name, found.index, found.name),
          "times of unequal GPUs say nothing about each other: tune for each separately");
    }
    chosen.push_back(found);
  }
  return std::make_unique<cuda::CudaDevice>(chosen, cuda::target_for(chosen.front()));
}

DeviceProfile gpu_profile(int index, bool refresh,
                          const std::function<void(const std::string&)>& tell) {
  std::string why;
  const std::vector<cuda::GpuFacts> here = cuda::gpus_here(why);
  const cuda::GpuFacts& gpu = cuda::gpu_of(here, index, why);
  const DeviceProfile measured =
      ceilings::stored_or_measured(cuda::ceilings_file(gpu), refresh, [&] {
        tell(fmt::format("measuring the ceilings of {}: up to a minute", gpu.name));
        return cuda::measured_profile(gpu);
      });
  return cuda::with_measured(cuda::profile_of(gpu), measured);
}

std::optional<std::filesystem::path> gpu_ceilings_file(int index) {
  std::string why;
  const std::vector<cuda::GpuFacts> here = cuda::gpus_here(why);
  const auto found = std::find_if(
      here.begin(), here.end(), [index](const cuda::GpuFacts& gpu) { return gpu.index == index; });
  return found != here.end() ? cuda::ceilings_file(*found) : std::nullopt;
}

}  // namespace rooftune
