// A device as the roofline sees it: its roofs, each with a value and a source, and its limits.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/occupancy/occupancy.hpp"
#include "tuner/spec/spec.hpp"

namespace rooftune {

enum class RoofKind {
  compute,    ///< FLOP/s (operations per second for int8)
  bandwidth,  ///< byte/s
  issue,      ///< warp instructions per second, whole device
  latency,    ///< seconds of one empty launch
};
enum class RoofSource {
  data_sheet,
  measured,
  given,  ///< by the user: taken before any other
};
std::string_view to_string(RoofKind kind);
std::string_view to_string(RoofSource source);

struct Roof {
  RoofKind kind = RoofKind::compute;
  /// compute: "fp32", "fp16.tensor"; bandwidth: "dram", "l2", "l1", "shared"; "issue"; "launch".
  std::string name;
  double value = 0;  ///< unit by kind
  RoofSource source = RoofSource::data_sheet;
  std::string origin;  ///< document, or how and when it was measured
  double spread = 0;   ///< measured: relative half range over repetitions
  /// FLOP, bytes or instructions per multiprocessor and clock: with the maximum clock, what no
  /// kernel can exceed. 0 where unknown. Data sheets often assume a lower clock.
  double rate = 0;
};

enum class DeviceKind { cuda, host };
std::string_view to_string(DeviceKind kind);

struct DeviceProfile {
  std::string id;    ///< file stem in configs/devices, "cuda:0" or "host"
  std::string name;  ///< "NVIDIA A100-SXM4-40GB"
  DeviceKind kind = DeviceKind::cuda;
  std::vector<std::string> match;  ///< patterns of device names that this profile is for
  ComputeCapability cc;            ///< {0, 0} for the host
  int multiprocessors = 0;         ///< host: worker threads
  double clock_hz = 0;             ///< maximum, boost beyond the data sheet's included; 0 unknown
  std::uint64_t memory_bytes = 0;
  std::uint64_t l2_bytes = 0;  ///< host: last-level cache
  std::vector<Roof> roofs;
  std::string source;  ///< where the figures are from

  /// The best known roof of that name: given by the user, else measured, else the data sheet's.
  const Roof* roof(RoofKind kind, std::string_view name) const;
  const Roof* roof(RoofKind kind, std::string_view name, RoofSource source) const;
  /// The theoretical maximum of that name, for proofs: rate x multiprocessors x maximum clock where
  /// known, never below any other figure for it. 0 where nothing but measurements is known (the
  /// host): a measured peak proves nothing.
  double theoretical(RoofKind kind, std::string_view name) const;
  /// Warp schedulers of a multiprocessor (host: 1): what a warp can keep busy by itself.
  int schedulers() const { return kind == DeviceKind::cuda ? 4 : 1; }
};

/// Reads configs/devices/ID.yaml, or a file by path. Throws InputError with file:line:column for
/// whatever is unknown, repeated, missing or not a number, and with a suggestion for an unknown id.
/// The keys are documented in docs/roofline.md.
DeviceProfile load_device(const std::string& id_or_file);
/// The same from text; `file` is for messages, its stem becomes the id.
DeviceProfile parse_device(const std::string& text, const std::filesystem::path& file);
/// As text that parse_device reads back to an equal profile (the id excepted).
std::string device_yaml(const DeviceProfile& profile);
/// The ids of configs/devices, sorted.
std::vector<std::string> device_ids();
/// The profile whose patterns match the name that a driver reports ("NVIDIA A100-SXM4-40GB"), case
/// and a leading "NVIDIA " aside; nullopt where none does.
std::optional<DeviceProfile> match_device(const std::string& reported_name);
/// The folder that holds devices/ and kernels/: ROOFTUNE_CONFIGS, the installed one, the source's.
std::filesystem::path config_folder();

}  // namespace rooftune
