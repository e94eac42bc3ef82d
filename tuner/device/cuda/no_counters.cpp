// Counters where rooftune was built without CUPTI's headers.
#include "tuner/device/cuda/counters.hpp"

namespace rooftune::cuda {
namespace {

constexpr const char* why =
    "rooftune was built without CUPTI's headers (those of CUDA 12.8 or newer are needed)";

class NoReader : public CounterReader {
 public:
  std::variant<Counted, CounterRefusal> read(const std::vector<std::string>& /*metrics*/,
                                             const CountedRun& /*run*/) override {
    return CounterRefusal{why};
  }
};

}  // namespace

std::unique_ptr<CounterReader> make_counter_reader(int /*device*/) {
  return std::make_unique<NoReader>();
}

std::string counter_access(int /*device*/, bool /*mig*/) {
  return std::string("not read: ") + why;
}

}  // namespace rooftune::cuda
