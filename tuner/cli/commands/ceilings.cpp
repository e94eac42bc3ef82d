#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>

#include "tuner/cli/commands.hpp"
#include "tuner/cli/roofline/device_option.hpp"
#include "tuner/device/open.hpp"

namespace rooftune::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* ceilings_examples =
    "Examples:\n"
    "  rooftune ceilings                     this machine's, measured once and kept\n"
    "  rooftune ceilings --refresh           measured anew\n"
    "  rooftune ceilings --device cuda:0     a GPU's, measured once and kept\n"
    "  rooftune ceilings --device h100-sxm   what is known of a device that need not be here\n"
    "Host levels: l1 (also for shared), core_l2, l2 (the last-level cache), dram. Rates are per "
    "CPU\n"
    "time with all workers at once; the spread is the relative half range of the repetitions.";

struct CeilingsOptions {
  std::string device = "host";
  bool refresh = false;
  bool json = false;
};

Json roof_json(const Roof& roof, const DeviceProfile& device) {
  Json json = {{"kind", to_string(roof.kind)},
               {"name", roof.name},
               {"value", roof.value},
               {"source", to_string(roof.source)},
               {"origin", roof.origin}};
  if (roof.source == RoofSource::measured) {
    json["spread"] = roof.spread;
  }
  if (const double peak = device.theoretical(roof.kind, roof.name); peak > 0) {
    json["theoretical"] = peak;
  }
  return json;
}

void print_json(const DeviceProfile& device, const std::string& file, Io& io) {
  Json roofs = Json::array();
  for (const Roof& roof : device.roofs) {
    roofs.push_back(roof_json(roof, device));
  }
  const Json document = {{"device", device.id},
                         {"name", device.name},
                         {"kind", to_string(device.kind)},
                         {"multiprocessors", device.multiprocessors},
                         {"source", device.source},
                         {"file", file.empty() ? Json(nullptr) : Json(file)},
                         {"roofs", roofs}};
  io.out << document.dump(2) << '\n';
}

/// A measured figure above the data sheet's is shown with a note, never clamped.
std::string remark(const Roof& roof, const DeviceProfile& device) {
  const Roof* sheet = device.roof(roof.kind, roof.name, RoofSource::data_sheet);
  const bool above = roof.source == RoofSource::measured && sheet != nullptr &&
                     roof.value > sheet->value && roof.kind != RoofKind::latency;
  return above ? "; above the data sheet: boost beyond its clock, or data in a cache" : "";
}

void print_table(const DeviceProfile& device, const std::string& file, Io& io) {
  io.out << fmt::format("{}, {} {}\n{}\n\n", device.name, device.multiprocessors,
                        device.kind == DeviceKind::host ? "workers" : "multiprocessors",
                        device.source);
  io.out << fmt::format("  {:<16} {:>21}  {:<10} {:>6}  {}\n", "roof", "value", "source", "spread",
                        "origin");
  for (const Roof& roof : device.roofs) {
    const std::string spread =
        roof.source == RoofSource::measured ? format_percent(roof.spread) : "";
    io.out << fmt::format("  {:<16} {:>21}  {:<10} {:>6}  {}{}\n", roof.name, figure_text(roof),
                          to_string(roof.source), spread, roof.origin, remark(roof, device));
  }
  const Roof* dram = device.roof(RoofKind::bandwidth, "dram");
  const Roof* fp32 = device.roof(RoofKind::compute, "fp32");
  if (dram != nullptr && fp32 != nullptr) {
    io.out << fmt::format("\nridge of fp32 over dram: {:.3g} FLOP/byte\n",
                          fp32->value / dram->value);
  }
  if (!file.empty()) {
    io.out << "kept in " << file << '\n';
  }
}

int run_ceilings(const CeilingsOptions& options, Io& io) {
  const DeviceProfile device = device_with_roofs(options.device, io, options.refresh);
  std::string file;
  if (device.source.find("not stored") == std::string::npos) {
    file = ceilings_file_of(options.device).value_or(std::filesystem::path()).string();
  }
  options.json ? print_json(device, file, io) : print_table(device, file, io);
  return 0;
}

}  // namespace

void add_ceilings(CLI::App& app, Action& action) {
  CLI::App* command =
      app.add_subcommand("ceilings", "measure this machine's roofs, or show a device's");
  command->footer(ceilings_examples);
  auto options = std::make_shared<CeilingsOptions>();
  command
      ->add_option("--device", options->device,
                   "host, a GPU that is here, a known device, or a device file")
      ->capture_default_str()
      ->type_name("host|cuda:N|ID|FILE");
  command->add_flag("--refresh", options->refresh, "measure anew what is stored");
  command->add_flag("--json", options->json, "one JSON document");
  command->callback([options, &action] {
    if (options->refresh && options->device != "host" && !gpu_index(options->device)) {
      throw CLI::ValidationError("--refresh", "only host and cuda:N are measured");
    }
    action = [options](Io& io) { return run_ceilings(*options, io); };
  });
}

}  // namespace rooftune::cli
