#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <ostream>

#include "tuner/cli/commands.hpp"
#include "tuner/core/units.hpp"
#include "tuner/device/open.hpp"

namespace rooftune::cli {
namespace {

void print_table(std::ostream& out, const std::vector<DeviceListing>& devices) {
  for (const DeviceListing& device : devices) {
    out << fmt::format("{:<8} {}\n", device.id, device.name);
    const DeviceProfile& profile = device.profile;
    if (device.available) {
      out << fmt::format("         {} {}, {} of memory\n", profile.multiprocessors,
                         profile.kind == DeviceKind::host ? "workers" : "multiprocessors",
                         format_bytes(static_cast<double>(profile.memory_bytes)));
    }
    if (profile.kind == DeviceKind::cuda && !device.driver.empty()) {
      out << fmt::format("         compute capability {}, up to {:.0f} MHz, {} of L2; driver {}\n",
                         to_string(profile.cc), profile.clock_hz / 1e6,
                         format_bytes(static_cast<double>(profile.l2_bytes)), device.driver);
    }
    out << fmt::format("         {}: {}\n", device.available ? "available" : "not available",
                       device.remark);
    out << fmt::format("         counters: {}\n", device.counters);
  }
}

nlohmann::json as_json(const DeviceListing& device) {
  nlohmann::json json = {{"id", device.id},
                         {"name", device.name},
                         {"available", device.available},
                         {"remark", device.remark},
                         {"counters", device.counters}};
  if (device.available) {
    json["kind"] = to_string(device.profile.kind);
    json["multiprocessors"] = device.profile.multiprocessors;
    json["memory_bytes"] = device.profile.memory_bytes;
    json["l2_bytes"] = device.profile.l2_bytes;
    json["clock_hz"] = device.profile.clock_hz;
    if (!device.driver.empty()) {
      json["compute_capability"] = to_string(device.profile.cc);
      json["driver"] = device.driver;
    }
  }
  return json;
}

int list(Io& io, bool json) {
  const std::vector<DeviceListing> devices = list_devices();
  if (!json) {
    print_table(io.out, devices);
    return 0;
  }
  nlohmann::json document = {{"devices", nlohmann::json::array()}};
  for (const DeviceListing& device : devices) {
    document["devices"].push_back(as_json(device));
  }
  io.out << document.dump(2) << '\n';
  return 0;
}

}  // namespace

void add_devices(CLI::App& app, Action& action) {
  CLI::App* command =
      app.add_subcommand("devices", "what is here, and whether counters may be read");
  command->footer("Examples:\n  rooftune devices\n  rooftune devices --json");
  auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "one JSON document");
  command->callback([&action, json] { action = [json](Io& io) { return list(io, *json); }; });
}

}  // namespace rooftune::cli
