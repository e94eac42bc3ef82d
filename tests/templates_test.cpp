// Every spec in configs/kernels/: it loads, its space is not empty, samples of it compile for
// architectures from the oldest to the newest, and give the right result on the host. No list of
// names: a new spec is tested by being there.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <random>
#include <string>
#include <variant>
#include <vector>

#include "tuner/compile/compiler.hpp"
#include "tuner/device/host/host_device.hpp"
#include "tuner/space/space.hpp"
#include "tuner/spec/instance.hpp"
#include "tuner/spec/spec.hpp"

namespace rooftune {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> kernel_specs() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(ROOFTUNE_SOURCE_DIR "/configs/kernels")) {
    if (entry.path().extension() == ".yaml") {
      names.push_back(entry.path().stem().string());
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

class Template : public testing::TestWithParam<std::string> {
 protected:
  Spec spec_ = load_spec(ROOFTUNE_SOURCE_DIR "/configs/kernels/" + GetParam() + ".yaml");
  Space space_{spec_};
};

TEST_P(Template, HasASpaceThatHoldsItsBaseline) {
  EXPECT_GT(space_.size(), 1u);
  ASSERT_FALSE(spec_.baseline.empty());
  const auto baseline = space_.find(spec_.baseline);
  ASSERT_TRUE(baseline.has_value()) << to_string(spec_.baseline);
  EXPECT_TRUE(space_.contains(*baseline)) << to_string(spec_.baseline);
}

TEST_P(Template, CanBeProved) {
  ASSERT_TRUE(spec_.verify.has_value());
  const auto outputs = std::count_if(spec_.arguments.begin(), spec_.arguments.end(),
                                     [](const auto& a) { return a.access != Access::in; });
  EXPECT_GE(outputs, 1);
}

// Traffic can only be more than what must move.
TEST_P(Template, MovesAtLeastItsCompulsoryBytesThroughL2) {
  std::mt19937_64 random(7);
  for (const auto& configuration : space_.sample(50, random)) {
    const auto work =
        evaluate_geometry(spec_, space_.values(configuration), spec_.problems.front()).work;
    const auto l2 = work.traffic.find(Level::l2);
    if (l2 != work.traffic.end()) {
      EXPECT_GE(l2->second, work.bytes.at(Level::dram)) << to_string(space_.values(configuration));
    }
  }
}

TEST_P(Template, CompilesForArchitecturesFromTheOldestToTheNewest) {
  std::mt19937_64 random(7);
  std::vector<KernelInstance> instances;
  for (const auto& configuration : space_.sample(3, random)) {
    instances.push_back(instantiate(spec_, space_.values(configuration), spec_.problems.front()));
  }
  for (const std::string architecture : {"sm_75", "sm_80", "sm_90", "sm_120"}) {
    const auto results = compile_all(instances, architecture);
    for (std::size_t i = 0; i < results.size(); ++i) {
      const auto* failure = std::get_if<Failure>(&results[i]);
      EXPECT_EQ(failure, nullptr) << architecture << ' ' << to_string(instances[i].parameters)
                                  << ": " << (failure != nullptr ? failure->reason : "");
    }
  }
}

TEST_P(Template, IsRightOnTheHost) {
  const auto device = make_host_device();
  MeasureOptions options;
  options.minimum_seconds = 0;
  options.minimum_samples = 1;
  std::mt19937_64 random(11);
  auto chosen = space_.sample(2, random);
  chosen.push_back(space_.find(spec_.baseline).value());
  for (const auto& configuration : chosen) {
    const auto instance = instantiate(spec_, space_.values(configuration), spec_.problems.front());
    const auto binary = device->compile(instance);
    ASSERT_TRUE(std::holds_alternative<KernelBinary>(binary))
        << to_string(instance.parameters) << ": " << std::get<Failure>(binary).log;
    const auto result = device->measure(instance, std::get<KernelBinary>(binary), options);
    ASSERT_TRUE(std::holds_alternative<Measurement>(result))
        << to_string(instance.parameters) << ": " << std::get<Failure>(result).reason;
    EXPECT_TRUE(std::get<Measurement>(result).verified);
  }
}

INSTANTIATE_TEST_SUITE_P(All, Template, testing::ValuesIn(kernel_specs()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace rooftune
