#include "tuner/device/cuda/driver_api.hpp"

#include <fmt/format.h>

#include "tuner/device/cuda/library.hpp"

namespace rooftune::cuda {

std::shared_ptr<const DriverApi> load_driver(std::string& why) {
  struct Driver {
    std::shared_ptr<const Library> library;
    DriverApi api;
  };
  const auto driver = std::make_shared<Driver>();
  driver->library = load_library("ROOFTUNE_CUDA_DRIVER", {"libcuda.so.1"}, why);
  if (!driver->library) {
    why = fmt::format("no NVIDIA driver: {}; install the driver, or use --device host", why);
    return nullptr;
  }
  const char* missing = nullptr;
#define ROOFTUNE_LOAD(member, symbol, ...)                                           \
  driver->api.member =                                                               \
      reinterpret_cast<decltype(driver->api.member)>(driver->library->find(symbol)); \
  missing = driver->api.member == nullptr ? symbol : missing;
  ROOFTUNE_DRIVER_FUNCTIONS(ROOFTUNE_LOAD)
#undef ROOFTUNE_LOAD
  if (missing != nullptr) {
    why = fmt::format("the NVIDIA driver ({}) is too old: it has no {}; update it",
                      driver->library->path(), missing);
    return nullptr;
  }
  return {driver, &driver->api};
}

}  // namespace rooftune::cuda
