#include "tuner/device/host/ceilings.hpp"

#include <fmt/format.h>

#include <thread>

#include "tuner/device/host/host_device.hpp"

namespace rooftune {
namespace ceilings {
namespace {

unsigned worker_count(unsigned wanted) {
  return wanted > 0 ? wanted : std::max(1U, std::thread::hardware_concurrency());
}

}  // namespace

Key this_machine(unsigned workers) {
  return {read_cpu().name, worker_count(workers), ROOFTUNE_VERSION, this_host()};
}

std::filesystem::path file_for(const std::filesystem::path& folder, const Key& key) {
  return file_for(folder, key.host, fmt::format("{}\n{}\n{}", key.cpu, key.workers, key.version));
}

DeviceProfile stored_or_measured(const std::optional<std::filesystem::path>& folder, const Key& key,
                                 bool refresh, const Measurer& measurer) {
  const auto file = folder ? std::optional(file_for(*folder, key)) : std::nullopt;
  DeviceProfile profile = stored_or_measured(file, refresh, [&] {
    DeviceProfile measured = measurer();
    measured.source =
        fmt::format("measured by rooftune {} on {}, {} workers", key.version, today(), key.workers);
    return measured;
  });
  profile.id = "host";
  return profile;
}

}  // namespace ceilings

DeviceProfile measure_host_ceilings(unsigned workers) {
  return ceilings::measure(ceilings::read_cpu(), ceilings::worker_count(workers), {});
}

DeviceProfile host_profile(unsigned workers, bool refresh) {
  return ceilings::stored_or_measured(ceilings::cache_folder(), ceilings::this_machine(workers),
                                      refresh,
                                      [workers] { return measure_host_ceilings(workers); });
}

std::optional<std::filesystem::path> host_ceilings_file(unsigned workers) {
  const auto folder = ceilings::cache_folder();
  return folder ? std::optional(ceilings::file_for(*folder, ceilings::this_machine(workers)))
                : std::nullopt;
}

}  // namespace rooftune
