#include "tuner/session/replay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <limits>
#include <mutex>
#include <thread>

#include "tuner/core/error.hpp"
#include "tuner/roofline/profile.hpp"
#include "tuner/session/model.hpp"

namespace rooftune {
namespace {

Observation observation_of(const Configuration& configuration, const RecordedPoint& point,
                           const Geometry& geometry, const DeviceProfile& device) {
  Observation observation;
  observation.configuration = configuration;
  observation.outcome = point.outcome;
  observation.seconds = point.seconds;
  observation.resources = point.resources;
  if (point.outcome == Outcome::ok) {
    DiagnosisInput input;
    input.model = model_input(geometry, device, point.resources);
    input.seconds = point.seconds;
    observation.diagnosis = diagnose(input, device);
  }
  return observation;
}

/// Runs `job(i)` for i < count on `jobs` threads; the first exception is thrown again.
void for_each_in_parallel(std::uint64_t count, unsigned jobs,
                          const std::function<void(std::uint64_t)>& job) {
  std::atomic<std::uint64_t> next{0};
  std::exception_ptr failed;
  std::mutex mutex;
  const auto work = [&] {
    try {
      for (std::uint64_t i = next++; i < count; i = next++) {
        job(i);
      }
    } catch (...) {
      const std::lock_guard lock(mutex);
      failed = failed ? failed : std::current_exception();
      next = count;
    }
  };
  std::vector<std::thread> threads;
  for (unsigned i = 1; i < jobs; ++i) {
    threads.emplace_back(work);
  }
  work();
  for (std::thread& thread : threads) {
    thread.join();
  }
  if (failed) {
    std::rethrow_exception(failed);
  }
}

}  // namespace

ReplayTable::ReplayTable(const Spec& spec, const Space& space, const Recording& recording,
                         const DeviceProfile& device)
    : space_(space), device_(device) {
  const RecordedSpace matched = match_recording(spec, space, recording);
  outside_ = matched.outside;
  const Model model(spec, space, device);
  std::vector<double> times;
  double least = std::numeric_limits<double>::infinity();
  for (std::uint64_t i = 0; i < space.size(); ++i) {
    const Configuration configuration = space.at(i);
    bounds_.push_back(model.bounds(configuration));
    geometries_.push_back(model.geometry(configuration));
    answers_.push_back(
        observation_of(configuration, *matched.points[i], geometries_.back(), device));
    if (answers_.back().outcome == Outcome::ok) {
      times.push_back(answers_.back().seconds);
      const double lower_bound = model.lower_bound_seconds(configuration);
      least = std::min(least, lower_bound);
      contradictions_ += answers_.back().seconds < lower_bound ? 1 : 0;
    }
  }
  if (times.empty()) {
    throw InputError(recording.file.string() + ": every configuration failed",
                     "a replay needs at least one time");
  }
  basis_ = score_basis(std::move(times));
  tightness_ = least / basis_.optimum;
}

std::uint64_t ReplayTable::index_of(const Configuration& configuration) const {
  const auto index = space_.index_of(configuration);
  if (!index) {
    throw InputError("a policy proposed a configuration that the spec's rules exclude: " +
                     to_string(space_.values(configuration)));
  }
  return *index;
}

SearchContext ReplayTable::context(std::uint64_t seed) const {
  SearchContext context;
  context.space = &space_;
  context.seed = seed;
  context.budget = 2 * basis_.budget;
  context.bounds = [this](const Configuration& c) { return bounds_[index_of(c)]; };
  context.geometry = [this](const Configuration& c) { return geometries_[index_of(c)]; };
  context.device = &device_;
  return context;
}

const Observation& ReplayTable::answer(const Configuration& configuration) const {
  return answers_[index_of(configuration)];
}

std::vector<std::vector<ReplayRun>> replay_runs(const ReplayTable& table,
                                                const std::vector<PolicyMaker>& makers,
                                                const ReplayOptions& options,
                                                const ReplayProgress& progress) {
  const std::uint64_t count = makers.size() * options.repeats;
  const unsigned jobs = options.jobs > 0 ? options.jobs : std::thread::hardware_concurrency();
  std::vector<std::vector<ReplayRun>> runs(makers.size(), std::vector<ReplayRun>(options.repeats));
  std::mutex mutex;
  std::uint64_t done = 0;
  for_each_in_parallel(count, std::max(1U, jobs), [&](std::uint64_t i) {
    const std::uint64_t maker = i / options.repeats;
    const std::uint64_t repeat = i % options.repeats;
    const auto policy = makers[maker](options.seed + repeat);
    runs[maker][repeat] = replay_policy(*policy, table.basis(),
                                        [&](const Configuration& c) { return table.answer(c); });
    const std::lock_guard lock(mutex);
    progress(++done, count);
  });
  return runs;
}

std::vector<PolicyScore> replay(const ReplayTable& table, const ReplayOptions& options,
                                const ReplayProgress& progress) {
  std::vector<PolicyMaker> makers;
  for (const std::string& name : options.policies) {
    makers.emplace_back([&table, &options, name](std::uint64_t seed) {
      SearchContext context = table.context(seed);
      context.prior = options.prior;
      return make_policy(name, context);
    });
  }
  const auto runs = replay_runs(table, makers, options, progress);
  std::vector<PolicyScore> scores;
  for (std::size_t p = 0; p < options.policies.size(); ++p) {
    scores.push_back(summarise(options.policies[p], runs[p], table.basis()));
  }
  return scores;
}

std::string RecordedCase::name() const {
  const std::string file = recording.filename().string();
  return file.substr(0, file.find(".json"));
}

std::vector<RecordedCase> recorded_cases(const std::filesystem::path& folder) {
  std::vector<RecordedCase> cases;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    const std::size_t dash = name.rfind('-');
    if (dash == std::string::npos || name.find(".json") == std::string::npos ||
        name.find(".t4.") != std::string::npos) {
      continue;
    }
    const auto spec = config_folder() / "recorded" / entry.path().parent_path().filename() /
                      (name.substr(0, dash) + ".yaml");
    if (std::filesystem::exists(spec)) {
      cases.push_back({spec, entry.path()});
    }
  }
  std::sort(cases.begin(), cases.end(),
            [](const RecordedCase& a, const RecordedCase& b) { return a.recording < b.recording; });
  return cases;
}

DeviceProfile recorded_device(const Recording& recording) {
  if (recording.device && !recording.device->roofs.empty()) {
    return *recording.device;
  }
  if (auto profile = match_device(recording.device_name)) {
    return *profile;
  }
  throw InputError(fmt::format("{}: recorded on \"{}\", of which no profile is known",
                               recording.file.string(), recording.device_name),
                   "name one with --device, or add it to configs/devices");
}

}  // namespace rooftune
