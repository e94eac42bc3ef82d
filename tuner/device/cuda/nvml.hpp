// NVML: clocks, energy and the driver's release. Loaded at run time; whatever cannot be read is
// nullopt.
#pragma once

#include <memory>
#include <optional>
#include <string>

namespace rooftune::cuda {

class Nvml {
 public:
  virtual ~Nvml() = default;
  virtual std::optional<double> clock() const = 0;          ///< of the multiprocessors now, Hz
  virtual std::optional<double> maximum_clock() const = 0;  ///< Hz, boost included
  virtual std::optional<double> energy() const = 0;         ///< since the driver was loaded, J
  virtual std::optional<bool> mig() const = 0;              ///< whether MIG is switched on
  virtual std::string driver_release() const = 0;           ///< "580.65.06"
};

/// The GPU at a PCI address. Never nullptr: where there is no NVML, nothing can be read. The
/// library is libnvidia-ml.so.1, or, for tests, the one that ROOFTUNE_NVML names.
std::unique_ptr<Nvml> open_nvml(const std::string& bus_id);

}  // namespace rooftune::cuda
